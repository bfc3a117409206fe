"""What a row of scores leaves behind when its cells are gone: sums from which its statistics follow.

With m the largest score, e = exp(s − m), and all sums over the *other* keys (the largest, whose e is 1, need not be
added): R₁ = Σe, R₂ = Σe², R₃ = Σe³, G = Σe(m − s). The weights are e/Z with Z = 1 + R₁, and

    lse = m + ln(1 + R₁)          H = ln(1 + R₁) + G/Z          Σp² = (1 + R₂)/Z²
    trace J = (1/Z)(R₁/Z) + R₁/Z − R₂/Z²
    ‖J‖_F²  = (R₁/Z²)² + 2R₂/Z⁴ + (R₂/Z² − 2R₃/Z³) + (R₂/Z²)²

are sums of terms that are all non-negative (no other weight is above ½): a row that is one-hot but for 1e-9 keeps the
digits of that 1e-9, and no entropy turns out negative.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

_NAMES = ("largest", "at", "first", "second", "third", "gap")


@dataclass(frozen=True, eq=False)
class RowSums:
    """The sums of some rows over some of their keys. A row without any key has `largest` −inf, `at` −1, the rest 0."""

    largest: Float[Tensor, "*rows"]
    at: Int[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    gap: Float[Tensor, "*rows"]

    def of(self, rows: slice) -> "RowSums":
        """The sums of some of the rows, counted along the last axis."""
        return RowSums(*(tensor[..., rows] for tensor in vars(self).values()))

    def head(self, index: int) -> "RowSums":
        """The rows of one head, where heads are the first axis."""
        return RowSums(*(getattr(self, name)[index] for name in _NAMES))

    def merge(self, other: "RowSums") -> "RowSums":
        """The sums over the keys of both, which have none in common.

        Associative up to rounding, and commutative: of two equal largest scores the earlier key counts as the largest.
        """
        ours = (self.largest > other.largest) | ((self.largest == other.largest) & (self.at <= other.at))
        ours |= other.at < 0
        ours &= self.at >= 0
        top, low = (
            RowSums(*(torch.where(side, getattr(self, name), getattr(other, name)) for name in _NAMES))
            for side in (ours, ~ours)
        )
        there = (low.at >= 0).to(top.largest.dtype)  # whether the lower side has a largest key to add
        fall = torch.where(low.at >= 0, top.largest - low.largest, 0.0)
        factor = torch.exp(-fall)
        return RowSums(
            top.largest,
            top.at,
            top.first + factor * (there + low.first),
            top.second + factor**2 * (there + low.second),
            top.third + factor**3 * (there + low.third),
            # A factor of 0 times an infinite fall cannot be: the fall between finite scores is finite or overflowed.
            top.gap + factor * (low.gap + fall * (there + low.first)),
        )


class RowStatistics(NamedTuple):
    """What `finished` makes of the sums; a row without any key has −inf as `logsumexp` and 0 everywhere else."""

    logsumexp: Float[Tensor, "*rows"]
    entropy: Float[Tensor, "*rows"]
    sum_of_squares: Float[Tensor, "*rows"]
    jacobian_norm: Float[Tensor, "*rows"]
    jacobian_trace: Float[Tensor, "*rows"]
    largest_weight: Float[Tensor, "*rows"]


def finished(sums: RowSums) -> RowStatistics:
    """The formulas above in float64, rounded to the sums' own dtype at the very end, on the CPU."""
    first, second, third, gap = (tensor.cpu().double() for tensor in (sums.first, sums.second, sums.third, sums.gap))
    top = 1 / (1 + first)  # the largest weight
    p1, p2, p3 = first * top, second * top**2, third * top**3
    logarithm = first.log1p()
    norm_squared = (top * p1) ** 2 + 2 * top**2 * p2 + (p2 - 2 * p3) + p2**2
    lse = sums.largest.cpu().double() + logarithm
    values = (logarithm + gap * top, top**2 + p2, norm_squared.clamp_min(0).sqrt(), top * p1 + (p1 - p2), top)
    empty = sums.at.cpu() < 0
    dtype = sums.largest.dtype
    return RowStatistics(lse.to(dtype), *(value.masked_fill(empty, 0.0).to(dtype) for value in values))
