"""Statistics without the matrix against the matrix: float64 is the truth, float32 sets the tolerance."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import (
    Cancelled,
    InvalidInput,
    additive_attention_statistics,
    attention_passes,
    attention_statistics,
)
from attention_core.exact import masks
from attention_core.exact.scores import additive_scores
from tests.attention_core import oracles
from tests.attention_core.sequences import drawn, per_head, scores_of, statistics_of
from tests.draws import cases

ROWS = ("logsumexp", "entropy", "sum_of_squares", "jacobian_norm", "jacobian_trace", "largest_weight")
HEADS = ("score_mean", "score_variance")
RANDOM = torch.rand(37, 53, generator=torch.Generator().manual_seed(1)) < 0.4
RANDOM[5] = False
MASKS: list[dict[str, Any]] = [
    {},
    {"causal": True},
    {"window": 7},
    {"causal": True, "window": 3},
    {"mask": RANDOM},
    {"mask": RANDOM[:1], "causal": True},
]


def mask_of(options, n_q, n_k):
    return masks.combine(
        oracles.causal(n_q, n_k) if options.get("causal") else None,
        oracles.window(n_q, n_k, options["window"]) if "window" in options else None,
        options.get("mask"),
    )


def assert_exact(found, plain, exact):
    """Assert at most twice the error of the dense computation in the same precision, plus two units in the last place.

    The last place is that of the largest value; for a mean, of the averaged scores. Processors add the products of a
    score in other orders, so which of the two is luckier differs between them by some units.
    """
    for name in (*ROWS, *HEADS):
        ours, truth = getattr(found, name), exact[name]
        assert ours.shape == truth.shape
        empty = truth.isneginf()
        assert torch.equal(ours.isneginf(), empty)
        ours, truth, dense = (value.masked_fill(empty, 0.0) for value in (ours, truth, plain[name]))
        size = exact["score_variance"].sqrt() if name == "score_mean" else truth
        last_place = torch.finfo(ours.dtype).eps * size.abs().max().item()
        allowed = 2 * oracles.error(dense, truth) + 2 * last_place
        assert oracles.error(ours, truth) <= allowed, (name, oracles.error(ours, truth), allowed)


@pytest.mark.night(but=6)
@pytest.mark.parametrize("options", MASKS, ids=lambda options: "+".join(options) or "everything")
@pytest.mark.parametrize("block", [None, pytest.param(1, marks=pytest.mark.slow), 8, 37])
def test_against_float64_with_grouped_keys_and_two_batch_axes(options, block):
    Q, K = drawn()
    mask = mask_of(options, 37, 53)
    found = attention_statistics(Q, K, block=block, **options)
    scale = 1 / math.sqrt(11)
    exact = statistics_of(scores_of(Q.double(), K.double(), scale), mask)
    assert_exact(found, statistics_of(scores_of(Q, K, scale), mask), exact)
    masked = scores_of(Q, K, scale).masked_fill(~torch.ones(37, 53).bool() if mask is None else ~mask, -torch.inf)
    expected = torch.where(masked.amax(-1) == -torch.inf, -1, masked.argmax(-1))
    assert torch.equal(found.largest_at, expected)
    assert torch.equal(found.effective_keys, found.entropy.exp())


@pytest.mark.parametrize("d_k", [1, 3, 64, 1024])
@pytest.mark.parametrize("scale", [None, 1.0, 0.0])
def test_against_float64_at_every_sharpness(d_k, scale):
    Q, K = drawn((3,), 101, 103, d_k, seed=d_k)
    factor = 1 / math.sqrt(d_k) if scale is None else scale
    exact = statistics_of(scores_of(Q.double(), K.double(), factor), None)
    assert_exact(attention_statistics(Q, K, scale=scale), statistics_of(scores_of(Q, K, factor), None), exact)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_accumulated_in_float32_at_least(dtype):
    Q, K = drawn((3,), dtype=dtype, groups=1)
    found = attention_statistics(Q, K)
    wide = torch.promote_types(dtype, torch.float32)
    assert found.entropy.dtype == wide
    scores = scores_of(Q.to(wide), K.to(wide), 1 / math.sqrt(11))
    truth = statistics_of(scores_of(Q.double(), K.double(), 1 / math.sqrt(11)), None)
    if dtype == torch.float64:
        torch.testing.assert_close(found.entropy, truth["entropy"], rtol=1e-14, atol=0)
    else:
        assert_exact(found, statistics_of(scores, None), truth)


def test_one_sequence_without_heads_and_rows_without_a_key():
    """More queries than keys under causality: the first two see nothing."""
    Q, K = drawn((), 7, 5)
    found = attention_statistics(Q, K, causal=True, overview=3, histogram=4)
    assert found.logsumexp[:2].tolist() == [-math.inf] * 2
    assert found.largest_at[:3].tolist() == [-1, -1, 0]
    assert found.effective_keys[:3].tolist() == [1.0, 1.0, 1.0]
    assert found.ceiling.tolist() == pytest.approx([0.0, 0.0, 0.0, *(math.log(n) for n in (2, 3, 4, 5))])
    for name in ROWS[1:]:
        assert not getattr(found, name)[:2].any()
        assert getattr(found, name).isfinite().all()


def test_nothing_allowed_at_all():
    Q, K = drawn((2,), 3, 5, groups=1)
    found = attention_statistics(Q, K, mask=torch.zeros(3, 5, dtype=torch.bool), histogram=3, overview=2)
    assert (found.largest_at == -1).all()
    assert found.score_mean.isnan().all()
    assert found.histogram is not None
    assert not found.histogram.counts.any()
    assert found.overview is not None
    assert not found.overview.maximum.any()


@pytest.mark.parametrize("n_k", [1, 2, 3, 7, 33, 100, 1023, 1024, 4099])
@pytest.mark.parametrize("level", [0.0, 1e4, -1e4])
def test_equal_scores_have_the_ceilings_entropy(n_k, level):
    Q, K = torch.ones(3, 1), torch.full((n_k, 1), level)
    found = attention_statistics(Q, K)
    assert torch.equal(found.entropy, torch.full((3,), math.log(n_k)))
    assert torch.equal(found.entropy, found.ceiling)
    assert found.largest_at.tolist() == [0, 0, 0]
    assert found.largest_weight.tolist() == pytest.approx([1 / n_k] * 3)
    assert found.jacobian_trace.tolist() == pytest.approx([1 - 1 / n_k] * 3, abs=1e-7)
    assert found.score_mean.item() == level
    assert found.score_variance.item() == 0


def test_one_score_of_ten_thousand_leaves_nothing_to_the_others():
    K = torch.zeros(4099, 1)
    K[1009] = 1e4
    found = attention_statistics(torch.ones(2, 1), K, histogram=10)
    assert found.largest_at.tolist() == [1009, 1009]
    assert found.logsumexp.tolist() == [1e4, 1e4]
    assert found.largest_weight.tolist() == [1.0, 1.0]
    for name in ("entropy", "jacobian_norm", "jacobian_trace"):
        assert getattr(found, name).tolist() == [0.0, 0.0]
    assert found.histogram is not None
    assert (found.histogram.counts[0].item(), found.histogram.counts[-1].item()) == (2 * 4098, 2)


@pytest.mark.slow
@settings(max_examples=cases(60), deadline=None)
@given(
    n_k=st.integers(1, 61),
    sharpness=st.floats(0, 3000, width=32),
    seed=st.integers(0, 10**6),
    window=st.none() | st.integers(0, 9),
)
def test_entropy_keeps_its_bounds(n_k, sharpness, seed, window):
    Q, K = drawn((1,), 7, n_k, 3, groups=1, seed=seed)
    found = attention_statistics(Q, K, scale=sharpness, window=window)
    assert (found.entropy >= 0).all()
    assert (found.entropy <= found.ceiling).all()
    assert ((found.jacobian_norm >= 0) & (found.jacobian_norm <= 0.5 + 1e-7)).all()
    assert ((found.jacobian_trace >= 0) & (found.jacobian_trace <= 1)).all()
    assert (found.largest_weight <= 1).all()


@pytest.mark.slow
def test_several_stretches_of_keys_are_merged():
    """4099 keys exceed one block at 517 queries."""
    Q, K = drawn((2,), 517, 4099, 5, groups=2)
    exact = statistics_of(scores_of(Q.double(), K.double(), 5**-0.5), None)
    assert_exact(attention_statistics(Q, K, block=517), statistics_of(scores_of(Q, K, 5**-0.5), None), exact)
    causal = attention_statistics(Q, K, causal=True, block=517)
    exact = statistics_of(scores_of(Q.double(), K.double(), 5**-0.5), oracles.causal(517, 4099))
    torch.testing.assert_close(causal.entropy.double(), exact["entropy"], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(causal.score_variance.double(), exact["score_variance"], rtol=1e-6, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"histogram": 9, "overview": 7}], ids=str)
def test_additive_against_float64(options):
    Q, K = drawn((2, 6), 23, 29, 5)
    generator = torch.Generator().manual_seed(3)
    W_q, W_k = (torch.randn(6, 5, 7, generator=generator) for _ in range(2))
    w = torch.randn(7, generator=generator)
    found = additive_attention_statistics(Q, K, W_q, W_k, w, block=8, **options)
    mask = mask_of(options, 23, 29)
    plain, exact = (
        statistics_of(additive_scores(*(t.to(dtype) for t in (Q, per_head(Q, K), W_q, W_k, w))), mask)
        for dtype in (torch.float32, torch.float64)
    )
    for name in (*ROWS, *HEADS):
        torch.testing.assert_close(getattr(found, name).double(), exact[name], rtol=2e-6, atol=2e-6)
    assert_exact(found, {name: plain[name] for name in plain}, exact)


def test_progress_is_told_after_every_block_and_a_pass_can_be_stopped():
    Q, K = drawn()
    heard = []
    attention_statistics(Q, K, block=16, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(16, 37), (32, 37), (37, 37)]
    heard.clear()
    with pytest.raises(Cancelled, match=r"^Stopped after 32 of 37 queries\.$"):
        attention_statistics(
            Q,
            K,
            block=16,
            progress=lambda done, total: heard.append((done, total)),
            cancelled=lambda: len(heard) == 2,
        )
    assert heard == [(16, 37), (32, 37)]


@pytest.mark.slow
def test_passes_draw_as_rows_come_in_and_the_last_brings_the_statistics():
    Q, K = drawn()
    whole = attention_statistics(Q, K, overview=5).overview
    assert whole is not None
    steps = []
    for step in attention_passes(Q, K, overview=5, block=16):
        assert step.picture is not None
        steps.append((step.done, step.picture(), step.statistics))
    assert [done for done, _, _ in steps] == [16, 32, 37]
    for (done, picture, _), complete in zip(steps, (2, 4, 5), strict=True):
        torch.testing.assert_close(picture.mean[..., :complete, :], whole.mean[..., :complete, :])
        torch.testing.assert_close(picture.maximum[..., :complete, :], whole.maximum[..., :complete, :])
        assert not picture.maximum[..., -(-done // 8) :, :].any()
    assert [statistics is None for _, _, statistics in steps] == [True, True, False]


def test_results_take_no_gradients():
    Q, K = drawn((2,), 5, 7, groups=1)
    found = attention_statistics(Q.requires_grad_(), K.requires_grad_())
    assert not found.entropy.requires_grad


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"K": torch.zeros(2, 53, 11)},
            "K must be 2 × h_k × n_k × d_k = 11 with h_k a divisor of h = 6; got 2 × 53 × 11.",
        ),
        (
            {"K": torch.zeros(2, 4, 53, 11)},
            "K must be 2 × h_k × n_k × d_k = 11 with h_k a divisor of h = 6; got 2 × 4 × 53 × 11.",
        ),
        ({"K": torch.zeros(2, 2, 0, 11)}, "K must be at least 1 along every axis; got 2 × 2 × 0 × 11."),
        ({"Q": torch.full((2, 6, 37, 11), math.nan)}, "Q must be finite everywhere; Q[0, 0, 0, 0] is nan."),
        ({"scale": math.inf}, "scale must be a finite number; got inf."),
        ({"block": 0}, "block must be at least 1; got 0."),
        ({"overview": 0}, "overview must be at least 1; got 0."),
        ({"histogram": 0}, "histogram must be between 1 and 4096; got 0."),
        (
            {"histogram": torch.tensor([1.0, 1.0])},
            "histogram must be a number of bins, or at least two finite edges that increase.",
        ),
        (
            {"Q": torch.full((2, 6, 37, 11), 1e30), "K": torch.full((2, 2, 53, 11), 1e30), "histogram": 5},
            "Q and K must be small enough for every number computed in float32 to be finite; some overflowed.",
        ),
        (
            {"Q": torch.full((2, 6, 37, 11), -1e30), "K": torch.full((2, 2, 53, 11), 1e30)},
            "Q and K must be small enough for every number computed in float32 to be finite; some overflowed.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_computed_is_said(change, message):
    Q, K = drawn()
    tensors = {"Q": Q, "K": K} | change
    with pytest.raises(InvalidInput) as caught:
        attention_statistics(**tensors)
    assert str(caught.value) == message
