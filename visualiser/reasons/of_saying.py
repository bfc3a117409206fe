"""Where the numbers come from that say what a model says, before and after a change."""

from collections.abc import Mapping
from typing import Any, Final

from attention_core.learned.by_factor import TIMES
from visualiser.locale.message import Message, message
from visualiser.reasons.explained import Reason
from visualiser.reasons.table import Why


def _fact(kind: str, name: str) -> Why[Any]:
    """Return what explains a fact by its value alone."""

    def why(subject: Any, sentence: Message) -> Reason:
        return Reason(kind, message(f"reason.made.{kind}", value=float(sentence.facts[name])))

    return why


def _said(name: str) -> Why[Any]:
    """Return what explains a probability, or the cosine of two sentences where these are spoken of."""

    def why(subject: Any, sentence: Message) -> Reason:
        about = sentence.facts.get("about")
        kind = "cosine" if isinstance(about, Message) and about.key == "says.about.likeness" else "said"
        return Reason(kind, message(f"reason.made.{kind}", value=float(sentence.facts[name])))

    return why


def _cost(subject: Any, sentence: Message) -> Reason:
    """Explain what a head costs. `subject` has what is shown, with the costs."""
    costs = subject.shown.costs
    return Reason(costs.kind, costs.made(float(sentence.facts["nats"])))


_BOTH: Final = {"before": _said("before"), "now": _said("now")}
_LOGS: Final = {"before": _fact("text_log", "before"), "now": _fact("text_log", "now")}
_ENTROPIES: Final = {"before": _fact("layer_entropy", "before"), "now": _fact("layer_entropy", "now")}


def _rank(subject: Any, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.written_rank", value=int(sentence.facts["rank"])))


def _tried(subject: Any, sentence: Message) -> Reason:
    """Explain the factor at which a text is likeliest."""
    facts = {"count": len(TIMES), "least": TIMES[0], "most": TIMES[-1], "value": float(sentence.facts["times"])}
    return Reason("factor", message("reason.made.factor_tried", **facts))


SAYING: Final[Mapping[str, Mapping[str, Why[Any]]]] = {
    "table.model_says.summary": {"now": _said("now")},
    "table.model_says.changed": _BOTH,
    "brief.model_says.text": {"now": _LOGS["now"]},
    "brief.model_says.changed": _LOGS,
    "table.layer_entropies.summary": _ENTROPIES,
    "table.moved_heads.summary": {"share": _fact("moved", "share")},
    "brief.factor_curve": {"times": _tried},
    "table.factor_curve.summary": {"times": _tried, "log": _fact("text_log", "log")},
    "muting.most": {"nats": _cost, "log": _fact("text_log", "log")},
    "muting.most_kl": {"nats": _cost},
    "table.head_writes.own": {"added": _fact("written", "added")},
    "table.head_writes.summary": {"added": _fact("written", "added"), "rank": _rank},
    "brief.head_writes": {"copying": _fact("copying", "copying")},
    "predict.model_mute.because": _BOTH,
    "predict.model_copies.because": _LOGS,
    "predict.model_factor.because": {
        **_LOGS,
        "entropy": _fact("layer_entropy", "entropy"),
        "entropy_now": _fact("layer_entropy", "entropy_now"),
    },
    "says.changed": {**_BOTH, "kl": _fact("kl", "kl")},
    "says.likeness": _BOTH,
    "says.moved": {"share": _fact("moved", "share")},
    "says.moved_any": {"share": _fact("moved", "share")},
}
"""By sentence and fact."""
