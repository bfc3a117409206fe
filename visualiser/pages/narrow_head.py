"""The question which head is the most selective, about a few tokens and about a long sequence alike."""

from collections.abc import Sequence
from typing import Any, Final

from visualiser.locale.message import message
from visualiser.predictions import NONE, Band, Choice, Labels, plausible_maxima
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason

QUESTION: Final = Choice("narrow_head")
"""The head with the lowest mean entropy; the heads of the state are its choices."""

NEARLY: Final = 0.02
"""The share of the ceiling by which two mean entropies may differ and count as the same."""


def labels(heads: int, name: str = QUESTION.name) -> Labels:
    """Return the choices of a question for one of the heads: each of them, and none."""
    found = {str(head): message("predict.head", head=head) for head in range(1, heads + 1)}
    return {**found, NONE: message(f"predict.{name}.none")}


def truth(means: Sequence[float], ceiling: float) -> tuple[list[str], dict[str, Any]]:
    """Return the heads whose mean entropies count as the lowest, and the facts of the verdict."""
    apart = NEARLY * ceiling
    lowest, highest = min(means), max(means)
    rights = plausible_maxima({str(head): Band(-mean, -mean, -mean) for head, mean in enumerate(means, 1)}, apart)
    ends = {"first": means.index(lowest) + 1, "last": means.index(highest) + 1}
    return rights, {"low": lowest, "high": highest, "apart": apart, **ends}


def apart(share: float, of: float) -> Reason:
    """Explain the difference up to which two numbers count as equal: a share of a whole."""
    value = share * of
    terms = consistent_digits(value, lambda of: share * of, of=of)
    return Reason("bound", message("reason.made.share_of", share=share, value=value, **terms))
