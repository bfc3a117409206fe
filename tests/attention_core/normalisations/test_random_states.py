"""Dense = streamed = oracle in random states of normalisation, softcap, mask, mechanism, number format and shape."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, InvalidInput, compute
from attention_core.config import CHOICES
from attention_core.normalisations import NORMALISATIONS, limits
from attention_core.result import compute as computing
from tests.attention_core.normalisations import oracles
from tests.draws import cases

CONFIGS = 1050
"""Configurations of two heads on average: 2,100 states, each head with its own Q and K."""


def states(seed: int, count: int) -> Iterator[AttentionConfig]:
    """Yield random configurations: scores from nearly equal to one-hot, sinks that win and that lose."""
    drawn = np.random.default_rng(seed)
    pick = lambda choices: choices[drawn.integers(len(choices))]  # noqa: E731
    for _ in range(count):
        yield AttentionConfig(
            n=int(pick([2, 3, 5, 7, 11])), h=int(pick([1, 2, 3])), d_k=int(pick([1, 2, 5, 13])), tie=False,
            mechanism=pick(CHOICES["mechanism"]), scaling="custom",
            scale=float(pick([0.0, 0.02, 0.3, 1.0, 1.0, 4.0, 16.0])), mask=pick(CHOICES["mask"]),
            window=int(pick([1, 2, 4])), seed=int(drawn.integers(2**31)),
            dtype=str(pick(["float32", "float32", "float32", "float16", "bfloat16"])),
            subtract_max=bool(pick([True, True, True, False])), normalisation=pick(CHOICES["normalisation"]),
            sink=float(pick([-16.0, -2.0, 0.0, 0.7, 5.0, 16.0])),
            softcap=float(pick([0.0, 0.0, 0.5, 2.0, 30.0, 100.0])),
        )  # fmt: skip


def oracle(result: AttentionResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the masked scores, weights and slopes that follow in float64 from the scaled scores of a result."""
    config, scaled = result.config, result.scaled.double().numpy()
    capped = config.softcap * np.tanh(scaled / config.softcap) if config.softcap else scaled
    slopes = (
        1 / np.cosh(np.minimum(np.abs(scaled / config.softcap), 300)) ** 2 if config.softcap else np.ones_like(scaled)
    )
    masked = capped if result.mask is None else np.where(result.mask.numpy(), capped, -np.inf)
    return masked, oracles.weights(config.normalisation, masked, config.sink), slopes


def agrees(result: AttentionResult, wanted: dict[str, np.ndarray], off: float, least: float) -> None:
    """Assert every statistic, and that it keeps the bounds of its normalisation."""
    config = result.config
    keys = np.full(result.largest_weight.shape, config.n) if (mask := result_mask(result)) is None else mask.sum(-1)
    keys = torch.as_tensor(np.broadcast_to(keys, result.largest_weight.shape).copy()).double()
    assert set(wanted) == set(NORMALISATIONS[config.normalisation].statistics)
    for name, value in wanted.items():
        found = result.statistic(name).double()
        np.testing.assert_allclose(found, value[0] if name == "ceiling" else value, rtol=off, atol=least, err_msg=name)
        if name == "ceiling":
            continue
        bounds = limits(config, name)
        assert (found <= bounds.most.of(keys) * (1 + 1e-6)).all(), name
        assert (found >= bounds.least.of(keys) * (1 - 1e-6)).all(), name


def result_mask(result: AttentionResult) -> np.ndarray | None:
    n = result.config.n
    at = np.arange(n)
    match result.config.mask:
        case "none":
            return None
        case "causal":
            return at <= at[:, None]
        case _:
            return np.abs(at - at[:, None]) <= result.config.window


def has_format(config: AttentionConfig) -> bool:
    return config.dtype != "float32" or not config.subtract_max


