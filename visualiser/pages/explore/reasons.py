"""Where the numbers of Explore's sentences come from."""

from collections.abc import Mapping
from typing import Final

from attention_core import AttentionResult
from visualiser.drawing.saturation import allowed_scores
from visualiser.locale.message import Message, message
from visualiser.pages import explore
from visualiser.reasons import of_rows
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.of_format import FORMAT
from visualiser.reasons.of_row import ROW
from visualiser.reasons.of_rows import MEANS, MEDIANS
from visualiser.reasons.of_scores import SCORES
from visualiser.reasons.of_sizes import SIZES
from visualiser.reasons.shown import Shown, Why
from visualiser.reasons.table import from_table
from visualiser.state.view import View


def _repeated(shown: Shown, sentence: Message) -> Reason:
    tokens = shown.result.tokens or ()
    return Reason("counted", message("reason.made.tokens", count=sentence.facts["count"], tokens=len(tokens)))


def _bent(shown: Shown, sentence: Message) -> Reason:
    count = allowed_scores(shown.result).numel()
    value = float(sentence.facts["share"])
    given = {"count": round(value / 100 * count), "scores": count, "cap": sentence.facts["cap"], "value": value}
    return Reason("capped", message("reason.made.bent", **given))


def _cap(shown: Shown, sentence: Message) -> Reason:
    inputs = shown.result.inputs
    own = inputs is not None and inputs.trained is not None and inputs.trained.softcap == shown.result.config.softcap
    return Reason("capped", message("reason.made.model_own") if own else message("reason.made.control", name="softcap"))


def _before(shown: Shown, sentence: Message) -> Reason:
    return Reason(_kind(sentence), message("reason.made.before"))


def _after(shown: Shown, sentence: Message) -> Reason | None:
    return SIZES["n_q" if sentence.facts["name"] == "n" else sentence.facts["name"]](shown, sentence)


def _kind(sentence: Message) -> str:
    return str(sentence.facts["name"])


_OF_THE_MASK: Final[Mapping[str, Why]] = {
    "keys": of_rows.counted,
    "first": of_rows.counted,
    "empty": of_rows.counted,
    "ceiling": of_rows.largest_ceiling,
}

TABLE: Final[Mapping[str, Mapping[str, Why]]] = {
    "insight.row": ROW,
    "insight.row_tied": ROW,
    "insight.saturated": MEDIANS,
    "insight.partly": {**MEANS, "share": of_rows.one_hot},
    "insight.partly_choosing": {**MEANS, "share": of_rows.one_hot},
    "insight.uniform": MEANS,
    "insight.uniform_few": MEANS,
    "insight.between": MEANS,
    "insight.sink": MEANS,
    "insight.capped": MEANS,
    "insight.gates": MEANS,
    "insight.sparse": MEANS,
    "insight.row_sink": ROW,
    "insight.row_gates": ROW,
    "insight.softcap": {"share": _bent, "cap": _cap},
    "insight.scores.": SCORES,
    "insight.variance": SCORES,
    "insight.variance_normed": SCORES,
    "insight.mask.": _OF_THE_MASK,
    "insight.format.": FORMAT,
    "insight.row_nan": FORMAT,
    "insight.row_sum": FORMAT,
    "insight.row_nan_sigmoid": FORMAT,
    "insight.row_sum_sink": FORMAT,
    "insight.repeated": {"count": _repeated},
    "insight.repeated_positions": {"count": _repeated},
    "arithmetic.": SIZES,
    "arithmetic.model_mask.": SIZES,
    "arithmetic.from_to": {"old": _before, "new": _after},
    **{key: facts for figure in (explore.MAPS, *explore.PANELS, *explore.ROW) for key, facts in figure.reasons.items()},
}
"""For each sentence, or for all whose keys begin so, the reasons of its facts."""


def reasons(result: AttentionResult, view: View) -> How:
    """Return where the facts of Explore's sentences about a result come from."""
    return from_table(TABLE, Shown(result, view))
