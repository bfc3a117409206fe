"""Predict, then reveal: the question that a page asks first, and the verdict on the visitor's answer.

A page declares its question once, as a `Choice` or a `Curve`; `asks` writes the part that shows it. The browser sends
the answer with the request that reveals (`extra["prediction"]`), and `verdict` compares it with the computed result.
The texts are `predict.NAME.question`, `predict.NAME.because` and, for a choice, `predict.NAME.CHOICE`. For a curve,
`predict.NAME.x` and `predict.NAME.y` name the axes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from visualiser.locale import exact, number, text
from visualiser.locale.said import Said, say, written
from visualiser.server.live import wire

CLOSE: Final = 0.1
"""The tolerance, as a share of the axis: a drawn curve is right if its mean distance is at most this, and flat if it
moves by no more.
"""


@dataclass(frozen=True)
class Choice:
    """A question with one answer among `choices`. If empty, the choices are the labels given to `asks`."""

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


def asks(
    question: Question,
    lang: str,
    *,
    labels: Mapping[str, str] | None = None,
    about: str = "",
    kept: bool = False,
    **fields: object,
) -> bytes:
    """Write the part that shows the question. `about` names its subject: an answer holds until that changes.

    `kept`: the page shows it only if it has asked it before.
    """
    header: dict[str, Any] = {
        "part": "question",
        "name": question.name,
        "about": about,
        "sentence": say(f"predict.{question.name}.question", **fields).written(lang),
    }
    if kept:
        header["kept"] = True
    if isinstance(question, Choice):
        header["choices"] = list((labels or _labels(question, lang)).items())
    else:
        header["curve"] = {
            "x": question.x,
            "low": question.low,
            "high": question.high,
            "log_x": question.log_x,
            "log_y": question.log_y,
            "x_label": text(lang, f"predict.{question.name}.x"),
            "y_label": text(lang, f"predict.{question.name}.y"),
        }
    return wire.Part().close(header)


def answered(question: Question, extra: Mapping[str, Any]) -> Any:
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
    """The comparison of a prediction with the result: if it is right, what is, and its sentences."""

    right: bool
    real: list[str] | list[float]
    said: list[Said]


def verdict(
    question: Question,
    extra: Mapping[str, Any],
    real: str | Sequence[str] | Sequence[float],
    lang: str,
    *,
    labels: Mapping[str, str] | None = None,
    bands: Sequence[tuple[float, float]] | None = None,
    **fields: object,
) -> bytes | None:
    """Write the part with the verdict of `judged`; return None if the visitor predicted nothing."""
    found = judged(question, extra, real, labels=labels, bands=bands, **fields)
    if found is None:
        return None
    return verdict_part(question, found, lang)


def verdict_part(question: Question, found: Verdict, lang: str) -> bytes:
    """Write the part with a verdict."""
    header = {
        "part": "verdict",
        "name": question.name,
        "right": found.right,
        "sentences": written(found.said, lang),
    }
    if isinstance(question, Choice):
        return wire.Part().close({**header, "real": found.real})
    part = wire.Part()
    return part.close({**header, "real": wire.entry(part, {"y": np.array(found.real)}, ())})


def judged(
    question: Question,
    extra: Mapping[str, Any],
    real: str | Sequence[str] | Sequence[float],
    *,
    labels: Mapping[str, str] | None = None,
    bands: Sequence[tuple[float, float]] | None = None,
    **fields: object,
) -> Verdict | None:
    """Compare prediction and result; return None if the visitor predicted nothing.

    `real` comes from the result: the right choice (or several equally right ones, of which the first is named), or the
    curve's value at each x. `bands` are the ranges that the result leaves open; a point in
    its band is right.
    """
    answer = answered(question, extra)
    because = say(f"predict.{question.name}.because", **fields)
    if isinstance(question, Curve):
        if answer is None:
            return None
        values = [float(value) for value in real]
        right, said = _compared(question, answer, values, bands or [(value, value) for value in values])
        return Verdict(right, values, [*said, because])
    named: Mapping[str, str | Said] = labels or {
        choice: say(f"predict.{question.name}.{choice}") for choice in question.choices
    }
    if answer not in named:
        return None
    rights = [real] if isinstance(real, str) else [str(one) for one in real]
    right = answer in rights
    shown = {"answer": named[answer], "real": named[answer if right else rights[0]]}
    return Verdict(right, rights, [say("predict.right" if right else "predict.differs", **shown), because])


def trend(question: Curve, values: Sequence[float]) -> str:
    """Return "rises", "falls" or "stays" for a curve's change from its first to its last point."""
    change = question.place(values[-1]) - question.place(values[0])
    return "stays" if abs(change) <= CLOSE else "rises" if change > 0 else "falls"


def _labels(question: Choice, lang: str) -> dict[str, str]:
    return {choice: text(lang, f"predict.{question.name}.{choice}") for choice in question.choices}


def _compared(
    question: Curve, drawn: Sequence[float], real: Sequence[float], bands: Sequence[tuple[float, float]]
) -> tuple[bool, list[Said]]:
    """Return True if the two curves lie close together, and sentences on their directions and largest difference."""
    apart = [
        abs(question.place(a) - question.place(min(max(a, low), high)))
        for a, (low, high) in zip(drawn, bands, strict=True)
    ]
    right = sum(apart) / len(apart) <= CLOSE
    said = [say("predict.curve.close" if right else "predict.curve.apart")]
    if len(real) > 1:
        expected, came = trend(question, drawn), trend(question, real)
        directions = {"drawn": say(f"predict.curve.{expected}"), "real": say(f"predict.curve.{came}")}
        said.append(say("predict.curve.same" if expected == came else "predict.curve.other", **directions))
    differences = [abs(question.place(a) - question.place(b)) for a, b in zip(drawn, real, strict=True)]
    at = int(np.argmax(differences))
    largest = {"drawn": float(drawn[at]), "real": float(real[at])}
    if number(largest["drawn"]) != number(largest["real"]):
        axis = say(f"predict.{question.name}.x")
        said.append(say("predict.curve.largest", axis=axis, x=exact(question.x[at]), **largest))
    return right, said
