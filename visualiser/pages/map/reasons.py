"""Where the numbers of the Map page's sentences come from, and those of an open row."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from torch import Tensor

from visualiser.drawing.weighed import is_plain
from visualiser.figures.open_row import Row
from visualiser.locale.message import Message, message
from visualiser.maps.facts import Facts, Spread, of_seeing, seeing
from visualiser.maps.geometry import keys
from visualiser.maps.kept import Kept
from visualiser.maps.sinks import SHARE
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_row import of_other_weights
from visualiser.reasons.of_rows import averaged, ceiling_of, mean_of_ceilings
from visualiser.reasons.table import Why, from_table


@dataclass(frozen=True)
class Shown:
    """A kept map and its facts."""

    kept: Kept
    known: Facts

    def of_rows(self, name: str, head: int) -> Tensor:
        """Return a statistic of a head's queries that see a key."""
        return of_seeing(self.kept, name)[head]

    def means(self, name: str) -> Sequence[float]:
        """Return a statistic's mean by head."""
        return self.spread.entropy if name == "entropy" else self.known.further[name]

    @property
    def spread(self) -> Spread:
        """The entropies, of which a sentence spoke."""
        assert self.known.spread is not None
        return self.known.spread

    def kind(self, name: str) -> str:
        """Return the kind of a statistic of the map's weights."""
        return kind_of(self.kept.config, name)


def _of_head(pick: str, name: str = "entropy") -> Why[Shown]:
    """Return the reason of the mean of a statistic in the head that has the least or the most."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        means = shown.means(name)
        head = means.index(min(means) if pick == "least" else max(means))
        return averaged(shown.kind(name), means[head], shown.of_rows(name, head))

    return reason


def _of_heads(name: str = "entropy") -> Why[Shown]:
    """Return the reason of the mean of a statistic over all heads."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        means = shown.means(name)
        value = sum(means) / len(means)
        total = consistent_digits(value, lambda sum: sum / len(means), sum=sum(means))
        ends = {"least": min(means), "most": max(means)}
        made = message("reason.made.heads", value=value, heads=len(means), **ends, **total)
        return Reason(shown.kind(name), made)

    return reason


def _effective(shown: Shown, sentence: Message) -> Reason:
    (entropy,) = shown.spread.entropy
    value = math.exp(entropy)
    power = consistent_digits(value, lambda entropy: math.exp(entropy), entropy=entropy)
    return Reason("effective_of_mean", message("reason.made.effective_row", value=value, **power))


def _ceiling(shown: Shown, sentence: Message) -> Reason:
    (h, n_q, _), n_k = shown.kept.Q.shape, shown.kept.K.shape[1]
    counts = keys(shown.kept.config, n_q, n_k)[seeing(shown.kept)]
    return mean_of_ceilings(shown.kept.config, counts.expand(h, -1).flatten(), shown.spread.ceiling)


def _share(shown: Shown, sentence: Message) -> Reason:
    queries, value = int(seeing(shown.kept).sum()), float(sentence.facts["share"])
    weight = consistent_digits(value, lambda weight: 100 * weight / queries, weight=value / 100 * queries)
    return Reason("sink", message("reason.made.sink", value=value, queries=queries, least=round(100 * SHARE), **weight))


def _sinks(shown: Shown, sentence: Message) -> Reason:
    return Reason("sink", message("reason.made.sinks", percent=round(100 * SHARE)))


