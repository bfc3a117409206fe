"""A rude client: the tools of an attack, from an address of its own, with a pace and a budget of connections."""

import asyncio
import json
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from random import Random
from typing import Any, Final

from tests.fuzz.draws import MARK
from tests.raw_http import PREFIX, TAB, Answer, Broken, Connection, packed, place, request

MOST: Final = 1500
"""Connections that one attack opens at most."""

PER_SECOND: Final = 250.0
"""Most connections that it opens per second: the test is of bounds, not of Python's speed."""

SMALL: Final = 4096
"""Bytes of the receive buffer of a client that does not read."""

OWN_ADDRESS: Final = "127.0.0.2"
"""The attackers' address: on Linux all of 127.0.0.0/8 is the loopback."""


class Spent(Exception):
    """The attack has opened all its connections."""


class Rude:
    """The tools of an attack: connections, all cut off at its end, and counts of events."""

    def __init__(self, address: str, seed: int, *, source: str = OWN_ADDRESS, most: int = MOST) -> None:
        self.address, self.random, self.source = address, Random(seed), source
        self.counts: Counter[str] = Counter()
        self._connections: set[Connection] = set()
        self._left = most
        self._next = 0.0

    @cached_property
    def honest(self) -> "Rude":
        """Somebody honest at the same address, whose answers are counted apart."""
        return Rude(self.address, self.random.randrange(2**31), source=self.source)

    async def open(self, *, receive: int | None = None, keep: bool = False) -> Connection:
        """Open a connection as soon as the pace allows. Raise `Spent` if the budget is spent."""
        if not self._left:
            raise Spent
        self._left -= 1
        now = time.monotonic()
        self._next = max(now, self._next + 1 / PER_SECOND)
        await asyncio.sleep(self._next - now)
        made = await Connection.open(place(self.address), source=self.source, receive=receive, keep=keep)
        self._connections.add(made)
        self.counts["connections"] += 1
        return made

    def close(self, connection: Connection) -> None:
        """Cut one connection off."""
        connection.leave()
        self._connections.discard(connection)

    def leave(self) -> None:
        """Cut all connections off."""
        for connection in list(self._connections):
            self.close(connection)

    async def ask(
        self,
        path: str,
        body: bytes | dict[str, Any] = b"",
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        after: float | None = None,
        keep: bool = False,
    ) -> Answer | None:
        """Send one request on its own connection, cut off `after` so many seconds if given; a dict is sent as JSON."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = await self.open(keep=keep)
        try:
            waiting = connection.ask(request(method, route(path), sent, self.headers(headers)), method)
            found = await asyncio.wait_for(waiting, after)
        except TimeoutError:
            self.counts["left"] += 1
            return None
        except (OSError, Broken):
            self.counts["broken"] += 1
            await asyncio.sleep(0.2)
            return None
        finally:
            self.close(connection)
        self.counts[str(found.status)] += 1
        return found

    async def frame(self, query: str, path: str = "page/explore", after: float | None = None, **more: Any) -> None:
        """Send a page's request at a move of a control, or the same body to another of our routes."""
        body = packed({"query": f"{query}&{MARK}=1", "previous": None, "known": [], **more})
        await self.ask(path, body, after=after)

    async def hold(
        self,
        data: bytes,
        *,
        unread: bool = False,
        slowly: bool = False,
        drip: bytes = b"",
        until: Callable[[Connection], bool] = lambda connection: False,
    ) -> str:
        """Send bytes, then stay until the server ends the connection, or `until` says so; return the status so far.

        The answer is left `unread`, or read `slowly`, some 4 kB at a time. A `drip` is sent byte by byte.
        """
        connection = await self.open(receive=SMALL if unread or slowly else None)
        if unread or slowly:
            connection.unread()
        connection.write(data)
        self.counts["held"] += 1
        rest = iter(drip)
        while not connection.gone and not until(connection):
            await asyncio.sleep(0.25)
            if slowly:
                connection.transport.resume_reading()
                await asyncio.sleep(0)
                connection.transport.pause_reading()
            if (byte := next(rest, None)) is not None and not connection.gone:
                connection.write(bytes([byte]))
        self.counts["ended by the server"] += connection.gone
        self.close(connection)
        return connection.early[9:12].decode("latin-1")

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the headers of a new tab."""
        return {TAB: self.token(), "Content-Type": "application/octet-stream", **(more or {})}

    def token(self) -> str:
        """Return a tab's token, or a secret."""
        return self.random.randbytes(8).hex()

    def seed(self) -> int:
        """Return a number for a link's seed, which no kept answer has."""
        return self.random.randrange(2**31)

    async def crowd(self, count: int, once: Callable[[int], Awaitable[object]]) -> None:
        """Let so many visitors do the same thing over and over, until the budget is spent."""

        async def visitor(number: int) -> None:
            while True:
                try:
                    await once(number)
                except Spent:
                    return
                except (OSError, Broken):
                    self.counts["broken"] += 1
                    await asyncio.sleep(0.2)

        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(visitor(number))


Attack = Callable[[Rude], Awaitable[object]]


def asking(count: int, query: str, path: str = "page/explore", after: float | None = None) -> Attack:
    """Return an attack in which so many visitors ask for one thing again and again, each time with another seed."""

    async def attack(rude: Rude) -> None:
        await rude.crowd(count, lambda number: rude.frame(f"{query}&seed={rude.seed()}", path, after))

    return attack


def route(path: str) -> str:
    """Return a path, below that of the app's own routes if it does not begin with a slash."""
    return path if path.startswith("/") else f"{PREFIX}/{path}"


def is_usable(source: str = OWN_ADDRESS) -> bool:
    """True if this machine has the loopback address of the attackers."""
    with socket.socket() as probe:
        try:
            probe.bind((source, 0))
        except OSError:
            return False
    return True
