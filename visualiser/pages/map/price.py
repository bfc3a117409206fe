"""Costs of the Map page's answers: its plan, a pass, questions about a kept map."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig, InvalidInput
from attention_core.blocks.pooled_tiles import at_once
from visualiser import models
from visualiser.listed_statistics import IN_FILES, of_rows
from visualiser.maps import sinks
from visualiser.maps.facts import seeing
from visualiser.maps.kept import Kept
from visualiser.pages.map import MAP, OF_ROW, every_head, files, long_layer, predicted
from visualiser.pages.map.calibration import roomiest
from visualiser.pages.map.pass_price import run_cost
from visualiser.pages.map.sequence import (
    LONGEST_TEXT,
    most_at_once,
    most_read,
    most_tokens,
    of_text,
    reads_long,
    tokens,
)
from visualiser.pages.map.store import STORE, Gone
from visualiser.pages.map.tiles import AT_ONCE, SIDE, highest
from visualiser.pages.of_model import priced_as
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, SMALL, Cost, Sized, after_run, reading, shape_of
from visualiser.server.live.page_request import PageRequest


def plan(request: PageRequest) -> Cost:
    """Return the cost of the Map page's answer to a control."""
    config = request.reading.state.config
    if config.source == "model":
        asked = of_text(config, request.upload)
        own = _plan_cost(min(len(request.upload), LONGEST_TEXT), most_read(config))
        if reads_long(asked):
            return own
        priced = priced_as(asked, most_at_once(config))
        return after_run(priced[1], own) if priced else own
    if config.source != "upload":
        return _plan_cost(min(len(request.upload), LONGEST_TEXT), most_tokens())
    file, shape = request.file
    return reading(file, shape) + _plan_cost(0, 0)


def _plan_cost(text: int, tokens: int) -> Cost:
    """Price the plan of a map: a text of so many bytes cut into at most so many tokens."""
    return Cost(2e-3 + 1e-7 * text, MEBIBYTE + 3 * text + 80 * min(text, tokens))


def run(request: PageRequest) -> Cost:
    """Return the cost of a pass by the sizes of the link, the file or the text; counting tokens takes tens of ms."""
    if request.extra.get("wanted") == every_head.WANTED:
        return every_head.price(request)
    config = request.reading.state.config
    shape, file = shape_of(config), 0
    if config.source == "text":
        try:
            n = len(tokens(config, request.lang, request.upload)[0])
        except InvalidInput:
            return SMALL  # refused in words
        shape = replace(shape, n_q=n, n_k=n)
    elif config.source == "model":
        asked = of_text(config, request.upload)
        if reads_long(asked):
            return long_cost(asked)
        priced = priced_as(asked, most_at_once(config))
        if priced is None:
            return SMALL  # refused in words
        drawn, read = priced
        return after_run(read, run_cost(Sized(drawn, shape_of(drawn))))
    elif config.source == "upload":
        # without a file, a drawn map of the page's first size takes its place (`sequence.subject`)
        file, stated = request.file
        shape = stated or shape
        config = config if file else replace(config, source="structured", tie=None)
    most = roomiest(config, shape.h, shape.d_k)  # what does not fit is mapped as far as it does
    return run_cost(Sized(config, replace(shape, n_q=min(shape.n_q, most), n_k=min(shape.n_k, most)), file))


def long_cost(config: AttentionConfig) -> Cost:
    """Price a layer of a model over a long text: it is read, then passed over with what was kept of it."""
    model = models.long_model(config.model)
    assert model is not None  # `reads_long` asked
    n = model.tokens(config.text, most_read(config))
    drawn = replace(
        config, source="gaussian", scaling="sqrt_d_k", layer=1, n=n, n_k=None, h=model.h, d_k=model.d_k, tie=None
    )
    read, own = long_layer.work(model, config.layer, n), run_cost(Sized(drawn, shape_of(drawn)))
    memory = max(read.memory, read.kept + own.memory)
    return Cost(read.seconds + own.seconds, memory, read.multiply_adds + own.multiply_adds)


def _kept(price: Callable[[PageRequest, Kept], Cost]) -> Callable[[PageRequest], Cost]:
    """Return the cost of a question about a map; next to nothing if the map is gone."""

    def of(request: PageRequest) -> Cost:
        try:
            return price(request, STORE.get(request.extra.get("id")))
        except Gone:
            return Cost(1e-3, MEBIBYTE)

    return of


def _tiles(request: PageRequest, kept: Kept) -> Cost:
    level, tiles = request.extra.get("level"), request.extra.get("tiles")
    if type(level) is not int or not 0 <= level <= highest(kept) or not isinstance(tiles, list):
        return SMALL  # refused in words
    spans = []
    for pair in tiles[:AT_ONCE]:
        row, column = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        sides = [
            _side_tokens(row, SIDE << level, kept.Q.shape[1]),
            _side_tokens(column, SIDE << level, kept.K.shape[1]),
        ]
        if all(sides):
            spans.append((sides[0], sides[1]))
    return _squares_cost(spans, 1 << level, kept.Q.shape[2])


def _side_tokens(index: object, side: int, n: int) -> int:
    """Return the tokens of a tile's side, fewer at the end of the map; 0 if the map has no such tile."""
    return max(0, min(side, n - index * side)) if type(index) is int and index >= 0 else 0


