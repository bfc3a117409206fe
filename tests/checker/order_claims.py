"""What the page Model says of the order of heads and of those that are shown, held to the truth."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tests.checker import head_behaviour
from tests.checker.checking import Cell, Claim
from tests.checker.head_behaviour import LABELS
from tests.checker.model_truth import State, differing, same
from visualiser.locale.message import Message

_NEAR: Final = 1e-5
"""What float32 may leave of a number: one so near the least that is asked for passes, or does not."""


def values(state: State) -> dict[tuple[int, int], float]:
    """Return what sorts each head, by layer and head from 1; empty in the order of the model."""
    if state.sort == "weight":
        found = [np.where(one.allowed, one.weights, np.nan)[:, state.row, state.key] for one in state.layers]
    elif state.sort in state.measures:
        found = [*np.asarray(state.measures[state.sort])]
    else:
        return {}
    return {(layer, head): float(one) for layer, row in enumerate(found, 1) for head, one in enumerate(row, 1)}


def first(state: State) -> list[tuple[int, int]]:
    """Return the heads with the largest value, those that float32 cannot tell apart among them."""
    every = values(state)
    most = max((one for one in every.values() if math.isfinite(one)), default=math.nan)
    return [at for at, one in every.items() if one >= most - 1e-4 * abs(most) - 1e-7]


def _above(state: State, at: tuple[int, int], value: float) -> float:
    has_chance = state.sort in LABELS
    return value - replace(state, layer=at[0], head=at[1]).chance(state.sort) if has_chance else value


def passing(state: State) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the heads that a link has to show, and those that it may."""
    every = values(state)
    heads = [(layer, head) for layer, one in enumerate(state.layers, 1) for head in range(1, len(one.weights) + 1)]
    if state.only == "labelled":
        heads = [at for at in heads if at in head_behaviour.labels(state.model)]
    if state.only == "least" and every:
        above = {at: _above(state, at, every[at]) for at in heads}
        blur = _NEAR * (1 + abs(state.least))
        return tuple({at for at in heads if above[at] >= state.least + by} for by in (blur, -blur))  # type: ignore[return-value]
    return set(heads), set(heads)


def _sorted(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the first of all heads and how many have enough, by any key that may be the chosen one."""
    found = [[*_by_key(each, facts)] for each in (state.with_each_key() if state.sort == "weight" else [state])]
    yield from () if [] in found else found[0]


def _by_key(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    every, most = values(state), facts["most"]
    yield from differing(facts, **({"heads": len(every)} if "heads" in facts else {}))
    if "measure" in facts and facts["measure"].key != f"measure.{state.sort}":
        yield f"{state.sort} sorts them"
    if "over" in facts and facts["over"].key != f"model.sorted.over.{'text' if state.sort == 'cost' else state.over}":
        yield "the measure is taken over something else"
    yield from _named(state, facts)
    alike = first(state)
    if most.key == "model.sorted.head":
        at = tuple(map(int, most.facts["head"].split(".")))
        if at not in alike:
            yield f"{alike} have the most"
        yield from _score(replace(state, layer=at[0], head=at[1]), facts["score"], every[at])  # type: ignore[index]
    else:
        if not 2 <= most.facts["count"] <= len(alike):
            yield f"{len(alike)} heads are alike"
        yield from differing(facts["score"].facts, value=every[alike[0]])
    if ("count" in facts) != (state.only == "least"):
        yield "heads are left out, or are not"
    if "count" in facts:
        must, may = passing(state)
        if not len(must) <= facts["count"] <= len(may):
            yield f"{len(must)} to {len(may)} heads have it"
        if "least" in facts:
            yield from differing(facts, least=state.least)


def _score(state: State, said: Message, value: float) -> Iterator[str]:
    yield from differing(said.facts, value=value)
    scored = state.sort in head_behaviour.corpus_rows(state.model)
    if scored != ("rows" in said.facts) or (state.sort in LABELS) != ("chance" in said.facts):
        yield "its rows or its chance are not said"
    elif scored:
        rows, of = state.rows_of(state.sort)
        yield from differing(said.facts, rows=rows, of=of)
        if "chance" in said.facts:
            yield from differing(said.facts, chance=state.chance(state.sort))


def _named(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check what the query and the key are called: with their places, or in the gist by their tokens alone."""
    if "query" not in facts:
        return
    for name, at in (("query", state.row), ("key", state.key)):
        whole = state.token(at)
        if facts[name] not in (whole, whole.partition(" ")[2]):
            yield f"the {name} is {whole}"


def _unread(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _named(state, facts)
    every = values(state)
    yield from differing(facts, heads=len(every))
    if state.sort != "weight" or max((one for one in every.values() if math.isfinite(one)), default=0) > 1e-30:
        yield "a head reads it"


def _unmeasured(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    every = values(state)
    yield from differing(facts, heads=len(every))
    if not every or any(math.isfinite(one) for one in every.values()):
        yield "a head is measured"


def _shown(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    must, may = passing(state)
    yield from differing(facts, heads=sum(len(one.weights) for one in state.layers))
    if not len(must) <= facts["count"] <= len(may):
        yield f"{len(must)} to {len(may)} heads are shown"


def _left_out(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name)
    if (state.layer, state.head) in passing(state)[0]:
        yield "the chosen head is shown"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "model.sorted.weight": _sorted,
    "model.sorted.weight_least": _sorted,
    "model.sorted.measure": _sorted,
    "model.sorted.measure_above": _sorted,
    "model.sorted.measure_least": _sorted,
    "model.sorted.unread": _unread,
    "model.sorted.unmeasured": _unmeasured,
    "model.sorted.labelled": _shown,
    "model.sorted.chosen_out": _left_out,
    "brief.model_heads": _shown,
}


def together(state: State, keys: list[str]) -> Iterator[str]:
    """Check that the order is told once if there is one."""
    told = [key for key in keys if key.startswith("model.sorted.") and key in CLAIMS]
    told = [key for key in told if key not in ("model.sorted.labelled", "model.sorted.chosen_out")]
    if len(told) != bool(values(state)):
        yield f"of the order {told} is told"
    must, may = passing(state)
    said = "model.sorted.chosen_out" in keys
    if (state.layer, state.head) not in may and not said:
        yield "that the chosen head is left out is not told"
    if len(must) == len(may) and ("brief.model_heads" in keys) != (
        len(may) < sum(len(one.weights) for one in state.layers)
    ):
        yield "how many heads are shown is not told, or all are"


def line(state: State, asked: Cell) -> Iterator[str]:
    """Check that a line of the table of all heads is one of those shown, and not above a larger one."""
    heads = [*zip(*(_column(asked, name) for name in ("layer", "head")), strict=True)]
    must, may = passing(state)
    if not must <= {*heads} <= may:
        yield f"{heads} are listed"
    every = values(state)
    pair = [every.get(at, 0.0) for at in heads[asked.line : asked.line + 2]]
    if len(pair) == 2 and (
        pair[0] < pair[1] - 1e-4 * abs(pair[1]) - 1e-7 or (math.isnan(pair[0]) and not math.isnan(pair[1]))
    ):
        yield "a larger value comes later"
    if asked.column.label.startswith("weight ") and not same(
        float(asked.column.values[asked.line]), every[heads[asked.line]]
    ):
        yield f"its weight is {every[heads[asked.line]]}"


def _column(asked: Cell, label: str) -> list[int]:
    return [int(one) for one in next(one.values for one in asked.shown.columns if one.label == label)]
