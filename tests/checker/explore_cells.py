"""What the arithmetic behind the numbers of Explore's tables claims, recomputed from the scores alone."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tests.checker import explore_reasons
from tests.checker.checking import Cell
from tests.checker.explore_reasons import base
from tests.checker.explore_truth import LOST, State, alike, factor, state_of
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import MadeRows, Numbers, to_format
from visualiser.locale import text
from visualiser.locale.message import message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason

_NAMES: Final = {
    "entropy": "entropy",
    "effective_keys": "effective",
    "jacobian_norm": "norm",
    "jacobian_trace": "trace",
    "largest_weight": "largest",
    "sink_weight": "sunk",
    "mass": "mass",
    "support": "support",
}
_OF_A_ROW: Final = (
    *("entropy_row", "effective_row", "largest_row", "norm_row", "underflow", "cut", "no_key"),
    *("norm_cells", "support", "terms_sink", "sink_weight", "format_sink"),
)


def cell(state: State, asked: Cell) -> Iterator[str]:
    """Yield what is false in the terms of the arithmetic of a number of a table."""
    key = asked.made.key.removeprefix("reason.made.")
    if asked.column.label == text("en", "table.entropy_a"):
        state = _pinned(state)
    if key in _OF_A_ROW and base(asked.column.kind) != "weight":
        locked = replace(state, view=replace(state.view, head=asked.line + 1))
        yield from explore_reasons.reason(locked, message("table.head"), "", Reason(asked.column.kind, asked.made))
        return
    if key == "no_key":  # of a sink's weight in a row without keys
        if state.rows.keys.all():
            yield "every row has a key"
        return
    if key in _PLAIN:
        return
    check = _TERMS.get(key)
    if check is None:
        yield f"nobody checks {key}"
        return
    for term, true in check(state, asked).items():
        claimed = asked.made.facts[term]
        shown = parse_number(claimed) if isinstance(claimed, str) else float(claimed)
        if not (alike(shown, float(true)) or abs(shown - true) < max(LOST, 1e-5)):
            yield f"{term} is {true!r}"


def _rows(state: State, asked: Cell) -> Numbers:
    values = getattr(state.rows, _NAMES[base(asked.column.kind)])[asked.line]
    if isinstance(state.rows, MadeRows):
        return np.sort(values[state.rows.sound[asked.line]])
    return np.sort(values[state.rows.open])


def _mean(state: State, asked: Cell) -> dict[str, float]:
    rows = _rows(state, asked)
    return {"sum": rows.sum(), "rows": rows.size, "least": rows[0], "most": rows[-1]}


def _ranked(state: State, asked: Cell) -> dict[str, float]:
    rows = _rows(state, asked)
    return {"rows": rows.size, "value": float(rows[asked.made.facts["rank"] - 1])}


def _between(state: State, asked: Cell) -> dict[str, float]:
    rows, rank = _rows(state, asked), asked.made.facts["rank"]
    return {"rows": rows.size, "next": rank + 1, "low": float(rows[rank - 1]), "high": float(rows[rank])}


def _scores(state: State, asked: Cell) -> Numbers:
    scores = state.rows.scores[asked.line][state.rows.allowed]
    return scores[np.isfinite(scores)]


def _score_mean(state: State, asked: Cell) -> dict[str, float]:
    scores, total = _scores(state, asked), parse_number(asked.made.facts["sum"])
    blur = 1e-5 * float(np.abs(scores).max(initial=0)) * scores.size  # float32 adds up a mean to so many digits
    return {"count": max(1, scores.size), "sum": total if abs(total - scores.sum()) <= blur else scores.sum()}


def _score_variance(state: State, asked: Cell) -> dict[str, float]:
    scores, total = _scores(state, asked), parse_number(asked.made.facts["sum"])
    if not scores.size:
        return {"count": 1}
    true = ((scores - scores.mean()) ** 2).sum()
    blur = (1e-5 * float(np.abs(scores).max())) ** 2 * scores.size
    return {"count": scores.size, "sum": total if abs(total - true) <= blur else true}


def _place(state: State, asked: Cell) -> tuple[int, int, int]:
    """Return head, row and key of a cell, each from 0."""
    if asked.shown.columns[0].label == "head":
        return asked.line, int(asked.beside("at query")), int(asked.beside("at key"))
    return state.head, state.row, asked.line


def _weight(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    scores = state.rows.treated[head, row] if isinstance(state.rows, OtherRows) else state.rows.scores[head, row]
    most = scores[state.rows.allowed[row]].max()
    total = np.exp(scores[state.rows.allowed[row]] - most).sum()
    return {"below": scores[key] - most, "sum": total, "score": scores[key], "most": most}


def _lost(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    if key == state.rows.scores.shape[2]:
        return {"true": _other(state).sunk[head, row]}
    return {"true": state.rows.weights[head, row, key]}


def _format_row(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    e = state.made.powers[head, row][key]
    return {"e": e} if math.isfinite(e) else {}


def _format_sink(state: State, asked: Cell) -> dict[str, float]:
    assert asked.beside("key") == "sink"
    return {"value": float(_other(state).sunk[state.head, state.row])}


def _format_other(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    return explore_reasons.format_terms(replace(state, view=replace(state.view, head=head + 1, row=row)), key)


def _scaled(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    by = factor(state.config)
    product = float(state.Q[head, row] @ state.K[head, key])
    return {"factor": by, "product": product if by else parse_number(asked.made.facts["product"])}


def _product(state: State, asked: Cell) -> dict[str, float]:
    return {"d_k": state.Q.shape[2]}


def _format_score(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    product = to_format(np.array([state.Q[head, row] @ state.K[head, key]]), state.config.dtype)[0]
    claimed = float(asked.made.facts["product"])
    close = not math.isfinite(product) or abs(claimed - product) <= 0.01 * max(1.0, abs(product))
    return {"factor": factor(state.config), **({} if close else {"product": product})}


def _response(state: State, asked: Cell) -> dict[str, float]:
    weights = state.rows.weights[state.head, state.row]
    others = np.delete(weights, asked.line)
    true = {"weight": weights[asked.line]}
    if weights[asked.line] < 1e-30:
        return true
    return {**true, **({"rest": others.sum()} if "rest" in asked.made.facts else {"other": others.max(initial=0.0)})}


def _predicted(state: State, asked: Cell) -> dict[str, float]:
    custom = {"factor": factor(state.config)} if asked.made.key.endswith("custom") else {}
    return {"d_k": state.config.d_k, **custom}


def _format_cells(state: State, asked: Cell) -> dict[str, float]:
    return {"h": 1, "n_q": state.rows.scores.shape[1], "n_k": state.rows.scores.shape[2]}


def _trace(state: State, asked: Cell) -> dict[str, float]:
    return {"squares": (state.rows.weights[asked.line, state.row] ** 2).sum()}


def _terms(state: State, asked: Cell) -> dict[str, float]:
    return {"keys": state.rows.keys[state.row]}


def _changed(state: State, asked: Cell) -> dict[str, float]:
    query, key = asked.made.facts["query"], asked.made.facts["key"]
    values = sorted(_of_stage(one, state.view.stage, asked.line, query, key) for one in (state, _pinned(state)))
    return {"less": values[0], "more": values[1]}


def _weighted(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    assert state.projects == asked.made.key.endswith("norm")
    return {"weight": state.rows.weights[head, row, key], "length": state.norms[head, key]}


def _of_stage(state: State, stage: str, head: int, row: int, key: int) -> float:
    if stage == "norms":
        return float(state.rows.weights[head, row, key] * state.norms[head, key])
    if stage == "scores" and state.config.mechanism == "dot_product":
        return float(state.Q[head, row] @ state.K[head, key])
    return float((state.rows.weights if stage == "weights" else state.rows.scores)[head, row, key])


def _pinned(state: State) -> State:
    return state_of(state.pinned)


def _other_weight(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    locked = replace(state, view=replace(state.view, head=head + 1, row=row))
    terms = explore_reasons.weight_terms(locked, key, asked.made.facts)
    score = explore_reasons.treated(locked)[key]
    return {**terms, **({"score": score} if "score" in asked.made.facts else {})}


def _other(state: State) -> OtherRows:
    assert isinstance(state.rows, OtherRows)
    return state.rows


def _sink(state: State, asked: Cell) -> dict[str, float]:
    """Check the last line of a row's table: the sink's, after all keys."""
    assert (asked.line, asked.beside("key")) == (state.rows.scores.shape[2], "sink")
    terms = explore_reasons.weight_terms(state, None, asked.made.facts)
    return {**terms, "value": float(_other(state).sunk[state.head, state.row])}


def _sink_score(state: State, asked: Cell) -> dict[str, float]:
    assert asked.beside("key") == "sink"
    return {"value": state.config.sink}


def _capped(state: State, asked: Cell) -> dict[str, float]:
    head, row, key = _place(state, asked)
    assert isinstance(state.rows, OtherRows)
    value = state.rows.treated[head, row, key]
    return {"cap": state.config.softcap, "scaled": state.rows.scores[head, row, key], "value": value}


def _response_other(state: State, asked: Cell) -> dict[str, float]:
    assert isinstance(state.rows, OtherRows)
    matrix = state.rows.jacobian[state.head, state.row]
    own = matrix[asked.line, asked.line]
    others = np.delete(matrix[asked.line], asked.line)
    return {"value": own if base(asked.column.kind) == "own_response" else min(0.0, others.min(initial=0.0))}


def _forbidden(state: State, asked: Cell) -> dict[str, float]:
    _, row, key = _place(state, asked)
    assert not state.rows.allowed[row, key]
    return {}


_PLAIN: Final = ("no_row",)

_TERMS: Final[Mapping[str, Callable[[State, Cell], dict[str, Any]]]] = {
    "mean": _mean,
    "ranked": _ranked,
    "between": _between,
    "mean_of_scores": _score_mean,
    "variance_of_scores": _score_variance,
    "weight": _weight,
    "underflow": _lost,
    "format_row": _format_row,
    "format_gate": _format_other,
    "format_root": _format_other,
    "format_sink": _format_sink,
    "format_root_none": _format_other,
    "format_capped": _capped,
    "format_score.dot_product": _format_score,
    "format_score.dot_product_normed": _format_score,
    "format_cells": _format_cells,
    "scaled.dot_product": _scaled,
    "scaled.dot_product_normed": _scaled,
    "scores.dot_product": _product,
    "scores.dot_product_normed": _product,
    "scores.additive": _product,
    "scores.additive_normed": _product,
    "change": _changed,
    "weighted_norm": _weighted,
    "weighted_value": _weighted,
    "forbidden": _forbidden,
    "weight_sink": _other_weight,
    "sink_weight": _sink,
    "sink_score": _sink_score,
    "gate": _other_weight,
    "root_weight": _other_weight,
    "root_none": _other_weight,
    "capped": _capped,
    "response": _response_other,
    "own_response": _response,
    "other_response": _response,
    "no_mean": _product,
    "predicted.sqrt_d_k": _predicted,
    "predicted.none": _predicted,
    "predicted.d_k": _predicted,
    "predicted.custom": _predicted,
    "trace_row": _trace,
    "terms": _terms,
}
