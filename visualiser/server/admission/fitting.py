"""Smaller states that fit: what a refusal names beside what came, found by the rule that refused."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attention_core import AttentionConfig


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
    if least > most or not fits(least):
        return None
    return least + bisect_left(range(least + 1, most + 1), True, key=lambda number: not fits(number))


def lowered(came: Mapping[str, int], fits: Callable[[str, int], bool], least: int = 1) -> Fit | None:
    """The first of these numbers that is enough to lower alone; `fits` says whether it is with a name and a value."""
    for name, value in came.items():
        found = largest(lambda number, name=name: fits(name, number), least, value - 1)
        if found is not None:
            return Fit(name, found)
    return None


def as_long(config: AttentionConfig, tokens: int | None = None) -> dict[str, str]:
    """The settings of a short text with as many tokens as this one's, or with so many.

    A price asks for the number of a text's tokens alone, and this one takes no time to cut.
    """
    n = (tokens or config.n) if config.source == "text" else 1
    return {"text": " ".join("a" * n), "split": "words"}


def no_smaller(room: int) -> Fit | None:
    """For work that has one size only."""
    return None
