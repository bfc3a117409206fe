"""Costs of the Map page's answers: its plan, a pass, questions about a kept map."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from attention_core import InvalidInput
from visualiser.pages.map import files
from visualiser.pages.map.calibration import has_room, run_cost
from visualiser.pages.map.kept import Kept
from visualiser.pages.map.sequence import LONGEST_TEXT, most_tokens, tokens
from visualiser.pages.map.store import STORE, Gone
from visualiser.pages.map.tiles import AT_ONCE, SIDE, highest
from visualiser.server.admission import cost, page_cost
from visualiser.server.admission.cost import Cost
from visualiser.server.live.asking import Ask


def plan(ask: Ask) -> Cost:
    """Return the cost of the Map page's answer to a control."""
    if ask.reading.state.config.source != "upload":
        return page_cost.map_plan(min(len(ask.upload), LONGEST_TEXT), most_tokens())
    file, shape = ask.file
    return cost.reading(file, shape) + page_cost.map_plan(0, 0)


def run(ask: Ask) -> Cost:
    """Return the cost of a pass by the sizes of the link, the file or the text; counting tokens takes tens of ms."""
    config = ask.reading.state.config
    shape, file = cost.shape_of(config), 0
    if config.source == "text":
        try:
            n = len(tokens(config, ask.lang, ask.upload)[0])
        except InvalidInput:
            return page_cost.SMALL  # refused in words
        shape = replace(shape, n_q=n, n_k=n)
    elif config.source == "upload":
        # without a file, a drawn map of the page's first size takes its place (`sequence.subject`)
        file, stated = ask.file
        shape = stated or shape
        config = config if file else replace(config, source="structured", tie=None)
    of = cost.Sized(config, shape, file)
    return run_cost(of) if has_room(of) else page_cost.SMALL  # `calibration.limit` refuses it in words


def _kept(price: Callable[[Ask, Kept], Cost]) -> Callable[[Ask], Cost]:
    """Return the cost of a question about a map; next to nothing if the map is gone."""

    def of(ask: Ask) -> Cost:
        try:
            return price(ask, STORE.get(ask.extra.get("id")))
        except Gone:
            return Cost(1e-3, cost.MEBIBYTE)

    return of


def _tiles(ask: Ask, kept: Kept) -> Cost:
    level, tiles = ask.extra.get("level"), ask.extra.get("tiles")
    if type(level) is not int or not 0 <= level <= highest(kept) or not isinstance(tiles, list):
        return page_cost.SMALL  # refused in words
    spans = []
    for pair in tiles[:AT_ONCE]:
        row, column = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        sides = [_left(row, SIDE << level, kept.Q.shape[1]), _left(column, SIDE << level, kept.K.shape[1])]
        if all(sides):
            spans.append((sides[0], sides[1]))
    return page_cost.map_squares(spans, 1 << level, kept.Q.shape[2])


def _left(index: object, side: int, n: int) -> int:
    """Return the tokens of a tile's side, fewer at the end of the map; 0 if the map has no such tile."""
    return max(0, min(side, n - index * side)) if type(index) is int and index >= 0 else 0


def _figure(ask: Ask, kept: Kept) -> Cost:
    name, (_, n_q, d_k), n_k = ask.extra.get("figure"), kept.Q.shape, kept.K.shape[1]
    if name == "row":
        return page_cost.map_row(n_k, d_k)
    try:
        rows, columns = files.seen(kept, ask)
    except InvalidInput:
        return page_cost.SMALL  # refused in words
    if name == "strips":
        return page_cost.map_picture(rows.stop - rows.start)
    if (rows, columns) == (slice(0, n_q), slice(0, n_k)):
        return page_cost.map_picture(kept.overview.mean[0].numel())
    span = rows.stop - rows.start, columns.stop - columns.start
    return page_cost.map_squares([span], files.square(rows, columns), d_k)


def _csv(ask: Ask, kept: Kept) -> Cost:
    h, n_q, _ = kept.Q.shape
    return page_cost.map_csv(h, n_q, kept.letters)


def _npz(ask: Ask, kept: Kept) -> Cost:
    h, n_q, _ = kept.Q.shape
    return page_cost.map_npz(h, n_q, kept.overview.mean[0].numel(), len(kept.tokens or ()) * kept.letters[1])


QUESTIONS: Final[Mapping[str, Callable[[Ask], Cost]]] = {
    "tiles": _kept(_tiles),
    "row": _kept(lambda ask, kept: page_cost.map_row(kept.K.shape[1], kept.Q.shape[2])),
    "figure": _kept(_figure),
    "csv": _kept(_csv),
    "npz": _kept(_npz),
    "forget": lambda ask: Cost(1e-4, 0),
}
"""Prices of questions about a kept map, by the question's name."""
