"""dL/ds in closed form against autograd, and in rows where float32 would lose it."""

import math

import pytest
import torch

from attention_core.studies.score_gradient import at_correct_key, correct_keys, row_medians, score_gradient


def numbers(*shape, scale=1.0, seed=0):
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("scale", [0.1, 1.0, 7.0], ids=lambda scale: f"scores of size {scale}")
def test_it_is_the_derivative_of_the_stated_loss(scale):
    """L = ½ ‖o − v_t‖² / d_v, written out and differentiated by torch: 2 × 3 rows of 7 keys, d_v = 5."""
    scores, V = numbers(2, 3, 7, scale=scale).requires_grad_(), numbers(2, 7, 5, seed=1)
    correct = torch.tensor([[2, 6, 0], [5, 5, 1]])
    output = scores.softmax(-1) @ V
    wanted = torch.stack([V[head, keys] for head, keys in enumerate(correct)])
    (expected,) = torch.autograd.grad((output - wanted).square().sum() / (2 * 5), scores)
    ours = score_gradient(scores.detach(), V @ V.mT / 5, correct)
    torch.testing.assert_close(ours, expected, rtol=1e-9, atol=1e-14)
    picked = torch.stack([torch.stack([expected[h, i, t] for i, t in enumerate(row)]) for h, row in enumerate(correct)])
    torch.testing.assert_close(at_correct_key(ours, correct), picked.abs(), rtol=1e-9, atol=1e-14)


def test_by_hand_with_two_keys():
    """p = (½, ½), v = (1, −1), t = 0: o − v_t = −1, g = (−1, 1), dL/ds = ½ (−1 − 0), ½ (1 − 0)."""
    V = torch.tensor([[1.0], [-1.0]])
    gradient = score_gradient(torch.zeros(1, 2), V @ V.mT, torch.tensor([0]))
    assert gradient.tolist() == [[-0.5, 0.5]]


@pytest.mark.parametrize("gap", [200.0, -200.0], ids=["correct key lost", "correct key has it all"])
def test_nothing_cancels_at_the_one_hot_end(gap):
    """Scores (0, −gap) at v = (1, −1), t = 1: dL/ds = ±4 p₀² p₁ exactly, here 4 e^−200 or 4 e^−400."""
    V = torch.tensor([[1.0], [-1.0]])
    gradient = score_gradient(torch.tensor([[0.0, -gap]]), V @ V.mT, torch.tensor([1]))
    rare = math.exp(-200)
    expected = 4 * rare if gap > 0 else 4 * rare**2
    assert gradient[0].tolist() == pytest.approx([expected, -expected], rel=1e-12, abs=0)


def test_every_key_is_wanted_once_and_whatever_the_rest_is_the_same():
    keys = correct_keys(3, 2, 11)
    assert keys.sort(-1).values.tolist() == [list(range(11))] * 2
    assert not torch.equal(keys[0], keys[1])
    assert torch.equal(correct_keys(3, 5, 11)[:2], keys)


def test_the_median_is_over_the_rows_of_all_heads():
    values = torch.tensor([[[1.0, 9.0], [2.0, 4.0]], [[0.0, 0.0], [5.0, 7.0]]], dtype=torch.float64)
    assert row_medians(values).tolist() == [3.0, 2.5]
