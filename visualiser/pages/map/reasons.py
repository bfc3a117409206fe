"""Where the numbers of the Map page's sentences come from, and those of an open row."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from torch import Tensor

from visualiser.figures.open_row import Row
from visualiser.locale.message import Message, message
from visualiser.maps.facts import Facts, seeing
from visualiser.maps.kept import Kept
from visualiser.maps.sinks import SHARE
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.of_rows import averaged
from visualiser.reasons.table import Why, from_table


@dataclass(frozen=True)
class Shown:
    """A kept map and its facts."""

    kept: Kept
    known: Facts

    def of_rows(self, head: int) -> Tensor:
        """Return the entropies of a head's queries that see a key."""
        return self.kept.statistics.entropy[head, seeing(self.kept)].double()


def _of_head(pick: str) -> Why[Shown]:
    """Return the reason of the mean entropy of the head that has the least or the most."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        means = shown.known.entropy
        head = means.index(min(means) if pick == "least" else max(means))
        return averaged("entropy", means[head], shown.of_rows(head))

    return reason


def _of_heads(shown: Shown, sentence: Message) -> Reason:
    means = shown.known.entropy
    value = sum(means) / len(means)
    total = consistent_digits(value, lambda sum: sum / len(means), sum=sum(means))
    ends = {"least": min(means), "most": max(means)}
    return Reason("entropy", message("reason.made.heads", value=value, heads=len(means), **ends, **total))


def _effective(shown: Shown, sentence: Message) -> Reason:
    (entropy,) = shown.known.entropy
    value = math.exp(entropy)
    power = consistent_digits(value, lambda entropy: math.exp(entropy), entropy=entropy)
    return Reason("effective_of_mean", message("reason.made.effective_row", value=value, **power))


def _ceiling(shown: Shown, sentence: Message) -> Reason:
    ceilings = shown.kept.statistics.ceiling[:, seeing(shown.kept)].double().flatten()
    least, most = (round(math.exp(float(end))) for end in (ceilings.min(), ceilings.max()))
    if least == most:
        return Reason("ceiling", message("reason.made.logarithm", keys=most, value=shown.known.ceiling))
    count = len(ceilings)
    total = consistent_digits(shown.known.ceiling, lambda sum: sum / count, sum=shown.known.ceiling * count)
    ends = {"few": least, "many": most}
    return Reason("ceiling", message("reason.made.ceilings", value=shown.known.ceiling, rows=count, **ends, **total))


def _share(shown: Shown, sentence: Message) -> Reason:
    queries, value = int(seeing(shown.kept).sum()), float(sentence.facts["share"])
    weight = consistent_digits(value, lambda weight: 100 * weight / queries, weight=value / 100 * queries)
    return Reason("sink", message("reason.made.sink", value=value, queries=queries, least=round(100 * SHARE), **weight))


def _sinks(shown: Shown, sentence: Message) -> Reason:
    return Reason("sink", message("reason.made.sinks", percent=round(100 * SHARE)))


def _heads_counted(shown: Shown, sentence: Message) -> Reason:
    return Reason("h", message("reason.made.control", name="h"))


def _planted(shown: Shown, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.planted"))


def _times(shown: Shown, sentence: Message) -> Reason:
    return Reason("even_share", message("reason.made.even_share"))


def _repeated(shown: Shown, sentence: Message) -> Reason:
    tokens = len(shown.kept.tokens or ())
    return Reason("counted", message("reason.made.tokens", tokens=tokens))


_PHRASE: Final[Mapping[str, Why[Shown]]] = {"length": _planted, "starts": _planted, "times": _times}
_REPEATED: Final[Mapping[str, Why[Shown]]] = {"count": _repeated}

TABLE: Final[Mapping[str, Mapping[str, Why[Shown]]]] = {
    "insight.map_uniform": {"entropy": _of_heads},
    "insight.map_one_head": {"entropy": _of_head("least"), "effective": _effective, "ceiling": _ceiling},
    "insight.map_heads_alike": {"heads": _heads_counted, "entropy": _of_heads, "ceiling": _ceiling},
    "insight.map_heads": {"few": _of_head("least"), "many": _of_head("most"), "ceiling": _ceiling},
    "insight.map_sinks": {"count": _sinks, "least": _sinks, "share": _share},
    "insight.map_sink_share": {"share": _share},
    "short.insight.map_sink": {"share": _share},
    "insight.map_phrase": _PHRASE,
    "insight.map_phrase_pooled": _PHRASE,
    "insight.map_phrase_masked": _PHRASE,
    "insight.map_phrase_unseen": _PHRASE,
    "insight.map_repeated": _REPEATED,
    "insight.map_repeated_masked": _REPEATED,
    "insight.map_repeated_positions": _REPEATED,
}


def reasons(kept: Kept, known: Facts) -> How:
    """Return where the facts of the sentences about a map come from."""
    return from_table(TABLE, Shown(kept, known))


def _seconds(shown: None, sentence: Message) -> Reason:
    return Reason("seconds", message("reason.made.estimated"))


def _limit(shown: None, sentence: Message) -> Reason:
    return Reason("seconds", message("reason.made.map_limit", longest=sentence.facts["longest"]))


def _room(shown: None, sentence: Message) -> Reason:
    return Reason("n", message("reason.made.map_memory"))


def _tokens(shown: None, sentence: Message) -> Reason:
    return Reason("n", message("reason.made.control", name="n"))


def _line(shown: None, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.line"))


PLAN: Final[Mapping[str, Mapping[str, Why[None]]]] = {
    "map.plan": {"n": _tokens, "seconds": _seconds},
    "map.plan_limit": {"limit": _room},
    "map.plan_limit_time": {"limit": _limit, "longest": _limit},
    **{key: {"n": _room, "asked": _tokens} for key in ("map.cut_memory", "map.cut_first_memory")},
    **{key: {"n": _limit, "asked": _tokens, "longest": _limit} for key in ("map.cut_time", "map.cut_first_time")},
    "map.plan_before": {"before": _line, "at_once": _line},
}


def of_plan() -> How:
    """Return where the facts of the plan of a run come from."""
    return from_table(PLAN, None)


def of_row(row: Row, name: str) -> Reason:
    """Return the reason of a statistic of an open row."""
    allowed = ~np.isnan(row.scores)
    keys, value = int(allowed.sum()), row.statistics[name]
    if not keys:
        return Reason(name, message("reason.made.no_key"))
    below = row.scores[allowed].astype(np.float64)
    e = np.exp(below - below.max())
    p = e / e.sum()
    if name == "entropy":
        return Reason(name, message("reason.made.terms", keys=keys, value=value))
    if name == "ceiling":
        return Reason(name, message("reason.made.logarithm", keys=keys, value=value))
    if name == "effective_keys":
        power = consistent_digits(value, lambda entropy: math.exp(entropy), entropy=row.statistics["entropy"])
        return Reason(name, message("reason.made.effective_row", value=value, **power))
    if name == "largest_weight":
        under = consistent_digits(value, lambda sum: 1 / sum, sum=float(e.sum()))
        return Reason(name, message("reason.made.largest_row", value=value, **under))
    if name == "jacobian_norm" and p.max() < _NEARLY_ONE:
        two, three = float((p**2).sum()), float((p**3).sum())
        squares = consistent_digits(
            value, lambda two, three: math.sqrt(max(0.0, two - 2 * three + two**2)), two=two, three=three
        )
        return Reason(name, message("reason.made.norm_of_powers", value=value, **squares))
    return Reason(name, message("reason.made.terms", keys=keys, value=value))


_NEARLY_ONE: Final = 0.99
"""Of a larger weight the norm's terms nearly cancel."""
