"""Exponentials outside a format's range; every step is rounded to the format."""

import math
from dataclasses import replace

import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, compute, format_loss, softmax_accuracies
from attention_core.exact.formats import softmax_steps
from attention_core.studies.numerics import softmax_accuracy

ROWS = torch.tensor(
    [
        [0.0, 1.0, 2.0],  # harmless
        [12.0, 0.0, 0.0],  # e¹² > 65504, the largest float16
        [-30.0, -31.0, -32.0],  # every plain exponential is below the smallest float16
        [90.0, 0.0, -60.0],  # e⁹⁰ leaves float32; e⁻¹⁵⁰ too, downwards
    ]
)


def counts(dtype, subtract):
    found = softmax_accuracy(ROWS, dtype, subtract)
    names = ("overflowed", "divided", "underflowed", "not_a_number")
    return tuple(getattr(found, name).tolist() for name in names)


@pytest.mark.parametrize(
    ("dtype", "subtract", "overflowed", "divided", "underflowed", "not_a_number"),
    [
        ("float16", False, [0, 1, 0, 1], [0, 2, 0, 1], [0, 0, 0, 1], [0, 1, 3, 1]),
        ("float16", True, [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 0]),
        ("bfloat16", False, [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 1]),
        ("bfloat16", True, [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]),
        ("float32", False, [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 1]),
        ("float32", True, [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]),
    ],
)
def test_what_becomes_of_each_row(dtype, subtract, overflowed, divided, underflowed, not_a_number):
    """e⁰/∞ is a division by ∞; e⁻⁶⁰ is 0 in float16 whatever it is divided by."""
    assert counts(dtype, subtract) == (overflowed, divided, underflowed, not_a_number)


@pytest.mark.parametrize("subtract", [False, True])
def test_a_row_by_hand_in_float16(subtract):
    """e⁰, e¹, e² rounded to 11 bits, their sum rounded, the quotients rounded; with the maximum gone e⁻², e⁻¹, e⁰."""
    steps = softmax_steps(ROWS[0], "float16", subtract)
    shift = 2.0 if subtract else 0.0
    powers = torch.tensor([math.exp(s - shift) for s in (0.0, 1.0, 2.0)], dtype=torch.float64).half()
    total = powers.double().sum().half()
    assert steps.exponentials.tolist() == powers.tolist()
    assert steps.total.tolist() == [total.item()]
    assert steps.weights.tolist() == (powers.double() / total.double()).half().tolist()


def test_sums_and_errors_are_taken_in_float64():
    found = softmax_accuracy(ROWS[:1], "bfloat16", True)
    weights = softmax_steps(ROWS[:1], "bfloat16", True).weights.double()
    exact = ROWS[:1].double().softmax(-1)
    assert found.total.item() == weights.sum().item() != 1.0
    assert found.total_error.item() == abs(weights.sum().item() - 1)
    assert found.error.item() == (weights - exact).abs().max().item() > 1e-4


def test_a_broken_row_is_no_distribution():
    """Two scores of 11 overflow only in their sum: both weights are 0, nothing is NaN, and the row sums to 0."""
    found = softmax_accuracy(torch.tensor([[11.0, 11.0], [1.0, 2.0], [12.0, 0.0]]), "float16", False)
    assert found.overflowed.tolist() == [0, 0, 1]
    assert (found.divided.tolist(), found.underflowed.tolist()) == ([2, 0, 1], [0, 0, 0])
    assert found.not_a_number.tolist() == [0, 0, 1]
    assert found.total.tolist()[0] == 0.0
    assert found.broken.tolist() == [True, False, True]


def test_a_row_is_broken_beyond_a_hundredth():
    found = softmax_accuracy(torch.zeros(4, 2), "float32", True)
    errors = torch.tensor([0.009, 0.011, 0.05, torch.nan], dtype=torch.float64)
    assert replace(found, total=1 - errors).broken.tolist() == [False, True, True, True]


def test_masked_keys_and_rows_count_nothing():
    masked = torch.tensor([[-torch.inf, -torch.inf], [0.5, -torch.inf]])
    for found in softmax_accuracies(masked):
        assert found.divided.tolist() == found.underflowed.tolist() == [0, 0]
        assert found.not_a_number.tolist() == [0, 0]
        assert found.total.tolist() == [1.0, 1.0]
        assert found.error.tolist() == [0.0, 0.0]


def test_every_format_plain_then_subtracted_on_a_real_result():
    result = compute(AttentionConfig(n=31, h=3, d_k=128, tie=False, scaling="none"))
    found = softmax_accuracies(result.masked)
    assert [(one.dtype, one.subtracted) for one in found] == [
        (dtype, subtract) for dtype in ("float16", "bfloat16", "float32") for subtract in (False, True)
    ]
    assert all(one.overflowed.shape == (3, 31) for one in found)
    plain_half, safe_half, _, safe_bfloat, plain_single, safe_single = found
    assert torch.equal(plain_half.overflowed, (result.masked.half() > math.log(65504)).sum(-1))
    assert plain_half.broken.sum() > 3 * 31 / 2
    assert not safe_half.broken.any()
    assert safe_bfloat.error.max() > 4 * safe_half.error.max() > 400 * safe_single.error.max()
    assert plain_single.overflowed.sum() == 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("seed", range(8))
def test_explore_and_why_tell_divisions_by_infinity_from_underflow_alike(dtype, seed):
    config = AttentionConfig(
        n=29, h=3, d_k=384, tie=False, scaling="custom", scale=3.0, dtype=dtype, subtract_max=False, seed=seed
    )
    result = compute(config, device="cpu")
    loss = format_loss(result)
    found = softmax_accuracy(result.masked, dtype, False)
    assert loss is not None
    assert (int(found.divided.sum()), int(found.underflowed.sum())) == (loss.divided, loss.lost - loss.divided)
    assert loss.divided > 0
    assert loss.lost - loss.divided > 0


def test_another_format_is_refused():
    with pytest.raises(InvalidInput, match=r"^dtype must be one of float32, float16, bfloat16; got 'float8'\.$"):
        softmax_steps(ROWS, "float8", True)
