"""Sigmoid attention: g = σ(s − ln n), every key by itself (arXiv 2409.04431). n counts the keys of the sequence.

A row is no distribution: its gates add up to anything from 0 to n, so it has no entropy. −ln n makes the sum about 1
for scores near 0. J is diagonal, ∂gᵢ/∂sᵢ = gᵢ(1 − gᵢ) = σ(x) σ(−x), x = s − ln n, which never cancels:

    trace J = Σ g(1 − g)         ‖J‖_F² = Σ (g(1 − g))²

A key that the mask forbids has the gate 0 and still counts for n.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.exact.row_sums import Sums, in_parts, largest_of
from attention_core.treatments import Curve

LACKS = ("logsumexp", "entropy", "ceiling", "effective_keys")
"""The statistics of a distribution that gates are without."""


def gates(masked: Float[Tensor, "*batch n_q n_k"]) -> Float[Tensor, "*batch n_q n_k"]:
    """Return σ(s − ln n), n the number of keys; 0 for a score of −inf."""
    return (masked - math.log(masked.shape[-1])).sigmoid()


def gates_jacobian(masked: Float[Tensor, "*batch n_k"]) -> Float[Tensor, "*batch n_k n_k"]:
    """Return diag(g(1 − g)) of rows of masked scores."""
    x = masked - math.log(masked.shape[-1])
    return torch.diag_embed(x.sigmoid() * (-x).sigmoid())


@dataclass(frozen=True, eq=False)
class GateSums(Sums):
    """Σg, Σg², Σg(1 − g)d and Σ(g(1 − g)d)² over all keys; d is the slope of a treatment, or 1."""

    mass: Float[Tensor, "*rows"]
    squares: Float[Tensor, "*rows"]
    slopes: Float[Tensor, "*rows"]
    slopes_squared: Float[Tensor, "*rows"]


@dataclass(frozen=True, eq=False)
class GatedRows:
    """The statistics of rows of gates, in float64. `keys` counts each row's allowed keys, `n` those of the sequence."""

    lacks = LACKS
    further = ("mass",)

    sums: GateSums
    keys: Int[Tensor, "*#rows"]
    dtype: torch.dtype
    n: int

    @cached_property
    def empty(self) -> Bool[Tensor, "*rows"]:
        """True for a row without keys."""
        return self.sums.at < 0

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        """The largest gate."""
        return (self.sums.largest - math.log(self.n)).sigmoid()

    @property
    def mass(self) -> Float[Tensor, "*rows"]:
        return self.sums.mass

    @property
    def sum_of_squares(self) -> Float[Tensor, "*rows"]:
        return self.sums.squares

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        return self.sums.slopes_squared.sqrt()

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        return self.sums.slopes


def gate_sums(
    masked: Float[Tensor, "*batch n_k"],
    n: int,
    scaled: Float[Tensor, "*batch n_k"] | None = None,
    curve: Curve | None = None,
) -> GateSums:
    """Return the sums of rows in memory, as `row_sums` does."""
    shift = math.log(n)

    def sums(scores: Tensor, slopes: Tensor | None) -> GateSums:
        largest, index = largest_of(scores)
        x = scores - shift
        own = x.sigmoid()
        steps = (-x).sigmoid_().mul_(own)
        if slopes is not None:
            steps.mul_(slopes)
        at = torch.where(largest == -torch.inf, -1, index).squeeze(-1)
        totals = own.sum(-1), own.square().sum(-1), steps.sum(-1), steps.square().sum(-1)
        return GateSums(largest.squeeze(-1), at, *totals).wide()

    return in_parts(sums, masked, scaled, curve)
