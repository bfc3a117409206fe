"""The arithmetic behind the page Model's numbers, in sentences and in tables, held to the truth."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from attention_core import changes as core
from tests.checker import head_behaviour, order_claims
from tests.checker.checking import Cell, near
from tests.checker.model_says_claims import TIMES, curve, probabilities, shares, words, written
from tests.checker.model_truth import State, same
from tests.checker.terms import of_values, off
from tests.references.changed_model import acts
from visualiser.figures.shown_map import SHOWS
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason

SHOWN: Final = {text("en", f"figure.shows.{name}"): name for name in SHOWS[1:]}
"""The headings of what the map shows in place of weights."""


def _weight(state: State, key: int | None, given: Reason) -> Iterator[str]:
    """Check the arithmetic of the weight of a key, or of the sink for None: it must be that of this head's rows."""
    scores, kind = state.scores[state.row], given.made.key.removeprefix("reason.made.")
    own = [one for one in state.changes if acts(one, state.layer - 1, state.head - 1)]
    normalised = [one.normalisation for one in own if hasattr(one, "normalisation")]
    frozen = any(isinstance(one, (core.Mute, core.Uniform, core.Replace)) for one in own)
    softmax = not frozen and (normalised[-1:] in ([], ["softmax"], ["sink"]))
    if kind == "changed_weight":
        if softmax:
            yield "it is the softmax of the scores"
        return
    if not softmax:
        yield "no softmax made this weight"
    if kind == "underflow":
        return
    sink = [one.sink for one in own if getattr(one, "normalisation", "") == "sink" and normalised[-1] == "sink"]
    if not sink and (key is None or "sink" in given.made.facts):
        yield "there is no sink beside the keys"
        return
    most = max(float(scores.max()), *sink[-1:], -math.inf)
    yield from off(given, most=most, score=float(scores[key]) if key is not None else sink[-1])
    if "sink" in given.made.facts and key is not None:
        yield from off(given, sink=sink[-1])
    at = float(scores[key]) if key is not None else sink[-1]
    total = float(np.exp(scores - most).sum()) + sum(math.exp(one - most) for one in sink[-1:])
    if not near(parse_number(given.made.facts["sum"]), total):
        yield f"the exponentials add up to {total}"
    below, blur = parse_number(given.made.facts["below"]), 1e-6 * (1 + float(np.abs(scores[np.isfinite(scores)]).max()))
    if not near(below, at - most) and abs(below - (at - most)) > blur:  # scores, each rounded by itself
        yield f"the score is {at - most} below"


def _shown(state: State, key: int, given: Reason) -> Iterator[str]:
    """Check the terms of a cell of what the map shows in place of weights."""
    weight = float(state.weights[state.row, key])
    match given.made.key.removeprefix("reason.made."):
        case "weighted_norm":
            yield from off(given, weight=weight, length=float(state.norms[key]))
        case "share_of_rest":
            yield from off(given, weight=weight, rest=float(state.left[state.row]))
        case "mean_of_heads":
            heads = state.chosen.weights[:, state.row, key]
            yield from off(given, heads=len(heads), sum=float(heads.sum()))
        case "rollout":
            yield from () if given.made.facts["layer"] == state.layer else ["it is of another layer"]
        case "left_out":
            yield from () if key == 0 or state.left[state.row] < 1e-30 else ["something is left"]
        case other:
            yield f"{other} explains no such cell"


