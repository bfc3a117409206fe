"""Smaller alternatives to a refused question: the same state with fewer tokens, fewer heads or a narrower head.

They are only priced: the link, its text and the file's header are read once, for the refused question.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fitting import Fit, Smaller, as_long, lowered
from visualiser.server.live.asking import Ask
from visualiser.state import parameters

_LOWERED: Final = ("n", "h", "d_k")
"""The settings to suggest lowering; the first that is enough is named."""


def smaller(ask: Ask, price: Callable[[Ask], Cost]) -> Smaller:
    """Return a search for the largest smaller state of this page within so many bytes by its price.

    It keeps a pinned state if it can, and prices at most 20 states, each in half a millisecond.
    """

    def fit(room: int) -> Fit | None:
        def fits(ask: Ask) -> bool:
            return price(ask).memory <= room

        if found := _lowered(ask, fits):
            return found
        if not ask.pinned:
            return None
        alone = ask.priced_as(replace(ask.reading.state, pinned=""), None, ask.stated)
        if fits(alone):
            return Fit("n", _tokens(alone), unpinned=True)
        found = _lowered(alone, fits)
        return replace(found, unpinned=True) if found else None

    return fit


def _lowered(ask: Ask, fits: Callable[[Ask], bool]) -> Fit | None:
    config = ask.reading.state.config
    bounds = parameters.bounds(ask.reading.state.page)
    came = {"n": _tokens(ask), "h": config.h, "d_k": config.d_k}
    for name in _LOWERED:
        least = int(bounds[name].minimum)
        if found := lowered({name: came[name]}, lambda name, value: fits(_with_number(ask, name, value)), least):
            return found
    return None


def _tokens(ask: Ask) -> int:
    """Return the number of tokens: the file's own, or the link's."""
    file, config = ask.stated, ask.reading.state.config
    return max(file.shape.n_q, file.shape.n_k) if file and config.source == "upload" else config.n


def _with_number(ask: Ask, name: str, value: int) -> Ask:
    """Return the same question with another number. A text or file is cut to its first tokens."""
    state, file = ask.reading.state, ask.stated
    config = state.config
    if file and config.source == "upload":
        return ask.priced_as(state, ask.pinned, file.lowered(name, value))
    # keep a tie that came, but a new d_k unties
    given = {name: value} | ({"tie": False} if name == "d_k" else {}) | as_long(config, value if name == "n" else None)
    return ask.priced_as(replace(state, config=replace(config, **given)), ask.pinned, file)
