"""Answers of a class as distributions, and the file of them. Neither shows a single person's answer."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import exp, floor, log, log10
from typing import Any, Final

import numpy as np
import orjson

from visualiser.export.emphasis import plainly
from visualiser.export.lines import MARK, encoded, harmless
from visualiser.server.rooms.record import CHOICE, Question

FEWEST: Final = {CHOICE: 3, "curve": 5}
"""Answers below which there is no distribution: so few would show who answered what."""

QUANTILES: Final = (10, 25, 50, 75, 90)
"""The lines of a band of curves, in percent."""

FLOWS: Final = ("wrong_wrong", "wrong_right", "right_wrong", "right_right")
"""From the first vote to the second."""

LOW, HIGH = 0.3, 0.7
"""Shares of right answers between which a discussion helps most."""

COLUMNS: Final = (
    *("time", "room", "lesson", "step"),
    *("question", "text", "kind", "round", "answers", "place", "label", "value", "true", "place_is", "value_is"),
)
"""One line for each answer to choose, for each quantile at each x, and for each move between two votes.

The last two say what the numbers `place` and `value` are; `true` of a curve is such a value.
"""

BARE: Final = "0 = lowest place of the axis, 1 = highest"
"""What the numbers of an axis are that its teacher gave no ends."""


def results(
    question: Question, first: Sequence[bytes], second: Sequence[bytes], both: Sequence[tuple[bytes, bytes]], truth: Any
) -> dict[str, Any]:
    """Return the distributions of both rounds, the truth and who moved to it.

    `second` is None if there was no second round. `both` are the answers of those who answered both.
    """
    again = _distribution(question, second) if question.round == 2 else None
    found = {"first": _distribution(question, first), "second": again, "truth": truth}
    flow = _flow(both, truth) if again is not None and question.kind == CHOICE and truth is not None else None
    return found if flow is None else found | {"flow": flow}


def _flow(both: Sequence[tuple[bytes, bytes]], truth: int) -> dict[str, int] | None:
    """Return how many moved to the truth or from it; None of fewer than three, since they could be identified."""
    if len(both) < FEWEST[CHOICE]:
        return None
    names = ("wrong", "right")
    moves = Counter(
        f"{names[orjson.loads(before) == truth]}_{names[orjson.loads(after) == truth]}" for before, after in both
    )
    return {name: moves[name] for name in FLOWS}


def share_right(question: Question, answers: Sequence[bytes], truth: Any) -> float | None:
    """Return the share of right answers to a choice; None if there are too few for a distribution."""
    if question.kind != CHOICE or len(answers) < FEWEST[CHOICE]:
        return None
    return sum(orjson.loads(answer) == truth for answer in answers) / len(answers)


def advice(share: float | None) -> str | None:
    """Return what peer instruction does next: Crouch & Mazur 2001, https://doi.org/10.1119/1.1374249."""
    if share is None:
        return None
    return "explain" if share < LOW else "discuss" if share <= HIGH else "go_on"


def _distribution(question: Question, answers: Sequence[bytes]) -> dict[str, Any]:
    given = [orjson.loads(answer) for answer in answers]
    enough = len(given) >= FEWEST[question.kind]
    if question.kind == CHOICE:
        counted = Counter(given)
        counts = [counted[place] for place in range(len(question.answers))]
        return {"answers": len(given), "counts": counts if enough else None}
    if not enough:
        return {"answers": len(given), "band": None}
    lines = np.quantile(np.array(given, dtype=float), np.array(QUANTILES) / 100, axis=0)
    band = {str(share): line.round(4).tolist() for share, line in zip(QUANTILES, lines, strict=True)}
    return {"answers": len(given), "band": band}


def to_stored(question: Question) -> bytes:
    """Return a revealed question as a store keeps it for the file."""
    return orjson.dumps(question.as_message())


def csv(code: str, revealed: Sequence[bytes]) -> bytes:
    """Return the file of results of these questions of a room."""
    lines = [line for number, one in enumerate(revealed, 1) for line in _lines(code, number, orjson.loads(one))]
    return MARK + encoded([COLUMNS, *lines])


def _lines(code: str, number: int, question: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    text = harmless(plainly(question["text"]) or (question.get("prediction") or {}).get("name", ""))
    found = question["results"]
    source = question.get("from") or {}
    time = datetime.fromtimestamp(question["revealed"] / 1000, UTC).isoformat(timespec="seconds")
    where = (time, code, source.get("lesson", ""), source.get("step", ""))
    drawn = _chosen if question["kind"] == CHOICE else _drawn
    for turn, name in ((1, "first"), (2, "second")):
        if (distribution := found[name]) is not None:
            for line in drawn(question, distribution, found["truth"]):
                yield *where, number, text, question["kind"], turn, distribution["answers"], *line
    for name, many in found.get("flow", {}).items():
        moved = sum(found["flow"].values())
        yield *where, number, text, "flow", "", moved, "", name.replace("_", " to "), many, "", "", "votes"


def _chosen(question: Mapping[str, Any], distribution: Mapping[str, Any], truth: Any) -> Iterator[tuple[object, ...]]:
    for place, label in enumerate(question["answers"]):
        count = "" if distribution["counts"] is None else distribution["counts"][place]
        true = "" if truth is None else int(truth == place)
        yield place + 1, harmless(plainly(label)), count, true, "answer", "votes"


def _drawn(question: Mapping[str, Any], distribution: Mapping[str, Any], truth: Any) -> Iterator[tuple[object, ...]]:
    axes = question.get("axes") or {}
    meant = _measure(question["x_label"], "x" in axes), _measure(question["y_label"], "low" in axes)
    for place, at in enumerate(question["x"]):
        x = axes["x"][place] if "x" in axes else at
        true = "" if truth is None else _height(axes, truth[place])
        for share in map(str, QUANTILES):
            value = "" if distribution["band"] is None else _height(axes, distribution["band"][share][place])
            yield x, f"{share} %", value, true, *meant


def _measure(label: str, has_ends: bool) -> str:
    """Return what the numbers of an axis are: its name, and their meaning on an axis without ends."""
    name = plainly(label)
    return harmless(name if has_ends else f"{name}: {BARE}" if name else BARE)


def _height(axes: Mapping[str, Any], place: float) -> float:
    """Return the value at a place of the vertical axis; the place itself on an axis without numbers.

    Places have four decimals. So the value has those that tell two places apart, also between 1000000 and 1000001.
    """
    if "low" not in axes:
        return place
    low, high = axes["low"], axes["high"]
    if axes["log_y"]:
        return float(f"{exp(log(low) + place * (log(high) - log(low))):.5g}")
    return round(low + place * (high - low), 5 - floor(log10(high - low)))
