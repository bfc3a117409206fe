"""Predict, then reveal: the question that a page poses if the visitor or a link wants it, and the verdict.

A page declares its question once, as a `Choice` or a `Curve`; `visualiser.server.live.predicting` writes the part that
shows it. The browser sends the answer with the request that reveals (`extra["prediction"]`), and `judged` compares it
with the computed result.
The texts are `predict.NAME.question`, `predict.NAME.because` and, for a choice, `predict.NAME.CHOICE`. For a curve,
`predict.NAME.x` and `predict.NAME.y` name the axes.

`is_question_requested` is True if a state requests one; `choose_question` picks one of the questions that fit it. A
truth is a `Band`, as wide as its draws or its measurement leave it open. `plausible_maxima` and `plausible_ranges`
return the choices that a band does not rule out.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from visualiser.locale import exact, number, text
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, unexplained
from visualiser.state.share import State

CLOSE: Final = 0.1
"""The tolerance, as a share of the axis: a drawn curve is right if its mean distance is at most this, and flat if it
moves by no more.
"""


@dataclass(frozen=True)
class Choice:
    """A question with one answer among `choices`. If empty, the choices are the labels given with it."""

    name: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Curve:
    """A question with a drawn answer: one value in `low` … `high` at each x."""

    name: str
    x: tuple[float, ...]
    low: float
    high: float
    log_x: bool = False
    log_y: bool = False

    def place(self, value: float) -> float:
        """Map a value onto the axis: 0 at `low`, 1 at `high`, outside [0, 1] if out of range."""
        if self.log_y:
            return math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


Question = Choice | Curve

Labels = Mapping[str, str | Message]
"""The names of choices that only a page knows, such as its heads."""

NONE: Final = "none"
"""The choice if no other one is right."""


@dataclass(frozen=True)
class Band:
    """A value as its seeds, or its measurement, leave it open: the best estimate, and the ends of what may be."""

    mean: float
    least: float
    most: float


SURE: Final = 15 / 16
"""The least share of cases in which `median` holds the true one: five draws can be no surer."""


def median(draws: Sequence[float]) -> Band:
    """Return the median of draws, and the narrowest interval of two of them that holds the true one as often as `SURE`.

    A draw lies below the true median as often as above it. So all but the k least and the k greatest of N draws hold
    it unless at most k of N fair coins fall on one side. Of an even number the lower middle one is the median. Fewer
    than five draws leave open what lies between the least and the greatest.
    """
    ordered = sorted(draws)
    count, left_out, missed = len(ordered), 0, 0
    while 2 * (missed + math.comb(count, left_out)) <= (1 - SURE) * 2**count:
        missed += math.comb(count, left_out)
        left_out += 1
    end = max(left_out - 1, 0)
    return Band(ordered[(count - 1) // 2], ordered[end], ordered[count - 1 - end])


def plausible_maxima(found: Mapping[str, Band], equal: float) -> list[str]:
    """Return the choices that may have the greatest value, the greatest mean first.

    A choice may have it if its band meets that of the greatest mean. Means that differ by at most `equal` count as
    equal, whatever their bands. Several choices mean that none is clearly the greatest: then `NONE` comes first.
    """
    ordered = sorted(found, key=lambda name: -found[name].mean)
    first = found[ordered[0]]
    likely = [name for name in ordered if found[name].most >= first.least or found[name].mean >= first.mean - equal]
    return [NONE, *likely] if len(likely) > 1 else likely


def as_written(share: float) -> Band:
    """Return a measured share, from its value to that of its percentage as a page writes it.

    A reader who sees "40 %" cannot tell on which side of 40 it lies.
    """
    shown = parse_number(number(100 * share)) / 100
    return Band(share, min(share, shown), max(share, shown))


def plausible_ranges(ranges: Mapping[str, tuple[float, float]], found: Band) -> list[str]:
    """Return the choices whose range the band meets, the one with its mean first; `NONE` alone if it meets none.

    An end of a range belongs to it.
    """
    met = [name for name, (low, high) in ranges.items() if found.most >= low and found.least <= high]
    holding = holder(ranges, found.mean)
    return sorted(met, key=lambda name: name != holding) or [NONE]


def holder(ranges: Mapping[str, tuple[float, float]], value: float) -> str:
    """Return the first choice whose range holds a value; `NONE` if no range does."""
    return next((name for name, (low, high) in ranges.items() if low <= value <= high), NONE)


def is_question_requested(state: State) -> bool:
    """Return True if a state requests a question: `predict` is set, and the question has its place on the page."""
    return bool(state.own.get("predict")) and "predict" not in state.view.hide


def choose_question(state: State, askable: Sequence[str]) -> tuple[str, str | None] | None:
    """Return the question to pose about a state, the requested one if it fits, and the one that follows it.

    Return None if the state wants no question, or if there is none. Nothing follows an only one.
    """
    if not is_question_requested(state) or not askable:
        return None
    requested = state.own["question"]
    at = askable.index(requested) if requested in askable else 0
    return askable[at], askable[(at + 1) % len(askable)] if len(askable) > 1 else None


def without_unavailable_question(
    state: State, available: bool, notices: tuple[str, ...]
) -> tuple[State, tuple[str, ...]]:
    """Return the state, and its notices. A request for a question that does not fit is removed, with a notice."""
    if available or not state.own.get("predict"):
        return state, notices
    plain = replace(state, own={**state.own, "predict": False})
    return plain, notices if "predict" in state.view.hide else (*notices, text(state.lang, "predict.nothing"))


def prediction_of(question: Question, extra: Mapping[str, Any]) -> Any:
    """Return the visitor's prediction: a choice's name, a curve's values, or None if there is no valid one."""
    given = extra.get("prediction")
    if not isinstance(given, dict) or given.get("name") != question.name:
        return None
    answer = given.get("answer")
    if isinstance(question, Choice):
        known = isinstance(answer, str) and (not question.choices or answer in question.choices)
        return answer if known else None
    if not isinstance(answer, list) or len(answer) != len(question.x):
        return None
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in answer):
        return None
    drawn = tuple(float(value) for value in answer)
    return drawn if all(math.isfinite(value) for value in drawn) else None


