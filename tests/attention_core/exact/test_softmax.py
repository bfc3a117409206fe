"""Softmax rows: entropy and Jacobian against float64 and autograd, at every sharpness."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.blocks.row_statistics import finished
from attention_core.exact.jacobian import jacobian_of_scores
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.exact.softmax import entropy, masked_softmax
from tests.attention_core import oracles
from tests.draws import cases

# Sharpness of a row: uniform, scaled by 1/√d_k, unscaled at d_k = 64 and 512, and one-hot beyond float32's digits.
SHARPNESS = [0.0, 1.0, 8.0, 23.0, 300.0]


def statistics(scores):
    """Return entropy, norm and trace of rows of scores."""
    found = finished(SummedRows(row_sums(scores), scores.isfinite().sum(-1), scores.dtype))
    return found["entropy"], found["jacobian_norm"], found["jacobian_trace"]


def rows(sharpness, n_k=31, count=17):
    return sharpness * torch.randn(count, n_k, generator=torch.Generator().manual_seed(n_k))


def test_softmax_of_two_one_one():
    """By hand: e² / (e² + 2e) = e / (e + 2)."""
    weights = masked_softmax(torch.tensor([[2.0, 1.0, 1.0]], dtype=torch.float64))
    expected = torch.tensor([[math.e / (math.e + 2), 1 / (math.e + 2), 1 / (math.e + 2)]], dtype=torch.float64)
    assert torch.equal(weights, expected)


def test_a_row_without_an_allowed_key_is_zero_and_leaves_gradients_alone():
    scores = torch.tensor([[-torch.inf, -torch.inf], [1.0, -torch.inf], [1.0, 2.0]], requires_grad=True)
    weights = masked_softmax(scores)
    assert weights[:2].tolist() == [[0.0, 0.0], [1.0, 0.0]]
    weights.square().sum().backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()


@settings(max_examples=cases(60), deadline=None)
@given(st.lists(st.integers(-400, 400), min_size=1, max_size=23), st.integers(-4000, 4000))
def test_adding_a_constant_to_the_scores_does_nothing(eighths, constant):
    """Eighths and whole constants are exact in float32, so the weights are equal to the last bit."""
    scores = torch.tensor([eighths]) / 8
    assert torch.equal(masked_softmax(scores + constant), masked_softmax(scores))


@settings(max_examples=cases(60), deadline=None)
@given(n_k=st.integers(1, 29), sharpness=st.floats(0, 1000, width=32), seed=st.integers(0, 10**6), hidden=st.data())
def test_rows_sum_to_one_or_zero_and_entropy_keeps_its_bounds(n_k, sharpness, seed, hidden):
    scores = sharpness * torch.randn(5, n_k, generator=torch.Generator().manual_seed(seed))
    allowed = torch.tensor(hidden.draw(st.lists(st.booleans(), min_size=n_k, max_size=n_k)))
    masked = scores.masked_fill(~allowed, -torch.inf)
    weights = masked_softmax(masked)
    rounding = n_k * torch.finfo(torch.float32).eps
    sums = weights.sum(-1)
    assert ((sums - float(allowed.any())).abs() <= rounding).all()
    ceiling = math.log(max(1, int(allowed.sum())))
    of_scores, norm, trace = statistics(masked)
    for value in (entropy(weights), of_scores):
        assert (value >= 0).all()
        assert (value <= ceiling * (1 + rounding) + rounding).all()
    assert ((norm >= 0) & (norm <= 0.5 * (1 + rounding))).all()
    assert ((trace >= 0) & (trace <= 1)).all()


@pytest.mark.parametrize("sharpness", SHARPNESS)
def test_entropy_against_float64(sharpness):
    scores = rows(sharpness)
    weights = scores.softmax(-1)
    exact = torch.tensor([oracles.entropy(oracles.softmax(row)) for row in scores.tolist()], dtype=torch.float64)
    plain = weights.float().log().nan_to_num(neginf=0.0).mul(-weights).sum(-1)
    oracles.assert_as_exact_as(plain, entropy(weights), exact)
    oracles.assert_as_exact_as(plain, statistics(scores)[0], exact)


def test_entropy_of_a_row_without_any_key_is_zero():
    nothing = torch.zeros(1, 5)
    assert entropy(nothing).item() == 0
    assert [value.item() for value in statistics(torch.full((1, 5), -torch.inf))] == [0, 0, 0]


@pytest.mark.parametrize("sharpness", SHARPNESS)
def test_jacobian_against_autograd_in_float64(sharpness):
    scores = rows(sharpness, n_k=13, count=7)
    exact = torch.stack([torch.func.jacrev(lambda s: s.softmax(-1))(row) for row in scores.double()])
    plain = torch.stack([torch.func.jacrev(lambda s: s.softmax(-1))(row) for row in scores])
    _, norm, trace = statistics(scores)
    oracles.assert_as_exact_as(plain, jacobian_of_scores(scores), exact)
    oracles.assert_as_exact_as(plain.norm(dim=(-2, -1)), norm, exact.norm(dim=(-2, -1)))
    oracles.assert_as_exact_as(
        plain.diagonal(dim1=-2, dim2=-1).sum(-1), trace, exact.diagonal(dim1=-2, dim2=-1).sum(-1)
    )


def test_the_largest_and_the_uniform_jacobian():
    """½ for two equal keys; √(n − 1)/n and 1 − 1/n for n: small at this end, too."""
    norm, trace = statistics(torch.tensor([[7.0, 7.0, -torch.inf, -torch.inf]], dtype=torch.float64))[1:]
    assert (norm.item(), trace.item()) == (0.5, 0.5)
    norm, trace = statistics(torch.full((1, 64), -3.5, dtype=torch.float64))[1:]
    assert norm.item() == pytest.approx(math.sqrt(63) / 64, rel=1e-14)
    assert trace.item() == 1 - 1 / 64


def test_rows_of_many_blocks_are_all_there():
    """More rows than one block of 32,768 floats holds, the last block a short one."""
    scores = rows(3.0, n_k=1009, count=197)
    weights = scores.double().softmax(-1)
    _, norm, trace = statistics(scores.double())
    power = [(weights**exponent).sum(-1) for exponent in (2, 3)]
    plain = (power[0] - 2 * power[1] + power[0] ** 2).sqrt()
    assert torch.allclose(norm, plain, rtol=1e-12, atol=0)
    assert torch.allclose(trace, 1 - power[0], rtol=1e-12, atol=0)
