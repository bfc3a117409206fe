"""Every statistic and Jacobian of every normalisation, with and without a softcap, against mpmath on hard rows."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core import AttentionConfig, treatments
from attention_core.blocks.block_pass import Blocks, Pass
from attention_core.blocks.compatibility import DotProducts
from attention_core.blocks.mask import allowed
from attention_core.blocks.row_statistics import finished
from attention_core.exact.masks import EVERYTHING
from attention_core.normalisations import NORMALISATIONS
from tests.attention_core.exact_rows import BOUND, LEAST, UNIT, Real, rows
from tests.attention_core.normalisations.oracles import Exact, exact
from tests.draws import cases

DIGITS = 260
SINKS = st.sampled_from([-16.0, -3.0, 0.0, 0.5, 16.0])
CAPS = st.sampled_from([0.0, 0.0, 0.5, 3.0, 20.0, 50.0, 100.0])
EXAMPLES = (
    ([0.0, -87.3, -88.0], [1, 1, 1]),
    ([1e4, -1e4, 0.0], [1, 1, 1]),
    ([2.0, 2.0**-149, -math.inf], [1, 1, 1]),
    ([0.0], [1]),
    ([3.0, 1.0 + 2.0**-23, 1.0], [1, 1, 1]),
    ([0.0, 0.0, 0.0, 0.0, -1.0], [1] * 5),
    ([-1e4, -1e4 - 0.001], [1, 1]),
)


@pytest.fixture(autouse=True, scope="module")
def _digits():
    with mpmath.workdps(DIGITS):
        yield


def state(name: str, row: tuple[list[float], list[int]], sink: float, cap: float):
    """Return the config, the scaled and the masked scores in float32, and the exact row."""
    config = AttentionConfig(normalisation=name, sink=sink, softcap=cap)
    curve = treatments.of(config)
    there = torch.tensor(row[0], dtype=torch.float32)
    forbidden = there == -torch.inf
    scaled = there.masked_fill(forbidden, 0.0)
    masked = (scaled if curve is None else curve.value(scaled)).masked_fill(forbidden, -torch.inf)
    return config, scaled, masked, exact(name, masked.tolist(), slopes(scaled, cap), sink)


def slopes(scaled: Tensor, cap: float) -> list[Real]:
    return [mpmath.sech(mpmath.mpf(s) / cap) ** 2 if cap else mpmath.mpf(1) for s in scaled.tolist()]


def off(found: float, true: Real, bound: float) -> float:
    """Return the error in units of a relative bound; two subnormal places more are allowed."""
    return float(abs(mpmath.mpf(found) - true) / (bound * abs(true) + 2 * LEAST))


def within(found: dict[str, Tensor], true: Exact, bound: float) -> None:
    for name, value in true.statistics().items():
        most = 2 * bound if name == "sum_of_squares" else bound
        assert off(found[name].item(), value, most) <= 1, (name, found[name].item(), mpmath.nstr(value, 12))


def hard(test):
    """Add the rows that are known to be hard."""
    for row in EXAMPLES:
        for name, sink, cap in (
            ("sink", 0.5, 0.0),
            ("sigmoid", 0.0, 3.0),
            ("entmax", 0.0, 0.0),
            ("softmax", 0.0, 50.0),
        ):
            test = example(row, name, sink, cap)(test)
    return test


STATES = (rows(most=9), st.sampled_from(sorted(NORMALISATIONS)), SINKS, CAPS)


@pytest.mark.slow
@settings(max_examples=cases(300), deadline=None)
@given(*STATES)
@hard
def test_rows_in_memory(row, name: str, sink: float, cap: float) -> None:
    """Summed up in float64 and rounded once: within half of the bound that passes have."""
    config, scaled, masked, true = state(name, row, sink, cap)
    rows_of = NORMALISATIONS[name].rows
    assert rows_of is not None
    found = rows_of(
        config, masked.view(1, 1, -1), masked.isfinite().sum().view(1), scaled.view(1, 1, -1), treatments.of(config)
    )
    within(finished(found), true, BOUND / 2)


@pytest.mark.slow
@settings(max_examples=cases(300), deadline=None)
@given(*STATES)
@hard
def test_cells_of_the_jacobian(row, name: str, sink: float, cap: float) -> None:
    """In float64; in float32 each cell would be within half a unit."""
    config, scaled, masked, true = state(name, row, sink, cap)
    jacobian, curve = NORMALISATIONS[name].jacobian, treatments.of(config)
    assert jacobian is not None
    found = jacobian(config, masked.double())
    found = found if curve is None else found * curve.slope(scaled)
    largest = 1e-12 * float(max(abs(cell) for line in true.jacobian() for cell in line))
    for i, line in enumerate(true.jacobian()):
        for j, cell in enumerate(line):
            # the root of a key at the edge of entmax's support is a difference
            lost = max(largest if name == "entmax" else 0.0, 1e-300)
            assert abs(found[i, j].item() - cell) <= UNIT / 8 * abs(cell) + lost, (i, j)


@pytest.mark.slow
@settings(max_examples=cases(300), deadline=None)
@given(*STATES, st.sampled_from([2, 4, 32]))
@example(([80.0, 79.0, 78.0], [1, 1, 1]), "sigmoid", 0.0, 0.0, 2)
@example(([-80.0, -81.0, -200.0], [1, 1, 1]), "sigmoid", 0.0, 0.0, 2)
@example(([1e4, -1e4, 9e3], [1, 1, 1]), "sigmoid", 0.0, 0.0, 32)
@example(([30.0, 29.0, 2.0, -3.0], [1, 1, 1, 1]), "softmax", 0.0, 3.0, 2)
@example(([12.0, 11.0, 2.0], [1, 1, 1]), "sink", 16.0, 0.5, 32)
def test_streamed_rows(row, name: str, sink: float, cap: float, stretch: int) -> None:
    """In several stretches, merged. A pass rounds the capped score anew, which costs as many places as it is large."""
    config, scaled, masked, true = state(name, row, sink, cap)
    passes = NORMALISATIONS[name].passes
    finite = [s for s in row[0] if s != -math.inf]
    if passes is None or max(finite) - min(finite) > 3.4e38:
        return
    mask = None if masked.isfinite().all() else masked.isfinite().unsqueeze(0)
    way = passes(config, len(masked), treatments.of(config))
    cells = allowed((), 1, len(masked), EVERYTHING, mask)
    done = Pass(
        DotProducts(torch.ones(1, 1), scaled.unsqueeze(-1), 1.0), cells, Blocks(1, stretch, 2), None, None, 1, way
    )
    for _ in done.run():
        pass
    assert not done.overflowed
    found = finished(way.rows(done.sums, masked.isfinite().sum().view(1), torch.float32))
    within(found, true, BOUND * (1 + cap / 2))


@pytest.mark.parametrize("cap", [1e-300, 1e-30, 1e-3, 100.0])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_any_cap_above_0_works(cap: float, dtype: str) -> None:
    softcap = treatments.TREATMENTS["softcap"].curve(AttentionConfig(softcap=cap))
    scaled = torch.tensor([0.0, -0.0, 1e-8, 1.0, -3.0, 6e4, -math.inf, math.inf]).to(getattr(torch, dtype))
    value, slope = softcap.value(scaled), softcap.slope(scaled)
    assert value.dtype == scaled.dtype
    assert not value.isnan().any()
    assert (value.abs() <= cap * 1.01).all()
    assert ((slope >= 0) & (slope <= 1)).all()
    out, slopes = torch.empty(8), torch.empty(8)
    softcap.treat(scaled.float(), out, slopes)
    torch.testing.assert_close(out, softcap.value(scaled.float()), rtol=6e-7, atol=1e-44)
    torch.testing.assert_close(slopes.double(), slope, rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("sink", [-1e4, -700.0, 0.0, 700.0, 1e4])
def test_a_sink_far_from_the_scores(sink: float) -> None:
    """Outside the config's range, as public functions take it."""
    scores = torch.tensor([[0.0, -1.0, 300.0]])
    one = NORMALISATIONS["sink"]
    config = AttentionConfig(normalisation="sink")
    object.__setattr__(config, "sink", sink)
    assert one.rows is not None
    found = finished(one.rows(config, scores, torch.tensor([3]), None, None))
    within(found, exact("sink", scores[0].tolist(), [mpmath.mpf(1)] * 3, sink), BOUND)
    true = [float(p) for p in exact("sink", scores[0].tolist(), [], sink).p]
    np.testing.assert_allclose(one.weights(config, scores, None)[0], true, rtol=1e-6, atol=2e-45)


