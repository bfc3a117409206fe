"""Where the numbers of Explore's sentences come from."""

from collections.abc import Mapping
from typing import Final

from attention_core import AttentionResult
from visualiser.locale.message import Message, message
from visualiser.reasons import of_result
from visualiser.reasons.of_result import FORMAT, MEANS, MEDIANS, ROW, SCORES, SIZES, Shown, Why
from visualiser.reasons.table import from_table
from visualiser.reasons.told import How, Reason
from visualiser.state.view import View


def _repeated(shown: Shown, said: Message) -> Reason:
    tokens = shown.result.tokens or ()
    return Reason("counted", message("reason.made.tokens", count=said.facts["count"], tokens=len(tokens)))


def _before(shown: Shown, said: Message) -> Reason:
    return Reason(_kind(said), message("reason.made.before"))


def _after(shown: Shown, said: Message) -> Reason | None:
    return SIZES["n_q" if said.facts["name"] == "n" else said.facts["name"]](shown, said)


def _kind(said: Message) -> str:
    return str(said.facts["name"])


_OF_THE_MASK: Final[Mapping[str, Why]] = {
    "keys": of_result.counted,
    "first": of_result.counted,
    "empty": of_result.counted,
    "ceiling": of_result.largest_ceiling,
}

TABLE: Final[Mapping[str, Mapping[str, Why]]] = {
    "insight.row": ROW,
    "insight.row_tied": ROW,
    "insight.saturated": MEDIANS,
    "insight.partly": {**MEANS, "share": of_result.one_hot},
    "insight.partly_choosing": {**MEANS, "share": of_result.one_hot},
    "insight.uniform": MEANS,
    "insight.uniform_few": MEANS,
    "insight.between": MEANS,
    "insight.scores.": SCORES,
    "insight.variance": SCORES,
    "insight.mask.": _OF_THE_MASK,
    "insight.format.": FORMAT,
    "insight.row_nan": FORMAT,
    "insight.row_sum": FORMAT,
    "insight.repeated": {"count": _repeated},
    "insight.repeated_positions": {"count": _repeated},
    "brief.score_distribution": SCORES,
    "brief.entropy": MEANS,
    "brief.gradient": MEANS,
    "brief.row_weights": ROW,
    "brief.jacobian": ROW,
    "arithmetic.": SIZES,
    "arithmetic.from_to": {"old": _before, "new": _after},
}
"""For each sentence, or for all whose keys begin so, the reasons of its facts."""


def reasons(result: AttentionResult, view: View) -> How:
    """Return where the facts of Explore's sentences about a result come from."""
    return from_table(TABLE, Shown(result, view))
