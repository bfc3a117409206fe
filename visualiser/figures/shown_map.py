"""What the large map shows in place of the weights of the head, its words, and where its numbers come from."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from visualiser.drawing.distributions import ALIKE
from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason

WEIGHTS: Final = "weights"
NORMS: Final = "norms"
SHOWS: Final = (WEIGHTS, NORMS)
"""The choices of the page: the weights, and each weight times the norm of what the head adds for the key."""


@dataclass(frozen=True, eq=False)
class ShownMap:
    """A map that is shown in place of the weights.

    name   of `SHOWS`
    cells  n_q × n_k, NaN where the mask forbids
    norms  of what the head adds for each key, n_k
    """

    name: str
    cells: NDArray[np.float32]
    norms: NDArray[np.float32]


def of_norms(shown: ReadHead, norms: NDArray[np.float32]) -> ShownMap:
    """Return the map of the weights times the norms of what the head adds for each key."""
    return ShownMap(NORMS, np.where(shown.allowed, shown.weights * norms, np.float32(np.nan)), norms)


def said(shown: ReadHead) -> list[Message]:
    """Say what the map shows, and the largest of the chosen row; nothing of the weights."""
    if shown.mapped is None:
        return []
    row = shown.mapped.cells[shown.row]
    facts = {"head": shown.called, "query": shown.said_query(shown.row)}
    most = float(np.nanmax(row, initial=0.0))
    if not most:
        return [message("model.shows_norms_none", **facts)]
    with np.errstate(invalid="ignore"):
        best = np.flatnonzero(row >= most * (1 - ALIKE))
    if len(best) > 1:
        return [message("model.shows_norms_tied", **facts, count=len(best), value=most)]
    return [message("model.shows_norms", **facts, key=shown.said_key(int(best[0])), value=most)]


def made(shown: ReadHead, key: int) -> Message:
    """Return the arithmetic of a cell of the chosen row: its weight times the norm of its key."""
    assert shown.mapped is not None
    value = float(shown.mapped.cells[shown.row, key])
    weight, norm = float(shown.weights[shown.row, key]), float(shown.mapped.norms[key])
    terms = consistent_digits(value, lambda weight, length: weight * length, weight=weight, length=norm)
    return message("reason.made.weighted_norm", value=value, **terms)


def most_reason(shown: ReadHead) -> Reason | None:
    """Explain the largest of the chosen row; None of a map of weights."""
    if shown.mapped is None:
        return None
    return Reason("weighted_norm", made(shown, int(np.nanargmax(shown.mapped.cells[shown.row]))))
