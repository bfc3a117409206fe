"""What each sentence of the page Model claims of a picture, held to the truth, and the arithmetic of its numbers."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tests.checker.checking import Cell, Claim, over_all_rows
from tests.checker.model_truth import differing, same
from tests.checker.pictures_truth import SHARES, WINDOW, State, entropies, finite, heads_of, labels
from tests.checker.terms import of_values, off
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.reasons.explained import Reason

_AT = tuple[int, int]


def _behaves(state: State) -> list[tuple[str, float]]:
    return labels(state.model).get((state.layer, state.head), [])


def _labelled(state: State, facts: Mapping[str, Any], score: float) -> Iterator[str]:
    (name, true), *_ = _behaves(state) or [("", math.nan)]
    yield from differing({"head": facts["head"], "score": score}, head=state.name, score=true)
    if facts["behaviour"].key != f"model.behaviour.{name}":
        yield f"it is {name}"


def _does(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.over != "corpus":
        yield "it is measured over this picture"
    yield from _labelled(state, facts, facts["score"])
    yield from _rows(state, facts, facts["behaviour"].key.rpartition(".")[2], corpus=True)


def _rows(state: State, facts: Mapping[str, Any], measure: str, corpus: bool) -> Iterator[str]:
    """Check the patches that a score is a mean of, and its chance over them."""
    counts, even = state.over_corpus if corpus else (state.counts, state.even)
    at = state.layer - 1, state.head - 1
    yield from differing(
        facts, rows=int(counts[measure][at]), of=int(counts["entropy"][at]), chance=float(even[measure][at])
    )


def _does_here(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.over != "text":
        yield "the three pictures are measured"
    yield from _labelled(state, facts, facts.get("corpus", facts["score"]))
    yield from _rows(state, facts, facts["behaviour"].key.rpartition(".")[2], corpus="corpus" not in facts)
    if "corpus" in facts:
        yield from differing(facts, score=_of(state, state.here, _behaves(state)[0][0]))


def _no_label(over: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        there = finite({name: _of(state, state.measures, name) for name in SHARES})
        if _behaves(state) or state.over != over:
            yield "the head has a label, or something else is measured"
        yield from differing(facts, head=state.name, score=max(there.values()))
        measure = facts["measure"].key.removeprefix("measure.")
        yield from _rows(state, facts, measure, over == "corpus")
        if not same(there.get(measure, math.nan), max(there.values())):
            yield "it is not the largest share"

    return claim


def _of(state: State, measures: Mapping[str, Any], name: str) -> float:
    return float(measures[name][state.layer - 1, state.head - 1])


def _most(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check which patch the query reads most: of equal ones any."""
    row = state.weights[state.row]
    yield from differing(facts, query=state.patch(state.row), weight=float(row.max()))
    if facts["key"] not in {state.patch(int(key)) for key in np.flatnonzero(row >= row.max() * (1 - 1e-4))}:
        yield "another patch is read most"


