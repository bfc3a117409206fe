"""What is claimed of one row, below Explore's figures and beside their titles."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import torch

from tests.checker.checking import Claim, near
from tests.checker.explore_truth import State, by_the_footnote, factor, means, off, scores
from tests.checker.other_rows import OtherRows


def _nothing(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from ()


def _position(written: Any) -> int:
    found = re.match(r"\d+", str(written))
    assert found
    return int(found[0])


def _row(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the sentence of one row: its place, its numbers, and that no other key has as much."""
    yield from _place(state, facts)
    weights = state.rows.weights[state.head, state.row]
    numbers = {name: float(getattr(state.rows, name)[state.head, state.row]) for name in ("entropy", "effective")}
    yield from off(facts, **numbers, ceiling=float(state.rows.ceiling[state.row]))
    yield from off(facts, keys=int(state.rows.keys[state.row]), weight=float(weights.max()))
    if "key" in facts:
        key = _position(facts["key"])
        if not near(weights[key], weights.max(), 4):
            yield f"key {int(weights.argmax())} gets the most"
        seen = np.broadcast_to(state.rows.allowed[state.row], weights.shape)
        others = np.delete(weights, key)[np.delete(seen, key)]
        if len(others) and others.max() >= weights.max() * (1 - 1e-6):
            yield "another key gets as much"
    if "count" in facts:
        alike = weights >= weights.max() * (1 - 1e-3)
        if int((weights >= weights.max() * (1 - 1e-6)).sum()) > facts["count"] or alike.sum() < facts["count"]:
            yield f"{alike.sum()} keys share the largest weight"


def _in_one_row(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, effective=float(state.rows.effective[state.head, state.row]))


def _row_one(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _place(state, facts)
    if state.rows.keys[state.row] != 1 or not state.rows.allowed[state.row, _position(facts["key"])]:
        yield "it sees other keys"


def _row_masked(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _place(state, facts)
    if state.rows.keys[state.row]:
        yield "it sees keys"


def _place(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, head=state.head + 1)
    if _position(facts["query"]) != state.row:
        yield f"the row is {state.row}"
    for name in ("query", "key"):
        position = str(facts.get(name, ""))
        if state.tokens and "“" in position and f"“{state.tokens[_position(position)]}”" not in position:
            yield f"another token stands at {position}"


def _jacobian(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if "query" in facts:
        yield from _place(state, facts)
    yield from off(facts, norm=float(state.rows.norm[state.head, state.row]))
    yield from off(facts, trace=float(state.rows.trace[state.head, state.row]))


def _heat_maps(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    h, n_q, n_k = state.rows.scores.shape
    yield from off(facts, heads=len(range(h)[state.heads]), n_q=n_q, n_k=n_k)
    yield from off(facts, largest=state.mean("largest", True))
    yield from off(facts, **{name: state.mean(name, True) for name in ("entropy", "mass") if name in facts})


def _norms(projects: bool) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        if state.view.stage != "norms" or state.projects != projects:
            yield "the maps show something else"

    return claim


def _histogram(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from scores(state, facts)
    if isinstance(state.rows, OtherRows):
        logs = np.where(state.rows.allowed, state.rows.logs, -np.inf)
        with np.errstate(invalid="ignore"):
            below = (logs - logs.max(-1, keepdims=True))[:, state.rows.allowed]
        blur = 3e-4 + 1e-6 * float(np.abs(state.rows.every_score).max(initial=0.0))  # of float32
        if state.config.normalisation == "entmax" and state.config.dtype != "float32":
            # the root of a faint weight is a tenth of the largest's, less a threshold that the format has rounded
            blur += 80 * float(torch.finfo(getattr(torch, state.config.dtype)).eps)
        least, most = ((100 * (below < -math.log(100) + off)).mean() for off in (-blur, blur))
    else:
        masked = np.where(state.rows.allowed, state.rows.scores, -np.inf)
        with np.errstate(invalid="ignore"):
            far = (masked - masked.max(-1, keepdims=True))[:, state.rows.allowed]
        least, most = ((100 * (far < -math.log(100) + off)).mean() for off in (-1e-4, 1e-4))
    if "share" in facts and not (least * 0.99 <= facts["share"] <= most * 1.01):
        yield f"{least} to {most} % of the scores lie so far below"
    if "predicted" in facts:
        yield from off(facts, predicted=state.config.d_k * factor(state.config) ** 2)
        if not by_the_footnote(state):
            yield "footnote 4 says nothing about these components"


def _gradient_other(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from means(state, facts)
    if not isinstance(state.rows, OtherRows):
        yield "the softmax's own Jacobian"


def _incomplete_row(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _place(state, facts)
    at = state.head, state.row
    rows = state.rows
    assert isinstance(rows, OtherRows)
    true = {"weight": float(rows.largest[at])}
    true |= {"mass": float(rows.mass[at])} if "mass" in facts else {}
    if "sink" in facts:
        true |= {"sink": float(rows.sunk[at]), "entropy": float(rows.entropy[at])}
        true["ceiling"] = float(rows.ceiling[state.row])
    yield from off(facts, **true)
    if not near(rows.weights[(*at, _position(facts["key"]))], true["weight"], 4):
        yield "another key has more"


def _row_mass(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    assert isinstance(state.rows, OtherRows)
    yield from off(facts, mass=float(state.rows.mass[state.head, state.row]))


def _no_entropy(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.config.normalisation != "sigmoid":
        yield "the rows have an entropy"


def _further(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    name = facts["name"].facts["name"].key.removeprefix("statistic.")
    of = "sunk" if name == "sink_weight" else name
    yield from off(facts, value=state.mean(of))


def _gradient(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from means(state, facts)
    yield from off(facts, most=float(1 - 1 / state.rows.keys.max()))
    if (state.rows.norm > 0.5 + 1e-9).any() or (state.rows.trace > facts.get("most", 1) + 1e-6).any():
        yield "a row lies above the stated maximum"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "insight.row": _row,
    "insight.row_tied": _row,
    "insight.row_one_key": _row_one,
    "insight.row_masked": _row_masked,
    "table.heat_maps.summary": _heat_maps,
    "table.heat_maps.norms": _norms(projects=True),
    "table.heat_maps.norms_of_values": _norms(projects=False),
    "table.score_distribution.summary": _histogram,
    "table.score_distribution.summary_predicted": _histogram,
    "table.score_distribution.summary_normed": _histogram,
    "table.entropy.summary": means,
    "table.entropy.none": _no_entropy,
    "statistic.said": _further,
    "statistic.in.1": _nothing,
    "statistic.in.keys": _nothing,
    "statistic.sink_weight": _nothing,
    "statistic.mass": _nothing,
    "statistic.support": _nothing,
    "insight.row_sink": _incomplete_row,
    "insight.row_gates": _incomplete_row,
    "table.row_weights.gates": _incomplete_row,
    "table.gradient.other": _gradient_other,
    "table.heat_maps.gates": _heat_maps,
    "brief.mass": means,
    "brief.row_mass": _row_mass,
    "table.gradient.summary": _gradient,
    "table.row_weights.summary": _row,
    "table.row_weights.tied": _row,
    "table.row_weights.masked": _row_masked,
    "table.jacobian.summary": _jacobian,
    "brief.score_distribution": scores,
    "brief.entropy": means,
    "brief.gradient": means,
    "brief.row_weights": _in_one_row,
    "brief.jacobian": _jacobian,
}
