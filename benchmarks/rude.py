"""A rude client: the tools of an attack. `benchmarks/attacks.py` runs attacks in a process of their own."""

import asyncio
import contextlib
import secrets
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from random import Random

from by_hand import PREFIX, TAB, Answer, Broken, Connection, packed, place, request

MARK = "rude-visitor-wrote-this"
"""A mark in every link that an attack sends, which reveals a log that repeats it."""

PER_SECOND = 150.0
"""Most requests that one attack begins per second: the test is of bounds, not of Python's speed."""


class Rude:
    """The tools of an attack: connections, all cut off at its end, and counts of events."""

    def __init__(self, address: str, *, width: float = 1.0, seed: int = 0, source: str | None = None) -> None:
        self.where, self.width, self.random = place(address), width, Random(seed)
        self.source = source
        self.counts: Counter[str] = Counter()
        self._connections: set[Connection] = set()
        self._next = 0.0

    async def open(self, *, receive: int | None = None, keep: bool = False) -> Connection:
        """Open a connection as soon as the pace allows."""
        now = time.monotonic()
        self._next = max(now, self._next + 1 / PER_SECOND)
        await asyncio.sleep(self._next - now)
        made = await Connection.open(self.where, source=self.source, receive=receive, keep=keep)
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
        body: bytes = b"",
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        after: float | None = None,
        keep: bool = False,
    ) -> Answer | None:
        """Send one request on its own connection, cut off `after` so many seconds if given."""
        connection = await self.open(keep=keep)
        try:
            waiting = connection.ask(request(method, path, body, self.headers(headers)), method)
            found = await (asyncio.wait_for(waiting, after) if after is not None else waiting)
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

    async def frame(self, query: str, path: str = "page/explore", after: float | None = None, **more: object) -> None:
        """Send a page's request at a move of a control, or the same body to another of our routes."""
        body = packed({"query": f"{query}&{MARK}=1", "previous": None, "known": [], **more})
        await self.ask(f"{PREFIX}/{path}", body, after=after)

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the headers of a new tab."""
        return {TAB: secrets.token_hex(8), "Content-Type": "application/octet-stream", **(more or {})}

    async def crowd(self, count: int, once: Callable[[int], Awaitable[object]]) -> None:
        """Let `count` visitors (times the width) do the same thing over and over."""

        async def forever(number: int) -> None:
            while True:
                try:
                    await once(number)
                except (OSError, Broken):
                    self.counts["broken"] += 1
                    await asyncio.sleep(0.2)

        async with asyncio.TaskGroup() as group:
            for number in range(max(1, round(count * self.width))):
                group.create_task(forever(number))


Attack = Callable[[Rude], Awaitable[object]]


async def run(rude: Rude, attacks: list[Attack], seconds: float) -> None:
    """Run all attacks at once, for so many seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for attack in attacks:
                group.create_task(_run(attack, rude))
    rude.leave()


async def _run(attack: Attack, rude: Rude) -> None:
    await attack(rude)


def usable(source: str) -> str | None:
    """Return `source` if it is a loopback address of this machine (Linux: all of 127.0.0.0/8), else None."""
    with socket.socket() as probe:
        try:
            probe.bind((source, 0))
        except OSError:
            return None
    return source