def _tied(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check that several patches have the largest weight alike."""
    row = state.weights[state.row][state.allowed[state.row]]
    yield from differing(facts, query=state.patch(state.row), weight=float(row.max()))
    low, high = (int((row >= row.max() * (1 - apart)).sum()) for apart in (1e-7, 1e-4))
    if not max(2, low) <= facts["count"] <= high:
        yield f"{low} to {high} patches have it"


def _reads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _most(state, facts)
    if "head" in facts:
        yield from differing(facts, head=state.name)


def _window(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.model != "swin":
        yield "the layer has no windows"
    shift = WINDOW // 2 if state.layer % 2 == 0 else 0
    yield from differing(facts, layer=state.layer, side=WINDOW, **({"shift": shift} if shift else {}))
    if ("shift" in facts) != bool(shift):
        yield f"it is shifted by {shift}"


def _footnote(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    ratios = _ratios(state)
    bordering = any(abs(ratio / border - 1) < 1e-4 for ratio in ratios for border in (0.5, 2.0))
    near = {} if bordering else {"near": int(((ratios >= 0.5) & (ratios <= 2)).sum())}
    median, largest = float(np.median(ratios)), float(ratios.max())
    yield from differing(facts, heads=len(ratios), median=median, largest=largest, **near)
    layer, head = (int(part) - 1 for part in facts["where"].split("."))
    if not same(float(state.here["variance"][layer, head]), largest):
        yield "the largest is elsewhere"


def _ratios(state: State) -> np.ndarray:
    return np.array([state.here["variance"][layer - 1, head - 1] for layer, head in heads_of(state.layers)])


def _all_heads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    n = int(state.layers[0].cut.max()) + 1
    yield from differing(facts, layers=len(state.layers), heads=len(heads_of(state.layers)), n=n)
    told = {one.facts["head"]: one.facts["label"] for one in facts.get("labels", ()) if "head" in one.facts}
    true = {f"{layer}.{head}": found for (layer, head), found in sorted(labels(state.model).items())}
    more = [one.facts["more"] for one in facts.get("labels", ()) if "more" in one.facts]
    if (
        list(told) != list(true)[: len(told)]
        or len(told) + sum(more) != len(true)
        or facts.get("count", 0) != len(true)
    ):
        yield f"labels are {true}"
    for at, said in told.items():
        named = [f"{text('en', f'measure.{name}')} {score:.2f}" for name, score in true.get(at, [])]
        if said != " · ".join(named):
            yield f"{at} is {named}"


def _scatter(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    x, y = state.axes
    yield from differing(facts, heads=len(heads_of(state.layers)), head=state.name)
    yield from differing(facts, of_x=_of(state, state.measures, x), of_y=_of(state, state.measures, y))
    if (facts["x"].key, facts["y"].key) != (f"measure.{x}", f"measure.{y}"):
        yield "other measures are drawn"


def _why(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    named = {"head": state.name} if "head" in facts else {}
    yield from differing(facts, query=state.patch(state.row), **named)
    row = state.weights[state.row]
    free = not (state.wished >= 0 and (state.chosen.cut[state.window] == state.wished).any())
    keys = np.flatnonzero(row >= row.max() * (1 - 1e-4)) if free else [state.key]
    true = [key for key in map(int, keys) if state.patch(key) == facts["key"]]
    if not true:
        yield f"the key is {state.patch(state.key)}"
        return
    score = state.scores[state.row, true[0]]
    if "score" in facts and not (state.allowed[state.row, true[0]] and same(facts["score"], float(score))):
        yield f"the score is {score}"
    if "score" not in facts and state.allowed[state.row, true[0]]:
        yield "the mask allows it"


def _moments(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = {"mean": float(state.open_scores.mean()), "variance": float(state.open_scores.var())}
    yield from differing(facts, **{name: value for name, value in true.items() if name in facts})


def _entropy(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, entropy=float(entropies(state.weights).mean()), ceiling=float(state.ceilings.mean()))


def _named(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name, query=state.patch(state.row))


def _largest_class(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    name, value = max(state.classes.items(), key=lambda one: one[1])
    if facts["name"] != name or not same(facts["now"], value):
        yield f"it is {name} with {value}"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "model.does": _does,
    "model.does_every": over_all_rows(_does),
    "model.does_text": _does_here,
    "model.does_text_every": over_all_rows(_does_here),
    "model.does_elsewhere": _does_here,
    "model.no_label_corpus": _no_label("corpus"),
    "model.no_label_text": _no_label("text"),
    "model.reads": _reads,
    "model.reads_tied": _tied,
    "table.head_picture.tied": _tied,
    "model.window": _window,
    "model.window_shifted": _window,
    "model.footnote": _footnote,
    "table.model_heads.none": _all_heads,
    "table.model_heads.summary": _all_heads,
    "table.head_scatter.summary": _scatter,
    "table.head_picture.summary": _reads,
    "table.model_says.classes": _largest_class,
    "table.why_key.summary": _why,
    "table.why_key.forbidden": _why,
    "table.head_scores.summary": _moments,
    "table.head_entropy.summary": _entropy,
    "brief.head_picture": _named,
    "brief.why_key.score": _why,
    "brief.why_key.forbidden": _why,
    "brief.score_distribution": _moments,
    "brief.entropy": _entropy,
}


def reason(state: State, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check the terms of the arithmetic of a sentence's number that are of a picture; others are as of a text."""
    match given.made.key.removeprefix("reason.made."):
        case "weight":
            row, open_ = state.scores[state.row], state.allowed[state.row]
            yield from off(given, most=float(row[open_].max()))
        case "mean":
            yield from of_values(given, "rows", [entropies(state.weights)])
        case "mean_of_scores" | "variance_of_scores":
            yield from off(given, count=len(state.open_scores))
        case "learned_text" | "learned_text_chance":
            named = sentence.facts.get("measure", sentence.facts.get("behaviour"))
            measure = state.axes[name == "of_y"] if named is None else named.key.rpartition(".")[2]
            yield from _measure(state, measure, (state.layer, state.head), given)


def _measure(state: State, measure: str, at: _AT, given: Reason) -> Iterator[str]:
    """Check the arithmetic of a measure over the picture: its sum, and the rows that count."""
    place = at[0] - 1, at[1] - 1
    rows, value = float(state.counts[measure][place]), float(state.here[measure][place])
    yield from off(given, rows=rows, of=float(state.counts["entropy"][place]), sum=rows * value)
    if measure in SHARES:
        yield from off(given, chance=float(state.even[measure][place]))


def cell(state: State, asked: Cell) -> Iterator[str]:
    """Check a number of a table, and of measures the arithmetic."""
    value, line, true = float(np.asarray(asked.column.values)[asked.line]), asked.line, math.nan
    keys = np.flatnonzero(state.allowed[state.row])
    match asked.table:
        case "model-heads":
            units = {name: name.replace("_", " ") for name in state.measures}
            at = heads_of(state.layers)[line]
            found = [name for name in units if asked.column.label.startswith(text("en", f"measure.{name}"))]
            name = max(found, key=lambda one: len(text("en", f"measure.{one}")))
            true = float(state.measures[name][at[0] - 1, at[1] - 1])
            if "learned_text" in asked.made.key:
                yield from _measure(state, name, at, Reason("", asked.made))
        case "head-picture":
            tensor = state.weights if asked.column.kind == "weight" else state.scores
            true = float(tensor[state.row, keys[line]])
        case "head-entropy":
            rows = state.ceilings if asked.column.kind == "ceiling" else entropies(state.weights)
            true = float(rows[line])
        case "model-says":
            true = sorted(state.classes.values(), reverse=True)[line]
        case "head-scores":
            true = value  # moments, which the sentence has as well
        case "why-key":
            true = value  # terms whose sum, the score, the sentence has
        case other:
            yield f"nobody checks {other}"
    if not same(value, true):
        yield f"it is {true}"
