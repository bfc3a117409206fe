"""A bound on wrong passwords: a few at once from one address, then one every few seconds.

Only wrong ones count, so a class behind one address logs in together. Addresses are forgotten once they may try as
often as a new one.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

QUICK: Final = 10
"""Wrong passwords that one address may send at once."""

EVERY: Final = 6.0
"""Seconds after which it may send one more."""

MOST: Final = 4096
"""Addresses remembered; beyond that, the one whose last attempt is longest ago is forgotten."""


class LoginAttempts:
    """The wrong passwords of each address. Only the event loop touches it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free: OrderedDict[str, float] = OrderedDict()  # when each address may try as often as a new one

    def begin(self, address: str) -> float:
        """Count an attempt of this address as wrong and return 0; or return the seconds that it has to wait."""
        now = self._clock()
        free = max(now, self._free.get(address, now)) + EVERY
        if (wait := free - now - QUICK * EVERY) > 0:
            return wait
        self._keep(address, free)
        return 0.0

    def right(self, address: str) -> None:
        """Take back that an attempt was counted: its password was right."""
        if address in self._free:
            self._keep(address, self._free[address] - EVERY)

    def _keep(self, address: str, free: float) -> None:
        self._free[address] = free
        self._free.move_to_end(address)
        now = self._clock()
        while self._free and (len(self._free) > MOST or next(iter(self._free.values())) <= now):
            self._free.popitem(last=False)

    def __len__(self) -> int:
        return len(self._free)
