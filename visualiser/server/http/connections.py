"""Bounds on the number of open connections, and on how long one may stand still.

A connection is *busy* from the last byte of a request's head to the last byte of the answer. Otherwise it *waits*:
closing it loses nothing, since a browser opens another one. When all places are taken, a newcomer replaces a waiting
connection, or a busy one if none waits, always of an address that holds more than the newcomer's own. So one address
may take all unused places but keeps nobody out. No bound per address is needed: a whole school may share one.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

_LOOK: Final = 1.0
"""Seconds between checks for connections that stand still."""


@dataclass(frozen=True)
class Bounds:
    """Bounds of a server's connections.

    `most` is their number. The next three are in seconds: for a request's head, for a pause between requests, and for
    an answer of which the other side reads no byte. Then come the bytes of one head and of all heads together, and the
    unanswered requests of one connection.
    """

    most: int
    head: float = 10
    idle: float = 15
    stalled: float = 30
    head_bytes: int = 65_536
    heads_bytes: int = 2**25
    pipelined: int = 16


class Transport(Protocol):
    """The part of a transport that is used."""

    def get_write_buffer_size(self) -> int: ...


class Connection(Protocol):
    """One connection: its address, the time of its last change, the seconds it may stay so, and its unsent bytes."""

    address: str
    since: float
    patience: float | None
    unsent: int
    loop: asyncio.AbstractEventLoop

    @property
    def transport(self) -> Transport: ...

    def drop(self) -> None:
        """Leave, and close at once."""


class Connections:
    """All connections of one server, by address, each in the order in which it came or began to wait."""

    def __init__(self, bounds: Bounds, clock: Callable[[], float] = time.monotonic) -> None:
        self.bounds, self._clock = bounds, clock
        self._looked = self._late = 0.0
        self._held: dict[str, dict[Connection, None]] = {}
        self._waiting: dict[str, dict[Connection, None]] = {}
        self._looking = False
        self.count = 0
        self.heads = 0

    def enter(self, connection: Connection) -> None:
        """Add a connection. If there are too many now, close the one that `_gives_way` returns."""
        self.count += 1
        self._held.setdefault(connection.address, {})[connection] = None
        self.wait(connection, self.bounds.head)
        if self.count > self.bounds.most:
            self._gives_way(connection).drop()
        if not self._looking:
            self._looking, self._looked = True, self._clock()
            connection.loop.call_later(_LOOK, self._look, connection.loop)

    def leave(self, connection: Connection) -> None:
        """Forget a connection. A second call does nothing."""
        held = self._held.get(connection.address, {})
        if connection not in held:
            return
        self.count -= 1
        _discard(self._held, connection)
        _discard(self._waiting, connection)

    def wait(self, connection: Connection, seconds: float) -> None:
        """Note that a connection waits from now on, for at most `seconds`."""
        connection.since, connection.patience = self._now(), seconds
        if connection in self._held.get(connection.address, ()):  # it may have been closed meanwhile
            self._waiting.setdefault(connection.address, {}).setdefault(connection)

    def work(self, connection: Connection) -> None:
        """Note that a request's head is complete."""
        connection.since, connection.patience = self._now(), None
        _discard(self._waiting, connection)

    def _gives_way(self, newcomer: Connection) -> Connection:
        """Return the connection to close for this newcomer.

        This is the longest waiting one of the address with the most waiting; else the newest busy one of the address
        that holds most; or the newcomer itself if its address holds most.
        """

        def weight(address: str) -> tuple[int, int]:
            return len(self._waiting.get(address, ())), len(self._held[address])

        longest = (next(iter(connections)) for connections in self._waiting.values())
        idle = [connection for connection in longest if connection is not newcomer]
        own = weight(newcomer.address)
        chosen = max(idle, key=lambda connection: (weight(connection.address), -connection.since), default=newcomer)
        if chosen is not newcomer and weight(chosen.address) >= own:
            return chosen
        biggest = max(self._held, key=lambda address: len(self._held[address]))
        if len(self._held[biggest]) > own[1]:
            return next(reversed(self._held[biggest]))
        return newcomer

    def _now(self) -> float:
        """Return the time minus the server's own delays: it read nothing during them, so they are nobody's pause."""
        return self._clock() - self._late

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close connections that stood still for too long, once a second while any is open."""
        since = self._clock() - self._looked
        self._late += max(0.0, since - 2 * _LOOK)
        self._looked += since
        now = self._now()
        for connection in [connection for held in self._held.values() for connection in held]:
            unsent = connection.transport.get_write_buffer_size()
            if unsent != connection.unsent:  # the other side reads: restart its time
                connection.unsent, connection.since = unsent, now
            patience = self.bounds.stalled if unsent else connection.patience
            if patience is not None and now - connection.since > patience:
                connection.drop()
        self._looking = self.count > 0
        if self._looking:
            loop.call_later(_LOOK, self._look, loop)


def _discard(kept: dict[str, dict[Connection, None]], connection: Connection) -> None:
    connections = kept.get(connection.address, {})
    connections.pop(connection, None)
    if not connections:
        kept.pop(connection.address, None)
