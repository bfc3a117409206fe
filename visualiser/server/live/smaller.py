"""Smaller alternatives to a refused request: the same state with fewer tokens, fewer heads or a narrower head.

They are only priced: the link, its text and the file's header are read once, for the refused request.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fitting import Fit, Smaller, lowered, stand_in_text
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters

_LOWERED: Final = ("n", "h", "d_k")
"""The settings to suggest lowering; the first that is enough is named."""


def smaller(request: PageRequest, price: Callable[[PageRequest], Cost]) -> Smaller:
    """Return a search for the largest smaller state of this page within so many bytes by its price.

    It keeps a pinned state if it can, and prices at most 20 states, each in half a millisecond.
    """

    def fit(room: int) -> Fit | None:
        def fits(request: PageRequest) -> bool:
            return price(request).memory <= room

        if found := _lowered(request, fits):
            return found
        if not request.pinned or request.reading.state.config.source == "model":
            return None  # what a model makes of a text has no smaller state
        alone = request.with_state(replace(request.reading.state, pinned=""), None, request.upload_sizes)
        if fits(alone):
            return Fit("n", _tokens(alone), unpinned=True)
        found = _lowered(alone, fits)
        return replace(found, unpinned=True) if found else None

    return fit


def _lowered(request: PageRequest, fits: Callable[[PageRequest], bool]) -> Fit | None:
    config = request.reading.state.config
    bounds = parameters.bounds(request.reading.state.page)
    came = {"n": _tokens(request), "h": config.h, "d_k": config.d_k}
    for name in _LOWERED:
        least = int(bounds[name].minimum)
        if found := lowered({name: came[name]}, lambda name, value: fits(_with_number(request, name, value)), least):
            return found
    return None


def _tokens(request: PageRequest) -> int:
    """Return the number of tokens: the file's own, or the link's."""
    file, config = request.upload_sizes, request.reading.state.config
    return max(file.shape.n_q, file.shape.n_k) if file and config.source == "upload" else config.n


def _with_number(request: PageRequest, name: str, value: int) -> PageRequest:
    """Return the same question with another number. A text or file is cut to its first tokens."""
    state, file = request.reading.state, request.upload_sizes
    config = state.config
    if file and config.source == "upload":
        return request.with_state(state, request.pinned, file.lowered(name, value))
    # keep a tie that came, but a new d_k unties
    given = (
        {name: value}
        | ({"tie": False} if name == "d_k" else {})
        | stand_in_text(config, value if name == "n" else None)
    )
    return request.with_state(replace(state, config=replace(config, **given)), request.pinned, file)
