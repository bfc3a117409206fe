"""The Model page's questions: which head reads the token before, and what the chosen query reads most.

What would answer a question is not sent while it is posed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from visualiser import predictions
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.pages.model import HEAD, MAPS, POINTS, QUESTIONS
from visualiser.predictions import Choice
from visualiser.reasons.explained import How
from visualiser.server.live import predicting
from visualiser.state.share import State

PREVIOUS: Final = Choice(QUESTIONS[0])
KEY: Final = Choice(QUESTIONS[1])

_MOST_CHOICES: Final = 24
"""Of heads or of keys; among more nobody chooses."""

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
    scores = {head_name(*at): float(corpus["previous_token"][at[0] - 1, at[1] - 1]) for at in shown.heads}
    best = max(scores.values(), default=0.0)
    if not 1 < len(scores) <= _MOST_CHOICES or not best >= _LEAST:
        return None
    rights = sorted((name for name in scores if scores[name] >= best - _EQUAL), key=lambda name: -scores[name])
    return {
        "labels": {name: name for name in scores},
        "facts": {},
        "about": repr((PREVIOUS.name, state.config.model, state.config.text)),
        "rights": rights,
        "because": {"head": rights[0], "score": scores[rights[0]]},
    }


def _key(state: State, shown: ReadHead) -> dict[str, Any] | None:
    keys = np.flatnonzero(shown.allowed[shown.row])
    if not 1 < len(keys) <= _MOST_CHOICES or len(shown.run.tokens) != shown.weights.shape[1]:
        return None
    weights = shown.weights[shown.row]
    most = float(weights.max())
    rights = [str(key) for key in keys if weights[key] >= most * (1 - 1e-6)]
    return {
        "labels": {str(key): shown.said(int(key)) for key in keys},
        "facts": {"head": shown.name, "query": shown.said(shown.row)},
        "about": repr((KEY.name, state.config.model, state.config.text, shown.name, shown.row)),
        "rights": rights,
        "because": {"key": shown.said(int(rights[0])), "weight": most, "head": shown.name},
    }
