"""What the page Model claims of a complete set in a model of a folder, held to the sets of both runs."""

import math
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core.learned import Said
from tests.checker import complete_sets
from tests.checker.checking import Claim, near
from tests.checker.folder_truth import State
from tests.checker.learned import Numbers
from visualiser.drawing.labels import label
from visualiser.locale import number

LEAST: Final = 5e-4


def _named(state: State, name: str) -> list[int]:
    """Return the outcomes that a sentence may mean by a name."""
    then, _, places = state.outcomes
    said = state.shown.saying
    assert said is not None
    if not isinstance(said.after, Said):
        return [at for pair in name.removesuffix(", …").split(", ") for at in places.get(pair, [])]
    return [at for at in range(len(then)) if _called(said.after.name(at)) == name]


def _called(token: str) -> str:
    return unescape(label(token))


def _largest(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    now = state.outcomes[1]
    yield from complete_sets.largest(now, _named(state, facts["name"]), facts["now"])
    if state.of_sentences:
        yield from _every_one(state, facts["name"], now >= now.max() - _ALIKE, now >= now.max() - complete_sets.NEAR)


def _changed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    before, now, _ = state.outcomes
    yield from complete_sets.changed(before, now, _named(state, facts["name"]), facts)
    if state.of_sentences:
        first = _named(state, facts["name"])[0]
        apart = np.maximum(abs(before - before[first]), abs(now - now[first]))
        yield from _every_one(state, facts["name"], apart < _ALIKE, apart < complete_sets.NEAR)


_ALIKE: Final = 2e-7
"""Cosines of the same sentences differ by less."""


def _every_one(state: State, name: str, must: NDArray[np.bool_], may: NDArray[np.bool_]) -> Iterator[str]:
    """Check that of pairs which are alike none is named alone: two sentences may stand in a text several times."""
    named = _named(state, name)
    open_end = name.endswith(", …")
    if not may[named].all() or (not open_end and not set(np.flatnonzero(must)) <= set(named)):
        yield f"as large are the pairs {np.flatnonzero(must)}"
    if open_end and may.sum() <= len(named):
        yield "there are no more"


def _unseen(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.unseen(*state.outcomes[:2], facts["apart"], facts["now"])


def _same(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.same(*state.outcomes[:2])


def _text(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    then, now = state.text_logs
    for name, true in (("before", then), ("now", now), ("apart", abs(now - then))):
        if name in facts and not near(facts[name], true) and abs(facts[name] - true) > 1e-4:
            yield f"{name} is {true}"
    if "before" in facts and number(facts["before"]) == number(facts["now"]):
        yield "no digit shows a change"
    if "before" not in facts and "apart" not in facts and abs(now - then) > 1e-4:
        yield f"it was {then}"


def _entropies(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.changed(*state.entropies, [facts["layer"] - 1], facts)


def _entropies_unseen(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.unseen(*state.entropies, facts["apart"], facts["now"])


def _entropies_same(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.same(*state.entropies)


def _entropies_left_out(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = [int(at) + 1 for at in np.flatnonzero(np.isnan(state.entropies[0]))]
    if [one.facts["layer"] for one in facts["layers"]] != true:
        yield f"the layers {true} are not measured"


def _entropies_none(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if not np.isnan(state.entropies[0]).all():
        yield "a layer is measured"


def _moves(state: State) -> tuple[Numbers, Numbers]:
    found = np.array([*state.moved.values()])
    return np.zeros_like(found), found


def _moved(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    names = [f"{layer}.{head}" for layer, head in state.moved]
    if facts["head"] not in names:
        yield f"the heads are {names}"
        return
    yield from complete_sets.largest(_moves(state)[1], [names.index(facts["head"])], facts["share"])
    if facts["share"] < LEAST:
        yield "that is not seen"


def _unmoved(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.unseen(*_moves(state), facts["share"], 0.0, LEAST)


def _still(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.same(*_moves(state))


def _of(claim: Claim[State], of_all: bool) -> Claim[State]:
    def claimed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from claim(state, facts)
        if (state.touched == {*state.heads}) != of_all:
            yield "every head has a change of its own, or one has none"

    return claimed


def unknown(state: State) -> dict[str, list[tuple[int, int]]]:
    """Return the heads whose move is not measured: those without weights in a run, and those without shares."""
    heads = [at for at, share in state.moved.items() if math.isnan(share)]
    silent = [
        (layer, head)
        for layer, head in heads
        if any(
            head - 1 in run.layers[layer - 1].unnormalised and not run.layers[layer - 1].weights[head - 1].any()
            for run in state.runs
        )
    ]
    return {"says.silent": silent, "says.unmeasured": [at for at in heads if at not in silent]}


def _not_measured(key: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        named: list[tuple[int, int]] = []
        for one in facts["heads"]:
            if one.key == "says.heads_of_layer":
                named += [at for at in state.heads if at[0] == one.facts["layer"]]
            else:
                layer, head = map(int, one.facts["head"].split("."))
                named.append((layer, head))
        if sorted(named) != sorted(unknown(state)[key]):
            yield f"not measured are {unknown(state)[key]}"

    return claim


def _costs(state: State) -> dict[str, float]:
    found = state.shown.costs
    assert found is not None
    return {
        f"{layer + 1}.{head + 1}": nats
        for (layer, head), nats in zip(found.found.heads, found.found.nats.tolist(), strict=True)
    }


def _costliest(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    costs = _costs(state)
    if costs[facts["head"]] < max(costs.values()) or facts["nats"] != costs[facts["head"]] or facts["nats"] < LEAST:
        yield f"the costs are {costs}"


def _gains(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    costs = _costs(state)
    if costs[facts["head"]] > min(costs.values()) or facts["gained"] != -costs[facts["head"]]:
        yield f"the costs are {costs}"
    if max(costs.values()) >= LEAST:
        yield "a head costs something"


def _costless(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    most = max(map(abs, _costs(state).values()))
    if most >= LEAST or facts["most"] != most:
        yield f"the costs are {_costs(state)}"


def _all_alike(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if any(_costs(state).values()):
        yield f"the costs are {_costs(state)}"


def _best(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    found = state.shown.curve
    assert found is not None
    logs = dict(zip(found.times.tolist(), found.logs.tolist(), strict=True))
    if logs[facts["times"]] < max(logs.values()) or facts.get("count", len(logs)) != len(logs):
        yield f"ln p is {logs}"


def _best_at(end: bool) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from _best(state, facts)
        assert state.shown.curve is not None
        if (facts["times"] in (state.shown.curve.times[0], state.shown.curve.times[-1])) != end:
            yield "the range ends there, or goes on"

    return claim


def _flat(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    assert state.shown.curve is not None
    logs = state.shown.curve.logs
    if ("apart" in facts) != (logs.max() > logs.min()) or (
        number(float(logs.max())) != number(float(logs.min())) and logs.max() - logs.min() > 1e-5 * abs(logs.max())
    ):
        yield f"ln p is {logs}"


def _read(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check which key is read most, or that several are alike."""
    shown = state.shown
    row = shown.weights[shown.row].astype(np.float64)[shown.allowed[shown.row]]
    alike = int((row >= row.max() * (1 - 1e-5)).sum())
    if not near(facts["weight"], float(row.max())):
        yield f"the largest weight is {row.max()}"
    if facts.get("count", 1) != alike:
        yield f"{alike} keys have the largest weight"
    if isinstance(facts.get("key"), int) and shown.weights[shown.row, facts["key"]] < row.max():
        yield "another key has more"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "table.model_says.summary": _largest,
    "table.model_says.likeness": _largest,
    "says.changed": _changed,
    "says.likeness": _changed,
    "says.unseen": _unseen,
    "says.unseen_likeness": _unseen,
    "says.same": _same,
    "says.same_likeness": _same,
    "brief.model_says.text": _text,
    "brief.model_says.changed": _text,
    "brief.model_says.unseen": _text,
    "brief.model_says.same": _text,
    "says.moved": _of(_moved, of_all=False),
    "says.moved_any": _of(_moved, of_all=True),
    "says.unmoved": _of(_unmoved, of_all=False),
    "says.unmoved_any": _of(_unmoved, of_all=True),
    "says.still": _of(_still, of_all=False),
    "says.still_any": _of(_still, of_all=True),
    "says.unmeasured": _not_measured("says.unmeasured"),
    "says.silent": _not_measured("says.silent"),
    "table.layer_entropies.summary": _entropies,
    "table.layer_entropies.unseen": _entropies_unseen,
    "table.layer_entropies.same": _entropies_same,
    "table.layer_entropies.left_out": _entropies_left_out,
    "table.layer_entropies.none": _entropies_none,
    "table.factor_curve.summary": _best_at(end=False),
    "table.factor_curve.end": _best_at(end=True),
    "table.factor_curve.same": _flat,
    "table.factor_curve.unseen": _flat,
    "brief.factor_curve": _best,
    "muting.most": _costliest,
    "muting.most_kl": _costliest,
    "muting.gains": _gains,
    "muting.none": _costless,
    "muting.none_kl": _costless,
    "muting.same": _all_alike,
    "model.reads": _read,
    "model.reads_tied": _read,
    "model.reads_sink": _read,
    "model.reads_sink_tied": _read,
    "table.head_map.summary": _read,
    "table.head_map.tied": _read,
    "table.head_row.summary": _read,
    "table.head_row.tied": _read,
}
"""Of sentences that compare: what else is said of a model is checked by the page Model's own checker."""
