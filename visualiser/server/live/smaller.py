"""Smaller questions than the one that was refused: the same link with fewer tokens, fewer heads or a narrower head."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import Final
from urllib.parse import urlencode

from visualiser.server.admission.cost import FLOAT, Cost
from visualiser.server.admission.fitting import Fit, Smaller, lowered
from visualiser.server.live.asking import Ask
from visualiser.server.live.costs import sizes
from visualiser.state import parameters, share
from visualiser.state.link_values import shortened

_Size = tuple[int, int, int]
_AXES: Final = ("h", "n", "d_k")

_LOWERED: Final = ("n", "h", "d_k")
"""What a visitor is told to lower, the first that is enough."""


def smaller(ask: Ask, price: Callable[[Ask], Cost]) -> Smaller:
    """The largest smaller state of this page that takes no more than so many bytes by its price.

    A pinned state stays where it can.
    """

    def fit(room: int) -> Fit | None:
        def fits(ask: Ask) -> bool:
            return price(ask).memory <= room

        if found := _lowered(ask, fits):
            return found
        state = ask.reading.state
        if not state.pinned:
            return None
        alone = _asking(ask, replace(state, pinned=""))
        if fits(alone):
            return Fit("n", tokens(alone), unpinned=True)
        found = _lowered(alone, fits)
        return replace(found, unpinned=True) if found else None

    return fit


def _lowered(ask: Ask, fits: Callable[[Ask], bool]) -> Fit | None:
    config, bounds = ask.reading.state.config, parameters.bounds(ask.reading.state.config.page)
    came = {"n": tokens(ask), "h": config.h, "d_k": config.d_k}
    for name in _LOWERED:
        least = int(bounds[name].minimum)
        if found := lowered({name: came[name]}, lambda name, value: fits(with_number(ask, name, value)), least):
            return found
    return None


def tokens(ask: Ask) -> int:
    """The tokens that a question is about: its file's own, or the link's."""
    file = _file_sizes(ask)
    return ask.reading.state.config.n if file is None else max(n for _, n, _ in file.values())


def with_number(ask: Ask, name: str, value: int) -> Ask:
    """The same question with another number; of a text or a file, with its beginning of so many tokens."""
    state, file = ask.reading.state, _file_sizes(ask)
    config = state.config
    if file is not None:
        return replace(ask, upload=_file({key: _lessened(size, name, value) for key, size in file.items()}))
    if name == "n" and config.source == "text":
        written = shortened(config.text, config.split, value)
        return _asking(ask, replace(state, config=replace(config, text=written)))
    untied = {"tie": "false"} if name == "d_k" else {}
    return replace(ask, query=f"{share.canonical(state)}&{urlencode({**untied, name: value})}")


def _asking(ask: Ask, state: share.State) -> Ask:
    return replace(ask, query=share.canonical(state))


def _file_sizes(ask: Ask) -> Mapping[str, _Size] | None:
    return sizes(ask.upload) if ask.reading.state.config.source == "upload" else None


def _lessened(size: _Size, name: str, value: int) -> _Size:
    h, n, d = (min(number, value) if name == symbol else number for symbol, number in zip(_AXES, size, strict=True))
    return h, n, d


def _file(shapes: Mapping[str, _Size]) -> bytes:
    """A file of these sizes, as the upload's route writes it; its numbers are zeros, and nobody reads them."""
    header, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + FLOAT * prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": (begin, end)}
    written = json.dumps(header, separators=(",", ":")).encode()
    written += b" " * (-len(written) % 8)
    return len(written).to_bytes(8, "little") + written + bytes(end)
