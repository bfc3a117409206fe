"""A class as one process: replays openings or asks for frames, all visitors at once, and writes their waiting times.

`benchmarks.class` starts one for each core and writes a job to its input: a line of JSON with `where`, `kind` (the
name of a function below) and that function's arguments. The process writes "ready", reads the monotonic time to begin,
and writes one line of JSON.
"""

import asyncio
import json
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

from tests.raw_http import NOBODY, PREFIX, TAB, Broken, Connection, packed, request

AT_ONCE = 6
"""Number of connections of one browser to one host."""

PATIENCE = 120.0
"""Seconds after which a visitor counts as failed."""

Where = tuple[str, int]


Requests = Sequence[tuple[bytes, str, int | None]]


async def openings(where: Where, visitors: Sequence[str], requests: Requests) -> list[Any]:
    """Replay an opening for each visitor's token; return the seconds until all had come, or the error."""
    nobody = NOBODY.encode()

    def theirs(tab: str) -> Requests:
        own = tab.encode()
        return [(data.replace(nobody, own), method, after) for data, method, after in requests]

    return await asyncio.gather(*(_timed(_opening(where, theirs(tab))) for tab in visitors))


async def _opening(where: Where, requests: Requests) -> None:
    """Send each request once the one that led to it is answered and one of six connections is free."""
    ready: asyncio.PriorityQueue[int] = asyncio.PriorityQueue()
    after: dict[int | None, list[int]] = {}
    for index, (_, _, before) in enumerate(requests):
        after.setdefault(before, []).append(index)
    for index in after.pop(None):
        ready.put_nowait(index)
    left = len(requests)
    done = asyncio.Event()

    async def browser_connection() -> None:
        nonlocal left
        connection: Connection | None = None
        while True:
            index = await ready.get()
            data, method, _ = requests[index]
            try:
                if connection is None or connection.gone:
                    connection = await Connection.open(where, keep=False)
                found = await connection.ask(data, method)
            except Broken:  # closed while idle: a browser asks again on a new connection
                connection = await Connection.open(where, keep=False)
                found = await connection.ask(data, method)
            if found.status >= 400:
                raise RuntimeError(f"{found.status} for {data.split(b' ', 2)[1].decode()}")
            for next_one in after.get(index, ()):
                ready.put_nowait(next_one)
            left -= 1
            if not left:
                done.set()

    tasks = [asyncio.create_task(browser_connection()) for _ in range(AT_ONCE)]
    try:
        finished = asyncio.create_task(done.wait())
        await asyncio.wait([*tasks, finished], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()  # raises the error
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def at_once(where: Where, visitors: Sequence[bytes]) -> list[Any]:
    """Send all requests at once, each on its own connection; return each one's seconds and the order of answers."""
    order: list[int] = []

    async def one(index: int, data: bytes) -> None:
        connection = await Connection.open(where)
        try:
            _require(await connection.ask(data))
            order.append(index)
        finally:
            connection.leave()

    waited = await asyncio.gather(*(_timed(one(index, data)) for index, data in enumerate(visitors)))
    moved = sorted(abs(place - index) for place, index in enumerate(order))
    return [*waited, {"moved": moved[len(moved) * 95 // 100] if moved else 0}]


async def dragging(where: Where, visitors: Sequence[Sequence[bytes]], seconds: float) -> list[Any]:
    """Let each visitor ask for its states one after the other, a second apart, for so many seconds."""
    waited: list[Any] = []

    async def one(index: int, states: Sequence[bytes]) -> None:
        connection: Connection | None = None
        await asyncio.sleep(index / len(visitors))
        until = time.monotonic() + seconds
        for state in states:
            began = time.monotonic()
            if began > until:
                break
            try:
                if connection is None or connection.gone:
                    connection = await Connection.open(where)
                _require(await asyncio.wait_for(connection.ask(state), PATIENCE))
                waited.append(time.monotonic() - began)
            except (OSError, Broken, RuntimeError, TimeoutError) as problem:
                waited.append(f"{type(problem).__name__} {problem}")
            await asyncio.sleep(max(0.0, began + 1 - time.monotonic()))

    await asyncio.gather(*(one(index, states) for index, states in enumerate(visitors)))
    return waited


async def following(where: Where, visitors: Sequence[str], states: Sequence[Sequence[bytes]]) -> list[Any]:
    """Ask for each state from all visitors at once (`states[number]` has their requests); return the seconds."""
    connections = [await Connection.open(where) for _ in visitors]
    waited: list[Any] = []
    for requests in states:

        async def one(index: int, data: bytes) -> None:
            if connections[index].gone:
                connections[index] = await Connection.open(where)
            _require(await connections[index].ask(data))

        waited += await asyncio.gather(*(_timed(one(index, data)) for index, data in enumerate(requests)))
    return waited


async def room(where: Where, visitors: Sequence[str], path: str) -> list[Any]:
    """Follow the room at `path` with each visitor's tab until it ends; ask for the frame of every new link.

    Return the steps of the lesson, each with the time when its frame had come.
    """
    waited: list[Any] = []

    async def one(tab: str) -> None:
        connection = await Connection.open(where)
        reader, writer = await asyncio.open_connection(*where)
        writer.write(request("GET", f"{path}/stream", None, {TAB: tab}))
        seen = 0
        try:
            while line := await reader.readline():
                if line.startswith(b"event: end"):
                    return
                if not line.startswith(b"data: "):
                    continue
                message = json.loads(line[6:])
                step = message["lesson"]["step"] if message.get("lesson") else 0
                if step == seen:
                    continue
                seen = step
                if connection.gone:
                    connection = await Connection.open(where)
                frame_request = packed({"query": message["link"], "known": [], "light": True})
                _require(await connection.ask(request("POST", f"{PREFIX}/page/explore", frame_request, {TAB: tab})))
                waited.append({"step": step, "at": time.monotonic()})
            raise Broken("the stream ended before the room")
        finally:
            writer.close()
            connection.leave()

    found = await asyncio.gather(*(_timed(one(tab)) for tab in visitors))
    return [*waited, *(each for each in found if isinstance(each, str))]


def _require(found: Any) -> None:
    """Raise unless the answer is a complete frame."""
    if found.status != 200 or b'{"part":"error"' in found.body:
        raise RuntimeError(f"{found.status} {found.body[:200]!r}")


async def _timed(work: Any) -> Any:
    began = time.monotonic()
    try:
        await asyncio.wait_for(work, PATIENCE)
    except (OSError, Broken, RuntimeError, TimeoutError) as problem:
        return f"{type(problem).__name__} {problem}"[:200]
    return time.monotonic() - began


def written(value: bytes) -> dict[str, str]:
    """Return bytes as a JSON object, for `json.dumps(default=…)`."""
    return {"latin-1": value.decode("latin-1")}


def _requests(value: dict[str, Any]) -> Any:
    return value["latin-1"].encode("latin-1") if value.keys() == {"latin-1"} else value


async def main() -> None:
    """Do the job and print its results."""
    job = json.loads(sys.stdin.readline(), object_hook=_requests)
    job["where"] = tuple(job["where"])
    kind = {work.__name__: work for work in (openings, at_once, dragging, following, room)}[job.pop("kind")]
    print("ready", flush=True)
    at = float(sys.stdin.readline())
    await asyncio.sleep(at - time.monotonic())
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    waited = await kind(**job)
    after, ended = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    json.dump({"waited": waited, "cpu": cpu, "seconds": ended - began}, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
