"""The heads of a model, sorted by a measure or by what the chosen query gives the chosen key, and filtered."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core.learned import ModelRun, Score, window_of
from visualiser.drawing.distributions import ALIKE
from visualiser.figures.comparing import largest
from visualiser.figures.head_costs import COST
from visualiser.figures.patched_heads import PATCH
from visualiser.locale.message import Message, message

LAYER: Final = "layer"
"""The order of the model."""

WEIGHT: Final = "weight"
"""The order by the weight that the chosen query gives the chosen key."""

LEAST: Final = 0.05


@dataclass(frozen=True)
class SortRules:
    """Which heads a link shows, and in which order.

    sort   `LAYER`, `WEIGHT` or the name of a measure; the largest come first
    only   "all", "labelled", or "least": those with at least `least` of `sort`, of a measure with a chance above it
    """

    sort: str = LAYER
    only: str = "all"
    least: float = LEAST

    @classmethod
    def of_link(cls, own: Mapping[str, Any]) -> "SortRules":
        """Return the rules of a link's settings."""
        return cls(str(own["sort"]), str(own["only"]), float(own["least"]))

    @property
    def sorts(self) -> bool:
        """True unless the heads have the order of the model."""
        return self.sort != LAYER

    @property
    def finds(self) -> bool:
        """True if only heads with so much of what sorts them are shown."""
        return self.sorts and self.only == "least"


@dataclass(frozen=True, eq=False)
class SortedHeads:
    """All heads of a run with the values that sort them, and the places of those that are shown, in their order.

    heads   every head as (layer, head), from 1
    values  of each head, NaN for one without; empty in the order of the model
    scores  of each head the score behind its value; empty for what is no score, and in the order of the model
    places  in `heads`, of those that are shown: without a value last, equal ones in the order of the model
    """

    rules: SortRules
    heads: list[tuple[int, int]]
    values: NDArray[np.float64]
    scores: list[Score]
    places: list[int]

    @property
    def shown(self) -> list[tuple[int, int]]:
        """The heads that are shown, in their order."""
        return [self.heads[place] for place in self.places]

    @property
    def has_chance(self) -> bool:
        """True if what sorts the heads has a chance."""
        return any(math.isfinite(score.chance) for score in self.scores)

    @property
    def count(self) -> int:
        """How many of all heads have so much of what sorts them as is asked for."""
        return sum(self.rules.least <= self.above(place) for place in range(len(self.values)))

    @property
    def first(self) -> list[int]:
        """The places of all heads with the largest value of all; none if no head has one."""
        best = largest(self.values)
        if best is None:
            return []
        apart = ALIKE * abs(float(self.values[best]))
        return np.flatnonzero(self.values >= self.values[best] - apart).tolist()

    def above(self, place: int) -> float:
        """Return a head's value, less its chance if it has one."""
        chance = self.scores[place].chance if self.scores else math.nan
        return float(self.values[place]) - (chance if math.isfinite(chance) else 0.0)


def sorted_heads(
    rules: SortRules,
    heads: list[tuple[int, int]],
    values: NDArray[np.float64],
    scores: list[Score],
    labels: Mapping[tuple[int, int], Any],
) -> SortedHeads:
    """Sort the heads and leave out those that the rules do not show."""
    found = SortedHeads(rules, heads, values, scores, [])
    places = [
        place
        for place, at in enumerate(heads)
        if not (rules.only == "labelled" and not labels.get(at))
        and not (rules.finds and not rules.least <= found.above(place))
    ]
    if len(values):
        places.sort(key=lambda place: (bool(np.isnan(values[place])), -values[place], place))
    return SortedHeads(rules, heads, values, scores, places)


def weights_here(run: ModelRun, layer: int, query: int, key: int) -> NDArray[np.float64]:
    """Return the weight that each head of a run gives a key in the row of a query, both places in the layer's lines.

    NaN for a head whose mask forbids it, and for one of a layer that reads other lines than `layer`, from 1.
    """
    lines = run.between[layer - 1]
    found = [
        _of_layer(run, number, query, key)
        if run.between[number - 1] == lines
        else np.full(each.weights.shape[-3], np.nan)
        for number, each in enumerate(run.layers, 1)
    ]
    return np.concatenate(found)


