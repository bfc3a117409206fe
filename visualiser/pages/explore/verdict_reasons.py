"""Where the numbers of verdicts on Explore's questions come from: draws before and after a change, means of heads."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from attention_core import AttentionResult
from visualiser.locale.message import Message, message
from visualiser.pages import narrow_head
from visualiser.reasons import of_head, of_seeds
from visualiser.reasons.explained import How, Reason

_KINDS: Final = {
    "entropy": "entropy",
    "variance": "score_variance",
    "largest": "largest_weight",
    "norm": "jacobian_norm",
}
"""The quantity of each measure."""


def of_change(measure: str, bands: Mapping[str, Message], draws: Mapping[str, Sequence[float]]) -> How:
    """Return where the facts of a verdict on a change come from.

    `bands` are the sentences inside it, before, after and times, and `draws` their values, one for each draw.
    """

    def how(sentence: Message, name: str, place: int) -> Reason | None:
        which = next((which for which, band in bands.items() if band is sentence), None)
        if which is None:
            return _of_rule(name)
        values, kind = draws[which], "ratio" if which == "times" else _KINDS[measure]
        value = float(sentence.facts[name])
        if name in ("least", "most"):
            ordered = sorted(values, reverse=name == "most")
            counted = {"at": ordered.index(value) + 1, "draws": len(values)}
            return Reason(kind, message(f"reason.made.end_of_draws.{name}", value=value, **counted))
        if not all(map(math.isfinite, values)):
            return Reason(kind, message("reason.made.draws", draws=len(values)))
        return of_seeds.median(kind, values, value) if len(values) > 1 else of_seeds.mean(kind, values, value)

    return how


def _of_rule(name: str) -> Reason | None:
    if name == "draws":
        return Reason("counted", message("reason.made.seeds_in_a_row"))
    return Reason("bound", message("reason.made.plan")) if name == "share" else None


def of_heads(result: AttentionResult, ceiling: float) -> How:
    """Return where the facts of the verdict on the most selective head come from."""

    def how(sentence: Message, name: str, place: int) -> Reason | None:
        if name in ("low", "high"):
            head = int(sentence.facts["first" if name == "low" else "last"]) - 1
            made = of_head.mean(result, "entropy")(head)
            return made and Reason("entropy", made)
        return narrow_head.apart(narrow_head.NEARLY, ceiling) if name == "apart" else None

    return how
