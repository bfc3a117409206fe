"""What the server keeps of visitors' maps, so that zooming need not compute them anew: O(n) bytes each, under an id
nobody can guess, within stated bounds, and let go when nobody asks any more (docs/decisions/map-memory.md).
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Literal

from attention_core import InvalidInput
from visualiser.pages.map.eviction import LEAST_LIFE, Entry, first_out
from visualiser.pages.map.kept import Kept
from visualiser.server import settings
from visualiser.server.admission.clients import UNKNOWN, Client
from visualiser.server.instance import made_elsewhere

ENTRIES: Final = 64
"""So many maps are kept at most."""

MOST_BYTES: Final = settings.memory() // 5
"""So many bytes they may take together: a fifth of `HEADLIGHT_MEMORY_MB`."""

REMEMBERED: Final = 512
"""So many names of maps that went last are remembered, each with the reason."""

Reason = Literal["idle", "replaced", "crowded", "elsewhere", "unknown"]


IDLE_MINUTES: Final = settings.idle_minutes()
"""Minutes without a question after which a map is let go."""


class Gone(Exception):
    """There is no map of this id.

    `reason`: nobody asked for too long ("idle"), newer maps of its own tab ("replaced") or of others ("crowded") needed
    the room, another process made it ("elsewhere"), or this one remembers nothing of it ("unknown").
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class Store:
    """Maps by id. A timer runs only while there is something to let go, so memory comes back without any request."""

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        most_bytes: int = MOST_BYTES,
        idle: float = 60 * IDLE_MINUTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries, self._most_bytes, self._idle, self._clock = entries, most_bytes, idle, clock
        self._kept: OrderedDict[str, Entry] = OrderedDict()  # the least recently asked about first
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

        Raises `InvalidInput`, and keeps what was there, when every other map is protected.
        """
        with self._lock:
            self._let_go()
            owner, now = owner or Client(UNKNOWN), self._clock()
            for victim in self._victims(name, Entry(kept, owner, kept.bytes, now, now)):
                self._remove(victim, "replaced" if self._kept[victim].owner == owner else "crowded")
            self._kept[name] = Entry(kept, owner, kept.bytes, now, now)
            self._arm()

    def get(self, name: object) -> Kept:
        """The map of this id, which counts as used now. Raises `Gone`."""
        with self._lock:
            self._let_go()
            if not isinstance(name, str) or name not in self._kept:
                raise Gone(self._why(name))
            entry = self._kept[name]
            entry.used = self._clock()
            self._kept.move_to_end(name)
            return entry.kept

    def drop(self, name: object) -> None:
        """Let a map go that its visitor needs no more; without one nothing happens."""
        with self._lock:
            if isinstance(name, str):
                self._kept.pop(name, None)

    def sweep(self) -> None:
        """Let go of what nobody asked about for too long, and see to the next time."""
        with self._lock:
            self._timer = None
            self._let_go()
            self._arm()

    def _victims(self, name: str, newest: Entry) -> list[str]:
        """The maps that have to go before this one is kept."""
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
"""The server's own; every process has its own, and only the id leads to a map in it."""
