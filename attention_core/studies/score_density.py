"""The exact density of a score: of d_k products of independent N(0, 1) numbers, added up and multiplied by a factor.

Normalised vectors (`qk_norm`) of such components have random directions, and a score is factor · d_k · cos θ: its
density is known, too.

Footnote 4 needs mean and variance of the components only, and gives mean and variance of the score only. For components
that are normal, as those of the gaussian source, the whole distribution is known.
"""

import math
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core import mechanisms
from attention_core.config import AttentionConfig
from attention_core.inputs.tensors import not_finite
from attention_core.validation import real_number, whole_number

__all__ = ["has_score_density", "score_density"]

_NEGLIGIBLE: Final = 40.0
"""Values below exp(−40) of the largest one are left out of the integral."""
_FAR: Final = 1e300
"""The density of every d_k is 0 here, and no square root of a sum of squares overflows."""


def has_score_density(config: AttentionConfig) -> bool:
    """Return True if the scores of `config` are dot products of independent N(0, 1) components, normalised or not.

    Normalised vectors of one component are ±1, and so are their scores but for the factor: they have no density.
    """
    smooth = not config.qk_norm or config.d_k > 1
    return config.source == "gaussian" and mechanisms.of(config).products and smooth


def score_density(
    scores: Float[Tensor, "*shape"], d_k: int, factor: float = 1.0, *, normed: bool = False
) -> Float[Tensor, "*shape"]:
    """Return the density of factor · q·k, where q and k have d_k independent N(0, 1) components.

    With ν = (d_k − 1)/2 and x = |score| / factor it is (Wishart and Bartlett 1932)

        f(x) = x^ν K_ν(x) / (√π 2^ν Γ(ν + ½)),   divided by the factor,

    symmetric, with mean 0, variance d_k · factor² and the characteristic function (1 + t² factor²)^(−d_k/2). The Bessel
    function is K_ν(x) = ½ ∫ exp(νt − x cosh t) dt over all t (DLMF 10.32.9). The integrand is largest at
    sinh t = ν/x; with s from there, R = √(x² + ν²) and δ = R − ν, what is left has no cancellation and no overflow:

        f(x) = exp(ν ln((R + ν)/2) − R) / (2√π Γ(ν + ½)) · ∫ exp(−δ (cosh s − 1) − ν (eˢ − 1 − s)) ds.

    The trapezoidal rule converges exponentially there: at most 1e-12 of the density is lost for d_k up to 1024.

    With q and k `normed` to length √d_k, u = score / (d_k · factor) is the cosine of the angle between two random
    directions, and (u + 1)/2 has the Beta law with both parameters (d_k − 1)/2:

        f(u) = (1 − u²)^((d_k − 3)/2) / B(½, (d_k − 1)/2) for |u| < 1, else 0,   divided by d_k · factor,

    symmetric, with mean 0 and the same variance, d_k · factor².

    Parameters
    ----------
    scores
        Finite numbers, in any shape.
    d_k
        Number of products, at least 1.
    factor
        10⁻⁶ to 10⁶, as `AttentionConfig.factor`; with 0 all scores are 0 and have no density.
    normed
        True if q and k are divided by their root mean square; d_k is then at least 2.

    Returns
    -------
    Tensor
        Densities in float64, in the shape of `scores`; ∞ at 0 for d_k = 1, which grows there as −ln(x)/π. If `normed`,
        ∞ at both ends for d_k = 2.

    Raises
    ------
    InvalidInput
        `not_a_number` or `out_of_range` for d_k or the factor; `not_finite` for a score.
    """
    d_k = whole_number("d_k", d_k, 2 if normed else 1)
    factor = real_number("factor", factor, 1e-6, 1e6)
    if not scores.isfinite().all():
        raise not_finite("scores", scores)
    if normed:
        return _of_cosines(scores.double() / factor / d_k, d_k) / (d_k * factor)
    order = (d_k - 1) / 2  # ν
    x = (scores.double().abs().flatten() / factor).clamp_max(_FAR)
    radius = torch.hypot(x, x.new_tensor(order))
    excess = x * (x / (radius + order).clamp_min(math.ulp(0.0)))  # δ
    height = (order * torch.log((radius + order) / 2) if order else 0) - radius - math.lgamma(d_k / 2)
    density = height.exp() * _integral(radius, excess, order) / (2 * math.sqrt(math.pi) * factor)
    if order == 0:
        density[x == 0] = math.inf
    return density.reshape(scores.shape)


def _of_cosines(u: Float[Tensor, "*shape"], d_k: int) -> Float[Tensor, "*shape"]:
    """Return the density of the cosine between two random directions of d_k dimensions."""
    beta = math.lgamma(0.5) + math.lgamma((d_k - 1) / 2) - math.lgamma(d_k / 2)
    inside = u.abs() < 1
    squares = torch.where(inside, torch.log1p(-u.abs()) + torch.log1p(u.abs()), -math.inf)  # ln (1 − u²)
    power = (d_k - 3) / 2
    density = torch.full_like(u, -beta).exp() if power == 0 else (power * squares - beta).exp()
    end = math.inf if d_k == 2 else math.exp(-beta) if d_k == 3 else 0.0
    return torch.where(inside, density, torch.where(u.abs() == 1, end, 0.0))


def _integral(
    radius: Float[Tensor, " scores"], excess: Float[Tensor, " scores"], order: float
) -> Float[Tensor, " scores"]:
    """Return the integral over s for each score, by the trapezoidal rule with steps of its own.

    A step is at most half the width 1/√R of the peak and at most a quarter, for the integrand is analytic up to
    |Im s| = π/2 only. The ends come from bounds of either term of the exponent.
    """
    if not len(radius):
        return radius
    left = _reach(excess).clamp_max(1 + _NEGLIGIBLE / order if order else math.inf)
    right = _reach(radius)
    width = left + right
    count = math.ceil(float((width / torch.minimum(0.5 / radius.sqrt(), radius.new_tensor(0.25))).max()))
    s = torch.lerp(-left, right, torch.linspace(0, 1, count + 1, dtype=torch.float64).unsqueeze(-1))  # count scores
    exponent = (torch.sinh(s / 2) * (2 * excess).sqrt()).square()  # δ (cosh s − 1)
    if order:
        exponent += order * (torch.expm1(s) - s)
    return (-exponent).exp().sum(0) * (width / count)


def _reach(rate: Float[Tensor, " scores"]) -> Float[Tensor, " scores"]:
    """Return the s from which rate · (cosh s − 1) is at least `_NEGLIGIBLE`; 800, beyond all others, if rate is 0."""
    return (2 * torch.asinh(math.sqrt(_NEGLIGIBLE / 2) / rate.sqrt())).clamp_max(800)
