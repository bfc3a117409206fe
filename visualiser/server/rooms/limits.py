"""The limits of rooms, as docs/room.md states them, and rates by key."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

ROOMS: Final = 200
"""Rooms of a server at the same time."""

TABS: Final = 1000
"""Tabs in a room, and tabs that answer in one round."""

MEMORY: Final = 0.04
"""The share of the server's memory that rooms in memory may take."""

LINK, OFFERED = 8000, 4000
"""Characters of the teacher's link, and of one that a student offers."""

LONG_BODY, SHORT_BODY, MESSAGE = 24_000, 4000, 24_000
"""Bytes of a request with a link or a question, of any other, and of a message to the class."""

OFFERS: Final = 12
"""Offers that are kept, one a tab."""

REVEALED: Final = 20
"""Revealed questions that are kept for the file of results."""

HERE: Final = 40.0
"""Seconds for which a tab counts after it was last seen; a stream that ends takes its tab away at once."""

ENDED: Final = 600.0
"""Seconds for which an ended room answers that it has ended."""

_KEYS: Final = 20_000


class Rate:
    """At most `burst` at once and `each` a second of every key. It forgets the key that was longest unused first."""

    def __init__(
        self, each: float, burst: float, *, keys: int = _KEYS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.each, self.burst, self._most, self._clock = each, burst, keys, clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def left(self, key: Hashable) -> float:
        """Return how many this key may take now."""
        left, since = self._left.get(key, (self.burst, 0.0))
        return min(self.burst, left + (self._clock() - since) * self.each)

    def take(self, key: Hashable) -> bool:
        """Take one; return False if none is left."""
        left = self.left(key)
        if left < 1:
            return False
        self._left[key] = left - 1, self._clock()
        self._left.move_to_end(key)
        if len(self._left) > self._most:
            self._left.popitem(last=False)
        return True

    def seconds(self, key: Hashable) -> float:
        """Return the seconds until this key may take one."""
        return max(0.0, (1 - self.left(key)) / self.each)


class Guesses:
    """Codes that do not exist, asked for by an address: only different ones count.

    An address that has guessed too much may still ask for codes that it has found before. It is refused before the code
    is looked up, so the refusal tells nothing about it.
    """

    def __init__(self, each: float = 0.1, burst: float = 64, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = Rate(each, burst, clock=clock)
        self._found: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._missed: OrderedDict[tuple[str, str], None] = OrderedDict()

    def may_ask(self, address: str, code: str) -> bool:
        """True if this address may ask for this code."""
        key = address, code
        return key in self._found or key in self._missed or self._rate.left(address) >= 1

    def seconds(self, address: str) -> float:
        """Return the seconds until this address may guess again."""
        return self._rate.seconds(address)

    def found(self, address: str, code: str) -> None:
        """Note that the code is a room's."""
        _remember(self._found, (address, code))

    def missed(self, address: str, code: str) -> None:
        """Note that there is no such room."""
        if (address, code) not in self._missed:
            self._rate.take(address)
        _remember(self._missed, (address, code))


def _remember(kept: OrderedDict[tuple[str, str], None], key: tuple[str, str]) -> None:
    kept[key] = None
    kept.move_to_end(key)
    if len(kept) > _KEYS:
        kept.popitem(last=False)
