"""Entmax with α = 1.5: p = [s/2 − τ]₊², which gives most keys exactly 0 (Peters, Niculae, Martins 2019, arXiv
1905.05702). τ makes the row add up to 1.

With u = √p = s/2 − τ on the support, a = 1 − (m − s)/2, where m is the largest score, and r = 1 − u of that key,

    u = 1 − r for the largest, a − r for the others,  Σu² = 1    ⇒    r = Σa² / ((1 + A) + √((1 + A)² − k Σa²))

where A = Σa and k counts the support, and both sums leave out the largest key. No 1 − u is ever formed, so a row that
is one-hot but for 1e-30 keeps its digits. The support is found by sorting: it is the keys with a > r. Everything is
computed in float64, with m − s exact.

    J = diag(u) − u uᵀ/U, U = Σu        trace J = Σ u (U − u)/U        ‖J‖_F² = Σ u² ((U − u)² + 1 − u²)/U²

where U − u and 1 − u² of the largest key are the sums of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.exact.row_sums import Sums, in_parts, largest_of
from attention_core.treatments import Curve

__all__ = ["LACKS", "Roots", "SparseRows", "entmax", "entmax_jacobian", "root_sums", "roots", "split"]

_TOGETHER: Final = 32_768
"""Scores that are sorted at once: each needs nine float64 numbers meanwhile."""

LACKS = ("logsumexp",)
"""No e^s is divided by anything."""


@dataclass(frozen=True, eq=False)
class Roots:
    """u of each key, r of the key with the largest score, and its index; 0 in a row without keys."""

    others: Float[Tensor, "rows n_k"]
    """u with 0 in the place of the largest key."""
    top: Float[Tensor, "rows 1"]
    short: Float[Tensor, "rows 1"]
    """1 − `top`."""
    index: Int[Tensor, "rows 1"]
    largest: Float[Tensor, "rows 1"]

    @property
    def every(self) -> Float[Tensor, "rows n_k"]:
        """u of each key."""
        return self.others.scatter(-1, self.index, self.top)


def roots(scores: Float[Tensor, "rows n_k"]) -> Roots:
    """Return u = √p of rows of float64 scores; −inf marks a forbidden key."""
    largest, index = largest_of(scores)
    empty = largest == -torch.inf
    a = _near(largest.masked_fill(empty, 0.0), scores).clamp_min(0.0).scatter(-1, index, 0.0)
    ordered = a.sort(-1, descending=True).values
    ordered = torch.cat([torch.zeros_like(largest), ordered[..., :-1]], -1)  # the largest key is the first, without a
    sums, squares = ordered.cumsum(-1), ordered.square().cumsum(-1)
    count = torch.arange(1, scores.shape[-1] + 1, dtype=scores.dtype, device=scores.device)
    with_top = 1 + sums
    r = squares / (with_top + (with_top.square() - count * squares).clamp_min(0.0).sqrt())
    inside = (ordered > r).to(torch.int8).scatter(-1, torch.zeros_like(index), 1)
    last = inside.cumsum(-1).argmax(-1, keepdim=True)  # the last key of the support
    short = r.gather(-1, last)
    others = (a - short).clamp_min(0.0).scatter(-1, index, 0.0)
    top = (1 - short).masked_fill(empty, 0.0)
    return Roots(others.masked_fill(empty, 0.0), top, short.masked_fill(empty, 0.0), index, largest)


def _near(largest: Float[Tensor, "rows 1"], scores: Float[Tensor, "rows n_k"]) -> Float[Tensor, "rows n_k"]:
    """Return 1 − (m − s)/2 with the rounding of m − s given back (Knuth's two-sum); −inf for a score of −inf."""
    fall = largest - scores
    back = largest - fall
    lost = (largest - (fall + back)) + (back - scores)
    return (1 - fall / 2) - torch.where(lost.isfinite(), lost, 0.0) / 2


def entmax(masked: Float[Tensor, "*batch n_q n_k"]) -> Float[Tensor, "*batch n_q n_k"]:
    """Return the weights of masked scores, rounded once; zeros in a row without keys."""
    held = masked.cpu() if masked.device.type == "mps" else masked  # mps has no float64
    rows = _Entmax.apply(held.reshape(-1, held.shape[-1]))
    return rows.view(masked.shape).to(masked)


class _Entmax(torch.autograd.Function):
    """p of rows, and g ↦ J g = u (g − u·g/U) of their gradients: nothing is differentiated through the sorting."""

    @staticmethod
    def forward(ctx: Any, rows: Float[Tensor, "rows n_k"]) -> Float[Tensor, "rows n_k"]:
        ctx.save_for_backward(rows)
        found = torch.empty_like(rows)
        for some, out in zip(split(rows), split(found), strict=True):
            checkpoint()
            out.copy_(roots(some.double()).every.square())
        return found

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Float[Tensor, "rows n_k"]) -> Float[Tensor, "rows n_k"]:
        return _gradient(ctx, *grad_outputs)


