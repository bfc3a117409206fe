"""The statistics of one block of query rows, at the positions that the rows have in the whole sequence."""

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from attention_core.blocks.mask import Allowed
from attention_core.blocks.row_statistics import stored
from attention_core.blocks.statistics import attention_statistics
from attention_core.exact.masks import position
from attention_core.sharded.command_line import Options

ROWS = (*(each.name for each in stored()), "largest_at")
"""What every query row has."""

MOMENTS = ("score_count", "score_mean", "score_variance")
"""What every head has in every block: over how many scores, and their mean and variance."""

HISTOGRAM = ("histogram_counts", "histogram_below", "histogram_above")
"""What every head has where a histogram is asked for."""


def block_statistics(
    Q: Float[Tensor, "*heads rows d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    rows: slice,
    n_q: int,
    options: Options,
) -> dict[str, Shaped[Tensor, "..."]]:
    """`ROWS` of the queries `rows` of `n_q`; per head the number, mean and variance of their scores, and the histogram.

    Q holds these rows alone. Keys that none of them may see are left out. The core lets the last query it is given
    stand at the last key, so the mask is moved by as much as the last of these rows stands before its last key.
    """
    n_k = K.shape[-2]
    cells = Allowed(n_q, n_k, options.mask, None)
    seen = cells.columns(rows)
    if seen.start == seen.stop:
        seen = slice(0, 1)  # no key for any of the rows: the core says by itself what that means
    found = attention_statistics(
        Q,
        K[..., seen, :],
        scale=options.scale,
        mask=options.mask.moved(seen.stop - 1 - position(rows.stop - 1, n_q, n_k)),
        histogram=None if options.histogram is None else edges(options.histogram),
    )
    tensors = {name: getattr(found, name) for name in ROWS}
    tensors["largest_at"] = torch.where(found.largest_at < 0, found.largest_at, found.largest_at + seen.start)
    heads = tuple(Q.shape[:-2])
    count = cells.keys((), rows).sum().expand(heads)
    tensors |= zip(MOMENTS, (count, found.score_mean, found.score_variance), strict=True)
    if found.histogram is not None:
        histogram = found.histogram
        tensors |= zip(HISTOGRAM, (histogram.counts, histogram.below, histogram.above), strict=True)
    # Memory of their own: some are views, and files take none.
    return {name: tensor.clone(memory_format=torch.contiguous_format) for name, tensor in tensors.items()}


def edges(histogram: tuple[float, float, int]) -> Float[Tensor, " edges"]:
    """The edges of equal bins, the same for every block."""
    low, high, bins = histogram
    return torch.linspace(low, high, bins + 1, dtype=torch.float64).float()
