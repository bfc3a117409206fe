"""Every step of Figure 2 in a number format, against an emulation of the format from its definition."""

import math
from functools import partial

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core import AttentionConfig, AttentionInputs, compute, compute_rows, format_loss
from attention_core.exact import formats
from attention_core.exact.weighed_rows import weighed_rows
from attention_core.result.dense import FormatCells
from tests.attention_core.exact.emulated import BITS, DTYPES, NUMBERS, ROWS, close, over, rounded, same, times, unit_of
from tests.draws import cases

STATISTICS = ("top", "entropy", "jacobian_norm", "jacobian_trace")
FACTORS = st.sampled_from((1.0, 0.125, 0.37, 16.0, 0.0))


def weighed(scores: Tensor, mask: Tensor | None, factor: float, dtype: str, subtract: bool) -> formats.Weighed:
    """Return the softmax in a format."""
    steps = partial(formats.softmax_in_format, subtract=subtract)
    return formats.weigh_in_format(scores, mask, factor, dtype, steps)


@settings(max_examples=cases(150), deadline=None)
@given(number=NUMBERS, dtype=DTYPES)
def test_the_emulation_rounds_as_torch_does(number: float, dtype: str) -> None:
    number = float(np.float32(number))
    assert same(torch.tensor(number).to(getattr(torch, dtype)).item(), rounded(number, dtype))


@settings(max_examples=cases(150), deadline=None)
@given(
    rows=ROWS,
    factor=FACTORS,
    dtype=DTYPES,
    subtract=st.booleans(),
    data=st.data(),
)
def test_every_step_is_rounded_once(rows, factor: float, dtype: str, subtract: bool, data) -> None:
    scores = torch.tensor(rows, dtype=torch.float32)
    allowed = data.draw(st.one_of(st.none(), st.lists(st.booleans(), min_size=len(rows[0]), max_size=len(rows[0]))))
    mask = None if allowed is None else torch.tensor(allowed).expand(scores.shape)
    made = weighed(scores, mask, factor, dtype, subtract)
    for r, row in enumerate(scores.tolist()):
        own = [rounded(score, dtype) for score in row]
        assert all(same(a, b) for a, b in zip(made.scores[r].tolist(), own, strict=True))
        factor32 = float(np.float32(factor))
        scaled = [rounded(times(s, factor32), dtype) if factor != 1 else s for s in own]
        assert all(same(a, b) for a, b in zip(made.scaled[r].tolist(), scaled, strict=True))
        masked = (
            scaled if allowed is None else [s if may else -math.inf for s, may in zip(scaled, allowed, strict=True)]
        )
        if not any(math.isnan(s) for s in scaled):
            assert all(same(a, b) for a, b in zip(made.masked[r].tolist(), masked, strict=True))
        if any(math.isnan(s) for s in masked):
            assert made.weights[r].isnan().any()
            continue
        if allowed is not None and not any(allowed):
            assert made.weights[r].tolist() == [0.0] * len(row)
            continue
        assert_softmax(masked, made.exponentials[r].float().tolist(), made.weights[r].tolist(), dtype, subtract)


def assert_softmax(scores: list[float], e: list[float], weights: list[float], dtype: str, subtract: bool) -> None:
    """Follow one row: exp of each shifted score, their sum, the quotients, each from the page's own step before."""
    top = max(scores)
    shifted = [rounded(s - top, dtype) if subtract else s for s in scores]
    for x, power in zip(shifted, e, strict=True):
        if math.isnan(x):  # ∞ − ∞
            assert math.isnan(power)
            continue
        exact = float(mpmath.exp(mpmath.mpf(x))) if math.isfinite(x) else math.exp(x) if x < 0 else math.inf
        assert close(power, exact, dtype), (x, power, exact)
    total = float(torch.tensor(e).to(getattr(torch, dtype)).sum())
    if all(map(math.isfinite, e)):
        assert close(total, math.fsum(e), dtype)
    for power, weight in zip(e, weights, strict=True):
        quotient = power / total if total else math.nan
        assert same(weight, rounded(over(power, total), dtype) if total else quotient)


