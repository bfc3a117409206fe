"""Entmax with α = 1.5 in a number format: the sorting algorithm as it is written out in half tensors, step by step.

    halved    = round(s / 2)
    shifted   = round(halved − max halved)  only if the maximum is subtracted; z below
    sums      = round(Σ z), squares = round(Σ round(z²))  over the k largest, for each k, added up in float32
    mean      = round(sums / k), of_squares = round(squares / k)
    spread    = round(k · round(of_squares − round(mean²)))
    τ_k       = round(mean − round(√round(max(0, round(1 − spread)) / k)))
    τ         = τ_k of the support's size: the number of k with τ_k ≤ the k-th largest z
    roots     = max(0, round(z − τ))
    weights   = round(roots²)

It is algorithm 2 of arXiv 1905.05702 in the order of the authors' package. `entmax` itself has another formula, which
never subtracts nearly equal numbers; here the digits that a format loses are the subject.

A spread is a difference of squares. Without the maximum subtracted those of large scores have few digits left, so that
a row adds up to anything, 0 included. They overflow above |z| = √largest: 256 in float16, a score of 512. Then ∞ − ∞ is
NaN; no τ_k is at most its z, τ is that of k = 1, and every weight of the row is NaN. With the maximum subtracted, z of
the largest key is 0, so that some τ_k is always a number; squares that overflow belong to keys far below τ. Even so a
rounding of τ by δ changes a row's sum by 2δ Σu: in bfloat16 a row of many keys may be off 1 by more than 0.01.

A weight of exactly 0 is what entmax is for. It is lost only if its root is above 0.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.exact.entmax import RootSums, SparseRows, split
from attention_core.exact.formats import Steps
from attention_core.exact.row_sums import in_parts
from attention_core.exact.weighed_rows import OFF, MadeRows
from attention_core.treatments import Curve

__all__ = ["EntmaxSteps", "WeighedRoots", "entmax_in_format", "entmax_steps", "roots_jacobian", "weighed_roots"]

_TINY = torch.finfo(torch.float64).tiny


@dataclass(frozen=True, eq=False)
class EntmaxSteps:
    """Every step of an entmax, each rounded to the format of the scores. `ordered` are `shifted` from the largest."""

    halved: Float[Tensor, "rows n_k"]
    shifted: Float[Tensor, "rows n_k"]
    ordered: Float[Tensor, "rows n_k"]
    sums: Float[Tensor, "rows n_k"]
    squares: Float[Tensor, "rows n_k"]
    thresholds: Float[Tensor, "rows n_k"]
    threshold: Float[Tensor, "rows 1"]
    roots: Float[Tensor, "rows n_k"]
    weights: Float[Tensor, "rows n_k"]


def entmax_steps(masked: Float[Tensor, "rows n_k"], subtract: bool) -> EntmaxSteps:
    """Compute [s/2 − τ]₊² in the dtype of the scores, with every result rounded to it."""
    kind = masked.dtype
    halved = masked / 2
    shifted = halved - halved.amax(-1, keepdim=True) if subtract else halved
    # NaN comes first, and makes every sum NaN; half numbers are sorted at half the speed
    ordered = shifted.float().sort(-1, descending=True).values.to(kind)
    sums = ordered.float().cumsum(-1).to(kind)
    squares = ordered.square().float().cumsum(-1).to(kind)
    count = torch.arange(1, masked.shape[-1] + 1, device=masked.device).float()  # not every number is in a half format
    mean, of_squares = (sums / count).to(kind), (squares / count).to(kind)
    spread = ((of_squares - mean.square()) * count).to(kind)
    thresholds = mean - ((1 - spread).clamp_min(0.0) / count).to(kind).sqrt()
    size = (thresholds <= ordered).sum(-1, keepdim=True)
    threshold = thresholds.gather(-1, (size - 1).clamp_min(0))
    roots = (shifted - threshold).clamp_min(0.0)
    return EntmaxSteps(halved, shifted, ordered, sums, squares, thresholds, threshold, roots, roots.square())


def entmax_in_format(masked: Float[Tensor, "*batch n_k"], subtract: bool) -> Steps:
    """Return the entmax of masked scores in their own dtype; its `exponentials` are the roots u = √p."""
    rows = masked.reshape(-1, masked.shape[-1])
    weights, found = torch.empty_like(rows), torch.empty_like(rows)
    for some, p, u in zip(split(rows), split(weights), split(found), strict=True):
        checkpoint()
        made = entmax_steps(some, subtract)
        p.copy_(made.weights)
        u.copy_(made.roots)
    return Steps(weights.view(masked.shape), found.view(masked.shape))


def roots_jacobian(weights: Float[Tensor, " n_k"]) -> Float[Tensor, "n_k n_k"]:
    """Return diag(u) − u uᵀ/U of a row of weights as they are, u = √p.

    U − u of the largest is the sum of the others.
    """
    u, at = weights.sqrt(), weights.argmax(-1, keepdim=True)
    others = u.scatter(-1, at, 0.0).sum(-1, keepdim=True)
    whole = u.sum(-1).clamp_min(_TINY)
    matrix = torch.rsub(u.unsqueeze(-1) * u.unsqueeze(-2) / whole, 0)
    matrix.diagonal().copy_(u * (whole - u).scatter(-1, at, others) / whole)
    return matrix


@dataclass(frozen=True, eq=False)
class WeighedRoots(MadeRows, SparseRows):
    """The statistics of rows of entmax that a format has made, from these weights themselves, with u = √p.

    A row that is no distribution has NaN for all of them. Sums that rounding has lifted above a bound are cut to it.
    """

    own: Float[Tensor, "*rows"]
    broken: Bool[Tensor, "*rows"]

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        return self.own.masked_fill(self.broken, torch.nan)

    @property
    def excess(self) -> Float[Tensor, "*rows"]:
        """How far the weights are from adding up to 1."""
        return (self.own + self.first - 1).abs()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        return (self.sums.entropies + torch.special.entr(self.top)).minimum(self.ceiling)

    @property
    def _keys(self) -> Float[Tensor, "*#rows"]:
        return self.keys.cpu().clamp_min(1).double()

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        return super().jacobian_norm.minimum((1 - 1 / self._keys).sqrt()).masked_fill(self.broken, torch.nan)

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        most = self._keys.sqrt() - self._keys.rsqrt()
        return super().jacobian_trace.minimum(most).masked_fill(self.broken, torch.nan)

    @property
    def support(self) -> Float[Tensor, "*rows"]:
        return super().support.masked_fill(self.broken, torch.nan)


def weighed_roots(
    masked: Float[Tensor, "*batch n_k"],
    weights: Float[Tensor, "*batch n_k"],
    keys: Int[Tensor, "*#batch"],
    scaled: Float[Tensor, "*batch n_k"] | None = None,
    curve: Curve | None = None,
) -> WeighedRoots:
    """Return the statistics of rows of weights on the CPU; `keys` counts each row's allowed keys.

    A row is no distribution if a weight is NaN, or if its weights add up to 1 only within more than `OFF`. A `curve`
    that made the scores of `scaled` brings its slopes.
    """
    sums = in_parts(_sums, weights, scaled, curve)
    largest, at = masked.max(-1)
    sums = RootSums(largest.double(), at, *(getattr(sums, name) for name in RootSums.names()[2:]))
    own = weights.amax(-1).double()
    broken = ~((own + sums.first - 1).abs() <= OFF) & (keys > 0)
    return WeighedRoots(sums, keys, weights.dtype, own, broken)


def _sums(p: Float[Tensor, "rows n_k"], slopes: Float[Tensor, "rows n_k"] | None) -> RootSums:
    """Return the sums of rows of weights; `largest` and `at` are theirs, not those of the scores."""
    most, index = p.max(-1, keepdim=True)
    u = p.sqrt()
    rest, others = u.scatter(-1, index, 0.0), p.scatter(-1, index, 0.0)
    beside, first = rest.sum(-1, keepdim=True), others.sum(-1, keepdim=True)
    whole = (u.gather(-1, index) + beside).clamp_min(_TINY)
    d = torch.ones_like(u) if slopes is None else slopes
    missing, squares = (whole - u).scatter(-1, index, beside), (most + first - p).scatter(-1, index, first)
    steep = (d * u / whole).square() * (missing.square() + squares)
    return RootSums(
        most.squeeze(-1), index.squeeze(-1), 1 - most.sqrt().squeeze(-1),
        first.squeeze(-1), others.square().sum(-1), (others.square() * others).sum(-1),
        torch.special.entr(others).sum(-1), (d * u * missing / whole).sum(-1), steep.sum(-1),
        (p > 0).sum(-1).double(),
    ).wide()  # fmt: skip
