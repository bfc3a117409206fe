"""From what was asked to what it costs, before anything is computed: each page's sizes, given to `server.cost`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig
from visualiser import share
from visualiser.live.asking import Ask
from visualiser.live.cost import BYTES
from visualiser.live.map.calibration import has_room, run_cost
from visualiser.live.map.kept import Kept
from visualiser.live.map.sequence import LONGEST_TEXT, most_tokens
from visualiser.live.map.store import STORE, Gone
from visualiser.live.map.tiles import AT_ONCE, SIDE
from visualiser.server import cost, page_cost
from visualiser.server.admission import admission
from visualiser.server.cost import Cost, Shape

_OWN_TEXT: Final = 8192  # more tokens than the text that is mapped while nobody brings one


def frame(ask: Ask) -> Cost:
    """An update of Explore."""
    return cost.frame(*_attentions(ask), len(ask.upload))


def row(ask: Ask) -> Cost:
    """One query of Explore."""
    return cost.row(*_attentions(ask), len(ask.upload))


def file(kind: str) -> Callable[[Ask], Cost]:
    """What is taken away from Explore."""

    def price(ask: Ask) -> Cost:
        shown, pinned = _attentions(ask)
        return cost.file(kind, shown, pinned if kind in ("html", "figure") else None, len(ask.upload))

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
    return page_cost.cost_run(BYTES)


def training(ask: Ask) -> Cost:
    """A run of the Train page."""
    return page_cost.TRAINING


def map_plan(ask: Ask) -> Cost:
    """The Map page's answer to a control."""
    return page_cost.map_plan(len(ask.upload))


def map_run(ask: Ask) -> Cost:
    """A pass: by the link's sizes, or by the most that the file or text could be."""
    config = ask.reading.state.config
    n = min(most_tokens(), max(len(ask.upload), _OWN_TEXT)) if config.source == "text" else config.n
    if config.source == "upload" and (found := _shape(ask, most_tokens())):
        config, n = replace(config, h=found.h, d_k=found.d_k, tie=None), max(found.n_q, found.n_k)
    if not has_room(config.h, n, config.d_k):
        # `calibration.limit` refuses it in words, unless a text turns out to be shorter: then any run has room in this
        return Cost(1.0, admission().long.total) if config.source == "text" else page_cost.SMALL
    read = min(len(ask.upload), LONGEST_TEXT) if config.source == "text" else len(ask.upload)
    return run_cost(config.h, n, config.d_k) + Cost(0.0, 6 * read)


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
    longest = max(kept.Q.shape[1], kept.K.shape[1])
    side = min(longest, SIDE << max(0, min(level, 20))) if type(level) is int else SIDE
    count = min(len(tiles), AT_ONCE) if isinstance(tiles, list) else 0
    return page_cost.map_tiles(count, side, kept.Q.shape[2])


MAP: Final[Mapping[str, Callable[[Ask], Cost]]] = {
    "tiles": _kept(_tiles),
    "row": _kept(lambda ask, kept: page_cost.map_row(kept.K.shape[1], kept.Q.shape[2])),
    "figure": _kept(lambda ask, kept: page_cost.map_figure(kept.Q.shape[1], kept.K.shape[1], kept.Q.shape[2])),
    "csv": _kept(lambda ask, kept: page_cost.map_file(kept.Q.shape[0], kept.Q.shape[1])),
    "npz": _kept(lambda ask, kept: page_cost.map_file(kept.Q.shape[0], kept.Q.shape[1])),
    "forget": lambda ask: Cost(1e-4, 0),
}
"""Questions about a kept map, by their name."""


def _attentions(ask: Ask) -> tuple[cost.Sized, cost.Sized | None]:
    """What Explore shows, and what is pinned; with the sizes of the file that came along for what is made of it."""
    state, file = ask.reading.state, _shape(ask)
    pinned = share.pinned_state(state)

    def sized(config: AttentionConfig) -> cost.Sized:
        return cost.Sized(config, file if config.source == "upload" and file else cost.shape_of(config))

    return sized(state.config), sized(pinned.config) if pinned else None


def sizes(upload: bytes) -> dict[str, tuple[int, int, int]] | None:
    """The sizes h, n, d of Q, K and V that an upload's header states; None where there is none that can be read."""
    if len(upload) < 8:
        return None
    length = int.from_bytes(upload[:8], "little")
    if length > min(65_536, len(upload) - 8):
        return None
    try:
        header = json.loads(upload[8 : 8 + length])
        found = {name: tuple(int(size) for size in header[name]["shape"]) for name in "QKV"}
        return {name: (h, n, d) for name, (h, n, d) in found.items()}
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None  # it will be refused in words by whoever reads it


def _shape(ask: Ask, longest: int = 512) -> Shape | None:
    """The sizes of an upload, no more than the page takes: a header may lie, and is refused later."""
    found = sizes(ask.upload)
    if found is None:
        return None
    (h, n_q, d_k), (_, n_k, _), (_, _, d_v) = (found[name] for name in "QKV")
    n_q, n_k = (max(1, min(size, longest)) for size in (n_q, n_k))
    return Shape(max(1, min(h, 16)), n_q, n_k, max(1, min(d_k, 1024)), max(1, min(d_v, 1024)))
