"""A rectangle of the weight matrix at the size of a picture: the mean and the maximum of every cell × cell weights.

What `overview` is to the whole matrix this is to a part of it: exact, from Q, K and one number a row, a block of
queries at a time.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blocks.mask import allowed
from attention_core.blocks.tiles import Span, span
from attention_core.cancellation import checkpoint
from attention_core.exact.masks import Mask
from attention_core.validation import whole_number

_CELLS = 2**18
"""Weights that exist at the same time; 1 MiB stays near one core."""


@torch.no_grad()
def pooled_tile(
    Q: Float[Tensor, "n_q d_k"],
    K: Float[Tensor, "n_k d_k"],
    rows: Span,
    columns: Span,
    logsumexp: Float[Tensor, " n_q"],
    cell: int,
    *,
    scale: float | None = None,
    causal: bool = False,
    window: int | None = None,
    mask: Mask | None = None,
) -> tuple[Float[Tensor, "rows columns"], Float[Tensor, "rows columns"]]:
    """(mean, maximum) of one head's weights over squares of `cell` queries × `cell` keys from the first of both spans.

    The last squares hold what is left and average over that alone. Forbidden cells have weight 0 and count as such, as
    in `Overview`. `logsumexp`, `scale`, `causal`, `window` and `mask` are those of `attention_statistics`. Extra
    memory: 1 MiB, or one row of squares where that is more. Raises `InvalidInput` as `attention_tile` does.
    """
    (n_q, d_k), n_k = Q.shape, K.shape[0]
    rows, columns, cell = span("rows", rows, n_q), span("columns", columns, n_k), whole_number("cell", cell, 1)
    scale = 1 / math.sqrt(d_k) if scale is None else scale
    cells = allowed((), n_q, n_k, causal, window, mask)
    keys = K[columns].float()
    wide, step = at_once(rows.stop - rows.start, len(keys), cell)
    lse = logsumexp.masked_fill(logsumexp == -torch.inf, 0.0)
    sums, tops = [], []
    for start in range(rows.start, rows.stop, step):
        checkpoint()
        block = slice(start, min(rows.stop, start + step))
        high = -(-(block.stop - start) // cell) * cell
        weights = keys.new_zeros(wide, high)  # what hangs over the end stays 0, which neither sum nor maximum sees
        inner = weights[: len(keys), : block.stop - start]
        torch.addmm(-lse[block], keys, Q[block].float().mT, alpha=scale, out=inner)
        for strip, forbidden in cells.strips((), block, columns, inner.device):
            inner[strip].masked_fill_(forbidden, -torch.inf)
        inner.exp_()
        groups = weights.unflatten(0, (-1, cell))
        sums.append(groups.sum(1).unflatten(1, (-1, cell)).sum(-1))
        tops.append(groups.amax(1).unflatten(1, (-1, cell)).amax(-1))
    sizes = (_lengths(rows, cell).unsqueeze(1) * _lengths(columns, cell)).to(keys)
    # above 1 by rounding alone
    return (torch.cat(sums, 1).mT / sizes).clamp_max_(1.0), torch.cat(tops, 1).mT.clamp_max(1.0)


def at_once(rows: int, columns: int, cell: int) -> tuple[int, int]:
    """Keys and queries of the weights that exist at the same time, whole squares of `cell` along both sides."""
    wide, high = (-(-length // cell) * cell for length in (columns, rows))
    return wide, min(high, max(1, _CELLS // (wide * cell)) * cell)


def _lengths(whole: slice, cell: int) -> Int[Tensor, " cells"]:
    """How many positions each cell of a span holds: `cell`, the last perhaps fewer."""
    starts = torch.arange(whole.start, whole.stop, cell)
    return (whole.stop - starts).clamp_max(cell)
