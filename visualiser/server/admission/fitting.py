"""Smaller states that fit: the suggestion of a refusal, found by the rule that refused."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attention_core import AttentionConfig


@dataclass(frozen=True)
class Fit:
    """A state that fits: the given one with its number `name` lowered to `value`, and without A if `unpinned`."""

    name: str
    value: int
    unpinned: bool = False


Smaller = Callable[[int], Fit | None]
"""A search for the largest state within so many bytes of memory; None if no smaller one fits."""


def largest(fits: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the largest number from `least` to `most` that fits, found by bisection; None if `least` does not.

    Assumes nothing about smaller numbers: the one returned fits, and the next does not.
    """
    if least > most or not fits(least):
        return None
    return least + bisect_left(range(least + 1, most + 1), True, key=lambda number: not fits(number))


def lowered(came: Mapping[str, int], fits: Callable[[str, int], bool], least: int = 1) -> Fit | None:
    """Return the first number that fits when it alone is lowered. `fits` takes its name and a value."""
    for name, value in came.items():
        found = largest(lambda number, name=name: fits(name, number), least, value - 1)
        if found is not None:
            return Fit(name, found)
    return None


def stand_in_text(config: AttentionConfig, tokens: int | None = None) -> dict[str, str]:
    """Return the settings of a short text with `tokens` tokens (default: as many as this one's).

    A price depends only on the number of tokens, and this text is quick to tokenize. A model's price depends on its own
    text, which stays.
    """
    if config.source == "model":
        return {}
    n = (tokens or config.n) if config.source == "text" else 1
    return {"text": " ".join("a" * n), "split": "words"}


def no_smaller(room: int) -> Fit | None:
    """Return None: work of one size has no smaller state."""
    return None
