"""What is kept for the next question about the same, within a bound: the least recently used goes first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

One = TypeVar("One")


class Kept(Generic[One]):
    """Things of which all together have at most the size `most`; a larger one is not kept. Threads may share it."""

    def __init__(self, most: int, size: Callable[[One], int] = lambda one: 1) -> None:
        self._most, self._size = most, size
        self._things: OrderedDict[Hashable, tuple[One, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> One | None:
        """Return what is kept under a key, now the last one used; None without it."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def keep(self, key: Hashable, one: One) -> One:
        """Keep a thing, unless it is too large, and return it."""
        size = self._size(one)
        with self._lock:
            if size <= self._most:
                self._things[key] = one, size
            while sum(size for _, size in self._things.values()) > self._most:
                self._things.popitem(last=False)
        return one

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._things.clear()
