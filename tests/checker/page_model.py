"""Model: the sentences, the figures' captions and summaries, and the verdicts on both questions.

The truth is that of the models that ship, recomputed from their files by `tests.checker.learned`, and what their heads
do, from the corpus' documents by `tests.checker.head_behaviour`. Behind # a link has the answer that is given.
"""

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import numpy as np

from tests.checker import head_behaviour, learned
from tests.checker.checking import Cell, Claim, Page, near
from tests.checker.head_behaviour import SHARES, Scores
from tests.checker.learned import Heads, Numbers
from tests.checker.terms import of_values, off
from visualiser import predictions
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.pages.model import HEAD, MEASURES, OVERVIEW, live, reading, sentences
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, Reason
from visualiser.server.live.page_request import PageRequest
from visualiser.tables import Table

WORDS: Final = (
    "Anna", "Ben", "Miller", "sees", "the", "The", "keys", "key", "to", "cabinet", "are", ".", ",", "(", ")", "[", "]",
    "고양이", "서랍", "은", "🦆", "👩‍👧", "don't", "7", "1", "x" * 40, "&", "amp", ";", "<", "script", ">", "$", "%",
    "é", "_", "{", "}", "猫", "0.5",
)  # fmt: skip
_TOKEN: Final = re.compile(r"👩‍👧|猫|[^\W_]+(?:'[^\W_]+)*|\S")
QUESTIONS: Final = ("model_previous", "model_key")
MOST: Final = 24


def link(draws: random.Random) -> str:
    """Draw a state, corner cases often."""
    length = draws.choice((1, 1, 2, 3, 8, 8, 20, 20, 40, 63, 64, 65, 140))
    words = draws.choices(WORDS if draws.random() < 0.6 else WORDS[: draws.choice((1, 3, 10))], k=length)
    model = draws.choice(("headlight", "headlight", "headlight-one-layer"))
    settings: dict[str, Any] = {
        "page": "model",
        "model": model,
        "text": draws.choice((" ", " ", "\n ")).join(words),
        "layer": draws.choice((1, 1, 2, 2, 2, 3, 40)),
        "head": draws.choice((1, 2, 3, 4, 0, 5, 99)),
        "over": draws.choice(("corpus", "text")),
        "x": draws.choice(MEASURES),
        "y": draws.choice(MEASURES),
        "sort": draws.choice(("layer", *MEASURES)),
        "only": draws.choice(("all", "labelled")),
        "key": draws.choice((-1, -1, 0, 1, draws.randrange(128), 127)),
    }
    if draws.random() < 0.7:
        settings["row"] = draws.choice((0, 1, draws.randrange(64), 63, 10**6))
    answer = ""
    if draws.random() < 0.3:
        settings |= {"predict": "true", "question": draws.choice((*QUESTIONS, "any"))}
        answer = draws.choice(("0", "1", "2", "1.1", "1.1", "1.3", "2.4", str(draws.randrange(9)), "nothing"))
    return f"{urlencode(settings)}#{answer}"


@dataclass(frozen=True)
class State:
    """A text as float64 numpy reads it, and what of it the page shows."""

    model: str
    layers: tuple[Heads, ...]
    tokens: tuple[str, ...]
    layer: int
    head: int
    row: int
    wished: int
    measures: Scores
    here: Scores
    over: str
    axes: tuple[str, str]
    answer: str

    @property
    def name(self) -> str:
        return f"{self.layer}.{self.head}"

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def scores(self) -> Numbers:
        return self.layers[self.layer - 1].scores[self.head - 1]

    @property
    def weights(self) -> Numbers:
        return self.layers[self.layer - 1].weights[self.head - 1]

    @property
    def open_scores(self) -> Numbers:
        return self.scores[np.tri(self.n, dtype=bool)]

    @property
    def ceilings(self) -> Numbers:
        return np.log(np.arange(1, self.n + 1))

    def measured(self, measure: str) -> float:
        return float(self.measures[measure][self.layer - 1, self.head - 1])

    def token(self, at: int) -> str:
        """Return a token as a sentence names it: with its place, no longer than ten characters."""
        word = self.tokens[at]
        return f"{at} “{word if len(word) <= 10 else word[:9] + '…'}”"

    def places(self, said: str) -> list[int]:
        """Return the position that a named token has, if it is named as it is."""
        at = int(said.split(" ")[0])
        return [at] if at < self.n and said == self.token(at) else []


