"""The sentences about a map, from its facts alone: heads that choose, sinks, a repeated phrase or word."""

import math
from collections.abc import Sequence
from typing import Any, Final

from visualiser.locale.message import Message, message, short
from visualiser.pages.map.facts import Facts
from visualiser.pages.map.kept import Sink
from visualiser.pages.map.phrase import Phrase
from visualiser.pages.map.sinks import SHARE

UNIFORM: Final = 1e-3
"""Nats below its ceiling up to which a row counts as uniform: its weights differ by a few per cent."""

ALIKE: Final = 0.02
"""Mean entropies of heads that differ by less than this share of the ceiling are not compared."""

DIAGONAL: Final = 2.0
"""The multiple of an even share from which the phrase's copies make a diagonal."""

_MOST_SINKS: Final = 2
_REPEATED: Final = {
    "weights": "insight.map_repeated",
    "scores": "insight.map_repeated_masked",
    "words": "insight.map_repeated_positions",
}


def insight(known: Facts) -> list[Message]:
    """Give the gist of what the map shows, then all sentences."""
    said = in_full(known)
    return [_short(known, said[0]), *said]


def in_full(known: Facts) -> list[Message]:
    """Say one to three things: the heads that differ most, the sinks, a repeated phrase or word.

    If all weights are uniform, nothing else is to be seen.
    """
    if known.lost <= UNIFORM:
        return [message("insight.map_uniform", entropy=_mean(known.entropy))]
    found = [_heads(known), *_sinks(known.sinks)]
    if known.phrase:
        found.append(_phrase(known.phrase, known.pooled))
    if known.repeated:
        repeated = known.repeated
        found.append(message(_REPEATED[repeated.equal], token=repeated.token, count=repeated.count))
    return found


def of_map(known: Facts) -> list[Message]:
    """Describe the picture: its sizes, the mean entropy, and the sinks that are marked at its edge."""
    sizes = {"heads": len(known.entropy), "n_q": known.n_q, "n_k": known.n_k}
    squares = {"rows": known.rows, "columns": known.columns}
    return [message("table.map.summary", **sizes, **squares, entropy=_mean(known.entropy)), *_sinks(known.sinks)]


def of_strips(known: Facts) -> Message:
    """Describe the strips: the heads' mean entropies and the ceiling."""
    low, high = min(known.entropy), max(known.entropy)
    if len(known.entropy) == 1:
        return message("table.strips.summary_one", entropy=low, ceiling=known.most)
    return message("table.strips.summary", low=low, high=high, ceiling=known.most)


def _heads(known: Facts) -> Message:
    """Compare the heads by one measure, their mean entropy."""
    low, high = min(known.entropy), max(known.entropy)
    said: dict[str, Any] = {"ceiling": known.ceiling}
    if len(known.entropy) == 1:
        return message("insight.map_one_head", entropy=low, effective=math.exp(low), **said)
    apart = ALIKE * known.ceiling
    if high - low <= apart:
        return message("insight.map_heads_alike", heads=len(known.entropy), entropy=_mean(known.entropy), **said)
    # as near to the end as a third digit: they would read the same
    narrow, wide = (
        [head for head, entropy in enumerate(known.entropy, 1) if abs(entropy - end) <= apart / 20]
        for end in (low, high)
    )
    return message("insight.map_heads", narrow=narrow, few=low, wide=wide, many=high, **said)


def _short(known: Facts, first: Message) -> Message:
    """Return the gist: the largest sink if there is one, else what the first sentence says of all heads."""
    sinks = known.sinks if known.lost > UNIFORM else ()
    if len(sinks) > 1:
        return short(_largest_sink(sinks))
    if sinks:
        head, share = sinks[0].most
        return message("short.insight.map_sink", key=sinks[0].key, head=head, share=100 * share)
    return short(first)


def _largest_sink(sinks: Sequence[Sink]) -> Message:
    head, share = sinks[0].most
    largest = {"key": sinks[0].key, "head": head, "share": 100 * share}
    return message("insight.map_sinks", count=len(sinks), least=round(100 * SHARE), **largest)


def _sinks(sinks: Sequence[Sink]) -> list[Message]:
    """Name every sink with its heads; of more than a few, their number and the largest."""
    if len(sinks) > _MOST_SINKS:
        return [_largest_sink(sinks)]
    return [
        message(
            "insight.map_sink",
            key=sink.key,
            shares=[message("insight.map_sink_share", head=head, share=100 * share) for head, share in sink.shares],
        )
        for sink in sinks
    ]


def _phrase(phrase: Phrase, pooled: bool) -> Message:
    """Tell where the phrase stands, and the diagonals that are there."""
    planted: dict[str, Any] = {"length": phrase.length, "starts": list(phrase.starts)}
    if not phrase.met:
        return message("insight.map_phrase_masked", **planted)
    seen = {head: times for head, times in phrase.met if times >= DIAGONAL}
    if not seen:
        heads, times = zip(*phrase.met, strict=True)
        return message("insight.map_phrase_unseen", heads=list(heads), times=max(times), **planted)
    key = "insight.map_phrase_pooled" if pooled else "insight.map_phrase"
    return message(key, heads=list(seen), times=min(seen.values()), **planted)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
