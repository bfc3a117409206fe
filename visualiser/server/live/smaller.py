"""Smaller questions than the one that was refused: the same state with fewer tokens, fewer heads or a narrower head.

They are priced and never read: the link is understood, its text cut and the file's header read once.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fitting import Fit, Smaller, as_long, lowered
from visualiser.server.live.asking import Ask
from visualiser.state import parameters

_LOWERED: Final = ("n", "h", "d_k")
"""What a visitor is told to lower, the first that is enough."""


def smaller(ask: Ask, price: Callable[[Ask], Cost]) -> Smaller:
    """The largest smaller state of this page that takes no more than so many bytes by its price.

    A pinned state stays where it can. At most 20 states are priced, each in half a millisecond.
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
    """The tokens that a question is about: its file's own, or the link's."""
    file, config = ask.stated, ask.reading.state.config
    return max(file.shape.n_q, file.shape.n_k) if file and config.source == "upload" else config.n


def _with_number(ask: Ask, name: str, value: int) -> Ask:
    """The same question with another number; of a text or a file, with its beginning of so many tokens."""
    state, file = ask.reading.state, ask.stated
    config = state.config
    if file and config.source == "upload":
        return ask.priced_as(state, ask.pinned, file.lowered(name, value))
    # the tie that was taken counts as given, but a d_k of its own unties
    given = {name: value} | ({"tie": False} if name == "d_k" else {}) | as_long(config, value if name == "n" else None)
    return ask.priced_as(replace(state, config=replace(config, **given)), ask.pinned, file)
