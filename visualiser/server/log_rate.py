"""The rate of log lines: few a minute from one place, and a bounded number from all places together."""

import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple

MINUTE: Final = 60.0


_LISTED: Final = 20
"""Places listed with their own number of left out lines; the rest share one number."""


class Place(NamedTuple):
    """A line of the source that logs, and the exception's type and place. Their number is limited by the source."""

    path: str
    line: int
    level: int = 0
    error: str = ""
    raised: str = ""


class Rate:
    """At most `each` lines a minute from a place and `together` from all. Counts the rest."""

    def __init__(self, each: int = 5, together: int = 60, clock: Callable[[], float] = time.monotonic) -> None:
        self._each, self._together, self._clock = each, together, clock
        self._lock = threading.Lock()
        self._since = clock()
        self._let: dict[Place, int] = {}
        self._left_out: dict[Place, int] = {}
        self._past: dict[Place, int] = {}

    def lets(self, place: Place) -> bool:
        """True if a line from this place may be written now."""
        with self._lock:
            if self._clock() - self._since >= MINUTE:
                self._past, self._left_out, self._let = self._left_out, {}, {}
                self._since = self._clock()
            if self._let.get(place, 0) < self._each and sum(self._let.values()) < self._together:
                self._let[place] = self._let.get(place, 0) + 1
                return True
            self._left_out[place] = self._left_out.get(place, 0) + 1
            return False

    def left_out(self) -> list[tuple[int, Place]]:
        """Return the lines left out per place in the minute before, most first. A second call returns nothing."""
        with self._lock:
            past, self._past = self._past, {}
        return _most(past)

    def close(self) -> list[tuple[int, Place]]:
        """End the current minute and return its left out lines, as `left_out` does."""
        with self._lock:
            self._past, self._left_out = self._left_out, {}
        return self.left_out()


def _most(counted: dict[Place, int]) -> list[tuple[int, Place]]:
    ordered = sorted(((count, place) for place, count in counted.items()), reverse=True)
    rest = sum(count for count, _ in ordered[_LISTED:])
    return ordered[:_LISTED] + ([(rest, Place("other places", 0))] if rest else [])
