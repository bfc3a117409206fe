"""Measures against cases by hand and against autograd."""

import math

import pytest
import torch

from attention_core.experiments import QualityCurve
from attention_core.experiments.measures import (
    divergence,
    mass_on,
    mean_maps,
    projection_gradient_norm,
    row_gradient,
    score_gradient,
)
from attention_core.experiments.models import answers, initial
from attention_core.experiments.tasks import TASKS, held_out
from tests.attention_core import oracles


def test_score_gradient_by_hand():
    """p = (¼, ¾), g = (1, 0): dL/ds = p₀ p₁ (1, −1) = 3/16 (1, −1), and a constant in g changes nothing."""
    weights = torch.tensor([[0.25, 0.75]])
    for constant in (0.0, 4.0):
        found = score_gradient(weights, torch.tensor([[1.0, 0.0]]) + constant)
        assert torch.equal(found, torch.tensor([[3 / 16, -3 / 16]]))


def test_score_gradient_keeps_its_digits_beside_a_one():
    """float32 has seven digits: pᵢ (gᵢ − p·g), computed as written, would keep none of 1e-9 · 0.1."""
    tiny = 1e-9
    weights = torch.tensor([[1.0, tiny, 0.0]])
    found = score_gradient(weights, torch.tensor([[0.7, 0.8, 0.3]]))
    assert found[0, 0].item() == pytest.approx(-0.1 * tiny, rel=1e-5)
    assert found[0, 1].item() == pytest.approx(0.1 * tiny, rel=1e-5)


@pytest.mark.parametrize("mechanism", ["scaled", "additive"])
@pytest.mark.parametrize("task", ["reverse", "recall"])
def test_row_gradient_against_autograd(task, mechanism):
    """The loss of each row alone, differentiated by that row's own scores."""
    seeds = (1, 4)
    parameters = initial(TASKS[task], QualityCurve(mechanism, 5), "standard", seeds)
    batch = held_out(task, seeds, 3)
    result = answers(parameters, mechanism, batch)
    found = row_gradient(result.weights, result.contributions, result.logits, batch.values, batch.target)
    scores = result.weights.double().log()  # up to a constant per row, which the softmax ignores
    exact = torch.zeros(found.shape, dtype=torch.float64)
    for s in range(2):
        for b in range(3):
            for i in range(found.shape[2]):
                row = scores[s, b if scores.shape[1] > 1 else 0, i].clone().requires_grad_()
                contributed = result.contributions[s].double()[batch.values[s, b]]  # n_k answers
                logits = row.softmax(-1) @ contributed
                torch.nn.functional.cross_entropy(logits, batch.target[s, b, i]).backward()
                assert row.grad is not None
                exact[s, b, i] = row.grad
    assert torch.allclose(found.double(), exact, rtol=1e-4, atol=1e-7)
    assert exact.abs().max() > 0.01


def test_projection_gradient_norm_by_hand():
    W_Q, W_K = torch.zeros(2, 1, 2, requires_grad=True), torch.zeros(2, 2, 1, requires_grad=True)
    other = torch.zeros(2, 3, requires_grad=True)
    (W_Q * torch.tensor([[[1.0, 2.0]], [[0.0, 3.0]]])).sum().backward()
    (W_K * torch.tensor([[[2.0], [0.0]], [[4.0], [0.0]]])).sum().backward()
    (100 * other).sum().backward()
    assert projection_gradient_norm({"W_Q": W_Q, "W_K": W_K, "w": other}).tolist() == [3.0, 5.0]


@pytest.mark.parametrize(
    ("heads", "bits"),
    [
        ([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]], 1.0),  # no key in common
        ([[0.2, 0.3, 0.5], [0.2, 0.3, 0.5]], 0.0),
        # H(¾, ¼) − (0 + 1)/2 = (2 − ¾ log₂ 3) − ½
        ([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], 1.5 - 0.75 * math.log2(3)),
        # three pairs: 1, 1 and 0
        ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]], 2 / 3),
    ],
)
def test_divergence_by_hand(heads, bits):
    assert divergence(torch.tensor(heads)).item() == pytest.approx(bits, abs=1e-6)


def test_divergence_against_its_definition():
    """The mean of KL(p ‖ mid) and KL(p′ ‖ mid), in float64."""
    weights = (3 * torch.randn(5, 2, 11, generator=torch.Generator().manual_seed(1))).softmax(-1)
    for pair, found in zip(weights.tolist(), divergence(weights).tolist(), strict=True):
        middle = [(a + b) / 2 for a, b in zip(*pair, strict=True)]
        exact = (oracles.entropy(middle) - sum(oracles.entropy(row) for row in pair) / 2) / math.log(2)
        assert found == pytest.approx(exact, abs=1e-6)


def test_one_head_has_nothing_to_differ_from():
    assert divergence(torch.full((3, 1, 5), 0.2)).isnan().all()


def test_mass_on_named_positions():
    weights = torch.tensor([[[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]])  # one example, two heads
    assert mass_on(weights, torch.tensor([[2, 0]])).tolist() == torch.tensor([[[0.7, 0.1], [0.1, 0.6]]]).tolist()


def test_mean_maps_average_over_the_examples_that_name_a_position():
    weights = torch.tensor([[[[0.5, 0.5, 0.0]], [[1.0, 0.0, 0.0]], [[0.0, 0.25, 0.75]]]])  # 3 examples, 1 head
    named = torch.tensor([[[0, 2], [0, 1], [1, 2]]])
    maps = mean_maps(weights, named, 3)
    assert maps.shape == (1, 1, 2, 3, 3)
    assert maps[0, 0, 0, 0].tolist() == [0.75, 0.25, 0.0]  # first names: position 0, twice
    assert maps[0, 0, 0, 1].tolist() == [0.0, 0.25, 0.75]
    assert maps[0, 0, 0, 2].isnan().all()
    assert maps[0, 0, 1, 2].tolist() == [0.25, 0.375, 0.375]
