"""Sums over a row of scores, from which its statistics follow: the one way from scores to entropy and Jacobian.

m is the largest score and e = exp(s − m). All sums leave out the key with the largest score, whose e is 1:
R₁ = Σe, R₂ = Σe², R₃ = Σe³, G = Σe(m − s). The weights are e/Z with Z = 1 + R₁, and

    lse = m + ln(1 + R₁)          H = ln(1 + R₁) + G/Z          Σp² = (1 + R₂)/Z²
    trace J = (1/Z)(R₁/Z) + R₁/Z − R₂/Z²
    ‖J‖_F²  = (R₁/Z²)² + 2R₂/Z⁴ + (R₂/Z² − 2R₃/Z³) + (R₂/Z²)²

are sums of non-negative terms, since no other weight is above ½. If a treatment made s of a scaled score with the slope
d, J is the derivative by that score, and its column j has the factor d_j:

    trace J = Σ d p(1 − p)         ‖J‖_F² = Σ d² p² ((1 − p)² + Σp² − p²) = Σ d² p² (1 − 2p + Σp²)

A row that is one-hot but for 1e-38 keeps the digits of that 1e-38, and no entropy turns out negative.

The bound: from float32 scores, taken as exact, each of H, trace J, ‖J‖_F and max p is within 8 · 2⁻²³ of the true
value, relative to it. Rows in memory are summed up in float64 (`row_sums`) and are within 2⁻²³; it takes no longer. A
pass works in float32, where the rounding of m − s alone costs a key at the distance f up to f · 2⁻²⁴. So it sums up in
float64 the rows whose R₁ may be below `FAINT`; in every other row, of up to 2¹⁶ keys, keys with f above 16 weigh next
to nothing. The formulas are evaluated in float64, and results rounded once to the dtype of the scores: below float32's
smallest normal number, 1.2e-38, to a multiple of 1.4e-45, and to 0 below 7e-46. From float64 scores the error is the
rounding of m − s: 2⁻⁵² times the largest m − s that weighs anything.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import torch
from jaxtyping import Bool, Float, Int, Real
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.treatments import Curve

FAINT: Final = 2.0**-5
"""A pass sums up rows of float32 scores with less for R₁ in float64."""

_FARTHEST: Final = -1e4
"""exp of it is 0, and 0 · 1e4 is 0, whereas 0 · ∞ is NaN."""

_BLOCK_FLOATS: Final = 32_768  # 256 KiB: intermediate values of a few rows never leave the cache


S = TypeVar("S", bound="Sums")


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of some rows over some of their keys. A row without keys has `largest` −inf, `at` −1 and else 0."""

    largest: Float[Tensor, "*rows"]
    at: Int[Tensor, "*rows"]

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the tensors: `largest`, `at` and the sums."""
        return tuple(item.name for item in fields(cls))

    @classmethod
    def joined(cls: type[S], parts: list[S]) -> S:
        """Return the sums of rows that come in parts, one after the other."""
        return cls(*(torch.cat([getattr(part, name) for part in parts]) for name in cls.names()))

    def head(self: S, index: int) -> S:
        """Return the rows of one head. Heads are the first axis."""
        return type(self)(*(getattr(self, name)[index] for name in self.names()))

    def viewed(self: S, batch: torch.Size) -> S:
        """Return these rows along the axes of `batch`."""
        return type(self)(*(getattr(self, name).view(batch) for name in self.names()))

    def to(self: S, device: torch.device | str) -> S:
        """Return these sums on a device."""
        return type(self)(*(getattr(self, name).to(device) for name in self.names()))

    def precise(self: S) -> S:
        """Return these sums in float64, where they are; on the CPU if there is no float64."""
        return type(self)(*((_held if name == "at" else in_float64)(getattr(self, name)) for name in self.names()))

    def wide(self: S) -> S:
        """Return these sums in float64, on the CPU."""
        return self.to("cpu").precise()

    def replaced(self: S, rows: Int[Tensor, " some"], by: S, where: Bool[Tensor, " some"]) -> S:
        """Return these sums with some rows exchanged, which are counted along the only axis, but only `where` True."""
        news = {name: (getattr(self, name), getattr(by, name)) for name in self.names()}
        return type(self)(
            *(old.index_copy(0, rows, torch.where(where, new, old.index_select(0, rows))) for old, new in news.values())
        )

    def moved(self: S, start: int) -> S:
        """Return these sums with the keys counted from `start` keys further left."""
        at = torch.where(self.at < 0, -1, self.at + start)
        return type(self)(self.largest, at, *(getattr(self, name) for name in self.names()[2:]))

    def merge(self: S, other: S) -> S:
        """Return the sums over the keys of both, which must have none in common.

        Merging is associative up to rounding, and commutative: of equal largest scores the earlier key wins.
        """
        ours = (self.largest > other.largest) | ((self.largest == other.largest) & (self.at <= other.at))
        ours |= other.at < 0
        ours &= self.at >= 0
        top, low = (
            type(self)(*(torch.where(side, getattr(self, name), getattr(other, name)) for name in self.names()))
            for side in (ours, ~ours)
        )
        return type(self)(top.largest, top.at, *top._with(low))

    def _with(self, low: Any) -> tuple[Tensor, ...]:
        """Return the sums over these keys and those of `low`, whose largest score is not above ours."""
        return tuple(getattr(self, name) + getattr(low, name) for name in self.names()[2:])


@dataclass(frozen=True, eq=False)
class RowSums(Sums):
    """R₁, R₂, R₃ and G of some rows over some of their keys."""

    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    gap: Float[Tensor, "*rows"]

    def _with(self, low: Any) -> tuple[Tensor, ...]:
        there, fall, factor = self._below(low)
        return (
            self.first + factor * (there + low.first),
            self.second + factor**2 * (there + low.second),
            self.third + factor**3 * (there + low.third),
            # Never 0 times an infinite fall: the fall between finite scores is finite, or the pass has overflowed.
            self.gap + factor * (low.gap + fall * (there + low.first)),
        )

    def _below(self, low: "RowSums") -> tuple[Tensor, Tensor, Tensor]:
        """Return 1 if the lower side has a largest key to add, how far it lies below ours, and exp(−that)."""
        there = (low.at >= 0).to(self.largest.dtype)
        fall = torch.where(low.at >= 0, self.largest - low.largest, 0.0)
        return there, fall, torch.exp(-fall)  # in float64: the fall between two blocks is as large as any


@dataclass(frozen=True, eq=False)
class SlopedSums(RowSums):
    """Sums of rows whose scores went through a treatment with the slope d at each key.

    `slope` is that of the key with the largest score. The others, without that key as ever, are Σde, Σde², Σd²e² and
    Σd²e³.
    """

    slope: Float[Tensor, "*rows"]
    sloped_first: Float[Tensor, "*rows"]
    sloped_second: Float[Tensor, "*rows"]
    steep_second: Float[Tensor, "*rows"]
    steep_third: Float[Tensor, "*rows"]

    def _with(self, low: Any) -> tuple[Tensor, ...]:
        there, _, factor = self._below(low)
        slope = there * low.slope
        return (
            *super()._with(low),
            self.slope,
            self.sloped_first + factor * (slope + low.sloped_first),
            self.sloped_second + factor**2 * (slope + low.sloped_second),
            self.steep_second + factor**2 * (slope**2 + low.steep_second),
            self.steep_third + factor**3 * (slope**2 + low.steep_third),
        )


@dataclass(frozen=True, eq=False)
class Sloped:
    """d of the key with the largest weight, and Σdp, Σdp², Σd²p², Σd²p³ over the others."""

    slope: Float[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    steep_second: Float[Tensor, "*rows"]
    steep_third: Float[Tensor, "*rows"]


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

    @cached_property
    def rest(self) -> Float[Tensor, "*rows"]:
        """1 less the largest weight, as the sum of what is not it."""
        return self.first

    @cached_property
    def sum_of_squares(self) -> Float[Tensor, "*rows"]:
        return self.top**2 + self.second

    @property
    def sloped(self) -> Sloped | None:
        """The sums with the slopes of a treatment, over weights; None without one."""
        sums, top = self.sums, self.top
        if not isinstance(sums, SlopedSums):
            return None
        sloped = sums.sloped_first * top, sums.sloped_second * top**2
        return Sloped(sums.slope, *sloped, sums.steep_second * top**2, sums.steep_third * top**3)

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        top, second, sloped = self.top, self.second, self.sloped
        if sloped is None:
            squared = (top * self.rest) ** 2 + 2 * top**2 * second + (second - 2 * self.third) + second**2
        else:
            own, steep = (sloped.slope * top) ** 2 * (self.rest**2 + second), sloped.steep_second
            squared = own + self.sum_of_squares * steep + (steep - 2 * sloped.steep_third)
        return squared.clamp_min(0).sqrt()

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        sloped = self.sloped
        if sloped is None:
            return self.top * self.rest + (self.first - self.second)
        return sloped.slope * self.top * self.rest + (sloped.first - sloped.second)


Law = Callable[[RowSums, Int[Tensor, "*#rows"], torch.dtype], SummedRows]
"""(sums, keys, dtype) → rows; `keys` counts each row's allowed keys. `SummedRows` itself is the softmax's."""


def row_sums(
    scores: Float[Tensor, "*batch n_k"],
    scaled: Float[Tensor, "*batch n_k"] | None = None,
    curve: Curve | None = None,
) -> RowSums:
    """Return the sums of rows in memory. A score of −inf marks a key that the mask forbids.

    With a `curve` that made `scores` of the scores `scaled` they are `SlopedSums`.
    """
    return in_parts(_sums, scores, scaled, curve)


def in_parts(
    sums: Callable[[Tensor, Tensor | None], S], scores: Tensor, scaled: Tensor | None, curve: Curve | None
) -> S:
    """Return what `sums` makes of rows of scores and slopes in float64, a few rows at a time."""
    batch, n_k = scores.shape[:-1], scores.shape[-1]
    size = max(1, _BLOCK_FLOATS // max(1, n_k))
    found = []
    before = None if curve is None or scaled is None else _held(scaled).reshape(-1, n_k).split(size)
    for index, rows in enumerate(_held(scores).reshape(-1, n_k).split(size)):
        checkpoint()
        slopes = None if curve is None or before is None else curve.slope(before[index])
        found.append(sums(rows.double(), slopes))
    return type(found[0]).joined(found).viewed(batch)


def _held(scores: Tensor) -> Tensor:
    """Return the scores where there is float64: mps has none."""
    return (scores.cpu() if scores.device.type == "mps" else scores).detach()


def in_float64(tensor: Real[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return the numbers in float64, where they are; on the CPU if there is no float64."""
    return _held(tensor).double()


