"""The mean and the maximum of the weights over blocks of cells, to draw a sequence too long for single cells."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.blocks.block import over_groups
from attention_core.blocks.block_pass import blocks
from attention_core.blocks.compatibility import DotProducts, heads
from attention_core.blocks.mask import Chosen, allowed, chosen
from attention_core.blocks.overview_accumulator import Canvas, Overview
from attention_core.blocks.statistics import attention_statistics
from attention_core.blocks.tiles import checked_logsumexp
from attention_core.blocks.weighing import Weighing, weighing
from attention_core.cancellation import checkpoint
from attention_core.device import resolve
from attention_core.exact.masks import Mask
from attention_core.validation import whole_number

__all__ = ["attention_overview"]


def attention_overview(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    bins: int,
    *,
    logsumexp: Float[Tensor, "*batch n_q"] | None = None,
    scale: float | None = None,
    causal: bool = False,
    window: int | None = None,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | Mask | None = None,
    device: str | None = None,
    block: int | None = None,
    softcap: float | None = None,
    sink: float | None = None,
    sigmoid: bool = False,
) -> Overview:
    """Return the exact weights of each head on at most `bins` × `bins` blocks.

    With the `logsumexp` of `attention_statistics` under the same scale and mask this costs little more than the product
    QKᵀ. Without it, this is the overview of `attention_statistics(…, overview=bins)`.

    Parameters
    ----------
    Q, K
        Queries and keys. K may have fewer heads than Q (grouped keys).
    bins
        The largest number of blocks along each side.
    logsumexp
        That of `attention_statistics` under the same scale, mask, softcap and sink; None computes it.
    scale, causal, window, mask, device, block, softcap, sink, sigmoid
        As in `attention_statistics`.

    Returns
    -------
    Overview
        Mean and maximum of the weights in each block.

    Raises
    ------
    InvalidInput
        As `attention_statistics`; `shape` if `logsumexp` has not one value for each query.
    """
    if logsumexp is None:
        statistics = attention_statistics(
            Q,
            K,
            scale=scale,
            causal=causal,
            window=window,
            mask=mask,
            overview=whole_number("bins", bins, 1),
            device=device,
            block=block,
            softcap=softcap,
            sink=sink,
            sigmoid=sigmoid,
        )
        assert statistics.overview is not None
        return statistics.overview
    place = Q.device if device is None else resolve(device)
    scores = DotProducts(Q.to(place), K.to(place), scale)
    way = weighing(scores.n_k, softcap, sink, sigmoid)
    return _known(scores, bins, logsumexp, chosen(causal, window, mask), block, way)


@torch.no_grad()
def _known(
    scores: DotProducts,
    bins: int,
    logsumexp: Tensor,
    mask: Chosen,
    block: int | None,
    way: Weighing,
) -> Overview:
    batch, n_q, n_k, device = scores.batch, scores.n_q, scores.n_k, scores.device
    cells = allowed(batch, n_q, n_k, *mask)
    canvas = Canvas(whole_number("bins", bins, 1), batch, n_q, n_k, scores.dtype, device)
    lse = checked_logsumexp(logsumexp, (*batch, n_q)).to(device, scores.dtype)
    lse = lse.masked_fill(lse == -torch.inf, 0.0)
    size = blocks(n_q, n_k, device, None if block is None else whole_number("block", block, 1), canvas.widths)
    room = torch.empty(size.rows * size.keys, dtype=scores.dtype, device=device)
    for start in range(0, n_q, size.rows):
        rows = slice(start, min(n_q, start + size.rows))
        reach = cells.columns(rows)
        for index, head in enumerate(heads(batch)):
            for first in range(reach.start // size.group * size.group, reach.stop, size.keys):
                checkpoint()
                columns = slice(first, min(reach.stop, first + size.keys))
                shape = columns.stop - columns.start, rows.stop - rows.start
                weights = room[: shape[0] * shape[1]].view(shape)
                scores.block(head, rows, columns, weights)
                if way.curve is not None:
                    way.curve.value(weights, out=weights)
                for strip, forbidden in cells.strips(head, rows, columns, device):
                    weights[strip].masked_fill_(forbidden, -torch.inf)
                way.weights(weights, lse[head][rows])
                sums, tops = (over_groups(reduce, weights, size.group) for reduce in (torch.sum, torch.amax))
                canvas.add(index, rows, first // size.group, sums, tops)
    return canvas.overview()
