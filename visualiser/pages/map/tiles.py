"""Exact squares of a kept map: tiles for the browser, and any window of it for a picture."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core.blocks.pooled_tiles import pooled_tile
from attention_core.threads import computing_with
from attention_core.validation import whole_number
from visualiser.maps.geometry import hidden, tile_options
from visualiser.maps.kept import Kept
from visualiser.pages.map.store import STORE
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import threads

SIDE = 128
"""The most squares along each side of a tile."""

AT_ONCE = 9
"""The most tiles in one request: they cover the largest window of 256 squares a side."""

HEAVY = 4
"""The level of the first tile whose weights (2048 × 2048) a second thread sums up much sooner."""

_heavy = Lock()

Pair = tuple[NDArray[np.float32], NDArray[np.float32]]


def highest(kept: Kept) -> int:
    """Return the level at which one tile holds the whole map, with squares of 2^level tokens."""
    n = max(kept.Q.shape[1], kept.K.shape[1])
    return max(0, (-(-n // SIDE) - 1).bit_length())


def tiles(request: PageRequest) -> Iterator[bytes]:
    """Yield mean and maximum of the squares of each requested tile, NaN if the mask forbids all of a square.

    One part a tile, in the requested order; at level 0 the mean alone. Raise `Gone`, and `InvalidInput` for a head,
    level, row or column that the map does not have, and for more than `AT_ONCE` tiles.
    """
    kept, fields = STORE.get(request.extra.get("id")), request.extra
    head = whole_number("head", fields.get("head"), 1, kept.Q.shape[0])
    level = whole_number("level", fields.get("level"), 0, highest(kept))
    places = _places(fields.get("tiles"), kept, SIDE << level)
    structures = parts.Structures(request.known)
    for row, column in places:
        rows, columns = _span(row, SIDE << level, kept.Q), _span(column, SIDE << level, kept.K)
        with _cores(level):
            mean, maximum = squares(kept, head, rows, columns, 1 << level)
        tree = {"mean": mean, "maximum": maximum if level else None}
        yield parts.values("tile", tree, structures, head=head, level=level, row=row, column=column)


@contextmanager
def _cores(level: int) -> Iterator[None]:
    """Give one heavy tile at a time the cores that no run uses: teams of threads beside each other only wait."""
    if level < HEAVY or not _heavy.acquire(blocking=False):
        yield
        return
    try:
        with computing_with(threads(besides=1)):
            yield
    finally:
        _heavy.release()


def _places(requested: Any, kept: Kept, size: int) -> list[tuple[int, int]]:
    """Return row and column of every requested tile, all checked before the first is computed."""
    whole_number("len(tiles)", len(requested) if isinstance(requested, list) else 0, 1, AT_ONCE)
    last_row, last_column = ((tensor.shape[1] - 1) // size for tensor in (kept.Q, kept.K))
    pairs = (pair if isinstance(pair, list) and len(pair) == 2 else (None, None) for pair in requested)
    return [
        (whole_number("row", row, 0, last_row), whole_number("column", column, 0, last_column)) for row, column in pairs
    ]


def _span(index: int, size: int, tensor: Tensor) -> slice:
    return slice(index * size, min(tensor.shape[1], (index + 1) * size))


def squares(kept: Kept, head: int, rows: slice, columns: slice, cell: int) -> Pair:
    """Return (mean, maximum) over squares of `cell` tokens from the start of both spans, NaN if wholly forbidden."""
    Q, K, logsumexp = kept.Q[head - 1], kept.K[head - 1], kept.log_sums(head - 1)
    pair = pooled_tile(Q, K, rows, columns, logsumexp, cell, **tile_options(kept.config))
    row_edges, column_edges = span_edges(rows, cell), span_edges(columns, cell)
    never = hidden(kept.config, row_edges, column_edges, kept.Q.shape[1], kept.K.shape[1])
    mean, maximum = (np.ascontiguousarray(tensor.cpu().numpy()) for tensor in pair)
    mean[never] = maximum[never] = np.nan
    return mean, maximum


def span_edges(span: slice, cell: int) -> NDArray[np.int64]:
    """Return the first position of each square of a span, and the end of the last."""
    return np.append(np.arange(span.start, span.stop, cell), span.stop)
