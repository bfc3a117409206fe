"""From what was asked to what it costs, before anything is computed: each page's sizes, given to `server.cost`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig, InvalidInput
from visualiser.pages.cost import live as cost_page
from visualiser.pages.map import files
from visualiser.pages.map.calibration import has_room, run_cost
from visualiser.pages.map.kept import Kept
from visualiser.pages.map.sequence import LONGEST_TEXT, most_tokens, tokens
from visualiser.pages.map.store import STORE, Gone
from visualiser.pages.map.tiles import AT_ONCE, SIDE, highest
from visualiser.pages.train import live as train
from visualiser.server.admission import cost, page_cost
from visualiser.server.admission.cost import Cost, Shape
from visualiser.server.live.asking import Ask


def frame(ask: Ask) -> Cost:
    """An update of Explore."""
    return cost.frame(*_attentions(ask))


def row(ask: Ask) -> Cost:
    """One query of Explore."""
    return cost.row(*_attentions(ask))


def file(kind: str) -> Callable[[Ask], Cost]:
    """What is taken away from Explore."""

    def price(ask: Ask) -> Cost:
        shown, pinned = _attentions(ask)
        return cost.file(kind, shown, pinned if kind in ("html", "figure") else None)

    return price


def why_point(ask: Ask) -> Cost:
    """One d_k of the Why page."""
    config = ask.reading.state.config
    return page_cost.why_point(config.n, config.d_k)


def why_curves(ask: Ask) -> Cost:
    """The sweep."""
    state = ask.reading.state
    return page_cost.why_curves(state.config.n, int(state.own["seeds"]))


def anatomy(ask: Ask) -> Cost:
    """One layer."""
    state = ask.reading.state
    return page_cost.anatomy(state.config, int(state.own["layer"]))


def small(ask: Ask) -> Cost:
    """A page of points and curves."""
    return page_cost.SMALL


def cost_run(ask: Ask) -> Cost:
    """A measurement of the Cost page."""
    state = ask.reading.state
    return page_cost.measurement(cost_page.experiment(state.config, str(state.own["varied"])))


def training(ask: Ask) -> Cost:
    """A run of the Train page."""
    try:
        return page_cost.training(train.experiment(ask.reading.state))
    except InvalidInput:
        return page_cost.SMALL  # refused in words


def map_plan(ask: Ask) -> Cost:
    """The Map page's answer to a control."""
    if ask.reading.state.config.source != "upload":
        return page_cost.map_plan(min(len(ask.upload), LONGEST_TEXT), most_tokens())
    file, shape = _file(ask)
    return cost.reading(file, shape) + page_cost.map_plan(0, 0)


def map_run(ask: Ask) -> Cost:
    """A pass: by the link's sizes, the file's, or as many tokens as the text has, which takes tens of milliseconds."""
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
        file, stated = _file(ask)
        shape = stated or shape
        config = config if file else replace(config, source="structured", tie=None)
    of = cost.Sized(config, shape, file)
    return run_cost(of) if has_room(of) else page_cost.SMALL  # `calibration.limit` refuses it in words


def _kept(price: Callable[[Ask, Kept], Cost]) -> Callable[[Ask], Cost]:
    """The cost of a question about a map; of next to nothing where the map is gone."""

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
    """Tokens of a tile's side, fewer at the end of the map; 0 for a tile that it does not have."""
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


MAP: Final[Mapping[str, Callable[[Ask], Cost]]] = {
    "tiles": _kept(_tiles),
    "row": _kept(lambda ask, kept: page_cost.map_row(kept.K.shape[1], kept.Q.shape[2])),
    "figure": _kept(_figure),
    "csv": _kept(_csv),
    "npz": _kept(_npz),
    "forget": lambda ask: Cost(1e-4, 0),
}
"""Questions about a kept map, by their name."""


def _attentions(ask: Ask) -> tuple[cost.Sized, cost.Sized | None]:
    """What Explore shows, and what is pinned; with the sizes of the file that came along for what is made of it."""
    file, stated = _file(ask)

    def sized(config: AttentionConfig) -> cost.Sized:
        if config.source != "upload" or not file:
            return cost.Sized(config, cost.shape_of(config))
        return cost.Sized(config, stated or cost.shape_of(config), file)

    pinned = ask.pinned
    return sized(ask.reading.state.config), sized(pinned.config) if pinned else None


def _file(ask: Ask) -> tuple[int, Shape | None]:
    """The bytes of the upload, 0 without one, and the sizes that it states."""
    return (ask.stated.bytes, ask.stated.shape) if ask.stated else (len(ask.upload), None)
