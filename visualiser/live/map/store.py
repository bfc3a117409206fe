"""What the server keeps of a visitor's map, so that zooming need not compute it anew: O(n) bytes, under an id nobody
can guess, within stated bounds, and let go when nobody asks any more (docs/decisions/map-memory.md).
"""

import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from torch import Tensor

from attention_core import AttentionConfig, AttentionStatistics, Overview

ENTRIES: Final = 64
"""So many maps are kept at most; the one that was asked about longest ago goes first."""

MOST_BYTES: Final = 2**30
"""So many bytes they may take together."""


def idle_minutes(written: str | None) -> float:
    """`HEADLIGHT_IDLE_MINUTES` as a number, 15 where it is not set. Raises ValueError for anything but minutes > 0."""
    minutes = float(written) if written else 15.0
    if not 0 < minutes < float("inf"):
        raise ValueError(f"HEADLIGHT_IDLE_MINUTES must be a number of minutes above 0; got {written!r}.")
    return minutes


IDLE_MINUTES: Final = idle_minutes(os.environ.get("HEADLIGHT_IDLE_MINUTES"))
"""Minutes without a question after which a map is let go."""


@dataclass(frozen=True, eq=False)
class Kept:
    """One map: Q and K as given (h × n × d_k), one number a row of each statistic and the overview, the tokens."""

    config: AttentionConfig
    Q: Tensor
    K: Tensor
    tokens: tuple[str, ...] | None
    statistics: AttentionStatistics

    @property
    def overview(self) -> Overview:
        """At most 256 × 256 squares a head."""
        assert self.statistics.overview is not None  # the pass was asked for one
        return self.statistics.overview

    @property
    def bytes(self) -> int:
        """What it takes, tokens at what Python needs for a short string."""
        tensors: list[Any] = [self.Q, self.K, *vars(self.statistics).values(), *vars(self.overview).values()]
        return sum(t.untyped_storage().nbytes() for t in tensors if isinstance(t, Tensor)) + 64 * len(self.tokens or ())


def new_name() -> str:
    """A name for a map that nobody can guess."""
    return secrets.token_urlsafe(16)


class Gone(Exception):
    """There is no map of this id: it was let go, or never was."""


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
        self._kept: OrderedDict[str, tuple[Kept, float]] = OrderedDict()  # the least recently asked about first
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    @property
    def bytes(self) -> int:
        """What all kept maps take together."""
        with self._lock:
            return self._sum()

    def put(self, name: str, kept: Kept) -> None:
        """Keeps a map under its name, if need be in place of others."""
        with self._lock:
            self._kept[name] = (kept, self._clock())
            while len(self._kept) > self._entries or (len(self._kept) > 1 and self._sum() > self._most_bytes):
                self._kept.popitem(last=False)
            self._arm()

    def get(self, name: object) -> Kept:
        """The map of this id, which counts as used now. Raises `Gone`."""
        with self._lock:
            self._let_go()
            if not isinstance(name, str) or name not in self._kept:
                raise Gone
            kept, _ = self._kept[name]
            self._kept[name] = (kept, self._clock())
            self._kept.move_to_end(name)
            return kept

    def drop(self, name: object) -> None:
        """Lets a map go whose visitor needs it no more; nothing happens where there is none."""
        with self._lock:
            if isinstance(name, str):
                self._kept.pop(name, None)

    def sweep(self) -> None:
        """Lets go of what nobody asked about for too long, and sees to the next time."""
        with self._lock:
            self._timer = None
            self._let_go()
            self._arm()

    def _let_go(self) -> None:
        while self._kept:
            name, (_, used) = next(iter(self._kept.items()))
            if self._clock() - used < self._idle:
                return
            del self._kept[name]

    def _arm(self) -> None:
        if self._timer is not None or not self._kept:
            return
        _, used = next(iter(self._kept.values()))
        self._timer = threading.Timer(max(0.01, used + self._idle - self._clock()), self.sweep)
        self._timer.daemon = True
        self._timer.start()

    def _sum(self) -> int:
        return sum(kept.bytes for kept, _ in self._kept.values())


STORE: Final = Store()
"""The server's own; every process has its own, and only the id leads to a map in it."""
