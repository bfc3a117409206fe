"""A rectangle of the weight matrix at the size of a picture: the mean and the maximum of every cell × cell weights.

It is exact, like `overview` for the whole matrix, and needs Q, K and one number for each row. It works on a block of
queries at a time.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blocks.mask import allowed
from attention_core.blocks.tiles import Span, checked_logsumexp, span
from attention_core.blocks.weighing import weighing
from attention_core.cancellation import checkpoint
from attention_core.exact.masks import EVERYTHING, Mask
from attention_core.validation import whole_number

__all__ = ["at_once", "pooled_tile"]

_CELLS = 2**18
"""Largest number of weights that exist at once; 1 MiB stays near one core."""


@torch.no_grad()
def pooled_tile(
    Q: Float[Tensor, "n_q d_k"],
    K: Float[Tensor, "n_k d_k"],
    rows: Span,
    columns: Span,
    logsumexp: Float[Tensor, " n_q"] | None,
    cell: int,
    *,
    scale: float | None = None,
    mask: Mask = EVERYTHING,
    softcap: float | None = None,
    sigmoid: bool = False,
) -> tuple[Float[Tensor, "rows columns"], Float[Tensor, "rows columns"]]:
    """Return (mean, maximum) of one head's weights over squares of `cell` queries × `cell` keys.

    Squares are counted from the start of both spans; the last ones may be smaller. Forbidden cells count with weight 0,
    as in `Overview`. `logsumexp`, `scale`, `mask`, `softcap` and `sigmoid` are those of `attention_statistics`; gates
    need no `logsumexp`. Extra memory: 1 MiB, or one row of squares if that is more. Raises `InvalidInput` as
    `attention_tile` does.
    """
    (n_q, d_k), n_k = Q.shape, K.shape[0]
    rows, columns, cell = span("rows", rows, n_q), span("columns", columns, n_k), whole_number("cell", cell, 1)
    scale = 1 / math.sqrt(d_k) if scale is None else scale
    cells = allowed((), n_q, n_k, mask)
    keys = K[columns].float()
    wide, step = at_once(rows.stop - rows.start, len(keys), cell)
    way = weighing(n_k, softcap, sigmoid=sigmoid)
    lse = None
    if way.by_logsumexp:
        lse = checked_logsumexp(logsumexp, (n_q,))
        lse = lse.masked_fill(lse == -torch.inf, 0.0)
    sums, tops = [], []
    for start in range(rows.start, rows.stop, step):
        checkpoint()
        block = slice(start, min(rows.stop, start + step))
        high = -(-(block.stop - start) // cell) * cell
        weights = keys.new_zeros(wide, high)  # the padding stays 0, which changes neither sum nor maximum
        inner = weights[: len(keys), : block.stop - start]
        queries = Q[block].float().mT
        if lse is not None and way.curve is None:  # the product and its shift in one call
            torch.addmm(-lse[block], keys, queries, alpha=scale, out=inner)
        else:
            torch.addmm(inner, keys, queries, beta=0, alpha=scale, out=inner)
            if way.curve is not None:
                way.curve.value(inner, out=inner)
        for strip, forbidden in cells.strips((), block, columns, inner.device):
            inner[strip].masked_fill_(forbidden, -torch.inf)
        if lse is not None and way.curve is None:
            inner.exp_()
        else:
            way.weights(inner, None if lse is None else lse[block])
        groups = weights.unflatten(0, (-1, cell))
        sums.append(groups.sum(1).unflatten(1, (-1, cell)).sum(-1))
        tops.append(groups.amax(1).unflatten(1, (-1, cell)).amax(-1))
    sizes = (_lengths(rows, cell).unsqueeze(1) * _lengths(columns, cell)).to(keys)
    # above 1 by rounding alone
    return (torch.cat(sums, 1).mT / sizes).clamp_max_(1.0), torch.cat(tops, 1).mT.clamp_max(1.0)


def at_once(rows: int, columns: int, cell: int) -> tuple[int, int]:
    """Return the numbers of keys and queries whose weights exist at once: whole squares of `cell` on both sides."""
    wide, high = (-(-length // cell) * cell for length in (columns, rows))
    return wide, min(high, max(1, _CELLS // (wide * cell)) * cell)


def _lengths(whole: slice, cell: int) -> Int[Tensor, " cells"]:
    """Return the number of positions in each cell of a span: `cell`, perhaps fewer in the last."""
    starts = torch.arange(whole.start, whole.stop, cell)
    return (whole.stop - starts).clamp_max(cell)
