"""A polite visitor: one tab that drags d_k at n = 32, a frame about every 200 ms, and sends a small file now and then.

    python benchmarks/polite.py ADDRESS

Until its input ends it writes one line of JSON for each answer (`kind`, `began` on the monotonic clock, `seconds`,
`status`). It also writes one line when it begins to wait, so that an unanswered request shows, too. From the line `run`
of its input to the line `rest` it starts a short training every ten seconds. The seconds of such a `run` end at its
first picture. At `rest` it leaves a run under way.
"""

import asyncio
import json
import re
import secrets
import struct
import sys
import time

from by_hand import PREFIX, TAB, Answer, Broken, Connection, packed, place, request

EVERY = 0.2
"""Seconds from one request to the next, if the answer has come by then."""

FULL = 5
"""Every so many frames the drag rests, and that frame brings tables and sentences as well."""

UPLOADS = 20
"""Number of frames between two uploads."""


RUNS = 10.0
"""Seconds from the beginning of one run to that of the next, if the first has ended by then."""

TRAINING = "page=train&widths=4&seeds=1&steps=50"


class Visitor:
    """One tab over one kept connection."""

    def __init__(self, address: str) -> None:
        self.where, self.tab = place(address), secrets.token_hex(8)
        self.connection: Connection | None = None
        self.known: list[str] = []
        self.file = _file()

    async def drag(self) -> None:
        """Drag d_k to and fro between 1 and 1024 for ever."""
        step = 0
        while True:
            began = time.monotonic()
            d_k = 1 + abs((step * 7) % 2046 - 1023)
            payload = {
                "query": f"n=32&d_k={d_k}&tie=false",
                "previous": None,
                "known": self.known[-64:],
                "theme": "light",
                "columns": 0,
                "address": "http://127.0.0.1/",
                "light": step % FULL != 0,
            }
            found = await self._timed("frame", f"{PREFIX}/page/explore", packed(payload))
            if found is not None:
                for digest in re.findall(r'"hash":"([0-9a-f]+)"', found.body.decode("latin-1")):
                    if digest not in self.known:
                        self.known.append(digest)
            if step % UPLOADS == UPLOADS // 2:
                await self._timed("upload", f"{PREFIX}/upload?name=q.safetensors&page=explore", self.file)
            step += 1
            await asyncio.sleep(max(0.0, began + EVERY - time.monotonic()))

    async def train(self) -> None:
        """Start short trainings on a separate connection for ever."""
        while True:
            began = time.monotonic()
            await self._train(began)
            await asyncio.sleep(max(0.0, began + RUNS - time.monotonic()))

    async def _train(self, began: float) -> None:
        _say(kind="run", began=began)
        status, connection = 0, None
        try:
            connection = await Connection.open(self.where)
            headers = {TAB: self.tab, "Content-Type": "application/octet-stream"}
            connection.write(request("POST", f"{PREFIX}/run/train", packed({"query": TRAINING, "known": []}), headers))
            while not status:
                await asyncio.sleep(0.02)
                status = _met(bytes(connection.early), connection.gone)
            _say(kind="run", began=began, seconds=time.monotonic() - began, status=status)
            while status == OK and not connection.gone and not connection.early.endswith(b"0\r\n\r\n"):
                await asyncio.sleep(0.1)
        except (OSError, Broken):
            if not status:
                _say(kind="run", began=began, seconds=time.monotonic() - began, status=0)
        finally:
            if connection is not None:
                connection.leave()

    async def _timed(self, kind: str, path: str, body: bytes) -> Answer | None:
        began, status, found = time.monotonic(), 0, None
        _say(kind=kind, began=began)
        try:
            if self.connection is None or self.connection.gone:
                self.connection = await Connection.open(self.where)
            headers = {TAB: self.tab, "Content-Type": "application/octet-stream"}
            found = await self.connection.ask(request("POST", path, body, headers))
            broken = ERROR in found.body[:40] or ERROR in found.body[-4000:]
            status = BROKEN if broken else found.status
        except (OSError, Broken):
            self.connection = None
        _say(kind=kind, began=began, seconds=time.monotonic() - began, status=status)
        return found


OK, BROKEN = 200, 599
ERROR, PICTURE = b'{"part":"error"', b'{"part":"figures"'


def _met(came: bytes, gone: bool) -> int:
    """Return the status of a run that was refused or has shown its first picture; 0 until then."""
    if came and not came.startswith(b"HTTP/1.1 200"):
        return int(came[9:12])
    if ERROR in came:
        return BROKEN
    if PICTURE in came:
        return OK
    return BROKEN if gone else 0


def _say(**what: object) -> None:
    print(json.dumps(what), flush=True)


def _file() -> bytes:
    """Return Q and K of 32 × 64 zeros as safetensors."""
    size = 32 * 64 * 4
    entries = {
        name: {"dtype": "F32", "shape": [32, 64], "data_offsets": [size * at, size * (at + 1)]}
        for at, name in enumerate("QK")
    }
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + bytes(2 * size)


async def main() -> None:
    """Drag until the other end of the input is closed."""
    loop = asyncio.get_running_loop()
    visitor = Visitor(sys.argv[1])
    drag, runs = loop.create_task(visitor.drag()), None
    while wish := await loop.run_in_executor(None, sys.stdin.readline):
        if runs is not None:
            runs.cancel()
        runs = loop.create_task(visitor.train()) if wish.strip() == "run" else None
    drag.cancel()


if __name__ == "__main__":
    asyncio.run(main())
