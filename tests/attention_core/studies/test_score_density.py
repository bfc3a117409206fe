"""The exact density of a score, held against scipy, mpmath, moments, convolution and the scores themselves."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import integrate, signal, special, stats

from attention_core import AttentionConfig, InvalidInput, compute
from attention_core.studies.score_density import has_score_density, score_density

WIDTHS = st.integers(1, 1024)
DEVIATIONS = st.floats(-8, 8)


def at(x: float, d_k: int, factor: float = 1.0) -> float:
    return score_density(torch.tensor([x], dtype=torch.float64), d_k, factor).item()


def by_mpmath(x: float, d_k: int) -> Any:
    """Return the closed form with 40 digits."""
    with mp.workdps(40):
        order, size = mpf(d_k - 1) / 2, abs(mpf(x))
        scale = mp.sqrt(mp.pi) * 2**order * mp.gamma(order + mpf(1) / 2)
        if size == 0:
            return 2 ** (order - 1) * mp.gamma(order) / scale
        return size**order * mp.besselk(order, size) / scale


@pytest.mark.slow
@given(d_k=WIDTHS, deviations=DEVIATIONS, factor=st.floats(1e-3, 16))
@example(d_k=2, deviations=0.0, factor=1.0)
@example(d_k=1, deviations=1e-300, factor=1.0)
@example(d_k=1024, deviations=8.0, factor=1 / 32)
def test_it_is_the_closed_form_of_mpmath(d_k: int, deviations: float, factor: float) -> None:
    x = deviations * math.sqrt(d_k)
    if d_k == 1 and x == 0:
        return  # below
    expected = by_mpmath(x, d_k) / mpf(factor)
    assert abs(at(x * factor, d_k, factor) / expected - 1) < 2e-12


@given(d_k=st.integers(2, 1024), u=st.floats(-1, 1), factor=st.floats(1e-3, 16))
@example(d_k=2, u=0.999999, factor=1.0)
@example(d_k=1024, u=0.9, factor=1 / 32)
def test_normalised_vectors_have_the_beta_law_of_mpmath(d_k: int, u: float, factor: float) -> None:
    end = d_k * factor
    found = score_density(torch.tensor([u * end], dtype=torch.float64), d_k, factor, normed=True).item()
    with mp.workdps(40):
        cosine = mpf(u * end) / factor / d_k
        if abs(cosine) > 1 - mpf(1e-9):
            return  # below
        half = mpf(d_k - 1) / 2
        expected = ((1 + cosine) / 2) ** (half - 1) * ((1 - cosine) / 2) ** (half - 1) / mp.beta(half, half) / 2 / end
        assert abs(found - expected) <= 1e-11 * expected / (1 - abs(cosine)) + mpf(5e-324)


def test_normalised_vectors_end_where_they_point_the_same_way() -> None:
    def ends(d_k: int) -> list[float]:
        return score_density(torch.tensor([-d_k, d_k, 1.01 * d_k]), d_k, normed=True).tolist()

    assert ends(2) == [math.inf, math.inf, 0.0]
    assert ends(3) == [pytest.approx(1 / 6), pytest.approx(1 / 6), 0.0]
    assert ends(4) == [0.0, 0.0, 0.0]
    with pytest.raises(InvalidInput):
        ends(1)


@pytest.mark.parametrize("d_k", [2, 3, 5, 64])
def test_normalised_draws_follow_their_density(d_k: int) -> None:
    """The share of scores below each of nine points is that of the density, to four standard deviations."""
    result = compute(AttentionConfig(n=512, h=1, d_k=d_k, scaling="none", qk_norm=True, seed=5), device="cpu")
    scores = result.scores.flatten().double().numpy()
    for share in np.arange(0.1, 1.0, 0.1):
        at_share = stats.beta.ppf(share, (d_k - 1) / 2, (d_k - 1) / 2) * 2 - 1
        # queries and keys are shared: as many independent draws as there are queries
        assert abs((scores < at_share * d_k).mean() - share) < 4 * math.sqrt(share * (1 - share) / 512)
    assert result.predicted_variance == d_k


def test_what_has_a_density() -> None:
    assert has_score_density(AttentionConfig(d_k=1))
    assert has_score_density(AttentionConfig(d_k=2, qk_norm=True))
    assert not has_score_density(AttentionConfig(d_k=1, qk_norm=True))  # ±1


@given(d_k=WIDTHS, deviations=DEVIATIONS.filter(lambda x: abs(x) > 1e-3))
def test_it_is_the_closed_form_of_scipy(d_k: int, deviations: float) -> None:
    """scipy's Bessel function leaves the range of float64 where it has no logarithm."""
    order, x = (d_k - 1) / 2, abs(deviations) * math.sqrt(d_k)
    bessel = special.kve(order, x)
    if not 0 < bessel < math.inf:
        return
    scale = 0.5 * math.log(math.pi) + order * math.log(2) + special.gammaln(order + 0.5)
    expected = order * math.log(x) + math.log(bessel) - x - scale
    assert math.log(at(x, d_k)) == pytest.approx(expected, abs=1e-11)


