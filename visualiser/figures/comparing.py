"""A complete set of numbers before and after a change: what changed most, or that nothing did, or was not measured."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from visualiser.locale import number

LEAST: Final = 5e-4
"""A share, or nats, below which three digits show nothing beside 1."""
_ROUNDING: Final = 1e-6
"""What float32 may leave of a number, as a share of it: a digit that turns there shows no change."""


class Effect(Enum):
    """What became of a set of numbers.

    CHANGED     what changed most is seen at the digits that are shown
    UNSEEN      something changed, and what changed most is too little for these digits
    SAME        every difference is 0
    UNMEASURED  none of the numbers is known both before and now
    """

    CHANGED = "changed"
    UNSEEN = "unseen"
    SAME = "same"
    UNMEASURED = "unmeasured"


@dataclass(frozen=True)
class Comparison:
    """The effect on a set; `at` is the place of what changed most, −1 without a difference, and `apart` how far."""

    effect: Effect
    at: int = -1
    apart: float = 0.0


def compared(before: ArrayLike, now: ArrayLike, least: float = 0.0) -> Comparison:
    """Compare a complete set of numbers before and now. Numbers that are not finite in both are left out.

    A difference below `least`, or between numbers that are written alike, is not seen.
    """
    then, after = (np.asarray(one, dtype=np.float64) for one in (before, now))
    at = largest(np.abs(after - then))
    if at is None:
        return Comparison(Effect.UNMEASURED)
    apart = abs(float(after[at] - then[at]))
    if apart == 0:
        return Comparison(Effect.SAME)
    rounded = apart <= _ROUNDING * max(abs(float(then[at])), abs(float(after[at])))
    alike = rounded or number(float(then[at])) == number(float(after[at]))
    return Comparison(Effect.UNSEEN if apart < least or alike else Effect.CHANGED, at, apart)


def largest(values: ArrayLike) -> int | None:
    """Return the place of the largest of a complete set of numbers, the first of equal ones; None if none is finite."""
    found = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(found)
    return int(np.where(finite, found, -np.inf).argmax()) if finite.any() else None