def _figure(request: PageRequest, kept: Kept) -> Cost:
    name, (_, n_q, d_k), n_k = request.extra.get("figure"), kept.Q.shape, kept.K.shape[1]
    if name in [figure.name for figure in OF_ROW]:
        return row_cost(n_k, d_k)
    try:
        rows, columns = files.seen(kept, request)
    except InvalidInput:
        return SMALL  # refused in words
    if name != MAP.name:
        return _picture_cost(rows.stop - rows.start)
    if (rows, columns) == (slice(0, n_q), slice(0, n_k)):
        return _picture_cost(kept.overview.mean[0].numel())
    span = rows.stop - rows.start, columns.stop - columns.start
    return _squares_cost([span], files.square(rows, columns), d_k)


def _csv(request: PageRequest, kept: Kept) -> Cost:
    """Price a line for each row, which may name the longest token as its key."""
    (h, n_q, _), (letters, longest) = kept.Q.shape, kept.letters
    written = h * (letters + n_q * longest)
    return Cost(
        0.01 + 8e-6 * h * n_q, MEBIBYTE + (60 * len(of_rows(kept.config, IN_FILES)) + 80) * h * n_q + 4 * written
    )


def _npz(request: PageRequest, kept: Kept) -> Cost:
    """Price every row's statistics and the overview as numpy arrays, which give every token the room of the longest."""
    h, n_q, _ = kept.Q.shape
    squares, letters = kept.overview.mean[0].numel(), len(kept.tokens or ()) * kept.letters[1]
    arrays = h * ((FLOAT * len(kept.statistics.names) + 8) * n_q + 8 * squares) + 4 * letters
    return Cost(0.01 + 2e-8 * h * (n_q + squares), int(0.7 * MEBIBYTE + 3.3 * arrays))


def _reveal(request: PageRequest, kept: Kept) -> Cost:
    """Price a verdict: sums over the overview or the rows; for sinks also the weights of strips that may hold one."""
    choice = predicted.answered_question(request.extra)
    if choice is None:
        return SMALL  # refused in words
    (h, n_q, d_k), squares = kept.Q.shape, kept.overview.mean[0].numel()
    own = Cost(2e-3 + 1e-8 * h * (n_q + squares), int(MEBIBYTE + 16 * h * n_q + 40 * squares))
    if choice is not predicted.SINKS:
        return own
    queries = int(seeing(kept).sum())
    strips = list(sinks.candidates(kept, queries))
    spans = [(n_q, stop - first) for _, first, stop in strips]
    cells = sum(rows * columns for rows, columns in spans)
    block = min(sinks.CELLS, max((rows * columns for rows, columns in spans), default=0))
    memory = own.memory + 8 * h * squares + 20 * block
    return Cost(own.seconds + 5e-9 * cells + 1e-10 * cells * d_k, memory, cells * d_k + h * squares)


def _squares_cost(spans: Sequence[tuple[int, int]], cell: int, d_k: int) -> Cost:
    """Price squares of `cell` tokens in some rectangles (queries, keys), one after the other, in blocks of weights."""
    blocks, drawn, cells = 0, 0, 0
    for rows, columns in spans:
        wide, high = at_once(rows, columns, cell)
        blocks = max(blocks, wide * high * (2 if rows > high else 1))  # two blocks exist while the next is made
        drawn += -(-rows // cell) * -(-columns // cell)
        cells += rows * columns
    memory = 0.7 * MEBIBYTE + FLOAT * 1.7 * blocks + 20 * drawn
    return Cost(2e-3 * (1 + len(spans)) + 5e-9 * cells + 1e-10 * cells * d_k, int(memory), cells * d_k)


def row_cost(n_k: int, d_k: int) -> Cost:
    """Price one query of a kept map."""
    return Cost(2e-3 + 1e-7 * n_k, MEBIBYTE + 80 * n_k, n_k * d_k)


def _arithmetic(request: PageRequest, kept: Kept) -> Cost:
    """Price the arithmetic of one line of a table: that of the open row, or of the heads' sums and largest weights."""
    h, n_q, d_k = kept.Q.shape
    of_row = row_cost(kept.K.shape[1], d_k)
    if request.extra.get("table") in [figure.name for figure in OF_ROW]:
        return of_row
    return Cost(2e-3 + 5e-8 * h * n_q, int(MEBIBYTE + 30 * h * n_q)) + of_row


def _picture_cost(points: int) -> Cost:
    """Price a picture of numbers that the map has already: the overview's squares, or the rows of its strips."""
    return Cost(2e-3 + 1e-8 * points, MEBIBYTE + 100 * points)


QUESTIONS: Final[Mapping[str, Callable[[PageRequest], Cost]]] = {
    "tiles": _kept(_tiles),
    "row": _kept(lambda request, kept: row_cost(kept.K.shape[1], kept.Q.shape[2])),
    "arithmetic": _kept(_arithmetic),
    "figure": _kept(_figure),
    "csv": _kept(_csv),
    "npz": _kept(_npz),
    "reveal": _kept(_reveal),
    "forget": lambda request: Cost(1e-4, 0),
}
"""Prices of questions about a kept map, by the question's name."""
