"""Sums over a row of scores, from which its statistics follow once its cells are gone.

m is the largest score and e = exp(s − m). All sums leave out the key with the largest score, whose e is 1:
R₁ = Σe, R₂ = Σe², R₃ = Σe³, G = Σe(m − s). The weights are e/Z with Z = 1 + R₁, and

    lse = m + ln(1 + R₁)          H = ln(1 + R₁) + G/Z          Σp² = (1 + R₂)/Z²
    trace J = (1/Z)(R₁/Z) + R₁/Z − R₂/Z²
    ‖J‖_F²  = (R₁/Z²)² + 2R₂/Z⁴ + (R₂/Z² − 2R₃/Z³) + (R₂/Z²)²

are sums of non-negative terms, since no other weight is above ½. A row that is one-hot but for 1e-9 keeps the digits of
that 1e-9, and no entropy turns out negative.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor

_NAMES = ("largest", "at", "first", "second", "third", "gap")


@dataclass(frozen=True, eq=False)
class RowSums:
    """The sums of some rows over some of their keys. A row without keys has `largest` −inf, `at` −1 and else 0."""

    largest: Float[Tensor, "*rows"]
    at: Int[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    gap: Float[Tensor, "*rows"]

    def of(self, rows: slice) -> "RowSums":
        """Return the sums of some rows, counted along the last axis."""
        return RowSums(*(tensor[..., rows] for tensor in vars(self).values()))

    def head(self, index: int) -> "RowSums":
        """Return the rows of one head. Heads are the first axis."""
        return RowSums(*(getattr(self, name)[index] for name in _NAMES))

    def merge(self, other: "RowSums") -> "RowSums":
        """Return the sums over the keys of both, which must have none in common.

        Merging is associative up to rounding, and commutative: of equal largest scores the earlier key wins.
        """
        ours = (self.largest > other.largest) | ((self.largest == other.largest) & (self.at <= other.at))
        ours |= other.at < 0
        ours &= self.at >= 0
        top, low = (
            RowSums(*(torch.where(side, getattr(self, name), getattr(other, name)) for name in _NAMES))
            for side in (ours, ~ours)
        )
        there = (low.at >= 0).to(top.largest.dtype)  # 1 if the lower side has a largest key to add
        fall = torch.where(low.at >= 0, top.largest - low.largest, 0.0)
        factor = torch.exp(-fall)
        return RowSums(
            top.largest,
            top.at,
            top.first + factor * (there + low.first),
            top.second + factor**2 * (there + low.second),
            top.third + factor**3 * (there + low.third),
            # Never 0 times an infinite fall: the fall between finite scores is finite, or the pass has overflowed.
            top.gap + factor * (low.gap + fall * (there + low.first)),
        )


@dataclass(frozen=True, eq=False)
class SummedRows:
    """The formulas above in float64 on the CPU, computed on first use. `keys` counts each row's allowed keys."""

    sums: RowSums
    keys: Int[Tensor, "*rows"]

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        """The largest weight."""
        return 1 / (1 + _double(self.sums.first))

    @cached_property
    def first(self) -> Float[Tensor, "*rows"]:
        """Σp over the other keys; `second` and `third` are Σp² and Σp³."""
        return _double(self.sums.first) * self.top

    @cached_property
    def second(self) -> Float[Tensor, "*rows"]:
        return _double(self.sums.second) * self.top**2

    @cached_property
    def third(self) -> Float[Tensor, "*rows"]:
        return _double(self.sums.third) * self.top**3

    @cached_property
    def _logarithm(self) -> Float[Tensor, "*rows"]:
        return _double(self.sums.first).log1p()

    @property
    def logsumexp(self) -> Float[Tensor, "*rows"]:
        return _double(self.sums.largest) + self._logarithm

    @cached_property
    def ceiling(self) -> Float[Tensor, "*rows"]:
        """The largest possible entropy in nats: ln of the number of keys, 0 without keys."""
        return self.keys.clamp_min(1).double().log()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        """The entropy in nats, cut to `ceiling`: rounding may lift a uniform row's last digit above it."""
        return (self._logarithm + _double(self.sums.gap) * self.top).minimum(self.ceiling)

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        top, first, second = self.top, self.first, self.second
        squared = (top * first) ** 2 + 2 * top**2 * second + (second - 2 * self.third) + second**2
        return squared.clamp_min(0).sqrt()

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        return self.top * self.first + (self.first - self.second)


def _double(tensor: Float[Tensor, "*rows"]) -> Float[Tensor, "*rows"]:
    return tensor.cpu().double()
