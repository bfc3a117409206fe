"""Sinks: keys that take a large share of a head's weight (Xiao et al. 2023, "attention sinks", arXiv 2309.17453).

A key's share is the mean of its weights over a head's queries; from `SHARE` it is a sink. The overview tells which
strips of keys can hold one; their keys are then weighed one by one.
"""

from collections.abc import Iterator
from typing import Final

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import attention_tile, checkpoint
from visualiser.maps.geometry import tile_options
from visualiser.maps.kept import Kept, Sink

SHARE: Final = 0.2
"""The mean weight of a key from which it is a sink."""

FEWEST: Final = 64
"""Among fewer queries or keys a share says nothing."""

CELLS: Final = 2**20
"""The most cells of a tile: 4 MB."""


def sinks(kept: Kept, seen: Bool[Tensor, " n_q"], least: float = SHARE) -> tuple[Sink, ...]:
    """Return all sinks of a map, the largest first. `seen`: the queries with keys, which weigh 1 each.

    `least` is the share from which a key is one.
    """
    queries = int(seen.sum())
    if min(queries, kept.K.shape[1]) < FEWEST:
        return ()
    found: dict[int, list[tuple[int, float]]] = {}
    for head, first, stop in candidates(kept, queries, least):
        shares = _weight(kept, head, first, stop) / queries
        for key in (shares >= least).nonzero().flatten().tolist():
            found.setdefault(first + key, []).append((head + 1, float(shares[key])))
    made = (Sink(key, tuple(shares)) for key, shares in found.items())
    return tuple(sorted(made, key=lambda sink: (-sink.most[1], sink.key)))


def candidates(kept: Kept, queries: int, least: float = SHARE) -> Iterator[tuple[int, int, int]]:
    """Yield head (from 0), first key and end of each strip with weight enough for a sink.

    The mean of a block times its cells is the weight in it.
    """
    overview = kept.overview
    heights, widths = overview.row_edges.diff(), overview.column_edges.diff()
    shares = torch.einsum("hij,i->hj", overview.mean.double(), heights.double()) * widths / queries
    for head, strip in (shares >= 0.999 * least).nonzero().tolist():
        yield head, int(overview.column_edges[strip]), int(overview.column_edges[strip + 1])


def _weight(kept: Kept, head: int, first: int, stop: int) -> Float[Tensor, " keys"]:
    """Sum the weight of all queries on the keys from `first` to `stop`."""
    Q, K, lse = kept.Q[head], kept.K[head], kept.log_sums(head)
    total = torch.zeros(stop - first, dtype=torch.float64)
    step = max(1, CELLS // (stop - first))
    for row in range(0, len(Q), step):
        checkpoint()
        rows = slice(row, min(row + step, len(Q)))
        total += attention_tile(Q, K, rows, slice(first, stop), lse, **tile_options(kept.config)).double().sum(0).cpu()
    return total