def state(query: str) -> State:
    """Compute the truth of a state."""
    settings = {name: values[0] for name, values in parse_qs(query.partition("#")[0]).items()}
    model, over = settings["model"], settings["over"]
    tokens = ("<bos>", *_TOKEN.findall(settings["text"])[:63])
    ids = learned.numbered(tokens)
    layers, n = learned.read(model, ids), len(tokens)
    here = head_behaviour.over_text(model, ids)
    return State(
        model=model,
        layers=layers,
        tokens=tokens,
        layer=min(int(settings["layer"]), len(layers)),
        head=min(max(1, int(settings["head"])), learned.HEADS),
        row=min(int(settings.get("row", n)), n - 1),
        wished=min(int(settings["key"]), n - 1),
        measures=head_behaviour.over_corpus(model) if over == "corpus" else here,
        here=here,
        over=over,
        axes=(settings["x"], settings["y"]),
        answer=query.partition("#")[2],
    )


@lru_cache(4)
def found_in(query: str) -> live.Read:
    """Return what the page has of a link."""
    return reading.read(PageRequest(query.partition("#")[0], None, frozenset(), b"", "en", "light", 0, "", {}, "model"))


def _insight(query: str) -> list[Message]:
    found = found_in(query)
    return sentences.insight(found.shown, found.model, found.footnote)


def sentences_of(query: str) -> list[Message]:
    """Return all that is said in a state: of a question only the verdict."""
    found, answer = found_in(query), query.partition("#")[2]
    posed, shown, view = found.posed, found.shown, found.state.view
    if posed is not None:
        extra = {"prediction": {"name": posed.choice.name, "answer": answer}}
        verdict = predictions.judged(posed.choice, extra, posed.rights, labels=posed.labels, **posed.because)
        return [] if verdict is None else verdict.sentences
    return [
        *_insight(query),
        *(one for figure in (*OVERVIEW, *HEAD) for one in figure.sentence(shown, view)),
        *(one for figure in HEAD for one in figure.brief(shown, view)),
    ]


def _same(claimed: float, true: float) -> bool:
    """Return True for equal numbers, within what float32 leaves of a sum of terms of both signs."""
    return near(claimed, true) or abs(claimed - true) < 1e-4 or (math.isnan(claimed) and math.isnan(true))


def _off(facts: Mapping[str, Any], **true: Any) -> Iterator[str]:
    for name, value in true.items():
        claimed = facts[name]
        if not (_same(claimed, value) if isinstance(value, float) else claimed == value):
            yield f"{name} is {value!r}, not {claimed!r}"


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


def _labelled(state: State, facts: Mapping[str, Any], score: float) -> Iterator[str]:
    """Check the label that a sentence gives a head, and its score over the corpus."""
    (name, true), *_ = _behaves(state)
    yield from _off({"head": facts["head"], "score": score}, head=state.name, score=true)
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
    if "corpus" in facts:
        yield from _off(facts, score=here)
    if math.isnan(here) == ("corpus" in facts):
        yield "this text measures it, or does not"


