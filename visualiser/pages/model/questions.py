"""The Model page's questions: which head reads the token before, what the chosen query reads most, and of changes.

What would answer a question is not sent while it is posed.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attention_core.learned import LABELS
from visualiser import predictions
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.pages.model import CHANGED, HEAD, MAPS, POINTS, QUESTIONS, SAYS
from visualiser.pages.model import change_questions as of_changes
from visualiser.pages.model.posing import CHOICES, Facts, Posing, some
from visualiser.predictions import Choice
from visualiser.reasons.explained import How
from visualiser.server.live import predicting

_LEAST: Final = 0.5
"""The score of a head that can be recognised by its map."""

_EQUAL: Final = 0.02
"""Scores that differ by less are equally right."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A question of the page.

    fits     False if it cannot be posed about a state, told without another run of the model
    ask      what is asked and what is right; None if there is nothing to ask after all
    covered  the figures that would answer, or say what a head does, which helps to
    """

    choice: Choice
    fits: Callable[[Posing], bool]
    ask: Callable[[Posing], Facts | None]
    covered: tuple[Figure[ReadHead, ...], ...]


@dataclass(frozen=True)
class PosedQuestion:
    """The question that is posed about a state, what it is called, and what follows it."""

    asked: Asked
    following: str | None
    found: Facts

    @property
    def choice(self) -> Choice:
        return self.asked.choice

    @property
    def covered(self) -> tuple[str, ...]:
        """The names of the figures that would answer it."""
        return tuple(figure.name for figure in self.asked.covered)

    @property
    def labels(self) -> predictions.Labels:
        """The name of each choice."""
        return predictions.named(self.choice, self.found.labels)

    @property
    def rights(self) -> list[str]:
        return list(self.found.rights)

    @property
    def because(self) -> Mapping[str, Any]:
        return self.found.because

    def part(self, lang: str) -> bytes:
        """Return the part that shows it."""
        found = self.found
        return predicting.question_part(
            self.choice, lang, labels=self.labels, about=found.about, following=self.following, **found.asked
        )

    def verdict(self, extra: Mapping[str, Any], lang: str, how: How) -> bytes | None:
        """Return the part that judges the visitor's answer; None without one."""
        found = predictions.judged(self.choice, extra, self.rights, labels=self.labels, **self.because)
        change, about = self.found.change, self.found.about
        return found and predicting.verdict_part(self.choice, found, lang, how, change=change, about=about)


def pose(posing: Posing) -> PosedQuestion | None:
    """Return the question to pose about a state; None if it wants none, or none fits."""
    if not predictions.is_question_requested(posing.state):
        return None
    fitting = {asked.choice.name: asked for asked in ASKED if asked.fits(posing)}
    while chosen := predictions.choose_question(posing.state, list(fitting)):
        name, following = chosen
        found = fitting[name].ask(posing)
        if found is not None:
            return PosedQuestion(fitting[name], following, found)
        del fitting[name]
    return None


def _previous(posing: Posing) -> Facts | None:
    state, shown, corpus = posing.state, posing.shown, posing.corpus
    if "previous_token" not in corpus or state.own["changes"]:
        return None  # of a picture no patch is before another; a changed model may do what it did not over the corpus
    scores = {at: _score(corpus, "previous_token", at) for at in shown.heads}
    best = max(scores.values(), default=0.0)
    if len(scores) < 2 or not best >= _LEAST:
        return None
    first, *others = sorted(scores, key=lambda at: (-scores[at], at))
    # among many heads half come from its layer; then those that do something else, then what comes nearest
    beside = [at for at in others if at[0] == first[0]][: CHOICES // 2]
    known = (max((_score(corpus, name, at), at) for at in shown.heads) for name in LABELS if name in corpus)
    offered = some(first, [*beside, *(at for score, at in known if score > -math.inf), *others])
    rights = [at for at in (first, *others) if at in offered and scores[at] >= best - _EQUAL]
    return Facts(
        labels={head_name(*at): head_name(*at) for at in offered},
        about=repr((QUESTIONS[0], state.config.model, state.config.text)),
        rights=[head_name(*at) for at in rights],
        because={"head": head_name(*first), "score": scores[first]},
    )


def _key(posing: Posing) -> Facts | None:
    state, shown = posing.state, posing.shown
    allowed = np.flatnonzero(shown.allowed[shown.row])
    if len(allowed) < 2 or shown.muted or shown.keys is None or not shown.keys.is_text:
        return None
    weights = shown.weights[shown.row]
    first = int(allowed[weights[allowed].argmax()])
    most = float(weights[first])
    offered = some(first, [key for key in _tempting(shown) if shown.allowed[shown.row, key]])
    return Facts(
        labels={str(key): shown.said_key(key) for key in offered},
        asked={"head": shown.name, "query": shown.said_query(shown.row)},
        about=repr((QUESTIONS[1], state.config.model, state.config.text, shown.name, shown.row)),
        rights=[str(key) for key in offered if weights[key] >= most * (1 - 1e-6)],
        because={"key": shown.said_key(first), "weight": most, "head": shown.name},
    )


def _tempting(shown: ReadHead) -> Iterator[int]:
    """Yield the keys of which somebody may think: this token earlier, what came after it, the neighbours, the rest."""
    row, n_k = shown.row, shown.weights.shape[1]
    if shown.keys is not None and shown.reads_itself:
        tokens = shown.keys.tokens
        earlier = next((key for key in reversed(range(row)) if tokens[key] == tokens[row]), None)
        yield from () if earlier is None else (earlier, earlier + 1)
        yield from (0, row, *(() if row == 0 else (row - 1,)))
    run, between = shown.run, shown.run.between
    of_same = (each for each, ends in zip(run.layers, between, strict=True) if ends == between[shown.layer - 1])
    for layer in (shown.attention, *of_same):  # what other heads read most
        yield from map(int, layer.weights[:, row].argmax(-1))
    yield from sorted(range(n_k), key=lambda key: abs(key - row))


def _score(corpus: Mapping[str, Any], measure: str, at: tuple[int, int]) -> float:
    layer, head = at
    found = float(corpus[measure][layer - 1, head - 1])
    return -math.inf if math.isnan(found) else found  # a head of which nothing is known is no answer


_SAID: Final = (POINTS, SAYS, *CHANGED)

ASKED: Final = (
    Asked(Choice("model_previous"), lambda posing: _previous(posing) is not None, _previous, (POINTS,)),
    Asked(Choice("model_key"), lambda posing: _key(posing) is not None, _key, (MAPS, POINTS, SAYS, *HEAD)),
    Asked(Choice("model_mute", tuple(of_changes.RANGES)), of_changes.mute_fits, of_changes.mute, _SAID),
    Asked(Choice("model_copies"), of_changes.cost_fits, of_changes.cost, _SAID),
    Asked(Choice("model_factor", ("likelier", "less")), of_changes.factor_fits, of_changes.factor, _SAID),
)
"""In the order of `QUESTIONS`."""
