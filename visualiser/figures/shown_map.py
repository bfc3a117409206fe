"""What the large map shows in place of the weights of the head, its words, and where its numbers come from."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from attention_core.learned import mean_of_heads, rollout, without_first
from visualiser.drawing.distributions import ALIKE
from visualiser.figures.mapped_cells import ShownMap
from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason

WEIGHTS: Final = "weights"
NORMS: Final = "norms"
REST: Final = "without_first"
MEAN: Final = "mean"
ROLLOUT: Final = "rollout"
SHOWS: Final = (WEIGHTS, NORMS, REST, MEAN, ROLLOUT)
"""The choices of the page: the weights, each times the norm of what the head adds for the key, the weights without the
first position, the mean of the layer's heads, and rollout up to the layer."""

OF_LAYER: Final = (MEAN, ROLLOUT)
"""Those of all heads."""

KINDS: Final = {NORMS: "weighted_norm", REST: "share_of_rest", MEAN: "mean_of_heads", ROLLOUT: "rollout"}
"""The kind of quantity that the cells of each are."""


def of_norms(shown: ReadHead, norms: NDArray[np.float32]) -> ShownMap:
    """Return the map of the weights times the norms of what the head adds for each key."""
    return ShownMap(NORMS, np.where(shown.allowed, shown.weights * norms, np.float32(np.nan)), norms)


def of_rest(shown: ReadHead) -> ShownMap:
    """Return the map of the weights without the first position: of a text that is padded the first that is none."""
    layer, head, begins = shown.attention, shown.head - 1, _begins(shown)
    rest = without_first(layer.weights[head, :, begins:], layer.allowed[head, :, begins:]).numpy()
    cells = np.where(shown.allowed, np.pad(rest, ((0, 0), (begins, 0))), np.float32(np.nan))
    others = np.where(shown.allowed, shown.weights, 0)[:, begins + 1 :]
    return ShownMap(REST, cells, others.sum(-1))


def of_mean(shown: ReadHead) -> ShownMap:
    """Return the map of the mean of the layer's heads."""
    mean, allowed = mean_of_heads(shown.attention)
    return ShownMap(MEAN, np.where(allowed.numpy(), mean.numpy(), np.nan), np.zeros(0))


def of_rollout(shown: ReadHead) -> ShownMap:
    """Return the map of rollout up to the chosen layer; a key to which no path leads is forbidden.

    Raises `InvalidInput` (`rollout_lines`) as `rollout` does.
    """
    run, last = shown.run, shown.layer
    found = rollout(replace(run, layers=run.layers[:last], between=run.between[:last], windows=run.windows[:last]))
    cells = found[-1].numpy()
    allowed = shown.attention.allowed.any(-3).numpy() | np.eye(len(cells), dtype=bool)
    return ShownMap(ROLLOUT, np.where(allowed | (cells > 0), cells, np.nan), np.zeros(0))


MADE: Final[Mapping[str, Callable[[ReadHead], ShownMap]]] = {REST: of_rest, MEAN: of_mean, ROLLOUT: of_rollout}
"""What the run alone tells."""


def _begins(shown: ReadHead) -> int:
    return 0 if shown.keys is None else shown.keys.begins


def said(shown: ReadHead) -> list[Message]:
    """Say what the map shows, and the largest of the chosen row; nothing of the weights."""
    mapped = shown.mapped
    if mapped is None:
        return []
    whose = {"layer": shown.layer} if mapped.name in OF_LAYER else {"head": shown.called}
    facts = {**whose, "query": shown.said_query(shown.row)}
    return [_row_said(shown, mapped, facts), *_empty_said(shown, mapped)]


def _row_said(shown: ReadHead, mapped: ShownMap, facts: Mapping[str, object]) -> Message:
    row, name = mapped.cells[shown.row], f"model.shows.{mapped.name}"
    most = float(np.nanmax(row, initial=0.0))
    if not most:
        return message(f"{name}_none", **facts)
    with np.errstate(invalid="ignore"):
        best = np.flatnonzero(row >= most * (1 - ALIKE))
    if len(best) > 1:
        return message(f"{name}_tied", **facts, count=len(best), value=most)
    return message(name, **facts, key=shown.said_key(int(best[0])), value=most)


def _empty_said(shown: ReadHead, mapped: ShownMap) -> list[Message]:
    """Say how many rows have nothing left without the first position."""
    if mapped.name != REST:
        return []
    count = int((~(mapped.beside > 0)).sum())
    return [message("model.rows_empty", count=count)] if count else []


def made(shown: ReadHead, key: int) -> Message:
    """Return the arithmetic of a cell of the chosen row."""
    mapped = shown.mapped
    assert mapped is not None
    value, weight = float(mapped.cells[shown.row, key]), float(shown.weights[shown.row, key])
    if mapped.name == NORMS:
        terms = {"weight": weight, "length": float(mapped.beside[key])}
        written = consistent_digits(value, lambda weight, length: weight * length, **terms)
        return message("reason.made.weighted_norm", value=value, **written)
    if mapped.name == REST:
        if key <= _begins(shown) or np.isnan(value):
            return message("reason.made.left_out", value=value)
        terms = {"weight": weight, "rest": float(mapped.beside[shown.row])}
        written = consistent_digits(value, lambda weight, rest: weight / rest, **terms)
        return message("reason.made.share_of_rest", value=value, **written)
    if mapped.name == MEAN:
        heads = shown.attention.weights.shape[-3]
        written = consistent_digits(value, lambda sum: sum / heads, sum=value * heads)
        return message("reason.made.mean_of_heads", value=value, heads=heads, **written)
    return message("reason.made.rollout", value=value, layer=shown.layer)


def most_reason(shown: ReadHead) -> Reason | None:
    """Explain the largest of the chosen row; None of a map of weights."""
    if shown.mapped is None:
        return None
    return Reason(KINDS[shown.mapped.name], made(shown, int(np.nanargmax(shown.mapped.cells[shown.row]))))