@settings(max_examples=cases(150), deadline=None)
@given(rows=ROWS, dtype=DTYPES, subtract=st.booleans())
def test_statistics_are_those_of_the_weights_as_they_are(rows, dtype: str, subtract: bool) -> None:
    made = weighed(torch.tensor(rows, dtype=torch.float32), None, 1.0, dtype, subtract)
    found = weighed_rows(made.masked, made.weights, torch.tensor(len(rows[0])))
    for r, p in enumerate(made.weights.double().tolist()):
        distribution = not any(map(math.isnan, p)) and abs(math.fsum(p) - 1) <= 0.01
        assert bool(found.broken[r]) is not distribution
        values = {
            name: float(getattr(found, name)[r]) for name in ("top", "entropy", "jacobian_norm", "jacobian_trace")
        }
        if not distribution:
            assert all(map(math.isnan, values.values()))
            continue
        assert values["top"] == max(p)
        entropy = -math.fsum(w * math.log(w) for w in p if w)
        assert values["entropy"] == pytest.approx(min(entropy, math.log(len(p))), rel=1e-12, abs=1e-15)
        at = p.index(max(p))
        rest = [math.fsum(p) - p[at] if i == at else 1 - w for i, w in enumerate(p)]
        J = np.diag([w * other for w, other in zip(p, rest, strict=True)]) - np.outer(p, p) + np.diag(np.square(p))
        assert values["jacobian_norm"] == pytest.approx(min(0.5, np.linalg.norm(J)), rel=1e-9, abs=1e-15)
        assert values["jacobian_trace"] == pytest.approx(min(1 - 1 / len(p), np.trace(J)), rel=1e-9, abs=1e-15)


@settings(max_examples=cases(100), deadline=None)
@given(rows=ROWS, dtype=DTYPES, subtract=st.booleans())
def test_marks_say_what_became_of_each_cell(rows, dtype: str, subtract: bool) -> None:
    made = weighed(torch.tensor(rows, dtype=torch.float32), None, 1.0, dtype, subtract)
    codes = formats.marks("weights", made.weights, made.exponentials, dtype)
    tiny = 2.0 ** BITS[dtype][1]
    cells = (tensor.flatten().tolist() for tensor in (codes, made.weights, made.exponentials))
    for code, weight, power in zip(*cells, strict=True):
        if math.isinf(power):
            wanted = "infinite"
        elif math.isnan(weight):
            wanted = "not_a_number"
        else:
            wanted = "lost" if weight == 0 else "subnormal" if weight < tiny else None
        assert (formats.MARKS[code - 1] if code else None) == wanted
    codes = formats.marks("scaled", made.scaled, made.exponentials, dtype)
    for code, score in zip(codes.flatten().tolist(), made.scaled.flatten().tolist(), strict=True):
        assert code == (formats.INFINITE if math.isinf(score) else 0)


def test_exp_leaves_float16_above_11_09() -> None:
    assert formats.largest_exponent("float16") == pytest.approx(math.log(65504))
    made = weighed(torch.tensor([[11.0859375, 0.0], [11.09375, 0.0]]), None, 1.0, "float16", False)
    assert made.exponentials.isinf().tolist() == [[False, False], [True, False]]
    assert made.weights[1].isnan().tolist() == [True, False]
    assert made.weights[1, 1].item() == 0  # 1/∞


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_scores_are_those_of_torchs_half_matrices(dtype: str) -> None:
    """torch adds up in float32, perhaps in another order, so a score may round to the neighbour."""
    result = compute(AttentionConfig(n=23, h=2, d_k=67, tie=False, scaling="none", dtype=dtype))
    half = getattr(torch, dtype)
    theirs = (result.Q.to(half) @ result.K.to(half).mT).float()
    units = torch.tensor([unit_of(number, dtype) for number in theirs.flatten().tolist()]).view(theirs.shape)
    assert ((result.scores - theirs).abs() <= 1.0001 * units).all()


