"""The visitors' kept maps, so that zooming need not compute them anew.

Each takes O(n) bytes, has an id that nobody can guess, and is dropped some minutes after its last request, or earlier
where a bound requires it (docs/decisions/map-memory.md).
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Literal

from attention_core import InvalidInput
from visualiser.maps.kept import Kept
from visualiser.pages.map.eviction import LEAST_LIFE, Entry, first_out
from visualiser.server import settings
from visualiser.server.admission.clients import UNKNOWN, Client
from visualiser.server.instance import made_elsewhere

ENTRIES: Final = 64
"""The most maps kept."""

MOST_BYTES: Final = settings.memory() // 5
"""The most bytes of all kept maps together: a fifth of `HEADLIGHT_MEMORY_MB`."""

REMEMBERED: Final = 512
"""The number of dropped maps whose name and reason are remembered."""

Reason = Literal["idle", "replaced", "crowded", "elsewhere", "unknown"]


IDLE_MINUTES: Final = settings.idle_minutes()
"""Minutes without a request after which a map is dropped."""


class Gone(Exception):
    """Raised if there is no map of this id.

    `reason` is "idle" (no request for too long), "replaced" (newer maps of its own tab needed the room), "crowded"
    (newer maps of others did), "elsewhere" (another process made it) or "unknown" (this process remembers nothing of
    it).
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class Store:
    """Maps by id. A timer runs only while there are maps, so memory comes back without any request."""

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        most_bytes: int = MOST_BYTES,
        idle: float = 60 * IDLE_MINUTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries, self._most_bytes, self._idle, self._clock = entries, most_bytes, idle, clock
        self._kept: OrderedDict[str, Entry] = OrderedDict()  # the least recently used first
        self._left: OrderedDict[str, Reason] = OrderedDict()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    @property
    def bytes(self) -> int:
        """The memory of all kept maps."""
        with self._lock:
            return sum(entry.bytes for entry in self._kept.values())

    def put(self, name: str, kept: Kept, owner: Client | None = None) -> None:
        """Keep a map under its name, if need be in place of others (`eviction.first_out`).

        Raise `InvalidInput`, and keep the present maps, if every other map is protected.
        """
        with self._lock:
            self._let_go()
            owner, now = owner or Client(UNKNOWN), self._clock()
            for victim in self._victims(name, Entry(kept, owner, kept.bytes, now, now)):
                self._remove(victim, "replaced" if self._kept[victim].owner == owner else "crowded")
            self._kept[name] = Entry(kept, owner, kept.bytes, now, now)
            self._arm()

    def get(self, name: object) -> Kept:
        """Return the map of this id and mark it as used now. Raise `Gone`."""
        with self._lock:
            self._let_go()
            if not isinstance(name, str) or name not in self._kept:
                raise Gone(self._why(name))
            entry = self._kept[name]
            entry.used = self._clock()
            self._kept.move_to_end(name)
            return entry.kept

    def drop(self, name: object) -> None:
        """Drop a map that its visitor no longer needs; do nothing if there is none."""
        with self._lock:
            if isinstance(name, str):
                self._kept.pop(name, None)

    def sweep(self) -> None:
        """Drop the maps without a request for too long, and set the timer again."""
        with self._lock:
            self._timer = None
            self._let_go()
            self._arm()

    def _victims(self, name: str, newest: Entry) -> list[str]:
        """Return the maps that have to go before this one is kept."""
        left, out = OrderedDict(self._kept) | {name: newest}, list[str]()
        while len(left) > 1:
            count, size = len(left), sum(entry.bytes for entry in left.values())
            if count > self._entries:
                victim = first_out(left, name, newest.made, lambda entry: 1, self._entries)
            elif size > self._most_bytes:
                victim = first_out(left, name, newest.made, lambda entry: entry.bytes, self._most_bytes)
            else:
                break
            if victim is None:
                seconds = round(LEAST_LIFE)
                raise InvalidInput("map_no_room", f"All kept maps are younger than {seconds} s.", seconds=seconds)
            del left[victim]
            out.append(victim)
        return out

    def _why(self, name: object) -> Reason:
        if made_elsewhere(name):
            return "elsewhere"
        return self._left.get(name, "unknown") if isinstance(name, str) else "unknown"

    def _let_go(self) -> None:
        while self._kept:
            name, entry = next(iter(self._kept.items()))
            if self._clock() - entry.used < self._idle:
                return
            self._remove(name, "idle")

    def _remove(self, name: str, reason: Reason) -> None:
        del self._kept[name]
        self._left[name] = reason
        if len(self._left) > REMEMBERED:
            self._left.popitem(last=False)

    def _arm(self) -> None:
        if self._timer is not None or not self._kept:
            return
        entry = next(iter(self._kept.values()))
        self._timer = threading.Timer(max(0.01, entry.used + self._idle - self._clock()), self.sweep)
        self._timer.daemon = True
        self._timer.start()


STORE: Final = Store()
"""The process's own store: the id of a map leads to it only in the process that made it."""
