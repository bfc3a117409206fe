"""Rate limits by key, and limits on guessed codes by address.

Keys are kept as their hashes, which Python draws anew for each process: an entry takes as much memory whatever its key
is, and a key that its owner has made up harms no other.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from visualiser.server.rooms.held import size

KEYS: Final = 5000
"""Keys that a table remembers; the one that was longest unused is forgotten first."""

ENTRY: Final = 80
"""Bytes of memory of a hash and a time."""

_NEARLY: Final = 1e-6  # what rounding may take of a whole one


class RateLimit:
    """At most `burst` at once and `each` a second of every key."""

    def __init__(
        self, each: float, burst: float, *, keys: int = KEYS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.each, self.burst, self._most, self._clock = each, burst, keys, clock
        self._whole: OrderedDict[int, float] = OrderedDict()
        """The time at which each key may take its whole burst again."""

    def remaining(self, key: Hashable) -> float:
        """Return how many this key may take now."""
        return self.burst - max(0.0, self._whole.get(hash(key), 0.0) - self._clock()) * self.each

    def take(self, key: Hashable) -> bool:
        """Take one; return False if none is left."""
        if self.remaining(key) < 1 - _NEARLY:
            return False
        self._move(key, 1)
        return True

    def give_back(self, key: Hashable) -> None:
        """Take one less."""
        if hash(key) in self._whole:
            self._move(key, -1)

    def _move(self, key: Hashable, taken: int) -> None:
        now, name = self._clock(), hash(key)
        self._whole[name] = max(now, self._whole.get(name, 0.0)) + taken / self.each
        self._whole.move_to_end(name)
        while self._whole and (len(self._whole) > self._most or next(iter(self._whole.values())) <= now):
            self._whole.popitem(last=False)

    def seconds(self, key: Hashable) -> float:
        """Return the seconds until this key may take one."""
        return max(0.0, (1 - self.remaining(key)) / self.each)

    @property
    def held(self) -> int:
        """Bytes of memory."""
        return held(self._whole)


class Guesses:
    """Codes that do not exist, asked for by an address: only different ones count.

    A code counts as a guess until it is found, so that many at once are no more than many in a row. An address that has
    guessed too much may still ask for codes that it has found before. It is refused before the code is looked up, so
    the refusal tells nothing about it.
    """

    def __init__(self, each: float = 0.1, burst: float = 64, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = RateLimit(each, burst, clock=clock)
        self._known: OrderedDict[int, None] = OrderedDict()
        self._asking: dict[tuple[str, str], int] = {}

    def begin(self, address: str, code: str) -> bool:
        """Begin to look a code up, which `end` ends; return False if this address may not."""
        key = address, code
        if hash(key) not in self._known and key not in self._asking and not self._rate.take(address):
            return False
        self._asking[key] = self._asking.get(key, 0) + 1
        return True

    def end(self, address: str, code: str, *, found: bool, counts: bool = True) -> None:
        """End what `begin` began. It counts unless the code was found, or could not be looked up (`counts`)."""
        key = address, code
        others = self._asking.pop(key) - 1
        if others:
            self._asking[key] = others
        if hash(key) in self._known:
            self._known.move_to_end(hash(key))
            return
        if found or counts:
            self.remember(address, code)
        if found or not (counts or others):
            self._rate.give_back(address)

    def remember(self, address: str, code: str) -> None:
        """Note that this address asks for this code again without guessing."""
        key = hash((address, code))
        self._known[key] = None
        self._known.move_to_end(key)
        if len(self._known) > KEYS:
            self._known.popitem(last=False)

    def seconds(self, address: str) -> float:
        """Return the seconds until this address may guess again."""
        return self._rate.seconds(address)

    @property
    def held(self) -> int:
        """Bytes of memory."""
        return held(self._known) + self._rate.held


def held(table: OrderedDict[int, None] | OrderedDict[int, float]) -> int:
    """Return the bytes of memory of a table."""
    return size(table) + ENTRY * len(table)
