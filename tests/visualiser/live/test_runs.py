"""Long runs: their parts in order, the line, cancelling by leaving or by name, pausing, and what a broken job does."""

import asyncio
import json
import struct
import threading
from collections.abc import AsyncIterator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from fastapi import Request

from visualiser.live import parts, runs
from visualiser.live.asking import Refusal
from visualiser.live.places import Places
from visualiser.live.runs import Run

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


class Visitor:
    """A connection, as far as a run looks at it."""

    def __init__(self) -> None:
        self.gone = False

    async def is_disconnected(self) -> bool:
        return self.gone


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> Places:
    own = Places(1, longest=2)
    monkeypatch.setattr(runs, "_places", own)
    return own


def header(piece: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", piece)
    return json.loads(piece[4 : 4 + length])


def stream(job: runs.Job, visitor: Visitor) -> AsyncIterator[bytes]:
    return runs.stream(job, cast(Request, visitor), lambda: parts.failure("broken"))


def in_own_loop(test: Callable[[], Any]) -> Any:
    """Playwright's own loop lives in the main thread, where another may not start."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(asyncio.wait_for(test(), PATIENCE))).result()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def three(run: Run) -> Generator[bytes]:
    for i in range(3):
        yield parts.progress(i / 3)
    yield parts.ended()


def endless(stopped: threading.Event) -> runs.Job:
    def job(run: Run) -> Generator[bytes]:
        try:
            yield parts.progress(0.0)
            while not run.cancelled():
                stopped.wait(0.005)
        finally:
            stopped.set()

    return job


def test_parts_come_in_order_and_the_place_is_given_back(places: Places) -> None:
    async def visit() -> list[str]:
        found = [header(piece)["part"] async for piece in stream(three, Visitor())]
        await until(lambda: not places._line)
        return found

    assert in_own_loop(visit) == ["began", "progress", "progress", "progress", "ended"]
    assert runs._running == {}


def test_the_second_waits_and_is_told_so() -> None:
    async def visit() -> list[dict[str, Any]]:
        stopped = threading.Event()
        first = stream(endless(stopped), Visitor())
        assert [header(await anext(first))["part"] for _ in range(2)] == ["began", "progress"]
        second = stream(three, Visitor())
        told = [header(await anext(second))]
        await cast(Any, first).aclose()  # the first visitor leaves
        told += [header(piece) async for piece in second]
        await until(stopped.is_set)
        return told

    told = in_own_loop(visit)
    assert told[0] == {"part": "waiting", "before": 1, "at_once": runs.AT_ONCE, "bytes": 0}
    assert [part["part"] for part in told[1:]] == ["began", "progress", "progress", "progress", "ended"]


def test_a_visitor_who_goes_ends_the_run(places: Places) -> None:
    async def visit() -> None:
        stopped, visitor = threading.Event(), Visitor()
        pieces = stream(endless(stopped), visitor)
        await anext(pieces)
        visitor.gone = True
        assert [header(piece)["part"] async for piece in pieces] in ([], ["progress"])
        await until(stopped.is_set)
        await until(lambda: not places._line)

    in_own_loop(visit)


def test_waiting_visitors_who_go_leave_the_line(places: Places) -> None:
    async def visit() -> None:
        stopped, visitor = threading.Event(), Visitor()
        first = stream(endless(stopped), Visitor())
        await anext(first)
        second = stream(three, visitor)
        await anext(second)
        assert len(places._line) == 2
        visitor.gone = True
        assert [piece async for piece in second] == []
        assert len(places._line) == 1
        await cast(Any, first).aclose()
        await until(lambda: not places._line)

    in_own_loop(visit)


def test_a_paused_run_stands_still(places: Places) -> None:
    made: list[int] = []

    def counting(run: Run) -> Generator[bytes]:
        for i in range(1000):
            if run.cancelled():
                return
            made.append(i)
            yield parts.progress(i / 1000)

    async def visit() -> None:
        pieces = stream(counting, Visitor())
        name = header(await anext(pieces))["run"]
        await anext(pieces)
        assert runs.tell(name, "pause")
        # what was made ahead still comes, then nothing
        for _ in range(40):
            try:
                await asyncio.wait_for(cast(Any, anext(pieces)), 0.4)
            except TimeoutError:
                break
        else:
            pytest.fail("a paused run went on")
        await until(lambda: not places._line)  # who stops listening has ended the run

    in_own_loop(visit)
    before = len(made)
    assert 0 < before < 1000
    assert not runs.tell("no such run", "pause")


def test_a_run_goes_on_where_it_was_paused() -> None:
    async def visit() -> list[str]:
        pieces = stream(three, Visitor())
        name = header(await anext(pieces))["run"]
        assert runs.tell(name, "pause")
        assert runs.tell(name, "resume")
        return [header(piece)["part"] async for piece in pieces]

    assert in_own_loop(visit) == ["progress", "progress", "progress", "ended"]


def test_cancelling_by_name_ends_the_stream_at_once() -> None:
    async def visit() -> None:
        stopped = threading.Event()
        pieces = stream(endless(stopped), Visitor())
        name = header(await anext(pieces))["run"]
        assert not runs.tell(name, "explode")
        assert runs.tell(name, "cancel")
        assert [header(piece)["part"] async for piece in pieces] in ([], ["progress"])
        await until(stopped.is_set)
        await until(lambda: name not in runs._running)

    in_own_loop(visit)


def test_a_job_that_breaks_says_so_and_gives_its_place_back(places: Places, caplog: pytest.LogCaptureFixture) -> None:
    def broken(run: Run) -> Generator[bytes]:
        yield parts.progress(0.5)
        raise ArithmeticError("seven")

    async def visit() -> list[dict[str, Any]]:
        found = [header(piece) async for piece in stream(broken, Visitor())]
        await until(lambda: not places._line)
        return found

    assert [part["part"] for part in in_own_loop(visit)] == ["began", "progress", "error"]
    assert "seven" in caplog.text


def test_a_full_line_lets_nobody_in(places: Places) -> None:
    runs.require_room()
    places.enter()
    places.enter()
    with pytest.raises(Refusal, match=r"error\.too_many_runs"):
        runs.require_room()
