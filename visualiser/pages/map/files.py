"""Files made from a kept map: every row's statistics as CSV or npz, a figure for PNG and SVG."""

import dataclasses
import io
import itertools
import json
import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from attention_core import checkpoint
from attention_core.validation import choice, real_number, whole_number
from visualiser.drawing.drawing import Drawing
from visualiser.export.archive import of_vocabulary
from visualiser.export.lines import MARK, cell, column, encoded
from visualiser.export.origin import Origin, origin_of
from visualiser.export.rows import cells_of, columns, line, placed
from visualiser.figures.mapped import Mapped, Window
from visualiser.listed_statistics import IN_FILES, of_rows
from visualiser.maps.geometry import hidden
from visualiser.maps.kept import Kept
from visualiser.pages.map import OF_MAP, OF_ROW
from visualiser.pages.map.rows import row_of
from visualiser.pages.map.store import STORE
from visualiser.pages.map.tiles import span_edges, squares
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest

SQUARES = 384
"""The most squares along each side of a picture."""

_AT_ONCE: Final = 1024  # lines between two checks for cancellation


def csv(request: PageRequest) -> Iterator[bytes]:
    """Yield a CSV file: one line for each query of each head, in the columns of Explore's file of rows."""
    kept = STORE.get(request.extra.get("id"))
    yield _file("headlight-map.csv", lines(kept, _origin(kept, request)), request)


def _origin(kept: Kept, request: PageRequest) -> Origin:
    """Return the origin of a file of this map, which may differ from the one that the controls describe."""
    return origin_of(dataclasses.replace(request.reading.state, config=kept.config), request.address)


def lines(kept: Kept, origin: Origin | None = None) -> bytes:
    """Return the CSV file's bytes."""
    known = kept.statistics
    listed = of_rows(kept.config, IN_FILES)
    before = placed(listed)
    values = [known.statistic(each.name).tolist() for each in listed]
    where = known.largest_at.tolist()
    n_q, n_k = kept.Q.shape[1], kept.K.shape[1]
    tokens = [""] * max(n_q, n_k) if kept.tokens is None else [cell(token) for token in kept.tokens]
    names = cells_of(tokens, kept.line)
    pieces, origins = [MARK + encoded([columns(listed, kept.line)])], column(origin)
    for head, first in itertools.product(range(kept.Q.shape[0]), range(0, n_q, _AT_ONCE)):
        checkpoint()
        part = slice(first, min(first + _AT_ONCE, n_q))
        own = zip(*(of[head][part] for of in values), strict=True)
        rows = zip(range(part.start, part.stop), own, where[head][part], strict=True)
        written = (line(head + 1, query, of, key, names, next(origins), before) for query, of, key in rows)
        pieces.append(encoded(written))
    return b"".join(pieces)


def npz(request: PageRequest) -> Iterator[bytes]:
    """Yield an npz file of all rows' statistics, the overview and the config; `numpy.load` opens it without pickle."""
    kept = STORE.get(request.extra.get("id"))
    yield _file("headlight-map.npz", archive(kept, _origin(kept, request)), request)


def archive(kept: Kept, origin: Origin | None = None) -> bytes:
    """Return the npz file's bytes."""
    names = (*kept.statistics.names, "largest_at", "score_mean", "score_variance")
    arrays: dict[str, Any] = {name: getattr(kept.statistics, name).numpy() for name in names}
    checkpoint()
    overview = kept.overview
    arrays |= {"overview_mean": overview.mean.numpy(), "overview_maximum": overview.maximum.numpy()}
    arrays |= {"row_edges": overview.row_edges.numpy(), "column_edges": overview.column_edges.numpy()}
    arrays["config"] = np.array(json.dumps(kept.config.chosen, ensure_ascii=False))
    if kept.tokens is not None:
        arrays["tokens"] = np.array(kept.tokens)
        arrays |= dict(of_vocabulary(kept.line))
    if origin is not None:
        arrays["origin"] = origin.array
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _file(name: str, content: bytes, request: PageRequest) -> bytes:
    tree = {"name": name, "bytes": np.frombuffer(content, dtype=np.uint8)}
    return parts.values("file", tree, parts.Structures(request.known))


