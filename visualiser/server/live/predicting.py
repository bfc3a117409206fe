"""The parts of a prediction: the question, and the verdict on its answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.predictions import Choice, Labels, Question, Verdict, judged, named
from visualiser.reasons.explained import How, explained, unexplained
from visualiser.server.live import wire


def question_part(
    question: Question,
    lang: str,
    *,
    labels: Labels | None = None,
    about: str = "",
    kept: bool = False,
    following: str | None = None,
    **fields: object,
) -> bytes:
    """Write the part that shows the question. `about` names its subject: an answer holds until that changes.

    `kept`: the page shows it only if it has asked it before. `following` is the question that a visitor may have
    instead.
    """
    header: dict[str, Any] = {
        "part": "question",
        "name": question.name,
        "about": about,
        "sentence": message(f"predict.{question.name}.question", **fields).written(lang),
    }
    if kept:
        header["kept"] = True
    if following is not None:
        header["following"] = following
    if isinstance(question, Choice):
        header["choices"] = [
            (name, label.written(lang) if isinstance(label, Message) else label)
            for name, label in named(question, labels).items()
        ]
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


def verdict(
    question: Question,
    extra: Mapping[str, Any],
    real: str | Sequence[str] | Sequence[float],
    lang: str,
    *,
    labels: Labels | None = None,
    bands: Sequence[tuple[float, float]] | None = None,
    how: How = unexplained,
    **fields: Any,
) -> bytes | None:
    """Write the part with the verdict of `judged`; return None if the visitor predicted nothing."""
    found = judged(question, extra, real, labels=labels, bands=bands, **fields)
    if found is None:
        return None
    return verdict_part(question, found, lang, how)


def verdict_part(question: Question, found: Verdict, lang: str, how: How = unexplained, **more: object) -> bytes:
    """Write the part with a verdict, and what the page needs `more`; `how` says where its numbers come from."""
    header = {
        "part": "verdict",
        "name": question.name,
        "right": found.right,
        "sentences": explained(found.sentences, lang, found.how if how is unexplained else how),
        "judging": found.judging,
        **more,
    }
    if isinstance(question, Choice):
        return wire.Part().close({**header, "real": found.real})
    part = wire.Part()
    return part.close({**header, "real": wire.entry(part, {"y": np.array(found.real)}, ())})
