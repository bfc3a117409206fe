"""Smaller states that fit: what a refusal names beside what came, found by the rule that refused."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Fit:
    """A state that is let in: the one that came, its number `name` lowered to `value`; without A where `unpinned`."""

    name: str
    value: int
    unpinned: bool = False


Smaller = Callable[[int], Fit | None]
"""The largest state that takes at most so many bytes of memory; None where no smaller one does."""


def largest(fits: Callable[[int], bool], least: int, most: int) -> int | None:
    """The largest number from `least` to `most` that fits, found by halving; None where `least` does not.

    What fits below it need not be asked: the number fits, and the next does not.
    """
    found = least - 1 + bisect_left(range(least, most + 1), True, key=lambda number: not fits(number))
    return found if found >= least else None


def lowered(came: Mapping[str, int], fits: Callable[[str, int], bool], least: int = 1) -> Fit | None:
    """The first of these numbers that is enough to lower alone; `fits` says whether it is with a name and a value."""
    for name, value in came.items():
        found = largest(lambda number, name=name: fits(name, number), least, value - 1)
        if found is not None:
            return Fit(name, found)
    return None


def no_smaller(room: int) -> Fit | None:
    """For work that has one size only."""
    return None