@pytest.mark.parametrize("name", NORMALISATIONS)
def test_a_row_without_keys(name: str) -> None:
    config = AttentionConfig(normalisation=name, sink=3.0)
    for cap in (0.0, 2.0):
        config, curve = replace(config, softcap=cap), treatments.of(replace(config, softcap=cap))
        scores = torch.full((1, 5), -torch.inf)
        one = NORMALISATIONS[name]
        assert one.weights(config, scores, torch.zeros(1, 5, dtype=torch.bool)).tolist() == [[0.0] * 5]
        assert one.rows is not None
        found = {
            key: value.item()
            for key, value in finished(one.rows(config, scores, torch.tensor([0]), torch.zeros(1, 5), curve)).items()
        }
        assert found.pop("logsumexp", None) == {"softmax": -math.inf, "sink": 3.0}.get(name)
        assert found.pop("sink_weight", 1.0) == 1.0
        assert set(found.values()) == {0.0}


def written_out(name: str, masked: Tensor, sink: float) -> Tensor:
    """Return the weights of one row by plain torch operations, for autograd."""
    match name:
        case "sigmoid":
            return 1 / (1 + len(masked) * torch.exp(-masked))
        case "entmax":
            half = masked / 2
            with torch.no_grad():
                ordered = half.sort(descending=True).values
                found = [ordered[:k] for k in range(1, len(half) + 1)]
                roots = [part.mean() - ((1 - ((part - part.mean()) ** 2).sum()) / len(part)).sqrt() for part in found]
                count = max(k for k, tau in enumerate(roots, 1) if not tau.isnan() and tau <= ordered[k - 1])
                inside = half >= ordered[count - 1]
            part = half[inside]
            tau = part.mean() - ((1 - ((part - part.mean()) ** 2).sum()) / count).sqrt()
            return torch.where(inside, (half - tau) ** 2, 0.0)
        case _:
            e = masked.exp()
            return e / (e.sum() + (math.exp(sink) if name == "sink" else 0.0))


@pytest.mark.slow
@pytest.mark.parametrize("cap", [0.0, 0.7, 4.0])
@pytest.mark.parametrize("name", NORMALISATIONS)
def test_the_jacobian_is_autograd_s_by_the_scaled_scores(name: str, cap: float) -> None:
    config = AttentionConfig(normalisation=name, sink=0.7, softcap=cap)
    curve, jacobian = treatments.of(config), NORMALISATIONS[name].jacobian
    assert jacobian is not None
    for seed in range(20):
        scaled = torch.randn(7, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 1.7

        def weights(scaled: Tensor) -> Tensor:
            return written_out(name, cap * (scaled / cap).tanh() if cap else scaled, config.sink)

        wanted = torch.autograd.functional.jacobian(weights, scaled)
        masked = scaled if curve is None else curve.value(scaled)
        found = jacobian(config, masked) if curve is None else jacobian(config, masked) * curve.slope(scaled)
        torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-12)
        p = NORMALISATIONS[name].weights(config, masked.view(1, 1, -1), None)[0, 0]
        torch.testing.assert_close(p, weights(scaled), rtol=1e-12, atol=1e-14)
