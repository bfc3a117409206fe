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

from visualiser.locale import exact, text
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
    question: Question, lang: str, *, labels: Mapping[str, str] | None = None, about: str = "", **fields: object
) -> bytes:
    """Write the part that shows the question. `about` names its subject: an answer holds until that changes."""
    header: dict[str, Any] = {
        "part": "question",
        "name": question.name,
        "about": about,
        "sentence": text(lang, f"predict.{question.name}.question", **fields),
    }
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


def verdict(
    question: Question,
    extra: Mapping[str, Any],
    real: str | Sequence[str] | Sequence[float],
    lang: str,
    *,
    labels: Mapping[str, str] | None = None,
    **fields: object,
) -> bytes | None:
    """Write the part that compares prediction and result; return None if the visitor predicted nothing.

    `real` comes from the result: the right choice (or several equally right ones, of which the first is named), or the
    curve's value at each x.
    """
    answer = answered(question, extra)
    if isinstance(question, Choice):
        named = labels or _labels(question, lang)
        if answer not in named:
            return None
        rights = [real] if isinstance(real, str) else [str(one) for one in real]
        right = answer in rights
        shown = {"answer": named[answer], "real": named[answer if right else rights[0]]}
        sentences = [text(lang, "predict.right" if right else "predict.differs", **shown)]
        told: Any = rights
    else:
        if answer is None:
            return None
        told = [float(value) for value in real]
        right, sentences = _compared(question, answer, told, lang)
    sentences.append(text(lang, f"predict.{question.name}.because", **fields))
    header = {"part": "verdict", "name": question.name, "right": right, "sentences": sentences}
    if isinstance(question, Choice):
        return wire.Part().close({**header, "real": told})
    part = wire.Part()
    return part.close({**header, "real": wire.entry(part, {"y": np.array(told)}, ())})


def trend(question: Curve, values: Sequence[float]) -> str:
    """Return "rises", "falls" or "stays" for a curve's change from its first to its last point."""
    change = question.place(values[-1]) - question.place(values[0])
    return "stays" if abs(change) <= CLOSE else "rises" if change > 0 else "falls"


def _labels(question: Choice, lang: str) -> dict[str, str]:
    return {choice: text(lang, f"predict.{question.name}.{choice}") for choice in question.choices}


def _compared(question: Curve, drawn: Sequence[float], real: Sequence[float], lang: str) -> tuple[bool, list[str]]:
    """Return True if the two curves lie close together, and sentences on their directions and largest difference."""
    apart = [abs(question.place(a) - question.place(b)) for a, b in zip(drawn, real, strict=True)]
    right = sum(apart) / len(apart) <= CLOSE
    expected, came = trend(question, drawn), trend(question, real)
    directions = {"drawn": text(lang, f"predict.curve.{expected}"), "real": text(lang, f"predict.curve.{came}")}
    at = int(np.argmax(apart))
    largest = {"x": exact(question.x[at]), "drawn": float(drawn[at]), "real": float(real[at])}
    return right, [
        text(lang, "predict.curve.close" if right else "predict.curve.apart"),
        text(lang, "predict.curve.same" if expected == came else "predict.curve.other", **directions),
        text(lang, "predict.curve.largest", axis=text(lang, f"predict.{question.name}.x"), **largest),
    ]
