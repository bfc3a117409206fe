"""What changed most of a complete set, and the states in which nothing did or nothing is known."""

import math

import numpy as np
import pytest

from tests import draws
from visualiser.figures.comparing import Effect, compared, largest
from visualiser.locale import number


@pytest.mark.parametrize(
    ("before", "now", "effect", "at"),
    [
        ([0.2, 0.5, 0.3], [0.2, 0.1, 0.7], Effect.CHANGED, 1),
        ([0.2, 0.5], [0.2, 0.5], Effect.SAME, -1),
        ([0.823, 0.5], [0.82301, 0.5], Effect.UNSEEN, 0),
        ([math.nan, math.nan], [0.1, 0.2], Effect.UNMEASURED, -1),
        ([math.nan, 0.5, 0.1], [9.0, 0.5, 0.2], Effect.CHANGED, 2),
        ([math.nan, 0.5], [9.0, 0.5], Effect.SAME, -1),
        ([], [], Effect.UNMEASURED, -1),
        ([-math.inf, 1.0], [1.0, 1.0], Effect.SAME, -1),
    ],
)
def test_the_effect_on_a_set(before: list[float], now: list[float], effect: Effect, at: int) -> None:
    found = compared(before, now)
    assert (found.effect, found.at) == (effect, at)


def test_a_difference_below_the_least_is_unseen_though_digits_show_it() -> None:
    assert compared([0.0], [4e-4], 5e-4).effect is Effect.UNSEEN
    assert compared([0.0], [5e-4], 5e-4).effect is Effect.CHANGED


@pytest.mark.parametrize("seed", range(draws.cases(200)))
def test_it_is_the_largest_difference_of_all(seed: int) -> None:
    chance = draws.generator("comparing", seed)
    count = chance.randrange(1, 40)
    before = [chance.choice((0.0, chance.random(), math.nan)) for _ in range(count)]
    now = [chance.choice((one, one, one + 10 ** chance.uniform(-9, 0), math.nan)) for one in before]
    apart = {at: abs(b - a) for at, (a, b) in enumerate(zip(before, now, strict=True)) if not math.isnan(b - a)}
    found = compared(before, now)
    assert (found.effect is Effect.UNMEASURED) == (not apart)
    assert (found.effect is Effect.SAME) == (bool(apart) and not any(apart.values()))
    if found.at >= 0:
        assert found.apart == apart[found.at] == max(apart.values())
        then, after = before[found.at], now[found.at]
        rounded = found.apart <= 1e-6 * max(abs(then), abs(after))
        assert (found.effect is Effect.UNSEEN) == (rounded or number(then) == number(after))


def test_the_largest_is_a_number() -> None:
    assert largest([math.nan, 1.0, 3.0, 3.0, math.inf]) == 2
    assert largest([math.nan]) is None
    assert largest(np.zeros(0)) is None
