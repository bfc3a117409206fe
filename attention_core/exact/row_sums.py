"""Sums over a row of scores, from which its statistics follow: the one way from scores to entropy and Jacobian.

m is the largest score and e = exp(s − m). All sums leave out the key with the largest score, whose e is 1:
R₁ = Σe, R₂ = Σe², R₃ = Σe³, G = Σe(m − s). The weights are e/Z with Z = 1 + R₁, and

    lse = m + ln(1 + R₁)          H = ln(1 + R₁) + G/Z          Σp² = (1 + R₂)/Z²
    trace J = (1/Z)(R₁/Z) + R₁/Z − R₂/Z²
    ‖J‖_F²  = (R₁/Z²)² + 2R₂/Z⁴ + (R₂/Z² − 2R₃/Z³) + (R₂/Z²)²

are sums of non-negative terms, since no other weight is above ½. A row that is one-hot but for 1e-38 keeps the digits
of that 1e-38, and no entropy turns out negative.

The bound: from float32 scores, taken as exact, each of H, trace J, ‖J‖_F and max p is within 8 · 2⁻²³ of the true
value, relative to it. Rows in memory are summed up in float64 (`row_sums`) and are within 2⁻²³; it takes no longer. A
pass works in float32, where the rounding of m − s alone costs a key at the distance f up to f · 2⁻²⁴. So it sums up in
float64 the rows whose R₁ may be below `FAINT`; in every other row, of up to 2¹⁶ keys, keys with f above 16 weigh next
to nothing. The formulas are evaluated in float64, and results rounded once to the dtype of the scores: below float32's
smallest normal number, 1.2e-38, to a multiple of 1.4e-45, and to 0 below 7e-46. From float64 scores the error is the
rounding of m − s: 2⁻⁵² times the largest m − s that weighs anything.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint

_NAMES = ("largest", "at", "first", "second", "third", "gap")

FAINT: Final = 2.0**-5
"""A pass sums up rows of float32 scores with less for R₁ in float64."""

_FARTHEST: Final = -1e4
"""exp of it is 0, and 0 · 1e4 is 0, whereas 0 · ∞ is NaN."""

_BLOCK_FLOATS: Final = 32_768  # 256 KiB: intermediate values of a few rows never leave the cache


@dataclass(frozen=True, eq=False)
class RowSums:
    """The sums of some rows over some of their keys. A row without keys has `largest` −inf, `at` −1 and else 0."""

    largest: Float[Tensor, "*rows"]
    at: Int[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    gap: Float[Tensor, "*rows"]

    @classmethod
    def joined(cls, parts: "list[RowSums]") -> "RowSums":
        """Return the sums of rows that come in parts, one after the other."""
        return cls(*(torch.cat([getattr(part, name) for part in parts]) for name in _NAMES))

    def of(self, rows: slice | Tensor) -> "RowSums":
        """Return the sums of some rows, counted along the last axis or marked by True."""
        return RowSums(*(tensor[..., rows] for tensor in vars(self).values()))

    def head(self, index: int) -> "RowSums":
        """Return the rows of one head. Heads are the first axis."""
        return RowSums(*(getattr(self, name)[index] for name in _NAMES))

    def wide(self) -> "RowSums":
        """Return these sums in float64, on the CPU."""
        largest, at, *others = (getattr(self, name).cpu() for name in _NAMES)
        return RowSums(largest.double(), at, *(sum.double() for sum in others))

    def replaced(self, rows: Int[Tensor, " some"], by: "RowSums") -> "RowSums":
        """Return these sums with some rows exchanged, which are counted along the only axis."""
        return RowSums(*(getattr(self, name).index_copy(0, rows, getattr(by, name)) for name in _NAMES))

    def moved(self, start: int) -> "RowSums":
        """Return these sums with the keys counted from `start` keys further left."""
        return RowSums(
            self.largest, torch.where(self.at < 0, -1, self.at + start), *(getattr(self, name) for name in _NAMES[2:])
        )

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
        factor = torch.exp(-fall)  # in float64: the fall between two blocks is as large as any
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
    """The formulas above in float64, computed on first use. `keys` counts each row's allowed keys.

    `dtype` is that of the scores, which results are rounded to.
    """

    sums: RowSums
    keys: Int[Tensor, "*#rows"]
    dtype: torch.dtype

    @cached_property
    def empty(self) -> Bool[Tensor, "*rows"]:
        """True for a row without keys."""
        return self.sums.at < 0

    @cached_property
    def largest_score(self) -> Float[Tensor, "*rows"]:
        """The largest score, as it came; −∞ in a row without keys."""
        return self.sums.largest.to(self.dtype)

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        """The largest weight."""
        return 1 / (1 + self.sums.first)

    @cached_property
    def first(self) -> Float[Tensor, "*rows"]:
        """Σp over the other keys; `second` and `third` are Σp² and Σp³."""
        return self.sums.first * self.top

    @cached_property
    def second(self) -> Float[Tensor, "*rows"]:
        return self.sums.second * self.top**2

    @cached_property
    def third(self) -> Float[Tensor, "*rows"]:
        return self.sums.third * self.top**3

    @cached_property
    def _logarithm(self) -> Float[Tensor, "*rows"]:
        return self.sums.first.log1p()

    @property
    def logsumexp(self) -> Float[Tensor, "*rows"]:
        return self.sums.largest + self._logarithm

    @cached_property
    def ceiling(self) -> Float[Tensor, "*#rows"]:
        """The largest possible entropy in nats: ln of the number of keys, 0 without keys."""
        return self.keys.cpu().clamp_min(1).double().log()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        """The entropy in nats, cut to `ceiling`: rounding may lift a uniform row's last digit above it."""
        return (self._logarithm + self.sums.gap * self.top).minimum(self.ceiling)

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        top, first, second = self.top, self.first, self.second
        squared = (top * first) ** 2 + 2 * top**2 * second + (second - 2 * self.third) + second**2
        return squared.clamp_min(0).sqrt()

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        return self.top * self.first + (self.first - self.second)


