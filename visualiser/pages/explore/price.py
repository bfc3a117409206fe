"""Costs of Explore's answers and files, from the request alone, before anything is computed."""

from collections.abc import Callable

from attention_core import BOUNDS, AttentionConfig
from visualiser.server.admission import cost
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.asking import Ask


def frame(ask: Ask) -> Cost:
    """Return the cost of an update of Explore."""
    return cost.frame(*_attentions(ask))


def row(ask: Ask) -> Cost:
    """Return the cost of one query of Explore; raise `Refusal` for a row that no state has."""
    row = ask.extra.get("row")
    if type(row) is not int or not 0 <= row < BOUNDS["n"].maximum:
        raise Refusal("error.bad_request", 400)
    return cost.row(*_attentions(ask))


def file(kind: str) -> Callable[[Ask], Cost]:
    """Return the price of a file that Explore offers."""

    def price(ask: Ask) -> Cost:
        shown, pinned = _attentions(ask)
        return cost.file(kind, shown, pinned if kind in ("html", "figure") else None)

    return price


def _attentions(ask: Ask) -> tuple[cost.Sized, cost.Sized | None]:
    """Return the sizes of the shown and of the pinned state; an uploaded file brings its own."""
    file, stated = ask.file

    def sized(config: AttentionConfig) -> cost.Sized:
        if config.source != "upload" or not file:
            return cost.Sized(config, cost.shape_of(config))
        return cost.Sized(config, stated or cost.shape_of(config), file)

    pinned = ask.pinned
    return sized(ask.reading.state.config), sized(pinned.config) if pinned else None
