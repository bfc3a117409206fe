"""Exact squares of a kept map: tiles for the browser, and any window of it for a picture."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attention_core.pooling import pooled_tile
from attention_core.validation import whole_number
from visualiser.live import parts
from visualiser.live.asking import Ask
from visualiser.live.map.geometry import hidden, options
from visualiser.live.map.store import STORE, Kept

SIDE = 256
"""A tile has at most so many squares along each side."""

Pair = tuple[NDArray[np.float32], NDArray[np.float32]]


def highest(kept: Kept) -> int:
    """The level at which one tile holds the whole map: squares of 2^level tokens."""
    n = max(kept.Q.shape[1], kept.K.shape[1])
    return max(0, (-(-n // SIDE) - 1).bit_length())


def tile(ask: Ask) -> Iterator[bytes]:
    """Mean and maximum of the squares of one tile, NaN where the mask forbids all of one; at level 0 the mean alone.

    Raises `Gone`, and `InvalidInput` for a head, level, row or column that the map does not have.
    """
    kept, said = STORE.get(ask.extra.get("id")), ask.extra
    head = whole_number("head", said.get("head"), 1, kept.Q.shape[0])
    level = whole_number("level", said.get("level"), 0, highest(kept))
    size = SIDE << level
    row, column = (
        whole_number(name, said.get(name), 0, (tensor.shape[1] - 1) // size)
        for name, tensor in (("row", kept.Q), ("column", kept.K))
    )
    rows, columns = (
        slice(index * size, min(tensor.shape[1], (index + 1) * size))
        for index, tensor in ((row, kept.Q), (column, kept.K))
    )
    mean, maximum = squares(kept, head, rows, columns, 1 << level)
    tree = {"mean": mean, "maximum": maximum if level else None}
    yield parts.values("tile", tree, parts.Structures(ask.known), head=head, level=level, row=row, column=column)


def squares(kept: Kept, head: int, rows: slice, columns: slice, cell: int) -> Pair:
    """(mean, maximum) over squares of `cell` tokens from the first of both spans, NaN in wholly forbidden ones."""
    Q, K, logsumexp = kept.Q[head - 1], kept.K[head - 1], kept.statistics.logsumexp[head - 1].to(kept.Q.device)
    pair = pooled_tile(Q, K, rows, columns, logsumexp, cell, **options(kept.config))
    row_edges, column_edges = span_edges(rows, cell), span_edges(columns, cell)
    never = hidden(kept.config, row_edges, column_edges, kept.Q.shape[1], kept.K.shape[1])
    mean, maximum = (np.ascontiguousarray(tensor.cpu().numpy()) for tensor in pair)
    mean[never] = maximum[never] = np.nan
    return mean, maximum


def span_edges(span: slice, cell: int) -> NDArray[np.int64]:
    """Where the squares of a span begin, and where the last ends."""
    return np.append(np.arange(span.start, span.stop, cell), span.stop)
