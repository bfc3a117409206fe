"""The arithmetic behind the numbers of a row, held to numpy."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionConfig
from visualiser.pages.map.reasons import of_row
from visualiser.reasons.digits import parse_number


def made(name: str, value: float, scores: list[float]) -> dict[str, float]:
    row: Any = SimpleNamespace(config=AttentionConfig(), scores=np.array(scores), statistics={name: value})
    return {fact: parse_number(str(said)) for fact, said in of_row(row, name).made.facts.items()}


SCORES = [0.3, 1.1, np.nan, -0.4, 0.9]


def test_the_norm_is_made_of_the_sums_of_squares_and_cubes() -> None:
    e = np.exp([score for score in SCORES if np.isfinite(score)])
    p = e / e.sum()
    two, three = (p**2).sum(), (p**3).sum()
    value = float(np.sqrt(two - 2 * three + two**2))
    assert made("jacobian_norm", value, SCORES) == pytest.approx({"two": two, "three": three, "value": value}, rel=0.01)


def test_the_largest_weight_is_one_over_the_sum_of_what_is_below_it() -> None:
    total = float(np.nansum(np.exp(np.array(SCORES) - 1.1)))
    found = made("largest_weight", 1 / total, SCORES)
    assert found == pytest.approx({"sum": total, "value": 1 / total}, rel=0.01)