Law = Callable[[RowSums, Int[Tensor, "*#rows"], torch.dtype], SummedRows]
"""(sums, keys, dtype) → rows; `keys` counts each row's allowed keys. `SummedRows` itself is the softmax's."""


def row_sums(scores: Float[Tensor, "*batch n_k"]) -> RowSums:
    """Return the sums of rows in memory. A score of −inf marks a key that the mask forbids."""
    batch, n_k = scores.shape[:-1], scores.shape[-1]
    held = scores.cpu() if scores.device.type == "mps" else scores  # mps has no float64
    found = []
    for rows in held.detach().reshape(-1, n_k).split(max(1, _BLOCK_FLOATS // max(1, n_k))):
        checkpoint()
        found.append(_sums(rows.double()))
    whole = RowSums.joined(found)
    return RowSums(*(getattr(whole, name).view(batch) for name in _NAMES))


def _sums(scores: Float[Tensor, "rows n_k"]) -> RowSums:
    """Return the definition, row by row, for float64 scores. An e below 5e-324 is 0."""
    cpu = scores.device.type == "cpu"
    at = torch.from_numpy(scores.numpy().argmax(-1)) if cpu else scores.argmax(-1)  # numpy: a tenth of torch's time
    index = at.unsqueeze(-1)
    largest = scores.gather(-1, index)
    empty = largest == -torch.inf
    fall = (scores - largest.masked_fill(empty, 0.0)).clamp_min_(_FARTHEST)
    e = fall.exp().scatter_(-1, index, 0.0)
    first, gap = e.sum(-1), -(fall.mul_(e).sum(-1))
    squares = torch.mul(e, e, out=fall)
    second = squares.sum(-1)
    third = squares.mul_(e).sum(-1)
    at = torch.where(empty, -1, index).squeeze(-1)
    return RowSums(largest.squeeze(-1), at, first, second, third, gap).wide()
