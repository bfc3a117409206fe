"""What each sentence of the page Model claims, held to the truth."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from attention_core import changes as core
from tests.checker import head_behaviour, learned, model_changed
from tests.checker.checking import Claim, over_all_rows
from tests.checker.head_behaviour import LABELS
from tests.checker.model_says_claims import CLAIMS as OF_SAYING
from tests.checker.model_says_claims import all_costs, probabilities, with_more, without
from tests.checker.model_truth import State, differing, same
from tests.checker.order_claims import CLAIMS as OF_ORDER
from visualiser.figures.shown_map import SHOWS
from visualiser.locale import text
from visualiser.locale.message import Message

_TINY: Final = 1e-30
"""Weights below have few digits in float32."""


def _behaves(state: State) -> list[tuple[str, float]]:
    return head_behaviour.labels(state.model).get((state.layer, state.head), [])


def _does(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    labels = _behaves(state)
    if not labels:
        yield "the head has no label"
        return
    if state.over != "corpus":
        yield "it is measured over this text"
    yield from _labelled(state, facts, facts["score"])
    yield from _rows(state, facts, labels[0][0], "corpus")


def _rows(state: State, facts: Mapping[str, Any], measure: str, over: str) -> Iterator[str]:
    """Check the rows and the chance that a score goes with."""
    rows, of = state.rows_of(measure, over)
    yield from differing(facts, rows=rows, of=of, chance=state.chance(measure, over))


def _labelled(state: State, facts: Mapping[str, Any], score: float) -> Iterator[str]:
    """Check the label that a sentence gives a head, and its score over the corpus."""
    (name, true), *_ = _behaves(state)
    yield from differing({"head": facts["head"], "score": score}, head=state.name, score=true)
    if facts["behaviour"].key != f"model.behaviour.{name}":
        yield f"it is {name}"


def _does_here(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check what a labelled head does over this text: a share of its own, or nothing that counts."""
    labels = _behaves(state)
    if not labels or state.over != "text":
        yield "the head has no label, or the corpus is measured"
        return
    here = state.measured(labels[0][0]) if labels[0][0] in state.here else math.nan
    yield from _labelled(state, facts, facts.get("corpus", facts["score"]))
    yield from _rows(state, facts, labels[0][0], "text" if "corpus" in facts else "corpus")
    if "corpus" in facts:
        yield from differing(facts, score=here)
    if math.isnan(here) == ("corpus" in facts):
        yield "this text measures it, or does not"