@pytest.mark.night(but=3)
@pytest.mark.parametrize("factor", [1.0, 0.125])
@pytest.mark.parametrize("d_k", [1, 3, 211, *(pytest.param(d_k, marks=pytest.mark.slow) for d_k in (2, 7, 1024))])
def test_it_integrates_to_one_with_the_variance_of_footnote_4(d_k: int, factor: float) -> None:
    """An odd power in the variable takes the logarithm at 0 away."""
    deviation = math.sqrt(d_k) * factor
    u = np.linspace(0, 60 ** (1 / 5), 20_001)
    x, slope = deviation * u**5, deviation * 5 * u**4
    density = score_density(torch.from_numpy(x[1:]), d_k, factor).numpy()
    for power, expected in ((0, 1.0), (2, deviation**2), (4, 3 * deviation**4 * (1 + 2 / d_k))):
        integrand = np.append(0.0, x[1:] ** power * density * slope[1:])
        assert 2 * integrate.simpson(integrand, x=u) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("d_k", [2, 3, 5, 64, 1023])
@pytest.mark.parametrize("deviations", [0.0, 0.5, 3.0])
def test_it_is_the_inverse_of_the_characteristic_function(d_k: int, deviations: float) -> None:
    """cos(tx) (1 + t²)^(−d_k/2) over t; `weight` is QUADPACK's rule for oscillations."""
    x = deviations * math.sqrt(d_k)
    if x == 0:
        found = integrate.quad(lambda t: (1 + t * t) ** (-d_k / 2), 0, math.inf, epsabs=1e-12)[0]
    else:
        end = math.inf if d_k < 10 else 20 / math.sqrt(d_k)
        found = integrate.quad(lambda t: (1 + t * t) ** (-d_k / 2), 0, end, weight="cos", wvar=x, limit=500)[0]
    assert at(x, d_k) == pytest.approx(found / math.pi, abs=1e-8 + (0 if d_k < 10 else 1e-7))


@pytest.mark.parametrize(("one", "other"), [(2, 3), (5, 16), pytest.param(4, 60, marks=pytest.mark.slow)])
def test_scores_of_more_components_are_convolutions_of_fewer(one: int, other: int) -> None:
    step = 0.01
    x = torch.arange(-80, 80 + step / 2, step, dtype=torch.float64)
    a, b, both = (score_density(x, d_k).numpy() for d_k in (one, other, one + other))
    np.testing.assert_allclose(signal.fftconvolve(a, b, "same") * step, both, atol=2e-5)


