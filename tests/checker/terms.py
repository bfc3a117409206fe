"""The terms of the arithmetic behind the numbers of all pages but Explore, held against what they are made of."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tests.checker.checking import near
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason


def off(given: Reason, **true: float | Sequence[float]) -> Iterator[str]:
    """Yield the terms that are not the true number, or none of several true ones, at three digits."""
    for name, wanted in true.items():
        claimed = given.made.facts[name]
        shown = parse_number(claimed) if isinstance(claimed, str) else float(claimed)
        among = [wanted] if isinstance(wanted, int | float) else wanted
        if not any(near(shown, float(one)) or abs(shown - one) < 1e-5 for one in among):
            yield f"{name} is {list(among)[:4]}"


def of_values(given: Reason, count: str, several: Sequence[Any]) -> Iterator[str]:
    """Check a sum or median of values: it must be that of one of `several` arrays, with its ends and its count."""
    facts: Mapping[str, Any] = given.made.facts
    wrong: list[str] = []
    for values in several:
        array = np.asarray(values, dtype=np.float64)
        true = {count: array.size, "least": array.min(), "most": array.max()}
        if "sum" in facts:
            true["sum"] = array.sum()
        wrong = [*off(given, **{name: value for name, value in true.items() if name in facts})]
        if not wrong:
            return
    yield from wrong
