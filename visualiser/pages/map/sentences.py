"""The sentences about a map, from its facts alone: heads that choose, sinks, a repeated phrase or word."""

import math
from collections.abc import Sequence
from typing import Any, Final

from visualiser.drawing.labels import said
from visualiser.figures.mapped import largest_sink_sentence, mean, sink_sentences
from visualiser.locale import number
from visualiser.locale.message import Message, message, short
from visualiser.maps.facts import Facts, Spread
from visualiser.maps.phrase import Phrase

UNIFORM: Final = 1e-3
"""Nats below its ceiling up to which a row counts as uniform: its weights differ by a few per cent."""

ALIKE: Final = 0.02
"""Mean entropies of heads that differ by less than this share of the ceiling are not compared."""

DIAGONAL: Final = 2.0
"""The multiple of an even share from which the phrase's copies make a diagonal."""

_REPEATED: Final = {
    "weights": "insight.map_repeated",
    "scores": "insight.map_repeated_masked",
    "words": "insight.map_repeated_positions",
    "read": "insight.map_repeated_read",
}


def insight(known: Facts) -> list[Message]:
    """Give the gist of what the map shows, then all sentences."""
    full = in_full(known)
    return [_short(known, full[0]), *full]


def in_full(known: Facts) -> list[Message]:
    """Describe a few things: the heads that differ most, what a sink b takes, the sinks, a repeated phrase or word.

    If all weights are uniform, nothing else is to be seen.
    """
    if known.spread and known.spread.lost <= UNIFORM:
        key = "insight.map_uniform_sunk" if "sink_weight" in known.further else "insight.map_uniform"
        return [message(key, entropy=mean(known.spread.entropy))]
    found = [_heads(known.spread) if known.spread else _gates(known.further["mass"])]
    if "sink_weight" in known.further:
        found.append(_sunk(known.further["sink_weight"]))
    found += sink_sentences(known.sinks)
    if known.phrase:
        found.append(_phrase(known.phrase, known.pooled))
    if known.repeated:
        repeated = known.repeated
        found.append(message(_REPEATED[repeated.equal], token=said(repeated.token), count=repeated.count))
    return found


def _heads(known: Spread) -> Message:
    """Compare the heads by one measure, their mean entropy."""
    low, high = min(known.entropy), max(known.entropy)
    if len(known.entropy) == 1:
        return message("insight.map_one_head", entropy=low, effective=math.exp(low), ceiling=known.ceiling)
    apart = ALIKE * known.ceiling
    if high - low <= apart:
        facts = {"entropy": mean(known.entropy), "ceiling": known.ceiling}
        return message("insight.map_heads_alike", heads=len(known.entropy), **facts)
    narrow, wide = (_near(end, known.entropy, apart) for end in (low, high))
    return message("insight.map_heads", narrow=narrow, few=low, wide=wide, many=high, ceiling=known.ceiling)


def _near(end: float, values: Sequence[float], apart: float) -> list[int]:
    """Return the heads as near to the end as a third digit: they would read the same."""
    return [head for head, value in enumerate(values, 1) if abs(value - end) <= apart / 20]


def _gates(masses: Sequence[float]) -> Message:
    """Compare the heads by the sum of a query's gates."""
    low, high = min(masses), max(masses)
    if len(masses) == 1:
        return message("insight.map_gates_one", mass=low)
    apart = ALIKE * high
    if high - low <= apart:
        return message("insight.map_gates_alike", heads=len(masses), mass=mean(masses))
    narrow, wide = (_near(end, masses, apart) for end in (low, high))
    return message("insight.map_gates", narrow=narrow, low=low, wide=wide, high=high)


def _sunk(shares: Sequence[float]) -> Message:
    """Say what the sink b takes of a query's weight in the heads where it takes least and most."""
    low, high = min(shares), max(shares)
    if number(low) == number(high):
        return message("insight.map_sunk_one", sink=mean(shares))
    return message("insight.map_sunk", low=low, high=high)


def _short(known: Facts, first: Message) -> Message:
    """Return the gist: the largest sink if there is one, else the first sentence on all heads."""
    sinks = known.sinks if known.spread and known.spread.lost > UNIFORM else ()
    if len(sinks) > 1:
        return short(largest_sink_sentence(sinks))
    if sinks:
        head, share = sinks[0].most
        return message("short.insight.map_sink", key=sinks[0].key, head=head, share=100 * share)
    return short(first)


def _phrase(phrase: Phrase, pooled: bool) -> Message:
    """Name the places of the phrase, and the diagonals that are there."""
    planted: dict[str, Any] = {"length": phrase.length, "starts": list(phrase.starts)}
    if not phrase.met:
        return message("insight.map_phrase_masked", **planted)
    seen = {head: times for head, times in phrase.met if times >= DIAGONAL}
    if not seen:
        heads, times = zip(*phrase.met, strict=True)
        return message("insight.map_phrase_unseen", heads=list(heads), times=max(times), **planted)
    key = "insight.map_phrase_pooled" if pooled else "insight.map_phrase"
    return message(key, heads=list(seen), times=min(seen.values()), **planted)