@pytest.mark.night(but=2)
@pytest.mark.slow
@pytest.mark.parametrize("part", range(7))
def test_dense_and_streamed_are_the_oracle(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for config in states(part, cases(CONFIGS // 7)):
        if has_format(config):
            in_a_format(config)
            continue
        whole = compute(config, device="cpu")
        masked, p, slopes = oracle(whole)
        large = np.abs(masked[np.isfinite(masked)]).max(initial=1)
        off = 1e-6 * (1 + large)  # a score's own rounding
        least = 1e-6 if config.normalisation == "entmax" else 1e-30
        np.testing.assert_allclose(whole.masked, masked, rtol=1e-6, atol=1e-30)
        np.testing.assert_allclose(whole.weights, p, rtol=off, atol=max(least, 2e-38))
        own = whole.masked.double().numpy()
        p = oracles.weights(config.normalisation, own, config.sink)
        wanted = oracles.statistics(config.normalisation, own, p, slopes, config.sink)
        agrees(whole, wanted, 3e-6, 1e-7)
        row = config.seed % config.n
        J = oracles.jacobians(config.normalisation, p, slopes)[0, row]
        np.testing.assert_allclose(
            whole.jacobian(1, row), J, rtol=2e-6, atol=1e-7 if config.normalisation == "entmax" else 1e-15
        )
        monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
        if config.normalisation == "entmax":
            with pytest.raises(
                InvalidInput, match=r"^normalisation must be one of softmax, sink, sigmoid for more than"
            ):
                compute(config, device="cpu")
        else:
            passed = compute(config, device="cpu")
            agrees(passed, wanted, max(off, 3e-6), 1e-7)
            for stage in ("scores", "scaled", "masked", "weights"):
                cells, wholly = passed.tile(slice(None), slice(None), stage), getattr(whole, stage)
                unit = 1e-30 if stage == "weights" else 1e-6 * max(1, float(wholly[wholly.isfinite()].abs().max()))
                np.testing.assert_allclose(cells, wholly, rtol=3 * off, atol=unit)
        monkeypatch.undo()


def in_a_format(config: AttentionConfig) -> None:
    """Check the steps of a format: weights near the exact ones, and the statistics of the weights as they are."""
    result = compute(config, device="cpu")
    unit = torch.finfo(getattr(torch, config.dtype)).eps
    masked, p, slopes = oracle(result)
    assert result.scaled.isfinite().all()
    largest = np.abs(masked[np.isfinite(masked)]).max(initial=1)
    broken = torch.zeros(result.weights.shape[:2], dtype=torch.bool) if result.broken is None else result.broken
    sound, weights = ~broken.numpy(), result.weights.double().numpy()
    least = 4 * float(torch.finfo(getattr(torch, config.dtype)).smallest_normal)
    if config.normalisation == "entmax":
        # its rows may be off 1 even so, and its steps are followed one by one in exact/test_entmax_in_format.py
        own = result.masked.double().numpy()
        apart = np.abs(np.sqrt(weights) - np.sqrt(oracles.weights("entmax", own, 0.0)))
        assert not config.subtract_max or apart.max() <= 4 * math.sqrt(unit)
        assert not config.subtract_max or unit > 1e-3 or (sound.all() and apart.max() <= 4 * math.sqrt(unit))
    elif config.subtract_max or config.normalisation == "sigmoid":
        assert sound.all()
        off = 4 * unit * (1 + largest + math.log(config.n) + abs(config.sink))
        np.testing.assert_allclose(weights, p, rtol=off, atol=least + 2 * unit * p.max())
    name = config.normalisation
    finite = np.where(sound[..., None], weights, p)
    wanted = oracles.statistics(name, masked, finite, slopes, config.sink)
    if name == "entmax":
        entropy = np.minimum(wanted["entropy"], wanted["ceiling"])[sound]
        np.testing.assert_allclose(result.entropy.double().numpy()[sound], entropy, rtol=1e-6, atol=1e-12)
    if name == "sink":
        share = result.sink_weight.double().numpy()[sound]
        np.testing.assert_allclose(share + finite.sum(-1)[sound], 1, rtol=0, atol=0.011)
        np.testing.assert_allclose(share, wanted["sink_weight"][sound], rtol=0, atol=0.011)
    for one in ("largest_weight", "jacobian_norm", "jacobian_trace", "mass", "sum_of_squares", "support"):
        if one in wanted:
            found = result.statistic(one).double().numpy()
            assert np.isnan(found[~sound]).all()
            # rows that rounding lifts above 1 are cut to the bounds, and 1 − p is the sum of the others
            np.testing.assert_allclose(
                found[sound], wanted[one][sound], rtol=1e-6, atol=0.012 if "jac" in one and name != "sigmoid" else 1e-12
            )


def test_a_sink_of_a_format_is_no_broken_row() -> None:
    """Its weights add up to far less than 1 in every row."""
    for dtype in CHOICES["dtype"]:
        config = AttentionConfig(n=7, h=2, d_k=5, tie=False, dtype=dtype, normalisation="sink", sink=4.0)
        result = compute(replace(config, subtract_max=dtype != "float32"), device="cpu")
        assert result.broken is None
        assert (result.weights.sum(-1) < 0.9).all()
        total = result.weights.sum(-1) + result.sink_weight
        assert (total - 1).abs().max() <= 4 * torch.finfo(getattr(torch, dtype)).eps


def test_n_counts_the_keys_of_the_sequence_for_gates() -> None:
    """A causal mask does not change a gate that it allows; other lengths of Q and K do not either."""
    generator = torch.Generator().manual_seed(5)
    Q, K, V = (torch.randn(2, n, 3, generator=generator) for n in (4, 7, 7))
    inputs = AttentionInputs(Q, K, V)
    free = AttentionConfig(source="upload", normalisation="sigmoid")
    whole, causal = (compute(replace(free, mask=mask), inputs, "cpu") for mask in ("none", "causal"))
    assert causal.mask is not None
    torch.testing.assert_close(causal.weights, whole.weights * causal.mask)
    torch.testing.assert_close(whole.weights, (Q @ K.mT / math.sqrt(3) - math.log(7)).sigmoid())