def _no_label(over: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        there = {name: state.measured(name) for name in SHARES if math.isfinite(state.measured(name))}
        if _behaves(state) or state.over != over:
            yield "the head has a label, or another text is measured"
        measure = facts["measure"].key.removeprefix("measure.")
        yield from _off(facts, head=state.name, score=max(there.values()))
        if not _same(there.get(measure, math.nan), max(there.values())):
            yield f"{measure} is not the largest share"

    return claim


def _most(state: State, key: int, weight: float) -> Iterator[str]:
    if not state.weights[state.row, key] >= state.weights[state.row].max() * (1 - 1e-4):
        yield f"key {key} is not read most"
    if not _same(weight, float(state.weights[state.row, key])):
        yield f"its weight is {state.weights[state.row, key]}"


def _reads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    keys = state.places(facts["key"])
    if facts["query"] != state.token(state.row) or not keys:
        yield "a token is called something else"
    for key in keys:
        yield from _most(state, key, facts["weight"])


def _positional(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, layer=state.layer)
    if state.layer == len(state.layers):
        yield "the last layer reads words"
    other = ("<bos>", *("Ben" for _ in state.tokens[1:]))
    elsewhere = learned.read(state.model, learned.numbered(other))[state.layer - 1]
    if not np.allclose(elsewhere.weights[state.head - 1], state.weights):
        yield "another text of this length has another map"


def _footnote(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    ratios = state.here["variance"]
    bordering = any(abs(ratio / border - 1) < 1e-4 for ratio in ratios.flat for border in (0.5, 2.0))
    yield from _off(
        facts, heads=ratios.size, median=float(np.median(ratios)), largest=float(ratios.max()),
        **({} if bordering else {"near": int(((ratios >= 0.5) & (ratios <= 2)).sum())}),
    )  # fmt: skip
    layer, head = (int(part) - 1 for part in facts["where"].split("."))
    if not _same(float(ratios[layer, head]), float(ratios.max())):
        yield "the largest is elsewhere"


def _all_heads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, layers=len(state.layers), heads=4 * len(state.layers), n=state.n)


def _labelled_heads(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _all_heads(state, facts)
    true = head_behaviour.labels(state.model)
    told = {one.facts["head"]: one.facts["label"] for one in facts["labels"]}
    if list(told) != [f"{layer}.{head}" for layer, head in sorted(true)]:
        yield "other heads have labels"
    for at, labels in true.items():
        said = told.get(f"{at[0]}.{at[1]}", "").split(" · ")
        if len(said) != len(labels):
            yield f"{at} has {labels}"
        for one, (name, score) in zip(said, labels, strict=False):
            named, _, number = one.rpartition(" ")
            if named != text("en", f"measure.{name}") or abs(float(number) - score) > 0.0051:
                yield f"{at} is {name} {score}"


def _scatter(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    x, y = state.axes
    yield from _off(facts, heads=4 * len(state.layers), head=state.name)
    yield from _off(facts, of_x=state.measured(x), of_y=state.measured(y))
    if (facts["x"].key, facts["y"].key) != (f"measure.{x}", f"measure.{y}"):
        yield "other measures are drawn"


def _map(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.name, query=state.row)
    yield from _off(facts, **{name: state.n for name in ("n_q", "n_k") if name in facts})
    yield from _off(facts, **{name: state.row + 1 for name in ("keys",) if name in facts})
    yield from _most(state, facts["key"], facts["weight"])


def _why(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, query=state.row, **({"head": state.name} if "head" in facts else {}))
    key = facts["key"]
    if state.wished >= 0 and key != state.wished:
        yield f"the key is {state.wished}"
    if state.wished < 0:
        yield from _most(state, key, float(state.weights[state.row, key]))
    if key > state.row:
        yield "the mask forbids it"
    else:
        yield from _off(facts, score=float(state.scores[state.row, key]))
    if "count" in facts:
        yield from _off(facts, count=state.layers[0].Q.shape[-1])


def _forbidden(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, query=state.row, key=state.wished)
    if facts["key"] <= facts["query"]:
        yield "the mask allows it"


def _moments(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = {"mean": float(state.open_scores.mean()), "variance": float(state.open_scores.var())}
    yield from _off(facts, **{name: value for name, value in true.items() if name in facts})


def _entropy(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    mean = float(head_behaviour.entropies(state.weights).mean())
    yield from _off(facts, entropy=mean, ceiling=float(state.ceilings.mean()))


def _named_head(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.name)


def _named_query(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, query=state.token(state.row))


def _rights(state: State, named: bool) -> set[str]:
    """Return the right answers: to the question for a head if `named`, else to that for a key."""
    if named:
        scores = head_behaviour.over_corpus(state.model)["previous_token"]
        return {f"{at[0] + 1}.{at[1] + 1}" for at in np.argwhere(scores >= scores.max() - 0.02)}
    weights = state.weights[state.row]
    return {state.token(int(key)) for key in np.flatnonzero(weights >= weights.max() * (1 - 1e-5))}


def _right(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["real"] != facts["answer"] or facts["real"] not in _rights(state, "“" not in facts["real"]):
        yield "the answer is wrong"


def _differs(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    rights = _rights(state, "“" not in facts["real"])
    if facts["real"] not in rights or facts["answer"] in rights:
        yield f"right are {rights}"
    if facts["answer"] not in (state.answer, state.token(min(state.n - 1, int(float(state.answer))))):
        yield "the answer was another one"


def _because_previous(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["head"] not in _rights(state, named=True):
        yield "another head reads the token before"
    layer, head = (int(part) - 1 for part in facts["head"].split("."))
    yield from _off(facts, score=float(head_behaviour.over_corpus(state.model)["previous_token"][layer, head]))


def _because_key(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.name, weight=float(state.weights[state.row].max()))
    if facts["key"] not in _rights(state, named=False):
        yield "another key is read most"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "model.does": _does,
    "model.does_text": _does_here,
    "model.does_elsewhere": _does_here,
    "model.no_label_corpus": _no_label("corpus"),
    "model.no_label_text": _no_label("text"),
    "model.reads": _reads,
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
    "brief.head_row": _named_query,
    "brief.why_key.score": _why,
    "brief.why_key.forbidden": _forbidden,
    "brief.score_distribution": _moments,
    "brief.entropy": _entropy,
    "predict.right": _right,
    "predict.differs": _differs,
    "predict.model_previous.because": _because_previous,
    "predict.model_key.because": _because_key,
}


def _together(state: State, said: Sequence[Message]) -> Iterator[str]:
    keys = [sentence.key for sentence in said]
    if any(key.startswith("predict.") for key in keys) or not keys:
        return
    if ("model.positional" in keys) != (state.layer < len(state.layers)):
        yield "what a layer compares is told of another one"
    if keys.count("model.footnote") != 1 or keys.count("model.reads") != 1:
        yield "what footnote 4 says here, or what the query reads, is not told once"


def _asked(query: str) -> tuple[list[Message], How]:
    return sentences_of(query), found_in(query).how


def _row(state: State, key: int) -> dict[str, float]:
    """Return what a weight of the row is made of."""
    scores = state.scores[state.row, : state.row + 1]
    return {"most": float(scores.max()), "score": float(scores[key])}


def _reason(state: State, sentence: Message, name: str, given: Reason) -> Iterator[str]:
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
            if not _same(parse_number(given.made.facts["product"]), product):
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
    if "mean" in made.facts and not _same(float(made.facts["mean"]), float(scores.mean())):
        yield f"the mean is {scores.mean()}"
    told = parse_number(made.facts["sum"])
    if not near(told, true) and abs(told - true) > 1e-4 * scores.size:
        yield f"the sum is {true}"


def _tables(query: str) -> dict[str, Table]:
    found = found_in(query)
    return {each.name: each.table(found.shown, found.state.view) for each in (*OVERVIEW, *HEAD) if each.is_tabled}


def _cell(state: State, asked: Cell) -> Iterator[str]:
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
                if not _same(parse_number(asked.made.facts[name]), one):
                    yield f"{name} is {one}"
        case other:
            yield f"nobody checks {other}"
    if not _same(value, true):
        yield f"it is {true}"


PAGE: Final = Page(
    link,
    sentences_of,
    state,
    CLAIMS,
    _together,
    _asked,
    frozenset({"head", "query", "key", "label", "where", "layer", "answer", "real"}),
    _reason,
    _tables,
    _cell,
    lambda query: _insight(query)[:1],
)
