"""Attacks on lasting state: runs, gradio's queue, kept maps (findings 40, 41 and 44)."""

import asyncio
import json
import re
from random import Random

from by_hand import PREFIX, Connection, packed, request
from rude import MARK, Rude

TRAINING = "page=train&seeds=10&steps=1200"
MAP = "page=map&n=4096"


async def left_then_paused(rude: Rude) -> None:
    """40: starts a run, leaves it, then posts its pause."""
    await rude.crowd(2, lambda number: _left(rude, ("pause",)))


async def cancelled_then_paused(rude: Rude) -> None:
    """40: starts a run, cancels it, then pauses it."""
    await rude.crowd(2, lambda number: _left(rude, ("cancel", "pause"), stay=True))


async def _left(rude: Rude, wishes: tuple[str, ...], *, stay: bool = False) -> None:
    connection = await _started(rude, TRAINING, "train")
    name = await _name(connection)
    if not stay:
        rude.close(connection)
    for wish in wishes if name else ():
        await rude.ask(f"{PREFIX}/runs/{name}/{wish}")
    await asyncio.sleep(1.0 if name else 0.2)
    rude.close(connection)


async def at_once(rude: Rude) -> None:
    """40: three hundred runs in the same moment."""
    await rude.crowd(300, lambda number: _held(rude, await_all=True))


async def unread(rude: Rude) -> None:
    """40: seventy maps that nobody reads."""
    await rude.crowd(70, lambda number: _held(rude, await_all=False))


async def waiting(rude: Rude) -> None:
    """44: ten visitors who wait in line for a run, and stay."""
    await rude.crowd(10, lambda number: _held(rude, await_all=True, query=TRAINING, page="train"))


async def _held(rude: Rude, *, await_all: bool, query: str = MAP, page: str = "map") -> None:
    connection = await _started(rude, f"{query}&seed={rude.random.randrange(2**31)}", page, small=not await_all)
    if not await_all:
        connection.unread()
    for _ in range(240):
        await asyncio.sleep(0.25)
        if connection.gone or _ended(connection):
            break
    rude.counts[f"line {_status(connection)}"] += 1
    rude.close(connection)


async def _started(rude: Rude, query: str, page: str, *, small: bool = False) -> Connection:
    connection = await rude.open(receive=4096 if small else None)
    body = packed({"query": f"{query}&{MARK}=1", "known": []})
    connection.write(request("POST", f"{PREFIX}/run/{page}", body, rude.headers()))
    rude.counts["asked"] += 1
    return connection


async def _name(connection: Connection) -> str | None:
    """Return the run's name, from its second message."""
    for _ in range(40):
        await asyncio.sleep(0.05)
        if found := re.search(rb'"run":"([^"]+)"', connection.early):
            return found[1].decode()
        if connection.gone:
            return None
    return None


def _status(connection: Connection) -> str:
    return connection.early[9:12].decode("latin-1") or "nothing"


def _ended(connection: Connection) -> bool:
    """Return True if the last chunk or a refusal has come."""
    return connection.early.endswith(b"0\r\n\r\n") or _status(connection) not in ("nothing", "200")


async def queued_calls(rude: Rude) -> None:
    """41: a hundred calls of gradio's queue, each of the largest state."""
    await rude.crowd(100, lambda number: _call(rude, _attention(rude.random)))


def _attention(random: Random) -> list[object]:
    fields = [512, 1024, 16, 1024, False, "additive", "none", 1.0, "none", 8, "gaussian", None, "words", False]
    return [*fields, "float32", random.randrange(2**31)]


async def _call(rude: Rude, data: list[object]) -> None:
    body = json.dumps({"data": data}).encode()
    found = await rude.ask("/gradio_api/call/attention", body, headers={"Content-Type": "application/json"})
    if found is None or found.status != 200:
        await asyncio.sleep(0.5)


async def small_maps(rude: Rude) -> None:
    """41: maps of two tokens, one after the other, which evict everybody's."""

    async def once(number: int) -> None:
        query = f"page=map&n=2&seed={rude.random.randrange(2**31)}&{MARK}=1"
        await rude.ask(f"{PREFIX}/run/map", packed({"query": query}))

    await rude.crowd(16, once)