def _of_layer(run: ModelRun, number: int, query: int, key: int) -> NDArray[np.float64]:
    window = window_of(run, number, query)
    part, row, column = window.layer, window.row, key
    none = np.full(part.weights.shape[-3], np.nan)
    if window.at is not None:
        there = (window.at == key).nonzero().flatten().tolist()
        if not there or int(window.at[row]) != query:  # another window, or a position that the model crops away
            return none
        column = there[0]
    if min(row, column) < 0 or row >= part.weights.shape[-2] or column >= part.weights.shape[-1]:
        return none
    return np.where(part.allowed[:, row, column].numpy(), part.weights[:, row, column].double().numpy(), none)


def said(found: SortedHeads, query: str, key: str, corpus: bool, chosen: tuple[int, int]) -> list[Message]:
    """Say what sorts the heads, which of all has most of it, and how many are shown; nothing for all in their order.

    `corpus` is True for measures over the corpus, and `chosen` the head that is large.
    """
    rules = found.rules
    sentences = [_sorted(found, query, key, corpus)] if rules.sorts else []
    if rules.only == "labelled":
        sentences.append(message("model.sorted.labelled", count=len(found.places), heads=len(found.heads)))
    if chosen not in found.shown:
        layer, head = chosen
        sentences.append(message("model.sorted.chosen_out", head=f"{layer}.{head}"))
    return sentences


def _sorted(found: SortedHeads, query: str, key: str, corpus: bool) -> Message:
    rules, first = found.rules, found.first
    facts: dict[str, Any] = {"heads": len(found.heads)}
    by_weight = rules.sort == WEIGHT
    if by_weight:
        facts |= {"query": query, "key": key}
    else:
        over = "corpus" if corpus and rules.sort not in (COST, PATCH) else "text"
        facts |= {"measure": measure(rules), "over": message(f"model.sorted.over.{over}")}
    if not first or (by_weight and not found.values[first[0]] > 0):
        return message(f"model.sorted.{'unread' if by_weight else 'unmeasured'}", **facts)
    layer, head = found.heads[first[0]]
    several = len(first) > 1
    facts["most"] = (
        message("model.sorted.alike", count=len(first))
        if several
        else message("model.sorted.head", head=f"{layer}.{head}")
    )
    facts["score"] = (
        message("model.sorted.score", value=float(found.values[first[0]])) if several else score(found, first[0])
    )
    if rules.finds:
        facts |= {"count": found.count, "least": rules.least}
    name = "weight" if by_weight else "measure"
    return message(f"model.sorted.{name}{_found(found)}", **facts)


def _found(found: SortedHeads) -> str:
    if not found.rules.finds:
        return ""
    return "_above" if found.has_chance else "_least"


def measure(rules: SortRules) -> Message:
    """Return the name of what sorts the heads."""
    return message("model.sorted.here" if rules.sort == WEIGHT else f"measure.{rules.sort}")


def score(found: SortedHeads, place: int) -> Message:
    """Say the value that sorts a head: of a score with its rows, and its chance if it has one."""
    facts: dict[str, Any] = {"value": float(found.values[place])}
    its = found.scores[place] if found.scores else None
    if its is None or not its.rows:
        return message("model.sorted.score", **facts)
    facts |= {"rows": its.rows, "of": its.of}
    if math.isfinite(its.chance):
        return message("model.sorted.score_chance", **facts, chance=its.chance)
    return message("model.sorted.score_rows", **facts)


def of_head(found: SortedHeads, place: int) -> Message:
    """Say by what and how much of it a head is sorted."""
    if math.isnan(found.values[place]):
        return message("model.sorted.no_value", measure=measure(found.rules))
    return message("model.sorted.of_head", measure=measure(found.rules), score=score(found, place))
