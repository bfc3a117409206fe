"""The memory of a pass beside Q, K and the mask: blocks of cells, and a few numbers for each query."""

import math

import torch

from attention_core.blocks.block import FEW_CELLS
from attention_core.blocks.block_pass import blocks
from attention_core.blocks.head_threads import workers
from attention_core.blocks.histogram import cells
from attention_core.blocks.overview_accumulator import width
from attention_core.blocks.weighing import weighing
from attention_core.exact.scores import BLOCK_FLOATS

__all__ = ["extra_bytes"]

_CPU = torch.device("cpu")


def extra_bytes(
    batch: tuple[int, ...],
    n_q: int,
    n_k: int,
    d_k: int,
    *,
    dtype: torch.dtype = torch.float32,
    masked: bool = False,
    histogram: int | None = None,
    overview: int | None = None,
    n_hidden: int | None = None,
    block: int | None = None,
    device: torch.device = _CPU,
    threads: int = 1,
    softcap: float | None = None,
    sigmoid: bool = False,
) -> int:
    """Return an upper bound on the bytes that `attention_statistics` holds at once, its results included.

    A number takes f bytes (4; 8 for float64). There are H heads, and blocks of r queries × c keys: r · c is about 2²⁰
    on a CPU and 2²⁴ on a GPU, whatever n is. As many heads as torch has `threads`, at most 8, are worked on at once if
    there are as many, of at least 2²¹ cells; r · c is then 1.5 · 2²⁰ for all of them together. Each head at work takes

        2 f r c                      scores and exponentials of a block; 3 with a softcap or gates, 5 with both
        + f r c / 8                  largest scores of groups of keys, and their places
        + f (r + c) d_k              vectors of 16 bits widened
        + 3 r c                      causal, window or mask: which cells of a block are forbidden
        + 28 · 2¹⁴                   rows that are summed up in float64, a few at a time; 72 with a softcap
        + 2 r c …                    histogram: places of the scores
        + f r 3 B                    overview of B × B blocks: of a block's queries
        + 2 f r c + 3 f (r + c) hidden         additive: a block before it is turned round,
        + f max(2²⁰, c hidden)                 its hidden layer

    or, if that is more, 24 · 1024 d_k + 24 d_k² for the vectors centred before the first block. All heads share

        H n_q (12 f + 80) + 112 n_q  sums and results of each query; H n_q · 80 more with a softcap
        + 192 n_k                    causal, window or mask: the number of each query's keys
        + 32 H cells                 histogram: counts
        + 5 f H B²                   overview

    Every term is constant or linear in n.
    """
    f = torch.finfo(torch.promote_types(dtype, torch.float32)).bits // 8
    heads = math.prod(batch)
    widths = None if overview is None else (width(n_q, overview), width(n_k, overview))
    at_once = workers(heads, n_q * n_k, threads, device)
    size = blocks(n_q, n_k, device, block, widths, at_once)
    area = size.rows * size.keys
    groups = -(-size.keys // size.group)
    way = weighing(n_k, softcap, sigmoid=sigmoid)
    total = way.rooms * f * area + (28 if way.curve is None else 72) * min(area, FEW_CELLS)
    total += size.rows * ((groups + size.group) * (f + 9) + 128)
    if torch.promote_types(dtype, torch.float32) != dtype:
        total += f * (size.rows + size.keys) * d_k
    shared = heads * n_q * (12 * f + (80 if way.curve is None else 160)) + 112 * n_q
    if masked:
        total += 3 * area
        shared += 3 * 64 * n_k
    if histogram is not None:
        total += (2 if cells(histogram) < 2**15 else 4) * area + 16 * (cells(histogram) + 1)
        shared += 32 * (heads + 1) * (cells(histogram) + 1)
    if widths is not None:
        total += 3 * f * size.rows * -(-n_k // widths[1])
        shared += 5 * f * heads * -(-n_q // widths[0]) * -(-n_k // widths[1])
    if n_hidden is not None:
        total += 2 * f * area + 3 * f * (size.rows + size.keys) * n_hidden
        total += f * max(BLOCK_FLOATS, size.keys * n_hidden) + 2 * f * d_k * n_hidden
    centred = 24 * min(1024, max(n_q, n_k)) * d_k + 24 * d_k**2  # before a head's first block
    return at_once * max(total, centred) + shared