def written_out(config: AttentionConfig, Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights and outputs as a student writes them with half tensors, but for sums in float32."""
    half = getattr(torch, config.dtype)
    scores = (Q.to(half).float() @ K.to(half).float().mT).to(half)
    s = scores * config.factor if config.factor != 1 else scores
    e = (s - s.amax(-1, keepdim=True)).exp() if config.subtract_max else s.exp()
    p = e / e.sum(-1, keepdim=True)
    return p.float(), (p.float() @ V.to(half).float()).to(half).float()


@pytest.mark.parametrize("subtract", [True, False])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("scaling", ["none", "sqrt_d_k"])
def test_a_result_and_its_loss_by_hand(dtype: str, subtract: bool, scaling: str) -> None:
    generator = torch.Generator().manual_seed(11)
    Q, K, V = (torch.randn(3, n, 29, generator=generator) * 3 for n in (5, 7, 7))
    config = AttentionConfig(source="upload", dtype=dtype, subtract_max=subtract, scaling=scaling)
    result = compute(config, AttentionInputs(Q, K, V))
    found = format_loss(result)
    if dtype == "float32" and subtract:
        assert found is None
        assert not isinstance(result.cells, FormatCells)
        return
    assert found is not None
    p, output = written_out(result.config, Q, K, V)
    assert torch.equal(result.weights.nan_to_num(9.0), p.nan_to_num(9.0))
    assert torch.equal(result.output.nan_to_num(9.0), output.nan_to_num(9.0))
    exact = ((Q @ K.mT) * result.config.factor).softmax(-1)
    sound = (p.double().sum(-1) - 1).abs() <= 0.01
    assert (found.rows, found.broken) == (15, int((~sound).sum()))
    assert (found.not_a_number, found.lost) == (int(p.isnan().sum()), int((p == 0).sum()))
    assert (found.bytes, found.reference_bytes) == (3 * 5 * 7 * (4 if dtype == "float32" else 2), 3 * 5 * 7 * 4)
    if sound.any():
        apart = (p - exact).abs()[sound]
        assert found.weight == pytest.approx(float(apart.max()), rel=1e-3, abs=1e-6)
        assert found.weight_mean == pytest.approx(float(apart.mean()), rel=1e-3, abs=1e-6)
        apart = (output - exact @ V).abs()[sound]
        assert found.output == pytest.approx(float(apart.max()), rel=1e-3, abs=1e-5)
        assert found.output_mean == pytest.approx(float(apart.mean()), rel=1e-3, abs=1e-5)
    else:
        assert math.isnan(found.weight)
    some = compute_rows(config, (3, 1), AttentionInputs(Q, K, V))
    torch.testing.assert_close(some.weights, p[:, [3, 1]], equal_nan=True, rtol=1e-2, atol=1e-6)


def test_scores_that_leave_the_format_are_infinite_and_no_error() -> None:
    Q = torch.tensor([[[300.0, 0.0], [1.0, 0.0]]])
    K = torch.tensor([[[300.0, 0.0], [-300.0, 0.0], [1.0, 1.0]]])
    result = compute(AttentionConfig(source="upload", dtype="float16", scaling="none"), AttentionInputs(Q, K, K))
    assert result.scores[0, 0].tolist() == [math.inf, -math.inf, 300.0]
    assert result.weights[0, 0].isnan().any()
    assert result.broken is not None
    assert result.broken.tolist() == [[True, False]]
    assert result.entropy.isnan().tolist() == [[True, False]]
    assert result.jacobian(1, 0).isnan().all()
    assert not result.jacobian(1, 1).isnan().any()
    marks = result.marks("scaled")
    assert marks is not None
    assert marks[0].tolist() == [[1, 1, 0], [0, 0, 0]]
    assert result.score_mean.tolist() == pytest.approx([(300 + 300 - 300 + 1) / 4])  # of the finite ones
    found = format_loss(result)
    assert found is not None
    assert found.infinite_scores == 2


def test_float32_with_the_maximum_subtracted_is_torchs_own_softmax() -> None:
    result = compute(AttentionConfig(n=13, h=2, d_k=512, scaling="none"))
    assert torch.equal(result.weights, result.masked.softmax(-1))
    assert result.broken is None
    assert result.marks("weights") is None


@settings(max_examples=cases(150), deadline=None)
@given(rows=ROWS, dtype=DTYPES)
def test_a_gate_is_rounded_twice(rows, dtype: str) -> None:
    """ln n is a number of the program: the difference is rounded to the format, and then the gate."""
    scores = torch.tensor(rows, dtype=torch.float32).to(getattr(torch, dtype))
    made = formats.gates_in_format(scores)
    shift = np.float32(math.log(scores.shape[1]))
    for score, gate in zip(scores.float().flatten().tolist(), made.weights.flatten().tolist(), strict=True):
        x = rounded(float(np.float32(score) - shift), dtype)
        exact = float(1 / (1 + mpmath.exp(-mpmath.mpf(x)))) if math.isfinite(x) else float(x > 0)
        # e^−x of a gate this faint is ∞ in float32, and the gate 0
        assert close(gate, exact, dtype) or (gate == 0 and exact * torch.finfo(torch.float32).max < 1)
