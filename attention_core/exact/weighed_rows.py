"""The statistics of rows of weights as they are, made in a number format or otherwise, in float64."""

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.exact.gates import GatedRows, GateSums
from attention_core.exact.row_sums import Sloped, SummedRows, row_sums
from attention_core.treatments import Curve

_BLOCK_FLOATS: Final = 32_768  # as in `row_sums`

OFF: Final = 0.01
"""A row is no distribution if its weights, a sink's included, add up to 1 only with a larger error."""


@dataclass(frozen=True, eq=False)
class WeightSums:
    """Sums over rows of weights in float64; `first`, `second`, `third` and `entropies` leave out the largest weight.

    `sloped` are those with the slopes of a treatment; None without one.
    """

    top: Float[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    entropies: Float[Tensor, "*rows"]
    sloped: Sloped | None


class MadeRows:
    """Rows of weights that a format has made; `broken` marks those that are no distribution."""

    keys: Int[Tensor, "*#rows"]
    broken: Bool[Tensor, "*rows"]

    @cached_property
    def empty(self) -> Bool[Tensor, "*rows"]:
        """True for a row without keys; one whose scores are all −∞ is not."""
        return (self.keys == 0).expand(self.broken.shape)


@dataclass(frozen=True, eq=False)
class WeighedRows(MadeRows, SummedRows):
    """The statistics of rows of weights that a format has made, from these weights themselves, in float64.

    They are the definitions over the weights as they are, so −Σ p ln p of a file's weights is the entropy beside them.
    J is diag(p) − p pᵀ with 1 − p of the largest weight as the sum of the others. A row that is no distribution has
    NaN for all of them. The log-sum-exp alone is that of the scores. Sums that rounding has lifted above a bound
    (Σp may be 1.001) are cut to it.

    With a sink at the score `sink`, `beside` is its weight: one more outcome, as in `SunkRows`.
    """

    filled = ("logsumexp",)

    own: WeightSums
    broken: Bool[Tensor, "*rows"]
    beside: Float[Tensor, "*rows"] | None = None
    sink: float | None = None

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        return self.own.top.masked_fill(self.broken, torch.nan)

    @cached_property
    def first(self) -> Float[Tensor, "*rows"]:
        return self.own.first

    @cached_property
    def second(self) -> Float[Tensor, "*rows"]:
        return self.own.second

    @cached_property
    def third(self) -> Float[Tensor, "*rows"]:
        return self.own.third

    @property
    def sloped(self) -> Sloped | None:
        return self.own.sloped

    @cached_property
    def sink_weight(self) -> Float[Tensor, "*rows"]:
        """The sink's weight as the format made it."""
        assert self.beside is not None  # rows without a sink have no such statistic
        return self.beside.masked_fill(self.broken, torch.nan)

    @cached_property
    def rest(self) -> Float[Tensor, "*rows"]:
        return self.first if self.beside is None else self.first + self.beside

    @property
    def excess(self) -> Float[Tensor, "*rows"]:
        """How far the weights, a sink's included, are from adding up to 1."""
        return (self.own.top + self.rest - 1).abs()

    @property
    def logsumexp(self) -> Float[Tensor, "*rows"]:
        found = super().logsumexp
        return found if self.sink is None else torch.logaddexp(found, torch.full_like(found, self.sink))

    @cached_property
    def ceiling(self) -> Float[Tensor, "*#rows"]:
        return super().ceiling if self.beside is None else (self.keys.cpu().double() + 1).log()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        found = self.own.entropies + torch.special.entr(self.top)
        return (found if self.beside is None else found + torch.special.entr(self.beside)).minimum(self.ceiling)

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        return super().jacobian_norm.clamp_max(0.5)

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        keys = self.keys.clamp_min(1).double()
        most = 1 - 1 / keys if self.beside is None else 1 - 1 / keys + (keys == 1) / 4
        return super().jacobian_trace.minimum(most)


def weighed_rows(
    masked: Float[Tensor, "*batch n_k"],
    weights: Float[Tensor, "*batch n_k"],
    keys: Int[Tensor, "*#batch"],
    beside: Float[Tensor, "*batch 1"] | None = None,
    sink: float | None = None,
    scaled: Float[Tensor, "*batch n_k"] | None = None,
    curve: Curve | None = None,
) -> WeighedRows:
    """Return the statistics of rows of weights on the CPU; `keys` counts each row's allowed keys.

    A row is no distribution if a weight is NaN, or if its weights, with a sink's `beside`, add up to 1 only within more
    than `OFF`. A `curve` that made the scores of `scaled` brings its slopes.
    """
    sums, own = row_sums(masked), _weight_sums(weights, scaled, curve)
    share = None if beside is None else beside.squeeze(-1).double()
    total = own.top + own.first if share is None else own.top + own.first + share
    broken = ~((total - 1).abs() <= OFF) & (keys > 0)
    return WeighedRows(sums, keys, weights.dtype, own, broken, share, sink)


def _weight_sums(weights: Float[Tensor, "*batch n_k"], scaled: Tensor | None, curve: Curve | None) -> WeightSums:
    n_k = weights.shape[-1]
    found: list[tuple[Tensor, ...]] = []
    size = max(1, _BLOCK_FLOATS // max(1, n_k))
    before = None if scaled is None else scaled.reshape(-1, n_k).split(size)
    for index, rows in enumerate(weights.reshape(-1, n_k).split(size)):
        checkpoint()
        wide = rows.double()
        at = wide.argmax(-1, keepdim=True)
        top = wide.amax(-1)
        others = wide.scatter_(-1, at, 0.0)
        sloped: tuple[Tensor, ...] = ()
        if curve is not None and before is not None:
            d = curve.slope(before[index])
            slope, first = d.gather(-1, at).squeeze(-1), d.mul_(others)
            steep = first.square()
            sums = first.sum(-1), (first * others).sum(-1), steep.sum(-1), (steep * others).sum(-1)
            sloped = slope, *sums
        entropies = torch.special.entr(others).sum(-1)
        first = others.sum(-1)
        squares = others.square()
        found.append((top, first, squares.sum(-1), squares.mul_(others).sum(-1), entropies, *sloped))
    batch = weights.shape[:-1]
    plain = [torch.cat(parts).view(batch) for parts in zip(*found, strict=True)]
    return WeightSums(*plain[:5], sloped=Sloped(*plain[5:]) if curve is not None else None)


@dataclass(frozen=True, eq=False)
class WeighedGates(MadeRows, GatedRows):
    """The statistics of rows of gates that a format has made, from these gates themselves. A NaN breaks a row."""

    own: Float[Tensor, "*rows"]
    broken: Bool[Tensor, "*rows"]

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        return self.own

    @property
    def excess(self) -> Float[Tensor, "*rows"]:
        """NaN: gates need not add up to 1."""
        return torch.full_like(self.own, torch.nan)


def weighed_gates(
    masked: Float[Tensor, "*batch n_k"],
    weights: Float[Tensor, "*batch n_k"],
    keys: Int[Tensor, "*#batch"],
    scaled: Float[Tensor, "*batch n_k"] | None = None,
    curve: Curve | None = None,
) -> WeighedGates:
    """Return the statistics of rows of gates on the CPU, with 1 − g of the gates as they are."""
    batch, n_k = weights.shape[:-1], weights.shape[-1]
    size = max(1, _BLOCK_FLOATS // max(1, n_k))
    before = None if curve is None or scaled is None else scaled.reshape(-1, n_k).split(size)
    found: list[tuple[Tensor, ...]] = []
    for index, rows in enumerate(weights.reshape(-1, n_k).split(size)):
        checkpoint()
        own = rows.double()
        steps = own * (1 - own)
        if curve is not None and before is not None:
            steps *= curve.slope(before[index])
        totals = own.sum(-1), own.square().sum(-1), steps.sum(-1), steps.square().sum(-1)
        found.append((*totals, own.amax(-1), own.isnan().any(-1)))
    *totals, most, no_number = (torch.cat(parts).view(batch) for parts in zip(*found, strict=True))
    largest, at = masked.max(-1)
    sums = GateSums(largest.double(), at, *totals)
    return WeighedGates(sums, keys, weights.dtype, n_k, most, no_number & (keys > 0))
