"""What a link asks for in place of the weights on the map of one head, and why it cannot be had."""

from typing import Final

from attention_core import InvalidInput
from visualiser import models
from visualiser.figures import decided_head, row_shares
from visualiser.figures.mapped_cells import ShownMap
from visualiser.figures.read_head import ReadHead
from visualiser.figures.shown_map import MADE, MEAN, NORMS, ROLLOUT, WEIGHTS, of_norms
from visualiser.locale import text
from visualiser.models.run_work import Sizes
from visualiser.server.admission.cost import MEBIBYTE, Cost
from visualiser.state.share import State

_REFUSALS: Final = ("norms_unread", "norms_decided", "rollout_lines")
_FLOAT: Final = 4  # bytes


def asked(shown: ReadHead, state: State, notices: list[str]) -> ShownMap | None:
    """Return what the map shows in place of weights if a link asks for it, or None and say why it cannot."""
    name = str(state.own["shows"])
    if name == WEIGHTS:
        return None
    if shown.of_picture or row_shares.has_pictures(shown):
        notices.append(text(state.lang, "notice.shows_no_text"))
        return None
    try:
        return _norms(shown, state) if name == NORMS else MADE[name](shown)
    except InvalidInput as problem:
        if problem.code not in _REFUSALS:
            raise
        notices.append(text(state.lang, f"error.{problem.code}", **problem.details))
        return None


def price(state: State, sizes: Sizes) -> Cost:
    """Price what a link asks for in place of the weights: cells of one head, of a layer, or of each layer up to it."""
    name, cells, of_heads = state.own["shows"], sizes.cells, sizes.h * sizes.cells
    if name == WEIGHTS:
        return Cost(0.0, 0)
    if name == NORMS:
        return Cost(*models.norms_work(sizes))
    if name == MEAN:
        return Cost(1e-3 + 4e-9 * of_heads, MEBIBYTE // 4 + 2 * _FLOAT * (of_heads + cells), of_heads)
    if name == ROLLOUT:
        layers = min(state.config.layer, sizes.layers)
        products = layers * (of_heads + cells * sizes.n)
        memory = MEBIBYTE // 4 + 2 * _FLOAT * (of_heads + (layers + 4) * cells)  # products are in float64
        return Cost(1e-3 + layers * 1e-3 + 4e-9 * layers * of_heads + 2e-10 * products, memory, products)
    return Cost(1e-3 + 1e-8 * cells, MEBIBYTE // 4 + 6 * _FLOAT * cells, cells)


def _norms(shown: ReadHead, state: State) -> ShownMap:
    if decided_head.unwritten(shown):
        raise InvalidInput(
            "norms_decided",
            f"A change decides what head {shown.name} adds, whatever it reads, so its map shows weights. "
            "Let it run again.",
            head=shown.name,
        )
    return of_norms(shown, models.norms(state.config.model, shown.run, shown.layer, shown.head).numpy())