def figure(request: PageRequest) -> Iterator[bytes]:
    """Yield one figure of the visible part, as a notebook would show it: map, strips or row, by `figure`."""
    kept = STORE.get(request.extra.get("id"))
    drawn = _drawing(kept, request)
    # plotly takes the cells of a heat map row by row
    data = [{**trace, "z": list(trace["z"])} if trace["type"] == "heatmap" else trace for trace in drawn.data]
    yield parts.values("figure", {"data": data, "layout": drawn.layout}, parts.Structures(request.known))


def forget(request: PageRequest) -> Iterator[bytes]:
    """Drop the map."""
    STORE.drop(request.extra.get("id"))
    yield parts.ended()


def _drawing(kept: Kept, request: PageRequest) -> Drawing:
    of_map, of_row = ({figure.name: figure for figure in figures} for figures in (OF_MAP, OF_ROW))
    name = choice("figure", request.extra.get("figure"), (*of_map, *of_row))
    state, head = request.reading.state, _head(kept, request)
    if name in of_row:
        return of_row[name].drawing(row_of(kept, head, request.extra.get("row")), state.view)
    rows, columns = seen(kept, request)
    pooling = choice(
        "pooling", request.extra.get("pooling", state.own.get("pooling", "average")), ("average", "maximum")
    )
    return of_map[name].drawing(
        Mapped(kept, head, rows, lambda: window(kept, head, pooling, rows, columns)), state.view
    )


def _head(kept: Kept, request: PageRequest) -> int:
    return whole_number("head", request.extra.get("head", 1), 1, kept.Q.shape[0])


def seen(kept: Kept, request: PageRequest) -> tuple[slice, slice]:
    """Return the queries and keys at least partly in view; `across` 0 shows everything. Raise `InvalidInput`."""
    sizes = kept.Q.shape[1], kept.K.shape[1]
    top, left, across = (
        real_number(name, 0.0 if (came := request.extra.get(name)) is None else came, -1e6, 1e6)
        for name in ("top", "left", "across")
    )
    if across <= 0:
        return slice(0, sizes[0]), slice(0, sizes[1])
    return _cut(top, across, sizes[0]), _cut(left, across, sizes[1])


def _cut(first: float, across: float, n: int) -> slice:
    """Return the positions of 0 … n − 1 that a window touches, at least one."""
    start = max(0, min(n - 1, math.floor(first)))
    return slice(start, max(start + 1, min(n, math.ceil(first + across))))


def window(kept: Kept, head: int, pooling: str, rows: slice, columns: slice) -> Window:
    """Return the visible part of a map in at most `SQUARES` squares a side; for the whole map, its kept overview."""
    if (rows, columns) == (slice(0, kept.Q.shape[1]), slice(0, kept.K.shape[1])):
        return overview_window(kept, head, pooling)
    cell = square(rows, columns)
    cells = squares(kept, head, rows, columns, cell)[0 if pooling == "average" else 1]
    edges = span_edges(rows, cell), span_edges(columns, cell)
    return Window(cells, *edges, head, pooling, kept.tokens, kept.sinks_of(head))


def square(rows: slice, columns: slice) -> int:
    """Return the tokens along a side of the squares of a window."""
    longest = max(rows.stop - rows.start, columns.stop - columns.start)
    return 1 << max(0, (-(-longest // SQUARES) - 1).bit_length())


def overview_window(kept: Kept, head: int, pooling: str) -> Window:
    """Return the overview of one head."""
    overview = kept.overview
    cells = (overview.mean if pooling == "average" else overview.maximum)[head - 1].numpy().copy()
    row_edges, column_edges = overview.row_edges.numpy(), overview.column_edges.numpy()
    cells[hidden(kept.config, row_edges, column_edges, kept.Q.shape[1], kept.K.shape[1])] = np.nan
    return Window(cells, row_edges, column_edges, head, pooling, kept.tokens, kept.sinks_of(head))
