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


def _cost(subject: Any, sentence: Message) -> Reason:
    """Explain what a head costs. `subject` has what is shown, with the costs."""
    costs = subject.shown.costs
    return Reason(costs.kind, costs.made(float(sentence.facts["nats"])))


def _apart(name: str) -> Why[Any]:
    """Return what explains the largest difference of a complete set."""
    return _fact("largest_difference", name)


_BOTH: Final = {"before": _fact("said", "before"), "now": _fact("said", "now")}
_COSINES: Final = {"before": _fact("cosine", "before"), "now": _fact("cosine", "now")}
_LOGS: Final = {"before": _fact("text_log", "before"), "now": _fact("text_log", "now")}
_ENTROPIES: Final = {"before": _fact("layer_entropy", "before"), "now": _fact("layer_entropy", "now")}


def _rank(subject: Any, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.written_rank", value=int(sentence.facts["rank"])))


def _count(subject: Any, sentence: Message) -> Reason:
    """Explain how many factors were tried."""
    return Reason("counted", message("reason.made.factors", least=TIMES[0], most=TIMES[-1]))


def _tried(subject: Any, sentence: Message) -> Reason:
    """Explain the factor at which a text is likeliest."""
    facts = {"count": len(TIMES), "least": TIMES[0], "most": TIMES[-1], "value": float(sentence.facts["times"])}
    return Reason("factor", message("reason.made.factor_tried", **facts))


_ANSWER: Final = {name: _fact("answer_log", name) for name in ("log", "now", "other")}
_CURVE: Final = {"count": _count, "times": _tried, "log": _fact("text_log", "log")}

SAYING: Final[Mapping[str, Mapping[str, Why[Any]]]] = {
    "table.model_says.summary": {"now": _BOTH["now"]},
    "table.model_says.classes": {"now": _BOTH["now"]},
    "table.model_says.likeness": {"now": _COSINES["now"]},
    "brief.model_says.text": {"now": _LOGS["now"]},
    "brief.model_says.changed": _LOGS,
    "brief.model_says.same": {"now": _LOGS["now"]},
    "brief.model_says.unseen": {"now": _LOGS["now"], "apart": _apart("apart")},
    "table.layer_entropies.summary": _ENTROPIES,
    "table.layer_entropies.unseen": {"now": _ENTROPIES["now"], "apart": _apart("apart")},
    "brief.factor_curve": {"times": _tried},
    "table.factor_curve.summary": _CURVE,
    "table.factor_curve.end": _CURVE,
    "table.factor_curve.same": _CURVE,
    "table.factor_curve.unseen": {**_CURVE, "apart": _apart("apart")},
    "muting.most": {"nats": _cost, "log": _fact("text_log", "log")},
    "muting.most_kl": {"nats": _cost},
    "muting.none": {"most": _apart("most")},
    "muting.none_kl": {"most": _apart("most")},
    "patching.noise": _ANSWER,
    "patching.denoise": _ANSWER,
    "patching.unseen": {"most": _apart("most")},
    "muting.gains": {"gained": _apart("gained"), "log": _fact("text_log", "log")},
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
    "says.likeness": _COSINES,
    "says.unseen": {"now": _BOTH["now"], "apart": _apart("apart")},
    "says.unseen_likeness": {"now": _COSINES["now"], "apart": _apart("apart")},
    "says.moved": {"share": _fact("moved", "share")},
    "says.moved_any": {"share": _fact("moved", "share")},
    "says.unmoved": {"share": _fact("moved", "share")},
    "says.unmoved_any": {"share": _fact("moved", "share")},
}
"""By sentence and fact."""