def reason(state: State, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check the terms of the arithmetic of a sentence's number."""
    ratios, factor = state.here["variance"], state.layers[0].Q.shape[-1] ** -0.5
    if sentence.key.startswith("model.sorted.score"):
        found = [[*_sorting(state, at, name, given)] for at in order_claims.first(state)]
        yield from () if [] in found else found[0]
        return
    match given.made.key.removeprefix("reason.made."):
        case "weight" | "weight_sink" | "changed_weight" | "underflow":
            row = state.weights[state.row]
            true = [[*_weight(state, int(key), given)] for key in np.flatnonzero(row >= row.max() * (1 - 1e-4))]
            yield from () if [] in true else true[0]
        case "sink_weight":
            yield from _weight(state, None, given)
        case "weighted_norm" | "share_of_rest" | "mean_of_heads" | "rollout":
            mapped = np.nan_to_num(state.mapped[state.row]) if state.mapped is not None else np.zeros(1)
            found = [[*_shown(state, int(key), given)] for key in np.flatnonzero(mapped >= mapped.max() * (1 - 1e-4))]
            yield from () if [] in found else found[0]
        case "alike_shown" | "rows_empty":
            pass  # the number is all that is told, and the sentence's claim is checked
        case "alike":
            yield from off(given, weight=float(state.weights[state.row].max()))
        case "factors":
            yield from off(given, least=float(TIMES[0]), most=float(TIMES[-1]))
        case (
            "said"
            | "largest_difference"
            | "text_log"
            | "kl"
            | "layer_entropy"
            | "moved"
            | "written"
            | "copying"
            | "changes"
        ):
            pass  # the number is all that is told, and the sentence's claim is checked
        case "head_cost":
            yield from off(given, log=state.now.text_log)
        case "written_rank":
            yield from ()
        case "factor_tried":
            yield from off(given, count=len(TIMES), least=float(TIMES[0]), most=float(TIMES[-1]))
        case "learned_rows" | "learned_all_rows" | "learned_labels" | "heads_counted":
            pass  # a count, which the sentence's claim checks
        case "learned_chance":
            yield from off(given, rows=sentence.facts["rows"])
        case "learned_corpus" | "learned_corpus_chance":
            labelled = ("model.does", "model.does_elsewhere", "predict.model_previous.because")
            if state.over != "corpus" and name != "corpus" and not sentence.key.endswith(labelled):
                yield "it is measured over this text"
            named = sentence.facts.get("measure", sentence.facts.get("behaviour"))
            if named is not None:
                yield from _over(state, named.key.rpartition(".")[2], state.layer, state.head, given, "corpus")
        case "learned_text" | "learned_text_chance" | "learned_variance" | "learned_no_row":
            named = sentence.facts.get("measure", sentence.facts.get("behaviour"))
            measure = state.axes[name == "of_y"] if named is None else named.key.rpartition(".")[2]
            yield from _measure(state, measure, state.layer, state.head, given.made)
        case "mean_of_scores" | "variance_of_scores":
            yield from _moment(state, given.made)
        case "mean":
            entropies = head_behaviour.row_entropies(state.chosen)[state.head - 1]
            yield from of_values(given, "rows", [entropies[state.readable]])
        case "ceilings":
            read = np.exp(state.ceilings[state.readable]).round()
            few, many = int(read.min()), int(read.max())
            yield from off(given, rows=len(read), few=few, many=many, sum=float(np.log(read).sum()))
        case "logarithm":
            yield from off(given, keys=sorted({*state.allowed[state.readable].sum(-1).tolist()}))
        case "scaled.dot_product":
            used = parse_number(given.made.facts["factor"])
            product = float(state.scores[state.row, sentence.facts["key"]]) / used if used else 0.0
            yield from off(given, factor=[factor, factor * state.times])
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
            yield from off(given, n_k=state.n, value=int(state.allowed[state.row].sum()))
        case "model_size" | "model_tokens" | "learned_near" | "learned_heads":
            pass
        case other:
            yield f"nobody checks {other}"


def _sorting(state: State, at: tuple[int, int], name: str, given: Reason) -> Iterator[str]:
    """Check the arithmetic of what sorts a head."""
    if name == "value" and state.sort != "weight":
        yield from _measure(state, state.sort, *at, given.made)
    elif name == "chance":
        yield from off(given, rows=replace(state, layer=at[0], head=at[1]).rows_of(state.sort)[0])


def _measure(state: State, measure: str, layer: int, head: int, made: Message) -> Iterator[str]:
    """Check a measure's arithmetic: over the corpus its value, over the text its sum and the rows that count."""
    value = float(state.measures[measure][layer - 1, head - 1])
    key, given = made.key.removeprefix("reason.made."), Reason("", made)
    if measure == "cost":
        yield from off(given, log=state.now.text_log)
    elif (key == "learned_no_row") != math.isnan(value):
        yield f"the measure is {value}"
    elif math.isfinite(value):
        if key.startswith("learned_corpus") != (state.over == "corpus"):
            yield f"it is measured over the {state.over}"
        yield from off(given, value=value)
    if key.startswith("learned_corpus"):
        yield from _over(state, measure, layer, head, given, "corpus")
    if key.startswith("learned_text"):
        yield from _over(state, measure, layer, head, given, "text")
        yield from off(given, sum=value * given.made.facts["rows"])


def _over(state: State, measure: str, layer: int, head: int, given: Reason, over: str) -> Iterator[str]:
    """Check the rows that a measure is a mean of, and the chance beside it."""
    of_head = replace(state, layer=layer, head=head)
    rows, of = of_head.rows_of(measure, over)
    yield from off(given, rows=rows, of=of)
    share = measure in head_behaviour.LABELS
    if share != ("chance" in given.made.facts):
        yield "a share has a chance, and nothing else"
    elif share:
        yield from off(given, chance=of_head.chance(measure, over))


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
    if asked.table not in ("why-key", "head-writes", "model-heads"):
        yield from _cell(state, asked)
        return
    found = [[*_cell(each, asked)] for each in state.with_each_key()]
    yield from () if [] in found else found[0]


def _cell(state: State, asked: Cell) -> Iterator[str]:
    value, line, given = float(np.asarray(asked.column.values)[asked.line]), asked.line, Reason("", asked.made)
    factor, true = state.layers[0].Q.shape[-1] ** -0.5, value
    match asked.table:
        case "model-heads":
            yield from order_claims.line(state, asked)
            names = {text("en", f"measure.{name}"): name for name in state.measures}
            name = names.get(re.sub(r" \((nats|tokens)\)$", "", asked.column.label))
            if name is not None:
                yield from _measure(state, name, int(asked.beside("layer")), int(asked.beside("head")), asked.made)
        case "head-map":
            key = int(asked.beside("key"))
            if asked.column.label == "weight":
                true = float(state.weights[state.row, key])
                yield from _weight(state, key, given)
            elif asked.column.kind == "value_norm":
                true = float(state.norms[key])
            elif asked.column.label in SHOWN:
                if state.mapped is None or state.shows != SHOWN[asked.column.label]:
                    yield "the map shows something else"
                    return
                if state.shows == "without_first" and 0 < state.left[state.row] < 1e-30:
                    return  # float32 has few of its digits, or none
                true = float(state.mapped[state.row, key])
                yield from _shown(state, key, given)
            else:
                true = float(state.scores[state.row, key])
                if state.chosen.rebuilt != asked.made.key.endswith("changed_score"):
                    yield "the scores are made anew, or are not"
                elif state.chosen.rebuilt:
                    pass
                elif "factor" in asked.made.facts:
                    yield from off(given, factor=[factor, factor * state.times])
                else:
                    yield "the model adds no bias"
        case "head-scores":
            yield from _moment(state, asked.made)
        case "head-entropy":
            if not state.readable[line]:
                if not math.isnan(value) or not asked.made.key.endswith("learned_no_key"):
                    yield "the row may read nothing"
                return
            p = state.weights[line]
            entropy = float(head_behaviour.row_entropies(state.chosen)[state.head - 1, line])
            true = float(state.ceilings[line]) if asked.column.kind.startswith("ceiling") else entropy
            if asked.made.key.endswith("entropy_row"):
                yield from off(given, weight=float(p[asked.made.facts["key"]]))
            elif asked.column.kind == "ceiling":
                yield from off(given, keys=int(state.allowed[line].sum()))
        case "why-key":
            layer, at = state.chosen, int(asked.beside("components")) - 1
            q, k = float(layer.Q[state.head - 1, state.row, at]), float(layer.K[state.head - 1, state.key, at])
            used = factor * (state.times if len({*layer.times}) == 1 else 1.0)
            true = q * k * used
            yield from off(given, factor=used, k=k, q=q)
        case "model-says":
            before, now = probabilities(state)
            true = [(before, now)[asked.column.label in ("now", "B")][at] for at in words(asked.beside("outcome"))]
            yield from () if any(same(value, float(one)) for one in true) else [f"it is {true}"]
            return
        case "layer-entropies":
            both = (state.before, state.now)
            now = asked.column.label in ("now", "B")
            true = both[now].entropies(both[not now])[line]
        case "moved-heads":
            layer_number, head_number = map(int, str(asked.beside("head")).split("."))
            true = shares(state)[layer_number, head_number]
        case "factor-curve":
            true = float(curve(state)[line])
        case "head-writes":
            logits = written(state)[state.key]
            true = [float(logits[at]) for at in words(asked.beside("token"))]
            if not any(same(value, one) for one in true) or value < np.sort(logits)[-line - 1] - 1e-4:
                yield f"it is {true}, the largest are {np.sort(logits)[-5:]}"
            return
        case other:
            yield f"nobody checks {other}"
    if not same(value, true):
        yield f"it is {true}"