def _no_label(over: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        there = _shares(state)
        if _behaves(state) or state.over != over:
            yield "the head has a label, or another text is measured"
        measure = facts["measure"].key.removeprefix("measure.")
        yield from _rows(state, facts, measure, over)
        yield from differing(facts, head=state.name, score=max(there.values()))
        if not same(there.get(measure, math.nan), max(there.values())):
            yield f"{measure} is not the largest share"

    return claim


def _one(state: State) -> Iterator[str]:
    """Check that the largest weight is that of one key."""
    row = state.weights[state.row][state.allowed[state.row]]
    if (row >= row.max() * (1 - 1e-7)).sum() > 1:
        yield "several keys are read most"


def _shares(state: State) -> dict[str, float]:
    """Return every share of weight that is measured, over what the page measures."""
    there = {name: state.measured(name) for name in LABELS if name in state.measures}
    return {name: value for name, value in there.items() if math.isfinite(value)}


def _most(state: State, key: int, weight: float) -> Iterator[str]:
    if not state.weights[state.row, key] >= state.weights[state.row].max() * (1 - 1e-4):
        yield f"key {key} is not read most"
    if not same(weight, float(state.weights[state.row, key])):
        yield f"its weight is {state.weights[state.row, key]}"


def _reads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _one(state)
    keys = state.places(facts["key"])
    if facts["query"] != state.token(state.row) or not keys:
        yield "a token is called something else"
    for key in keys:
        yield from _most(state, key, facts["weight"])


def _tied(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check that several keys have the largest weight alike."""
    row = state.weights[state.row]
    if facts["query"] not in (state.token(state.row), state.row):
        yield "a token is called something else"
    yield from differing(facts, weight=float(row.max()))
    own = {"head": state.name, "n_q": state.n, "n_k": state.n}
    yield from differing(facts, **{name: value for name, value in own.items() if name in facts})
    open_ones = row[state.allowed[state.row]]
    yield from differing(facts, **({"keys": len(open_ones)} if "keys" in facts else {}))
    low, high = (int((open_ones >= row.max() * (1 - apart)).sum()) for apart in (1e-7, 1e-4))
    if not max(2, low) <= facts["count"] <= high:
        yield f"{low} to {high} keys have it"


def _shows(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check what the map shows in place of weights: the keys that have most of the row, or that none has."""
    of_head = {"head": state.name} if "head" in facts else {"layer": state.layer}
    yield from differing(facts, **of_head, query=state.token(state.row))
    if state.mapped is None or ("head" in facts) != (state.shows in ("norms", "without_first")):
        yield "the map shows something else"
        return
    if state.shows == "without_first" and 0 < state.left[state.row] < _TINY:
        return  # float32 has few of its digits, or none
    row = np.nan_to_num(state.mapped[state.row])
    if "value" not in facts:
        yield from () if row.max() < 1e-30 else ["a key has some"]
        return
    yield from differing(facts, value=float(row.max()))
    low, high = (int((row >= row.max() * (1 - apart)).sum()) for apart in (1e-7, 1e-4))
    if "count" in facts:
        yield from () if max(2, low) <= facts["count"] <= high else [f"{low} to {high} keys have it"]
    elif low > 1 or not any(row[key] >= row.max() * (1 - 1e-4) for key in state.places(facts["key"])):
        yield "another key has most"


def _rows_empty(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check how many rows have nothing left without the first position; float32 takes a tiny rest for nothing."""
    low, high = int((state.left == 0).sum()), int((state.left < _TINY).sum())
    if state.shows != "without_first" or not max(1, low) <= facts["count"] <= high:
        yield f"{low} to {high} rows are"


def _named_layer(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, layer=state.layer)


def _tied_sink(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _tied(state, facts)
    if state.sunk is None or not facts["sink"] >= state.weights[state.row].max() * (1 - 1e-4):
        yield "no sink has more"
    else:
        yield from differing(facts, sink=float(state.sunk[state.row]))


def _as_trained(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    said = facts["said"]
    yield from CLAIMS[said.key](state, said.facts)
    if state.over != "corpus":
        yield "it is measured with the changes"


def _reads_sink(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _reads(state, facts)
    if state.sunk is None:
        yield "there is no sink"
        return
    yield from differing(facts, sink=float(state.sunk[state.row]))
    if not facts["sink"] >= state.weights[state.row].max() * (1 - 1e-4):
        yield "a key has more"


def _reads_nothing(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, query=state.row)
    if state.allowed[state.row].any():
        yield "the mask allows a key"


def _weightless(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name, query=state.row)
    if state.weights[state.row].max() > 1e-30:
        yield "a key has weight"


def _unmeasured(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name)
    if _behaves(state) or _shares(state):
        yield "the head has a label, or is measured"


def _positional(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, layer=state.layer)
    if state.layer == len(state.layers):
        yield "the last layer reads words"
    other = ("<bos>", *("Ben" for _ in state.tokens[1:]))
    elsewhere = model_changed.running(state.model, learned.numbered(other), state.changes).layers[state.layer - 1]
    if not np.allclose(elsewhere.weights[state.head - 1], state.weights):
        yield "another text of this length has another map"


def _footnote(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    ratios = state.here["variance"]
    bordering = any(abs(ratio / border - 1) < 1e-4 for ratio in ratios.flat for border in (0.5, 2.0))
    yield from differing(
        facts, heads=ratios.size, median=float(np.median(ratios)), largest=float(ratios.max()),
        **({} if bordering else {"near": int(((ratios >= 0.5) & (ratios <= 2)).sum())}),
    )  # fmt: skip
    layer, head = (int(part) - 1 for part in facts["where"].split("."))
    if not same(float(ratios[layer, head]), float(ratios.max())):
        yield "the largest is elsewhere"


def _all_heads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, layers=len(state.layers), heads=4 * len(state.layers), n=state.n)


def _labelled_heads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _all_heads(state, facts)
    true = head_behaviour.labels(state.model)
    yield from differing(facts, count=len(true))
    told = {one.facts["head"]: one.facts["label"] for one in facts["labels"]}
    if list(told) != [f"{layer}.{head}" for layer, head in sorted(true)]:
        yield "other heads have labels"
    for at, labels in true.items():
        said = told.get(f"{at[0]}.{at[1]}", "").split(" · ")
        if len(said) != len(labels):
            yield f"{at} has {labels}"
        for one, (name, score) in zip(said, labels, strict=False):
            named, _, number = one.rpartition(" ")
            if named != text(state.lang, f"measure.{name}") or abs(float(number) - score) > 0.0051:
                yield f"{at} is {name} {score}"


def _scatter(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    x, y = state.axes
    yield from differing(facts, heads=4 * len(state.layers), head=state.name)
    yield from differing(facts, of_x=state.measured(x), of_y=state.measured(y))
    if (facts["x"].key, facts["y"].key) != (f"measure.{x}", f"measure.{y}"):
        yield "other measures are drawn"


def _map(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name, query=state.row)
    yield from differing(facts, **{name: state.n for name in ("n_q", "n_k") if name in facts})
    yield from differing(facts, **{name: int(state.allowed[state.row].sum()) for name in ("keys",) if name in facts})
    yield from _most(state, facts["key"], facts["weight"])


def _why(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, query=state.row, **({"head": state.name} if "head" in facts else {}))
    key = facts["key"]
    if state.wished >= 0 and key != state.wished:
        yield f"the key is {state.wished}"
    if state.wished < 0:
        yield from _most(state, key, float(state.weights[state.row, key]))
    if state.chosen.rebuilt:
        yield "the scores are made anew"
    if not state.allowed[state.row, key]:
        yield "the mask forbids it"
    else:
        yield from differing(facts, score=float(state.scores[state.row, key]))
    if "count" in facts:
        yield from differing(facts, count=state.layers[0].Q.shape[-1])


def _forbidden(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, query=state.row, key=state.key)
    if state.allowed[state.row, facts["key"]] or state.chosen.rebuilt:
        yield "the mask allows it, or the scores are made anew"


def _zero(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _why(state, {**facts, "score": 0.0})


def _rebuilt(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if not state.chosen.rebuilt:
        yield "no change made the scores anew"


def _moments(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = {"mean": float(state.open_scores.mean()), "variance": float(state.open_scores.var())}
    yield from differing(facts, **{name: value for name, value in true.items() if name in facts})


def _entropy(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    rows = state.readable
    mean = float(head_behaviour.row_entropies(state.chosen)[state.head - 1][rows].mean())
    yield from differing(facts, entropy=mean, ceiling=float(state.ceilings[rows].mean()))


def _named_head(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name)


def _named_query(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, query=state.token(state.row))


def verdict(state: State, said: Sequence[Message]) -> Iterator[str]:
    """Check a verdict by the question that its reason answers: another than the asked one if that did not fit."""
    judged, *because = said
    for kind in (one.key.removeprefix("predict.").removesuffix(".because") for one in because):
        rights, facts = _rights(state, kind), _named(state, judged.facts)
        if judged.key == "predict.right":
            if facts["real"] != facts["answer"] or facts["real"] not in rights:
                yield "the answer is wrong"
        elif facts["real"] not in rights or facts["answer"] in rights:
            yield f"right are {rights}"
    if len(because) != 1:
        yield "a verdict gives one reason"


def _rights(state: State, kind: str) -> set[str]:
    """Return the right answers to a question."""
    match kind:
        case "model_mute" | "model_factor":
            met = _of_mute(state) if kind == "model_mute" else _of_factor(state)
            return {text(state.lang, f"predict.{kind}.{name}") for name in met}
        case "model_copies":
            costs = all_costs(state)
            return {at for at, cost in costs.items() if cost >= max(costs.values()) - 0.05 - 1e-4}
        case "model_previous":
            return _previous(state)
        case "model_key":
            return _most_read(state)
    raise NotImplementedError(kind)


def _previous(state: State) -> set[str]:
    scores = head_behaviour.over_corpus(state.model)["previous_token"]
    return {f"{at[0] + 1}.{at[1] + 1}" for at in np.argwhere(scores >= scores.max() - 0.02)}


def _most_read(state: State) -> set[str]:
    weights = state.weights[state.row]
    return {state.token(int(key)) for key in np.flatnonzero(weights >= weights.max() * (1 - 1e-5))}


_CHOICES: Final = {"model_mute": ("stays", "half", "tenth"), "model_factor": ("likelier", "less")}


def _of_mute(state: State) -> set[str]:
    """Return what is left of the likeliest word's probability: a share near the end of a range is in both."""
    now = probabilities(state)[1]
    word = int(now.argmax())
    left = math.exp(float(without(state, state.layer, state.head).logs[state.row, word])) / float(now[word])
    ranges = {"stays": (0.5, math.inf), "half": (0.1, 0.5), "tenth": (0.0, 0.1)}
    return {name for name, (low, high) in ranges.items() if low * 0.98 <= left <= high * 1.02}


def _of_factor(state: State) -> set[str]:
    return {"likelier" if with_more(state, core.Factor(2.0)).text_log > state.now.text_log else "less"}


def _named(state: State, facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the answers as they are read."""
    return {
        name: fact.written(state.lang) if isinstance(fact, Message) else fact
        for name, fact in facts.items()
        if name in ("real", "answer")
    }


def _expected(state: State, said: Mapping[str, Any]) -> Iterator[str]:
    """Check the answer that is repeated; `verdict` knows the right one."""
    answer = _named(state, said)["answer"]
    named = {text(state.lang, f"predict.{kind}.{state.answer}") for kind in _CHOICES if state.answer in _CHOICES[kind]}
    if answer not in named and answer not in (state.answer, *_as_token(state)):
        yield "the answer was another one"


def _as_token(state: State) -> list[str]:
    return [state.token(int(state.answer))] if state.answer.isdecimal() and int(state.answer) < state.n else []


def _because_previous(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["head"] not in _previous(state):
        yield "another head reads the token before"
    layer, head = (int(part) - 1 for part in facts["head"].split("."))
    yield from differing(facts, score=float(head_behaviour.over_corpus(state.model)["previous_token"][layer, head]))


def _because_key(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name, weight=float(state.weights[state.row].max()))
    if facts["key"] not in _most_read(state):
        yield "another key is read most"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    **OF_SAYING,
    **OF_ORDER,
    "model.reads_sink": _reads_sink,
    "model.reads_sink_tied": _tied_sink,
    "model.reads_tied": _tied,
    "model.as_trained": _as_trained,
    "table.head_map.tied": _tied,
    "table.head_row.tied": _tied,
    "model.reads_nothing": _reads_nothing,
    "model.unmeasured": _unmeasured,
    "table.head_row.nothing": _weightless,
    "table.why_key.rebuilt": _rebuilt,
    "model.does": _does,
    "model.does_every": over_all_rows(_does),
    "model.does_text": _does_here,
    "model.does_text_every": over_all_rows(_does_here),
    "model.does_elsewhere": _does_here,
    "model.no_label_corpus": _no_label("corpus"),
    "model.no_label_text": _no_label("text"),
    "model.reads": _reads,
    **{f"model.shows.{name}{ending}": _shows for name in SHOWS[1:] for ending in ("", "_none", "_tied")},
    "model.rows_empty": _rows_empty,
    "brief.head_map.mean": _named_layer,
    "brief.head_map.rollout": _named_layer,
    "model.positional": _positional,
    "model.footnote": _footnote,
    "table.model_heads.none": _all_heads,
    "table.model_heads.summary": _labelled_heads,
    "table.head_scatter.summary": _scatter,
    "table.head_map.summary": _map,
    "table.head_row.summary": _map,
    "table.why_key.summary": _why,
    "table.why_key.forbidden": _forbidden,
    "table.head_scores.summary": _moments,
    "table.head_entropy.summary": _entropy,
    "brief.head_map": _named_head,
    "brief.head_map_made": _named_head,
    "brief.scores_unused": _moments,
    "model.unused_score": _why,
    "table.why_key.zero": _zero,
    "brief.head_row": _named_query,
    "brief.why_key.score": _why,
    "brief.why_key.forbidden": _forbidden,
    "brief.score_distribution": _moments,
    "brief.entropy": _entropy,
    "predict.right": _expected,
    "predict.differs": _expected,
    "predict.model_previous.because": _because_previous,
    "predict.model_key.because": _because_key,
}