def test_a_product_of_two_normal_numbers_has_no_bound_at_0() -> None:
    """K₀(x)/π: it grows as −ln x, and its excess kurtosis is 6, where a normal density has 0."""
    assert at(0.0, 1) == math.inf
    assert at(1e-9, 1) == pytest.approx((math.log(2e9) - np.euler_gamma) / math.pi, rel=1e-12)
    assert at(-5e-324, 1) == pytest.approx((math.log(2) - math.log(5e-324) - np.euler_gamma) / math.pi, rel=1e-12)
    assert at(2.0, 1) == pytest.approx(special.k0(2.0) / math.pi, rel=1e-14)


def test_two_products_have_laplaces_density_and_many_nearly_a_normal_one() -> None:
    x = torch.linspace(-8, 8, 33, dtype=torch.float64)
    torch.testing.assert_close(score_density(x, 2), (-x.abs()).exp() / 2, rtol=1e-13, atol=0)

    def farthest(d_k: int) -> float:
        normal = (-(x**2) / 2).exp() / math.sqrt(2 * math.pi)
        return float((score_density(x, d_k, 1 / math.sqrt(d_k)) - normal).abs().max())

    assert farthest(4) > 0.08
    assert farthest(1024) == pytest.approx(
        0.75 / 1024 / math.sqrt(2 * math.pi), rel=0.01
    )  # f(0) is 1 + 3/(4 d_k) of it


@pytest.mark.night(but=3)
@pytest.mark.parametrize("d_k", [1, 2, pytest.param(4, marks=pytest.mark.slow), 64])
@pytest.mark.parametrize("scaling", ["none", "sqrt_d_k", "d_k"])
def test_computed_scores_follow_it(d_k: int, scaling: str) -> None:
    """Kolmogorov and Smirnov's distance of scores that share neither query nor key."""
    config = AttentionConfig(n=1024, h=16, d_k=d_k, scaling=scaling, seed=2)
    scores = compute(config).scaled.diagonal(dim1=1, dim2=2).flatten().double().sort().values
    m = len(scores)
    deviation = math.sqrt(d_k) * config.factor
    u = torch.linspace(-(25 ** (1 / 5)), 25 ** (1 / 5), 4001, dtype=torch.float64)
    u = u[:-1] + (u[1] - u[0]) / 2  # an even number of middles: none at 0
    density = score_density(deviation * u**5, d_k, config.factor) * deviation * 5 * u**4
    below = (density * (u[1] - u[0])).cumsum(0)
    ends = deviation * (u + (u[1] - u[0]) / 2) ** 5
    measured = torch.searchsorted(scores, ends) / m
    assert float((measured - below).abs().max()) < 1.95 / math.sqrt(m)  # 1 of 1000 such samples is farther


def test_shape_and_symmetry_are_kept() -> None:
    x = torch.tensor([[0.5, -2.0, 1e308], [-0.5, 2.0, -1e308]], dtype=torch.float64)
    found = score_density(x, 7, 1e-6)
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=0)
    assert (found.shape, found.dtype) == ((2, 3), torch.float64)
    assert score_density(torch.empty(0, 5), 7).shape == (0, 5)


@pytest.mark.parametrize(
    ("scores", "d_k", "factor", "message"),
    [
        ([0.0], 0, 1.0, "d_k must be at least 1; got 0."),
        ([0.0], 2, 0.0, "factor must be between 1e-06 and 1000000.0; got 0.0."),
        ([0.0, math.nan], 2, 1.0, "scores must be finite everywhere; scores[1] is nan."),
    ],
)
def test_what_cannot_be_used_is_named(scores, d_k, factor, message) -> None:
    with pytest.raises(InvalidInput) as error:
        score_density(torch.tensor(scores), d_k, factor)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ({}, True),
        ({"scaling": "none", "dtype": "float16"}, True),
        ({"mechanism": "additive"}, False),
        ({"source": "text"}, False),
        ({"source": "structured"}, False),
    ],
)
def test_it_is_known_for_dot_products_of_normal_components_alone(settings, known) -> None:
    assert has_score_density(AttentionConfig(**settings)) is known
