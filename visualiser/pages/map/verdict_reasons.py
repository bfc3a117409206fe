"""Where the numbers of the verdicts on the Map's questions come from."""

from collections.abc import Mapping
from typing import Final

from visualiser.locale.message import Message, message
from visualiser.maps.facts import seeing
from visualiser.maps.geometry import keys
from visualiser.maps.kept import Kept
from visualiser.maps.sinks import SHARE
from visualiser.pages import narrow_head
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.of_rows import averaged
from visualiser.reasons.table import Why, from_table


def _entropy(end: str) -> Why[Kept]:
    def reason(kept: Kept, sentence: Message) -> Reason:
        rows = kept.statistics.entropy[int(sentence.facts[end]) - 1, seeing(kept)].double()
        return averaged("entropy", float(rows.mean()), rows)

    return reason


def _apart(kept: Kept, sentence: Message) -> Reason:
    return narrow_head.apart(narrow_head.NEARLY, float(kept.statistics.ceiling[:, seeing(kept)].double().mean()))


def _distance(kept: Kept, sentence: Message, name: str) -> Reason:
    queries, value = int(seeing(kept).sum()), float(sentence.facts[name])
    total = consistent_digits(value, lambda sum: sum / queries, sum=value * queries)
    return Reason("distance", message("reason.made.distance", value=value, queries=queries, **total))


def _off(kept: Kept, sentence: Message) -> Reason:
    return Reason("distance", message("reason.made.half_square"))


def _far_apart(kept: Kept, sentence: Message) -> Reason:
    apart, far = float(sentence.facts["apart"]), float(sentence.facts["far"])
    return narrow_head.apart(apart / (far or 1.0), far)


def _sink(kept: Kept, sentence: Message) -> Reason:
    queries, value = int(seeing(kept).sum()), float(sentence.facts["share"])
    weight = consistent_digits(value, lambda weight: 100 * weight / queries, weight=value / 100 * queries)
    return Reason("sink", message("reason.made.sink", value=value, queries=queries, least=round(100 * SHARE), **weight))


def _bound(kept: Kept, sentence: Message) -> Reason:
    return Reason("bound", message("reason.made.plan"))


def _used(kept: Kept, sentence: Message) -> Reason:
    rows = kept.statistics.statistic("effective_keys")[:, seeing(kept)].double().flatten()
    return averaged("effective_keys", float(sentence.facts["used"]), rows)


def _seen(kept: Kept, sentence: Message) -> Reason:
    seen = keys(kept.config, kept.Q.shape[1], kept.K.shape[1])[seeing(kept)]
    facts = {"cells": int(seen.sum()), "rows": len(seen), "value": float(sentence.facts["keys"])}
    return Reason("keys", message("reason.made.keys", **facts))


def _used_share(kept: Kept, sentence: Message) -> Reason:
    value, used, there = (float(sentence.facts[name]) for name in ("share", "used", "keys"))
    terms = consistent_digits(value, lambda used, keys: 100 * used / keys, used=used, keys=there)
    return Reason("used_share", message("reason.made.used_share", value=value, **terms))


TABLE: Final[Mapping[str, Mapping[str, Why[Kept]]]] = {
    "predict.narrow_head.because": {"low": _entropy("first"), "high": _entropy("last"), "apart": _apart},
    "predict.far_head.because": {
        "far": lambda kept, sentence: _distance(kept, sentence, "far"),
        "near": lambda kept, sentence: _distance(kept, sentence, "near"),
        "off": _off,
        "apart": _far_apart,
    },
    "predict.sink_weight.because": {"share": _sink},
    "predict.sink_weight.because_none": {"least": _bound},
    "predict.keys_used.because": {"used": _used, "keys": _seen, "share": _used_share},
}


def of_verdict(kept: Kept) -> How:
    """Return where the facts of a verdict about a map come from."""
    return from_table(TABLE, kept)
