"""Where the scores and weights of the chosen row come from: from q and k and their softmax, or from a change."""

from dataclasses import replace

from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import Message, message
from visualiser.reasons import of_learned
from visualiser.reasons.explained import Reason


def kind(shown: ReadHead) -> str:
    """Return the kind of quantity that the head's weights are."""
    if shown.reweighted:
        return "changed_weight"
    if not shown.scored:
        return "given_weight"
    return "weight" if shown.sink is None else "weight_sink"


def reason(shown: ReadHead, key: int | None) -> Reason:
    """Return the arithmetic of the weight of a key of the chosen row; of the sink if `key` is None."""
    if shown.reweighted and key is not None:
        value = float(shown.weights[shown.row, key])
        return Reason("changed_weight", message("reason.made.changed_weight", value=value))
    if not shown.scored and key is not None:
        return Reason("given_weight", message("reason.made.given_weight", value=float(shown.weights[shown.row, key])))
    return of_learned.weight(shown.attention, shown.head - 1, shown.row, key)


def score(shown: ReadHead, key: int) -> Message | None:
    """Return the arithmetic of the score of a key of the chosen row; None for a layer that gives no q and k."""
    if shown.rebuilt:
        return message("reason.made.changed_score", value=float(shown.scores[shown.row, key]))
    return of_learned.score(shown.attention, replace(shown, key=key).why)
