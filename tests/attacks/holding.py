"""Attacks that hold what the server has few of: answers never read, bodies never ended, idle connections, runs."""

import asyncio
import re
from random import Random
from typing import Any, Final

from tests.attacks.heavy import LARGEST
from tests.attacks.rude import Rude, asking, route
from tests.fuzz.draws import MARK
from tests.raw_http import Connection, packed, request

TRAINING: Final = "page=train&seeds=10&steps=1200"
MAP: Final = "page=map&n=4096"

small_maps = asking(16, "page=map&n=2", "run/map")
"""Maps of two tokens, one after the other, which evict everybody's."""


def posted(rude: Rude, path: str, body: bytes, stated: int | None = None) -> bytes:
    """Return a request to one of our routes, whose body may be `stated` as longer than it is."""
    head = {"Content-Length": str(len(body) if stated is None else stated)}
    return request("POST", route(path), body, rude.headers(head))


def asked(rude: Rude, path: str, query: str) -> bytes:
    """Return a request for this state with a new seed."""
    return posted(rude, path, packed({"query": f"{query}&seed={rude.seed()}&{MARK}=1", "known": []}))


async def unread_frames(rude: Rude) -> None:
    """Leave the answers of twenty-five large frames unread."""
    await rude.crowd(25, lambda number: rude.hold(asked(rude, "page/explore", LARGEST), unread=True))


async def unread_cells(rude: Rude) -> None:
    """Leave tables of cells unread."""
    await rude.crowd(25, lambda number: rude.hold(asked(rude, "take-away/explore/cells", LARGEST), unread=True))


async def slow_readers(rude: Rude) -> None:
    """Read 4 kB of a large frame at a time, so that the answer is never wholly unread."""
    await rude.crowd(25, lambda number: rude.hold(asked(rude, "page/explore", LARGEST), slowly=True))


async def empty_lists(rude: Rude) -> None:
    """Send six JSON headers of 16 MB, full of empty lists."""
    text = b'{"query": "", "known": [' + b"[]," * (16 * 2**20 // 3) + b"[]]}"
    body = len(text).to_bytes(4, "little") + text
    await rude.crowd(6, lambda number: rude.ask("page/explore", body))


async def bodies_without_end(rude: Rude) -> None:
    """Send bodies of 16 MB without their last byte."""
    body = packed({"query": "", MARK: 1}, bytes(16 * 2**20))
    await rude.crowd(20, lambda number: rude.hold(posted(rude, "page/explore", body[:-1], len(body))))


async def slow_bodies(rude: Rude) -> None:
    """Send two hundred bodies a byte at a time."""
    body = packed({"query": "n=8", MARK: 1})
    stated = len(body) + 1000
    await rude.crowd(200, lambda number: rude.hold(posted(rude, "page/explore", b"", stated), drip=body))


async def idle_connections(rude: Rude) -> None:
    """Open eleven hundred connections that say nothing."""
    await rude.crowd(1100, lambda number: rude.hold(b""))


async def half_headers(rude: Rude) -> None:
    """Begin three hundred requests whose headers never end."""
    await rude.crowd(300, lambda number: rude.hold(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "))


async def gradio_uploads(rude: Rude) -> None:
    """Send files of 4 MB to gradio's own upload route, which the app does not use."""
    border = rude.token()
    lines = f'--{border}\r\nContent-Disposition: form-data; name="files"; filename="{MARK}.bin"\r\n\r\n'.encode()
    body = lines + rude.random.randbytes(4 * 2**20) + f"\r\n--{border}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
    await rude.crowd(4, lambda number: rude.ask("/gradio_api/upload", body, headers=kind))


async def large_uploads(rude: Rude) -> None:
    """Send CSV files of 15 MB, whose numbers take seconds to read."""
    line = b"Q," + b",".join(b"0.%06d" % number for number in range(1000)) + b"\n"
    body = line * (15 * 2**20 // len(line))
    await rude.crowd(10, lambda number: rude.ask(f"upload?name={MARK}.csv&page=map", body))


async def leaving_in_a_body(rude: Rude) -> None:
    """Leave in the midst of a body."""

    async def once(number: int) -> None:
        connection = await rude.open()
        connection.write(posted(rude, "page/explore", bytes(1000), 100_000))
        await asyncio.sleep(0.02)
        rude.close(connection)

    await rude.crowd(10, once)


def _is_over(connection: Connection) -> bool:
    """True if the last chunk or a refusal has come."""
    return connection.early.endswith(b"0\r\n\r\n") or connection.early[9:12] not in (b"", b"200")


async def runs_at_once(rude: Rude) -> None:
    """Start three hundred runs in the same moment."""
    await rude.crowd(300, lambda number: _held(rude, "run/map", MAP))


async def waiting_runs(rude: Rude) -> None:
    """Let ten visitors wait in line for a run, and stay."""
    await rude.crowd(10, lambda number: _held(rude, "run/train", TRAINING))


async def _held(rude: Rude, path: str, query: str) -> None:
    status = await rude.hold(asked(rude, path, query), until=_is_over)
    rude.counts[f"line {status}"] += 1


async def unread_runs(rude: Rude) -> None:
    """Start seventy maps that nobody reads."""
    await rude.crowd(70, lambda number: rude.hold(asked(rude, "run/map", MAP), unread=True))


async def left_then_paused(rude: Rude) -> None:
    """Start a run, leave it, then post its pause."""
    await rude.crowd(2, lambda number: _left(rude, ("pause",)))


async def cancelled_then_paused(rude: Rude) -> None:
    """Start a run, cancel it, then pause it."""
    await rude.crowd(2, lambda number: _left(rude, ("cancel", "pause"), stay=True))


async def _left(rude: Rude, wishes: tuple[str, ...], *, stay: bool = False) -> None:
    connection = await rude.open()
    connection.write(asked(rude, "run/train", TRAINING))
    name = None
    while name is None and not connection.gone:
        await asyncio.sleep(0.05)
        name = re.search(rb'"run":"([^"]+)"', connection.early)
    if not stay:
        rude.close(connection)
    for wish in wishes:
        if name is not None:
            await rude.ask(f"runs/{name[1].decode()}/{wish}")
    await asyncio.sleep(0.5)
    rude.close(connection)


async def queued_calls(rude: Rude) -> None:
    """Put a hundred calls into gradio's queue, each of the largest state, and listen to none."""

    async def once(number: int) -> None:
        body = {"data": _attention(rude.random)}
        found = await rude.ask("/gradio_api/call/attention", body, headers={"Content-Type": "application/json"})
        if found is None or found.status != 200:
            await asyncio.sleep(0.5)

    await rude.crowd(100, once)


def _attention(random: Random) -> list[Any]:
    fields = [512, 1024, 16, 1024, False, "additive", "none", 1.0, "none", 8, "gaussian", None, "words", False]
    return [*fields, "float32", random.randrange(2**31)]
