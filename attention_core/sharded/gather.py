"""The results of all blocks in one place.

Every rank fills in the rows of its blocks and leaves zeros elsewhere, so that the sum over the ranks is exactly the
whole. A reduction is simpler than a gather here: the shares differ in size and change with every restart, and machines
need not share a folder.
"""

from collections.abc import Iterator, Mapping, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blocks.block_pass import Moments
from attention_core.blocks.compatibility import DotProducts, heads
from attention_core.blocks.row_statistics import derived
from attention_core.sharded.block import HISTOGRAM, MOMENTS, edges, row_names
from attention_core.sharded.command_line import Options
from attention_core.sharded.files import StoredTensor
from attention_core.sharded.folder import Tensors
from attention_core.sharded.ranks import Ranks


def gathered(
    held: Mapping[int, Tensors], blocks: Sequence[slice], options: Options, Q: StoredTensor, ranks: Ranks
) -> Tensors:
    """Return on rank 0 all `row_names` (heads × n_q), each block's moments (blocks × heads), counts (heads × bins).

    `held` has this rank's blocks. Each block has exactly one owner; the sum over the ranks verifies it.
    """
    bringing = torch.zeros(len(blocks), dtype=torch.int64)
    bringing[list(held)] = 1
    if not (ranks.sum(bringing) == 1).all():
        raise AssertionError("every block is brought by one rank")
    shape = Q.shape[:-1]
    n_heads, floats, rows = shape[:-1], torch.float32, row_names(options)
    whole = {name: torch.zeros(shape, dtype=torch.int64 if name == "largest_at" else floats) for name in rows}
    for name in MOMENTS:
        whole[name] = torch.zeros(len(blocks), *n_heads, dtype=torch.int64 if name == "score_count" else floats)
    if options.histogram is not None:
        for name in HISTOGRAM:
            bins = (options.histogram[2],) if name == "histogram_counts" else ()
            whole[name] = torch.zeros((*n_heads, *bins), dtype=torch.int64)
    for index, block in held.items():
        for name in rows:
            whole[name][..., blocks[index]] = block[name]
        for name in MOMENTS:
            whole[name][index] = block[name]
        for name in whole.keys() & set(HISTOGRAM):
            whole[name] += block[name]
    return {name: ranks.sum_on_first(tensor) for name, tensor in whole.items()}


def finished(whole: Tensors, options: Options, Q: StoredTensor, K: Float[Tensor, "*groups n_k d_k"]) -> Tensors:
    """Return the tensors of the result's file: those of `AttentionStatistics`, with the histogram's edges.

    K is as it is compared. Without a mask the moments follow from Q and K alone, in O(n d²), with Q read on demand.
    With a mask those of the blocks are merged in the order of the rows, so that neither the number of ranks nor a
    restart changes a digit.
    """
    result = {name: tensor for name, tensor in whole.items() if name not in MOMENTS}
    result |= {each.name: derived(each.name, whole) for each in options.statistics if each.derived is not None}
    if not options.mask.everything:
        pairs = [_merged(*(whole[name][:, *head] for name in MOMENTS)) for head in heads(Q.shape[:-2])]
    else:
        pairs = list(_moments(options, Q, K.cpu()))
    for name, values in zip(("score_mean", "score_variance"), zip(*pairs, strict=True), strict=True):
        result[name] = torch.tensor(values, dtype=torch.float32).view(Q.shape[:-2])
    if options.histogram is not None:
        result["histogram_edges"] = edges(options.histogram)
    return result


def _moments(options: Options, Q: StoredTensor, K: Float[Tensor, "*groups n_k d_k"]) -> Iterator[tuple[float, float]]:
    """Yield mean and variance of each head's scores, with the queries of one head at a time as they are compared."""
    factor = options.factor(Q.shape[-1], K.shape[-2])
    queries, keys = (tensor if tensor.dim() == 3 else tensor.unsqueeze(0) for tensor in (Q.slices[...], K))
    group = len(queries) // len(keys)
    for index, own in enumerate(queries):
        yield DotProducts(options.compared(own), keys[index // group], factor).moments(())


def _merged(
    counts: Int[Tensor, " blocks"], means: Float[Tensor, " blocks"], variances: Float[Tensor, " blocks"]
) -> tuple[float, float]:
    """Return mean and variance of the scores of all blocks together (Chan's merge, in `Moments`)."""
    found = Moments()
    found.add(counts, means, variances.double() * counts)
    return found.mean, found.variance
