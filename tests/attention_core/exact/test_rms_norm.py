"""Vectors of root mean square 1, whatever their length was."""

import math
import random

import mpmath
import pytest
import torch

from attention_core.exact.rms_norm import mean_squares, rms_norm


@pytest.mark.night(but=50)
@pytest.mark.parametrize("seed", range(200))
def test_each_component_is_that_of_forty_digits(seed: int) -> None:
    draws = random.Random(seed)
    d, size = draws.randint(1, 40), 10.0 ** draws.uniform(-37, 38)
    x = torch.tensor([draws.gauss(0, 1) * size * 10.0 ** draws.uniform(-3, 0) for _ in range(d)])
    found = rms_norm(x)
    with mpmath.workdps(40):
        rms = mpmath.sqrt(mpmath.fsum(mpmath.mpf(one) ** 2 for one in x.tolist()) / d)
        expected = [float(mpmath.mpf(one) / rms) for one in x.tolist()]
    torch.testing.assert_close(found.double(), torch.tensor(expected, dtype=torch.float64), rtol=2**-24, atol=0)


def test_the_length_is_the_root_of_the_width_and_the_direction_is_kept() -> None:
    x = torch.randn(3, 5, 64, generator=torch.Generator().manual_seed(1)) * 1e30
    found = rms_norm(x)
    assert found.shape == x.shape
    torch.testing.assert_close(found.norm(dim=-1), torch.full((3, 5), 8.0))
    torch.testing.assert_close(torch.cosine_similarity(found, x / 1e30, dim=-1), torch.ones(3, 5))


def test_a_vector_of_zeros_stays_zero_and_hands_back_no_nan() -> None:
    x = torch.zeros(2, 4, requires_grad=True)
    found = rms_norm(x)
    found.sum().backward()
    assert found.tolist() == [[0.0] * 4] * 2
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_the_gradient_is_orthogonal_to_the_vector() -> None:
    """A longer vector has the same norm, so nothing is gained along it."""
    x = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)
    (rms_norm(x) * torch.tensor([0.3, 0.1, -0.7])).sum().backward()
    assert x.grad is not None
    assert math.isclose(float(x.grad @ x.detach()), 0.0, abs_tol=1e-15)
    assert torch.autograd.gradcheck(rms_norm, (x,))


def test_stretches_and_gradients_change_no_number() -> None:
    x = torch.randn(3, 300, 512, generator=torch.Generator().manual_seed(2))
    whole = rms_norm(x)
    torch.testing.assert_close(whole[2, 299], rms_norm(x[2, 299]), rtol=0, atol=0)
    torch.testing.assert_close(whole[1, :2], rms_norm(x.mT.contiguous().mT[1, :2]), rtol=0, atol=0)
    torch.testing.assert_close(whole, rms_norm(x.clone().requires_grad_()).detach(), rtol=2**-23, atol=0)
    assert rms_norm(torch.tensor([3e200, 4e200], dtype=torch.float64)).tolist() == pytest.approx(
        [0.6 * 2**0.5, 0.8 * 2**0.5]
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("component", [math.inf, -math.inf, math.nan])
def test_a_vector_that_is_not_finite_is_no_number_afterwards(component: float, dtype: torch.dtype) -> None:
    found = rms_norm(torch.tensor([[component, 1.0], [1.0, 1.0]], dtype=dtype))
    assert found[0].isnan().all()
    assert found[1].tolist() == [1.0, 1.0]


def test_the_root_of_the_mean_of_squares_is_what_a_vector_is_divided_by() -> None:
    x = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(1)) * 10.0 ** torch.arange(-2, 3).reshape(5, 1)
    squares = mean_squares(x)
    assert squares.shape == (3, 5, 1)
    torch.testing.assert_close(squares, x.pow(2).sum(-1, keepdim=True) / 7)
    torch.testing.assert_close(x / squares.sqrt(), rms_norm(x))
    assert mean_squares(torch.zeros(2, 4)).tolist() == [[0.0], [0.0]]
