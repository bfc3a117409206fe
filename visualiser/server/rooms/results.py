"""Answers of a class as distributions, and the file of them; nobody's own answer can be told from either."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import orjson

from visualiser.export.lines import MARK, encoded, harmless
from visualiser.server.rooms.record import CHOICE, Question

FEWEST: Final = {CHOICE: 3, "curve": 5}
"""Answers below which there is no distribution: so few would show who answered what."""

QUANTILES: Final = (10, 25, 50, 75, 90)
"""The lines of a band of curves, in percent."""

COLUMNS: Final = ("question", "text", "kind", "round", "answers", "place", "label", "value", "true")
"""One line for each answer to choose, and for each quantile at each x."""


def results(question: Question, first: Sequence[bytes], second: Sequence[bytes], truth: Any) -> dict[str, Any]:
    """Return the distributions of both rounds and the truth. `second` is None if there was no second round."""
    again = _distribution(question, second) if question.round == 2 else None
    return {"first": _distribution(question, first), "second": again, "truth": truth}


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


def kept(question: Question) -> bytes:
    """Return a revealed question as a store keeps it for the file."""
    return orjson.dumps(question.told())


def csv(revealed: Sequence[bytes]) -> bytes:
    """Return the file of results of these questions."""
    lines = [line for number, one in enumerate(revealed, 1) for line in _lines(number, orjson.loads(one))]
    return MARK + encoded([COLUMNS, *lines])


def _lines(number: int, question: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    text = harmless(question["text"] or (question.get("prediction") or {}).get("name", ""))
    truth = question["results"]["truth"]
    for turn, name in ((1, "first"), (2, "second")):
        found = question["results"][name]
        if found is None:
            continue
        start = (number, text, question["kind"], turn, found["answers"])
        if question["kind"] == CHOICE:
            for place, label in enumerate(question["answers"]):
                count = "" if found["counts"] is None else found["counts"][place]
                true = "" if truth is None else int(truth == place)
                yield *start, place + 1, harmless(label), count, true
        else:
            for place, x in enumerate(question["x"]):
                true = "" if truth is None else truth[place]
                for share in map(str, QUANTILES):
                    value = "" if found["band"] is None else found["band"][share][place]
                    yield *start, x, f"{share} %", value, true