def _heads_counted(shown: Shown, sentence: Message) -> Reason:
    config = shown.kept.config
    if config.source == "model":
        given = {"model": config.model, "layer": config.layer, "value": shown.known.heads}
        return Reason("h", message("reason.made.of_model", **given))
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
    "insight.map_uniform": {"entropy": _of_heads()},
    "insight.map_uniform_sunk": {"entropy": _of_heads()},
    "insight.map_one_head": {"entropy": _of_head("least"), "effective": _effective, "ceiling": _ceiling},
    "insight.map_heads_alike": {"heads": _heads_counted, "entropy": _of_heads(), "ceiling": _ceiling},
    "insight.map_heads": {"few": _of_head("least"), "many": _of_head("most"), "ceiling": _ceiling},
    "insight.map_gates": {"low": _of_head("least", "mass"), "high": _of_head("most", "mass")},
    "insight.map_gates_one": {"mass": _of_head("least", "mass")},
    "insight.map_gates_alike": {"heads": _heads_counted, "mass": _of_heads("mass")},
    "insight.map_sunk": {"low": _of_head("least", "sink_weight"), "high": _of_head("most", "sink_weight")},
    "insight.map_sunk_one": {"sink": _of_heads("sink_weight")},
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
    "insight.map_repeated_read": _REPEATED,
}


def reasons(kept: Kept, known: Facts) -> How:
    """Return where the facts of the sentences about a map come from."""
    return from_table(TABLE, Shown(kept, known))


def _seconds(source: str, sentence: Message) -> Reason:
    return Reason("seconds", message("reason.made.estimated"))


def _limit(source: str, sentence: Message) -> Reason:
    return Reason("seconds", message("reason.made.map_limit", longest=sentence.facts["longest"]))


def _room(source: str, sentence: Message) -> Reason:
    return Reason("n", message("reason.made.map_memory"))


def _tokens(source: str, sentence: Message) -> Reason:
    """Say what decides the number of tokens: the text, the file or the control."""
    if source in ("text", "model"):
        return Reason("n", message("reason.made.text"))
    return Reason("n", message("reason.made.control", name="n"))


def _line(source: str, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.line"))


PLAN: Final[Mapping[str, Mapping[str, Why[str]]]] = {
    "map.plan": {"n": _tokens, "seconds": _seconds},
    "map.plan_limit": {"limit": _room},
    "map.plan_limit_time": {"limit": _limit, "longest": _limit},
    **{key: {"n": _room, "asked": _tokens} for key in ("map.cut_memory", "map.cut_first_memory")},
    **{key: {"n": _limit, "asked": _tokens, "longest": _limit} for key in ("map.cut_time", "map.cut_first_time")},
    "map.plan_before": {"before": _line, "at_once": _line},
}


def of_plan(source: str) -> How:
    """Return where the facts of the plan of a run over a sequence from this source come from."""
    return from_table(PLAN, source)


def of_row(row: Row, name: str) -> Reason:
    """Return the reason of a statistic of an open row."""
    config, allowed = row.config, ~np.isnan(row.scores)
    count, value = int(allowed.sum()), row.statistics[name]
    if not count:
        return Reason(kind_of(config, name), message("reason.made.no_key"))
    if name == "ceiling":
        return ceiling_of(config, count, value)
    if name == "effective_keys":
        power = consistent_digits(value, lambda entropy: math.exp(entropy), entropy=row.statistics["entropy"])
        return Reason(name, message("reason.made.effective_row", value=value, **power))
    if not is_plain(config):
        return of_other_weights(config, name, row.scores, int(row.top[0]), count, value)
    below = row.scores[allowed].astype(np.float64)
    e = np.exp(below - below.max())
    p = e / e.sum()
    if name == "entropy":
        return Reason(name, message("reason.made.terms", keys=count, value=value))
    if name == "largest_weight":
        under = consistent_digits(value, lambda sum: 1 / sum, sum=float(e.sum()))
        return Reason(name, message("reason.made.largest_row", value=value, **under))
    if name == "jacobian_norm" and p.max() < _NEARLY_ONE:
        two, three = float((p**2).sum()), float((p**3).sum())
        squares = consistent_digits(
            value, lambda two, three: math.sqrt(max(0.0, two - 2 * three + two**2)), two=two, three=three
        )
        return Reason(name, message("reason.made.norm_of_powers", value=value, **squares))
    return Reason(name, message("reason.made.terms", keys=count, value=value))


_NEARLY_ONE: Final = 0.99
"""Of a larger weight the norm's terms nearly cancel."""