@dataclass(frozen=True)
class Verdict:
    """The comparison of a prediction with the result: if it is right, what is, its sentences, and where their numbers
    come from. The first `judging` sentences speak of the answer; who gave none reads the others."""

    right: bool
    real: list[str] | list[float]
    sentences: list[Message]
    judging: int
    how: How = unexplained


def judged(
    question: Question,
    extra: Mapping[str, Any],
    real: str | Sequence[str] | Sequence[float],
    *,
    labels: Labels | None = None,
    bands: Sequence[tuple[float, float]] | None = None,
    because: str = "because",
    likeliest: str | None = None,
    **fields: object,
) -> Verdict | None:
    """Compare prediction and result; return None if the visitor predicted nothing.

    `real` comes from the result: the right choice (or several equally right ones, of which the first is named), or the
    curve's value at each x. `bands` are the ranges that the result leaves open; a point in its band is right.
    `because` is the last part of the key of the sentence that gives the reason. `likeliest` is the choice of the best
    estimate, if that is known: of another right one the verdict states only that it is not ruled out.
    """
    answer = prediction_of(question, extra)
    reason = message(f"predict.{question.name}.{because}", **fields)
    if isinstance(question, Curve):
        if answer is None:
            return None
        values = [float(value) for value in real]
        right, sentences = _compared(question, answer, values, bands or [(value, value) for value in values])
        return Verdict(right, values, [*sentences, reason], len(sentences))
    names = named(question, labels)
    if answer not in names:
        return None
    rights = [real] if isinstance(real, str) else [str(one) for one in real]
    right = answer in rights
    real_one = answer if right else rights[0]
    key = f"predict.{'right' if right else 'differs'}{'_open' if likeliest not in (None, real_one) else ''}"
    return Verdict(right, rights, [message(key, answer=names[answer], real=names[real_one]), reason], 1)


def several_right(question: Choice, rights: Sequence[str], labels: Labels | None = None) -> list[Message]:
    """Name the answers that are right if they are several, so that no reader takes one of them for the only one."""
    names = named(question, labels)
    return [message("predict.several_right", answers=[names[name] for name in rights])] if len(rights) > 1 else []


def trend(question: Curve, values: Sequence[float]) -> str:
    """Return "rises", "falls" or "stays" for a curve's change from its first to its last point."""
    change = question.place(values[-1]) - question.place(values[0])
    return "stays" if abs(change) <= CLOSE else "rises" if change > 0 else "falls"


def named(question: Choice, labels: Labels | None) -> Labels:
    """Return the name of each choice."""
    return labels or {choice: message(f"predict.{question.name}.{choice}") for choice in question.choices}


def _compared(
    question: Curve, drawn: Sequence[float], real: Sequence[float], bands: Sequence[tuple[float, float]]
) -> tuple[bool, list[Message]]:
    """Return True if the two curves lie close together, and sentences on their directions and largest difference."""
    apart = [
        abs(question.place(a) - question.place(min(max(a, low), high)))
        for a, (low, high) in zip(drawn, bands, strict=True)
    ]
    right = sum(apart) / len(apart) <= CLOSE
    sentences = [message("predict.curve.close" if right else "predict.curve.apart")]
    if len(real) > 1:
        expected, came = trend(question, drawn), trend(question, real)
        directions = {"drawn": message(f"predict.curve.{expected}"), "real": message(f"predict.curve.{came}")}
        sentences.append(message("predict.curve.same" if expected == came else "predict.curve.other", **directions))
    differences = [abs(question.place(a) - question.place(b)) for a, b in zip(drawn, real, strict=True)]
    at = int(np.argmax(differences))
    largest = {"drawn": float(drawn[at]), "real": float(real[at])}
    if number(largest["drawn"]) != number(largest["real"]):
        axis = message(f"predict.{question.name}.x")
        sentences.append(message("predict.curve.largest", axis=axis, x=exact(question.x[at]), **largest))
    return right, sentences
