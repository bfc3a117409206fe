"""The statistics of one block of query rows, at the rows' positions in the whole sequence."""

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from attention_core.blocks.compatibility import DotProducts
from attention_core.blocks.mask import Allowed, allowed
from attention_core.blocks.statistics import statistics_of
from attention_core.exact.masks import position
from attention_core.sharded.command_line import Options

MOMENTS = ("score_count", "score_mean", "score_variance")
"""The tensors with one value for each head and block: number, mean and variance of the scores."""

HISTOGRAM = ("histogram_counts", "histogram_below", "histogram_above")
"""The tensors of each head's histogram, if one is requested."""


def row_names(options: Options) -> tuple[str, ...]:
    """Return the names of the tensors with one value for each query row."""
    return *(each.name for each in options.statistics if each.derived is None), "largest_at"


def block_statistics(
    Q: Float[Tensor, "*heads rows d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    rows: slice,
    n_q: int,
    options: Options,
) -> dict[str, Shaped[Tensor, "..."]]:
    """Return the `row_names` of the queries `rows` of `n_q`, and for each head `MOMENTS` and the histogram.

    Q and K are as they are compared. Q holds these rows alone, K every key: gates and `log_n` need their number. Keys
    that none of the rows may see are then left out. The core puts the last given query at the last given key, so the
    mask is moved by the distance between the two.
    """
    n_k, d_k = K.shape[-2:]
    cells = Allowed(n_q, n_k, options.mask, None)
    seen = cells.columns(rows)
    if seen.start == seen.stop:
        seen = slice(0, 1)  # no row has a key; the moved mask forbids this one, so the core returns empty rows
    scores = DotProducts(Q, K[..., seen, :], options.factor(d_k, n_k))
    heads, mask = scores.batch, options.mask.moved(seen.stop - 1 - position(rows.stop - 1, n_q, n_k))
    found = statistics_of(
        scores,
        allowed(heads, scores.n_q, scores.n_k, mask),
        options.weighing(n_k),
        None if options.histogram is None else edges(options.histogram),
    )
    tensors = {name: getattr(found, name) for name in row_names(options)}
    tensors["largest_at"] = torch.where(found.largest_at < 0, found.largest_at, found.largest_at + seen.start)
    count = cells.keys((), rows).sum().expand(heads)
    tensors |= zip(MOMENTS, (count, found.score_mean, found.score_variance), strict=True)
    if found.histogram is not None:
        histogram = found.histogram
        tensors |= zip(HISTOGRAM, (histogram.counts, histogram.below, histogram.above), strict=True)
    # Copy, because some are views, which files cannot hold.
    return {name: tensor.clone(memory_format=torch.contiguous_format) for name, tensor in tensors.items()}


def edges(histogram: tuple[float, float, int]) -> Float[Tensor, " edges"]:
    """Return the edges of equal bins, the same for every block."""
    low, high, bins = histogram
    return torch.linspace(low, high, bins + 1, dtype=torch.float64).float()
