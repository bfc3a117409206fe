"""The arithmetic behind the page Model's numbers, in sentences and in tables, held to the truth."""

import math
import re
from collections.abc import Iterator

import numpy as np

from tests.checker import head_behaviour, learned
from tests.checker.checking import Cell, near
from tests.checker.model_truth import State, same
from tests.checker.terms import of_values, off
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason


def _row(state: State, key: int) -> dict[str, float]:
    """Return what a weight of the row is made of."""
    scores = state.scores[state.row, : state.row + 1]
    return {"most": float(scores.max()), "score": float(scores[key])}


def reason(state: State, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check the terms of the arithmetic of a sentence's number."""
    ratios, factor = state.here["variance"], state.layers[0].Q.shape[-1] ** -0.5
    match given.made.key.removeprefix("reason.made."):
        case "weight":
            row = state.weights[state.row, : state.row + 1]
            true = [_row(state, int(key)) for key in np.flatnonzero(row >= row.max() * (1 - 1e-4))]
            yield from off(given, **{term: [one[term] for one in true] for term in ("most", "score")})
        case "learned_corpus":
            labelled = ("model.does", "model.does_elsewhere", "predict.model_previous.because")
            if state.over != "corpus" and name != "corpus" and not sentence.key.endswith(labelled):
                yield "it is measured over this text"
        case "learned_text" | "learned_variance" | "learned_no_row":
            named = sentence.facts.get("measure", sentence.facts.get("behaviour"))
            measure = state.axes[name == "of_y"] if named is None else named.key.rpartition(".")[2]
            yield from _measure(state, measure, state.layer, state.head, given.made)
        case "mean_of_scores" | "variance_of_scores":
            yield from _moment(state, given.made)
        case "mean":
            yield from of_values(given, "rows", [head_behaviour.entropies(state.weights)])
        case "ceilings":
            yield from off(given, rows=state.n, few=1, many=state.n, sum=float(state.ceilings.sum()))
        case "logarithm":
            yield from off(given, keys=state.n)
        case "scaled.dot_product":
            product = float(state.scores[state.row, sentence.facts["key"]]) / factor
            yield from off(given, factor=factor)
            if not same(parse_number(given.made.facts["product"]), product):
                yield f"q·k is {product}"
        case "learned_terms":
            yield from off(given, d_k=state.layers[0].Q.shape[-1])
        case "learned_middle_even":
            middle = sorted(ratios.flat)[ratios.size // 2 - 1 : ratios.size // 2 + 1]
            yield from off(given, heads=ratios.size, low=float(middle[0]), high=float(middle[1]))
        case "learned_largest":
            yield from off(given, heads=ratios.size, value=float(ratios.max()))
        case "mask":
            yield from off(given, n_q=state.n, n_k=state.n)
        case "keys_of_row":
            yield from off(given, n_k=state.n, value=state.row + 1)
        case "model_size" | "model_tokens" | "learned_near" | "learned_heads":
            pass
        case other:
            yield f"nobody checks {other}"


def _measure(state: State, measure: str, layer: int, head: int, made: Message) -> Iterator[str]:
    """Check a measure's arithmetic: over the corpus its value, over the text its sum and the rows that count."""
    value = float(state.measures[measure][layer - 1, head - 1])
    key, given = made.key.removeprefix("reason.made."), Reason("", made)
    if (key == "learned_no_row") != math.isnan(value):
        yield f"the measure is {value}"
    elif math.isfinite(value):
        if (key == "learned_corpus") != (state.over == "corpus"):
            yield f"it is measured over the {state.over}"
        yield from off(given, value=value)
    if key == "learned_text":
        rows = head_behaviour.counted(state.model, learned.numbered(state.tokens))[measure]
        yield from off(given, rows=rows, sum=value * rows)


def _moment(state: State, made: Message) -> Iterator[str]:
    scores, given = state.open_scores, Reason("", made)
    true = float(((scores - scores.mean()) ** 2).sum() if "mean" in made.facts else scores.sum())
    yield from off(given, count=scores.size)
    if "mean" in made.facts and not same(float(made.facts["mean"]), float(scores.mean())):
        yield f"the mean is {scores.mean()}"
    told = parse_number(made.facts["sum"])
    if not near(told, true) and abs(told - true) > 1e-4 * scores.size:
        yield f"the sum is {true}"


def cell(state: State, asked: Cell) -> Iterator[str]:
    """Check a number of a table and its arithmetic."""
    value, line, given = float(np.asarray(asked.column.values)[asked.line]), asked.line, Reason("", asked.made)
    factor, true = state.layers[0].Q.shape[-1] ** -0.5, value
    match asked.table:
        case "model-heads":
            names = {text("en", f"measure.{name}"): name for name in state.measures}
            name = names[re.sub(r" \((nats|tokens)\)$", "", asked.column.label)]
            layer, head = line // learned.HEADS + 1, line % learned.HEADS + 1
            yield from _measure(state, name, layer, head, asked.made)
        case "head-map":
            row = _row(state, line)
            if asked.column.kind == "weight":
                true = float(state.weights[state.row, line])
                if "most" in asked.made.facts:
                    yield from off(given, most=row["most"])
            else:
                true = row["score"]
                yield from off(given, factor=factor)
        case "head-scores":
            yield from _moment(state, asked.made)
        case "head-entropy":
            p = state.weights[line, : line + 1]
            true = math.log(line + 1) if asked.column.kind == "ceiling" else float(head_behaviour.entropies(p))
            if asked.made.key.endswith("entropy_row"):
                yield from off(given, weight=float(p[asked.made.facts["key"]]))
            elif asked.column.kind == "ceiling":
                yield from off(given, keys=line + 1)
        case "why-key":
            layer, at = state.layers[state.layer - 1], int(asked.beside("components")) - 1
            key = state.wished if state.wished >= 0 else int(np.argmax(state.weights[state.row]))
            q, k = float(layer.Q[state.head - 1, state.row, at]), float(layer.K[state.head - 1, key, at])
            true = q * k * factor
            for name, one in (("q", q), ("k", k)):
                if not same(parse_number(asked.made.facts[name]), one):
                    yield f"{name} is {one}"
        case other:
            yield f"nobody checks {other}"
    if not same(value, true):
        yield f"it is {true}"