def largest_of(scores: Float[Tensor, "rows n_k"]) -> tuple[Float[Tensor, "rows 1"], Int[Tensor, "rows 1"]]:
    """Return the largest score of each row and its first key."""
    cpu = scores.device.type == "cpu"
    at = torch.from_numpy(scores.numpy().argmax(-1)) if cpu else scores.argmax(-1)  # numpy: a tenth of torch's time
    index = at.unsqueeze(-1)
    return scores.gather(-1, index), index


def _sums(scores: Float[Tensor, "rows n_k"], slopes: Float[Tensor, "rows n_k"] | None) -> RowSums:
    """Return the definition, row by row, for float64 scores. An e below 5e-324 is 0."""
    largest, index = largest_of(scores)
    empty = largest == -torch.inf
    fall = (scores - largest.masked_fill(empty, 0.0)).clamp_min_(_FARTHEST)
    e = fall.exp().scatter_(-1, index, 0.0)
    first, gap = e.sum(-1), -(fall.mul_(e).sum(-1))
    squares = torch.mul(e, e, out=fall)
    second = squares.sum(-1)
    third = squares.mul_(e).sum(-1)
    at = torch.where(empty, -1, index).squeeze(-1)
    plain = largest.squeeze(-1), at, first, second, third, gap
    if slopes is None:
        return RowSums(*plain).wide()
    slope = slopes.gather(-1, index).masked_fill_(empty, 0.0).squeeze(-1)
    sloped = slopes.mul_(e)
    seconds, steep = (sloped * e).sum(-1), sloped.square()
    return SlopedSums(*plain, slope, sloped.sum(-1), seconds, steep.sum(-1), steep.mul_(e).sum(-1)).wide()
