"""The Model page's questions: which head reads the token before, and what the chosen query reads most.

What would answer a question is not sent while it is posed.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

import numpy as np

from attention_core.learned import LABELS
from visualiser import predictions
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.pages.model import HEAD, MAPS, POINTS, QUESTIONS
from visualiser.predictions import Choice
from visualiser.reasons.explained import How
from visualiser.server.live import predicting
from visualiser.state.share import State

Offered = TypeVar("Offered", int, tuple[int, int])

PREVIOUS: Final = Choice(QUESTIONS[0])
KEY: Final = Choice(QUESTIONS[1])

CHOICES: Final = 6
"""Heads or keys that a question offers at most: the results of two votes stand beside a figure."""

_LEAST: Final = 0.5
"""The score of a head that can be recognised by its map."""

_EQUAL: Final = 0.02
"""Scores that differ by less are equally right."""

_COVERED: Final[Mapping[str, tuple[str, ...]]] = {
    PREVIOUS.name: (POINTS.name,),
    KEY.name: tuple(figure.name for figure in (MAPS, POINTS, *HEAD)),
}
"""The figures that would answer, or say what a head does, which helps to."""


@dataclass(frozen=True)
class PosedQuestion:
    """The question that is posed about a state, what it is called, and what follows it."""

    choice: Choice
    following: str | None
    labels: Mapping[str, str]
    facts: Mapping[str, Any]
    about: str
    rights: Sequence[str]
    because: Mapping[str, Any]

    @property
    def covered(self) -> tuple[str, ...]:
        """The names of the figures that would answer it."""
        return _COVERED[self.choice.name]

    def part(self, lang: str) -> bytes:
        """Return the part that shows it."""
        return predicting.question_part(
            self.choice, lang, labels=self.labels, about=self.about, following=self.following, **self.facts
        )

    def verdict(self, extra: Mapping[str, Any], lang: str, how: How) -> bytes | None:
        """Return the part that judges the visitor's answer; None without one."""
        found = predictions.judged(self.choice, extra, self.rights, labels=self.labels, **self.because)
        return found and predicting.verdict_part(self.choice, found, lang, how, change={}, about=self.about)


def pose(state: State, shown: ReadHead, corpus: Mapping[str, Any]) -> PosedQuestion | None:
    """Return the question to pose about a state; None if it wants none, or none fits."""
    found = {
        choice.name: posed
        for choice, posed in ((PREVIOUS, _previous(state, shown, corpus)), (KEY, _key(state, shown)))
        if posed is not None
    }
    chosen = predictions.choose_question(state, list(found))
    if chosen is None:
        return None
    name, following = chosen
    choice, facts = (PREVIOUS, KEY)[QUESTIONS.index(name)], found[name]
    return PosedQuestion(choice, following, **facts)


def _previous(state: State, shown: ReadHead, corpus: Mapping[str, Any]) -> dict[str, Any] | None:
    scores = {at: _score(corpus, "previous_token", at) for at in shown.heads}
    best = max(scores.values(), default=0.0)
    if len(scores) < 2 or not best >= _LEAST:
        return None
    first, *others = sorted(scores, key=lambda at: (-scores[at], at))
    # among many heads half come from its layer; then those that do something else, then what comes nearest
    beside = [at for at in others if at[0] == first[0]][: CHOICES // 2]
    known = (max((_score(corpus, name, at), at) for at in shown.heads) for name in LABELS if name in corpus)
    offered = _some(first, [*beside, *(at for score, at in known if score > -math.inf), *others])
    rights = [at for at in (first, *others) if at in offered and scores[at] >= best - _EQUAL]
    return {
        "labels": {head_name(*at): head_name(*at) for at in offered},
        "facts": {},
        "about": repr((PREVIOUS.name, state.config.model, state.config.text)),
        "rights": [head_name(*at) for at in rights],
        "because": {"head": head_name(*first), "score": scores[first]},
    }


def _key(state: State, shown: ReadHead) -> dict[str, Any] | None:
    allowed = np.flatnonzero(shown.allowed[shown.row])
    if len(allowed) < 2 or len(shown.run.tokens) != shown.weights.shape[1]:
        return None
    weights = shown.weights[shown.row]
    first = int(allowed[weights[allowed].argmax()])
    most = float(weights[first])
    offered = _some(first, [key for key in _tempting(shown) if shown.allowed[shown.row, key]])
    return {
        "labels": {str(key): shown.said(key) for key in offered},
        "facts": {"head": shown.name, "query": shown.said(shown.row)},
        "about": repr((KEY.name, state.config.model, state.config.text, shown.name, shown.row)),
        "rights": [str(key) for key in offered if weights[key] >= most * (1 - 1e-6)],
        "because": {"key": shown.said(first), "weight": most, "head": shown.name},
    }


def _tempting(shown: ReadHead) -> Iterator[int]:
    """Yield the keys of which somebody may think: this token earlier, what came after it, the neighbours, the rest."""
    tokens, row = shown.run.tokens, shown.row
    if shown.weights.shape[0] == len(tokens):
        earlier = next((key for key in reversed(range(row)) if tokens[key] == tokens[row]), None)
        yield from () if earlier is None else (earlier, earlier + 1)
        yield from (0, row, *(() if row == 0 else (row - 1,)))
    for layer in (shown.attention, *shown.run.layers):  # what other heads read most
        yield from map(int, layer.weights[:, row].argmax(-1))
    yield from sorted(range(len(tokens)), key=lambda key: abs(key - row))


def _score(corpus: Mapping[str, Any], measure: str, at: tuple[int, int]) -> float:
    layer, head = at
    found = float(corpus[measure][layer - 1, head - 1])
    return -math.inf if math.isnan(found) else found  # a head of which nothing is known is no answer


def _some(first: Offered, others: Iterable[Offered]) -> list[Offered]:
    """Return the right one and the first of the others, in the order in which the page shows them."""
    return sorted(islice(dict.fromkeys((first, *others)), CHOICES))