@once_differentiable
def _gradient(ctx: Any, gradient: Float[Tensor, "rows n_k"]) -> Float[Tensor, "rows n_k"]:
    (rows,) = ctx.saved_tensors
    found = torch.empty_like(rows)
    for some, g, out in zip(split(rows), split(gradient), split(found), strict=True):
        checkpoint()
        u = roots(some.double()).every
        total = u.sum(-1, keepdim=True).clamp_min(torch.finfo(torch.float64).tiny)
        out.copy_(u * (g - (u * g).sum(-1, keepdim=True) / total))
    return found


def split(rows: Float[Tensor, "rows n_k"]) -> Sequence[Float[Tensor, "some n_k"]]:
    """Return rows in parts that are sorted at once."""
    return rows.split(max(1, _TOGETHER // max(1, rows.shape[-1])))


def entmax_jacobian(masked: Float[Tensor, " n_k"]) -> Float[Tensor, "n_k n_k"]:
    """Return ∂pᵢ/∂sⱼ of one row of float64 scores."""
    found = roots(masked.unsqueeze(0))
    u, others = found.every[0], found.others[0].sum()
    whole = (found.top[0, 0] + others).clamp_min(torch.finfo(torch.float64).tiny)
    matrix = torch.rsub(u.unsqueeze(-1) * u.unsqueeze(-2) / whole, 0)
    matrix.diagonal().copy_(u * (whole - u).scatter(-1, found.index[0], others) / whole)
    return matrix


@dataclass(frozen=True, eq=False)
class RootSums(Sums):
    """The sums of p over all keys but the largest (`first` … `entropies`), and of all keys the rest."""

    short: Float[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    entropies: Float[Tensor, "*rows"]
    trace: Float[Tensor, "*rows"]
    norm_squared: Float[Tensor, "*rows"]
    support: Float[Tensor, "*rows"]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The statistics of rows of entmax, in float64. `keys` counts each row's allowed keys."""

    lacks = LACKS
    further = ("support",)

    sums: RootSums
    keys: Int[Tensor, "*#rows"]
    dtype: torch.dtype

    @cached_property
    def empty(self) -> Bool[Tensor, "*rows"]:
        """True for a row without keys."""
        return self.sums.at < 0

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        """The largest weight."""
        return (1 - self.sums.short) ** 2

    @property
    def first(self) -> Float[Tensor, "*rows"]:
        return self.sums.first

    @property
    def second(self) -> Float[Tensor, "*rows"]:
        return self.sums.second

    @property
    def third(self) -> Float[Tensor, "*rows"]:
        return self.sums.third

    @property
    def sum_of_squares(self) -> Float[Tensor, "*rows"]:
        return self.top**2 + self.sums.second

    @cached_property
    def ceiling(self) -> Float[Tensor, "*#rows"]:
        return self.keys.cpu().clamp_min(1).double().log()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        """−Σ p ln p; the largest weight's logarithm is 2 ln(1 − r)."""
        return (self.sums.entropies - 2 * self.top * torch.log1p(-self.sums.short)).minimum(self.ceiling)

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        return self.sums.norm_squared.sqrt()

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        return self.sums.trace

    @property
    def support(self) -> Float[Tensor, "*rows"]:
        """The number of keys with a weight above 0."""
        return self.sums.support


def root_sums(
    masked: Float[Tensor, "*batch n_k"],
    scaled: Float[Tensor, "*batch n_k"] | None = None,
    curve: Curve | None = None,
) -> RootSums:
    """Return the sums of rows in memory, as `row_sums` does."""
    return in_parts(_sums, masked, scaled, curve)


def _sums(scores: Float[Tensor, "rows n_k"], slopes: Float[Tensor, "rows n_k"] | None) -> RootSums:
    found = roots(scores)
    others, u, index = found.others, found.every, found.index
    p = others.square()
    beside = others.sum(-1, keepdim=True)
    whole = (found.top + beside).clamp_min(torch.finfo(torch.float64).tiny)
    d = torch.ones_like(u) if slopes is None else slopes
    first = p.sum(-1, keepdim=True)
    rest, squares = (whole - u).scatter(-1, index, beside), (1 - u.square()).scatter(-1, index, first)
    steep = (d * u / whole).square() * (rest.square() + squares)
    at = torch.where(found.largest == -torch.inf, -1, index)
    return RootSums(
        found.largest.squeeze(-1), at.squeeze(-1), found.short.squeeze(-1),
        first.squeeze(-1), p.square().sum(-1), (p.square() * p).sum(-1), torch.special.entr(p).sum(-1),
        (d * u * rest / whole).sum(-1), steep.sum(-1), (u > 0).sum(-1).double(),
    ).wide()  # fmt: skip
