"""What a link asks for in place of the weights on the map of one head, and why it cannot be had."""

from collections.abc import Callable, Mapping
from typing import Final

from attention_core import InvalidInput
from visualiser import models
from visualiser.figures import decided_head, row_shares
from visualiser.figures.read_head import ReadHead
from visualiser.figures.shown_map import NORMS, WEIGHTS, ShownMap, of_norms
from visualiser.locale import text
from visualiser.models.run_work import Sizes
from visualiser.server.admission.cost import Cost
from visualiser.state.share import State

_REFUSALS: Final = ("norms_unread", "norms_decided")


def asked(shown: ReadHead, state: State, notices: list[str]) -> ShownMap | None:
    """Return what the map shows in place of weights if a link asks for it, or None and say why it cannot."""
    name = str(state.own["shows"])
    if name == WEIGHTS:
        return None
    if shown.of_picture or row_shares.has_pictures(shown):
        notices.append(text(state.lang, "notice.shows_no_text"))
        return None
    try:
        return _MADE[name](shown, state)
    except InvalidInput as problem:
        if problem.code not in _REFUSALS:
            raise
        notices.append(text(state.lang, f"error.{problem.code}", **problem.details))
        return None


def price(state: State, sizes: Sizes) -> Cost:
    """Price what a link asks for in place of the weights."""
    return Cost(*models.norms_work(sizes)) if state.own["shows"] == NORMS else Cost(0.0, 0)


def _norms(shown: ReadHead, state: State) -> ShownMap:
    if decided_head.unwritten(shown):
        raise InvalidInput(
            "norms_decided",
            f"A change decides what head {shown.name} adds, whatever it reads, so its map shows weights. "
            "Let it run again.",
            head=shown.name,
        )
    return of_norms(shown, models.norms(state.config.model, shown.run, shown.layer, shown.head).numpy())


_MADE: Final[Mapping[str, Callable[[ReadHead, State], ShownMap]]] = {NORMS: _norms}
