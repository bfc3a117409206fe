"""A polite visitor: one tab that drags d_k at n = 32, sends a small file, and starts a short training."""

import asyncio
import json
import re
import struct
import time
from collections.abc import Awaitable
from typing import Final

from tests.attacks.rude import route
from tests.fuzz.oracle import APOLOGIES
from tests.raw_http import TAB, Broken, Connection, packed, place, request

EVERY: Final = 0.2
"""Least seconds from one request to the next."""

FULL: Final = 5
"""Every so many frames the drag rests, and that frame brings tables and sentences as well."""

PATIENCE: Final = 120.0
"""Seconds after which a request counts as unanswered, on however busy a machine."""

TRAINING: Final = "page=train&widths=4&seeds=1&steps=50"
ERROR, PICTURE = b'{"part":"error"', b'{"part":"figures"'


class Polite:
    """The visitor, what was not answered as it should be, and the seconds of each frame."""

    def __init__(self, address: str) -> None:
        self.where, self.tab = place(address), "9f" * 8
        self.refused: list[str] = []
        self.seconds: list[float] = []
        self._known: list[str] = []

    async def visit(self, frames: int) -> None:
        """Drag for so many frames, send a file halfway, and train beside; note what is refused."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._noted("training", self._train()))
            group.create_task(self._drag(frames))

    async def _drag(self, frames: int) -> None:
        connection: Connection | None = None
        for step in range(frames):
            if connection is None or connection.gone:
                connection = await Connection.open(self.where)
            began = time.monotonic()
            await self._noted(f"frame {step}", self._frame(connection, step))
            self.seconds.append(time.monotonic() - began)
            if step == frames // 2 and not connection.gone:
                path = route("upload?name=q.safetensors&page=explore")
                await self._noted("upload", self._ask(connection, path, _file()))
            await asyncio.sleep(EVERY)
        if connection is not None:
            connection.leave()

    async def _frame(self, connection: Connection, step: int) -> None:
        payload = {
            "query": f"n=32&d_k={1 + abs((step * 7) % 2046 - 1023)}&tie=false",
            "previous": None,
            "known": self._known[-64:],
            "theme": "light",
            "columns": 0,
            "address": "http://127.0.0.1/",
            "light": step % FULL != 0,
        }
        body = await self._ask(connection, route("page/explore"), packed(payload))
        self._known += re.findall(r'"hash":"([0-9a-f]+)"', body.decode("latin-1"))

    async def _ask(self, connection: Connection, path: str, body: bytes) -> bytes:
        """Return an answer's body. Raise `Broken` unless it is whole and no refusal."""
        headers = {TAB: self.tab, "Content-Type": "application/octet-stream"}
        found = await connection.ask(request("POST", path, body, headers))
        if found.status != 200 or ERROR in found.body or any(apology in found.body for apology in APOLOGIES):
            raise Broken(f"{found.status} {found.body[:200]!r}")
        return found.body

    async def _train(self) -> None:
        """Start a short training, and leave it once its first picture has come."""
        connection = await Connection.open(self.where)
        headers = {TAB: self.tab, "Content-Type": "application/octet-stream"}
        connection.write(request("POST", route("run/train"), packed({"query": TRAINING, "known": []}), headers))
        try:
            while PICTURE not in connection.early:
                await asyncio.sleep(0.02)
                if ERROR in connection.early or connection.gone or connection.early[9:12] not in (b"", b"200"):
                    raise Broken(repr(bytes(connection.early[:300])))
        finally:
            connection.leave()

    async def _noted(self, what: str, work: Awaitable[object]) -> None:
        try:
            await asyncio.wait_for(work, PATIENCE)
        except (OSError, TimeoutError) as problem:
            self.refused.append(f"{what}: {type(problem).__name__} {problem}")


def _file() -> bytes:
    """Return Q and K of 32 × 64 zeros as safetensors."""
    size = 32 * 64 * 4
    entries = {
        name: {"dtype": "F32", "shape": [32, 64], "data_offsets": [size * at, size * (at + 1)]}
        for at, name in enumerate("QK")
    }
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + bytes(2 * size)
