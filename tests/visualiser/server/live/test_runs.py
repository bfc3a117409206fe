"""Long runs: their parts in order, the line, cancellation by leaving or by name, pauses, and broken jobs."""

import asyncio
import json
import struct
import threading
from collections.abc import AsyncIterator, Callable, Generator
from dataclasses import replace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from starlette.routing import Router

from tests.alone import alone
from tests.visualiser.server.asking import scope
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.fair_line import FairLine
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.addresses import PREFIX
from visualiser.server.instance import INSTANCE
from visualiser.server.live import parts, routes, runs
from visualiser.server.live.answering import LIVE
from visualiser.server.live.runs import Run

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> FairLine:
    """Return a new line with one place."""
    own = Admission(2**30, 2)
    own.runs = FairLine(1, own.long, each=1, longest=2, longest_each=2)
    monkeypatch.setattr(runs, "admission", lambda: own)
    return own.runs


def header(piece: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", piece)
    return json.loads(piece[4 : 4 + length])


def stream(job: runs.Job, tab: str = "one") -> AsyncIterator[bytes]:
    """Start a run of one tab of one address."""
    ticket = runs.admission().run(Client("192.0.2.1", tab), Cost(1.0, 1))
    return runs.stream(job, lambda: ticket, lambda key: parts.failure(key))


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


def test_parts_come_in_order_and_the_place_is_given_back(line: FairLine) -> None:
    async def visit() -> list[str]:
        found = [header(piece)["part"] async for piece in stream(three)]
        await until(lambda: line.working == 0)
        return found

    assert alone(visit(), PATIENCE) == ["began", "progress", "progress", "progress", "ended"]
    assert runs._running == {}


def test_the_second_waits_and_is_told_so() -> None:
    async def visit() -> list[dict[str, Any]]:
        stopped = threading.Event()
        first = stream(endless(stopped))
        assert [header(await anext(first))["part"] for _ in range(2)] == ["began", "progress"]
        second = stream(three)
        told = [header(await anext(second))]
        await cast(Any, first).aclose()  # the first visitor leaves
        told += [header(piece) async for piece in second]
        await until(stopped.is_set)
        return told

    told = alone(visit(), PATIENCE)
    assert told[0] == {"part": "waiting", "before": 1, "at_once": runs.AT_ONCE, "bytes": 0}
    assert [part["part"] for part in told[1:]] == ["began", "progress", "progress", "progress", "ended"]


def test_a_visitor_who_goes_ends_the_run(line: FairLine) -> None:
    async def visit() -> None:
        stopped = threading.Event()
        pieces = stream(endless(stopped))
        await anext(pieces)
        await anext(pieces)
        await cast(Any, pieces).aclose()  # as an answer does when its reader leaves
        await until(stopped.is_set)
        await until(lambda: line.working == 0)

    alone(visit(), PATIENCE)


def test_waiting_visitors_who_go_leave_the_line(line: FairLine) -> None:
    async def visit() -> None:
        stopped = threading.Event()
        first = stream(endless(stopped))
        await anext(first)
        second = stream(three, "two")
        await anext(second)
        assert (line.working, line.waiting) == (1, 1)
        await cast(Any, second).aclose()
        assert (line.working, line.waiting) == (1, 0)
        await cast(Any, first).aclose()
        await until(lambda: line.working == 0)

    alone(visit(), PATIENCE)


def test_a_beat_comes_before_proxies_cut_a_silent_stream() -> None:
    assert 0 < runs.BEAT <= 10


def test_whoever_waits_or_stands_still_hears_that_the_server_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BEAT", 0.05)

    async def visit() -> list[str]:
        stopped = threading.Event()
        first = stream(endless(stopped))
        name = header(await anext(first))["run"]
        assert name.startswith(f"{INSTANCE}.")
        second = stream(three, "two")
        told = [header(await anext(second))["part"] for _ in range(3)]
        told += [header(await anext(first))["part"]]
        assert runs.tell(name, "pause")
        told += [header(await anext(first))["part"] for _ in range(2)]
        for pieces in (first, second):
            await cast(Any, pieces).aclose()
        await until(stopped.is_set)
        return told

    assert alone(visit(), PATIENCE) == ["waiting", "beat", "beat", "progress", "beat", "beat"]


def test_nothing_revives_a_run_that_was_left_or_cancelled(line: FairLine) -> None:
    run = Run()
    run.cancel()
    run.pause()
    run.hold()  # would wait for a resume that never comes
    assert run.cancelled()

    async def visit() -> None:
        stopped = threading.Event()
        pieces = stream(endless(stopped))
        name = header(await anext(pieces))["run"]
        await anext(pieces)
        assert runs.tell(name, "pause")
        assert runs.tell(name, "cancel")
        assert not runs.tell(name, "pause")
        await cast(Any, pieces).aclose()
        await until(lambda: line.working == 0)
        assert not runs.tell(name, "resume")

    alone(visit(), PATIENCE)


def counting(run: Run) -> Generator[bytes]:
    """Yield until it is cancelled."""
    while not run.cancelled():
        yield parts.progress(0.0)


def test_a_pause_ends_when_it_lasts_too_long_sooner_where_others_wait(
    line: FairLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "LONGEST_WAITED_FOR", 0.0)

    async def read(pieces: AsyncIterator[bytes]) -> set[str]:
        return {header(piece)["part"] async for piece in pieces}

    async def visit() -> None:
        first = stream(counting)
        name = header(await anext(first))["run"]
        reading = asyncio.create_task(read(first))
        assert runs.tell(name, "pause")
        second = stream(three, "two")
        assert [header(piece)["part"] async for piece in second][-1] == "ended"
        assert await reading in ({"error"}, {"progress", "error"})
        await until(lambda: line.working == 0)

    alone(visit(), PATIENCE)


def test_pauses_that_each_are_short_are_one_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Mock(monotonic=lambda: clock.now, now=0.0)
    monkeypatch.setattr(runs, "time", clock)
    run = Run()

    def paused(seconds: float) -> None:
        until = clock.now + seconds

        def wait(longest: float) -> bool:
            clock.now += longest
            return clock.now >= until

        monkeypatch.setattr(run, "_going", Mock(wait=wait))
        run.hold()

    paused(runs.LONGEST_PAUSE / 2)
    clock.now += runs.LONGEST_PAUSE  # it works meanwhile
    paused(runs.LONGEST_PAUSE / 2 - 2)
    assert not run.ended_by_pause
    paused(runs.LONGEST_PAUSE / 2)
    assert run.ended_by_pause
    assert run.cancelled()


def test_a_run_ends_whose_reader_reads_too_slowly_while_others_wait(
    line: FairLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "LONGEST_WAITED_FOR", 0.0)

    async def visit() -> None:
        slow = stream(counting)
        await anext(slow)
        await anext(slow)  # and reads no more for now
        second = stream(three, "two")
        assert [header(piece)["part"] async for piece in second][-1] == "ended"
        assert [header(piece)["part"] async for piece in slow][-1] == "error"

    alone(visit(), PATIENCE)


def test_a_run_without_a_thread_gives_its_place_back(
    line: FairLine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def visit() -> list[str]:
        with monkeypatch.context() as none_left:
            none_left.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
            return [header(piece)["part"] async for piece in stream(three)]

    assert alone(visit(), PATIENCE) == ["began", "error"]
    assert "can't start new thread" in caplog.text
    assert (line.working, runs._running) == (0, {})


def test_a_paused_run_stands_still(line: FairLine) -> None:
    made: list[int] = []

    def counting(run: Run) -> Generator[bytes]:
        for i in range(1000):
            if run.cancelled():
                return
            made.append(i)
            yield parts.progress(i / 1000)

    async def visit() -> None:
        pieces = stream(counting)
        name = header(await anext(pieces))["run"]
        await anext(pieces)
        assert runs.tell(name, "pause")
        # parts made ahead still come, then nothing
        for _ in range(40):
            try:
                await asyncio.wait_for(cast(Any, anext(pieces)), 0.4)
            except TimeoutError:
                break
        else:
            pytest.fail("a paused run went on")
        await until(lambda: line.working == 0)  # a closed stream has ended the run

    alone(visit(), PATIENCE)
    before = len(made)
    assert 0 < before < 1000
    assert not runs.tell("no such run", "pause")


def test_a_run_goes_on_where_it_was_paused() -> None:
    async def visit() -> list[str]:
        pieces = stream(three)
        name = header(await anext(pieces))["run"]
        assert runs.tell(name, "pause")
        assert runs.tell(name, "resume")
        return [header(piece)["part"] async for piece in pieces]

    assert alone(visit(), PATIENCE) == ["progress", "progress", "progress", "ended"]


def test_cancelling_by_name_ends_the_stream_at_once() -> None:
    async def visit() -> None:
        stopped = threading.Event()
        pieces = stream(endless(stopped))
        name = header(await anext(pieces))["run"]
        assert not runs.tell(name, "explode")
        assert runs.tell(name, "cancel")
        assert [header(piece)["part"] async for piece in pieces] in ([], ["progress"])
        await until(stopped.is_set)
        await until(lambda: name not in runs._running)

    alone(visit(), PATIENCE)


def test_a_job_that_breaks_says_so_and_gives_its_place_back(line: FairLine, caplog: pytest.LogCaptureFixture) -> None:
    def broken(run: Run) -> Generator[bytes]:
        yield parts.progress(0.5)
        raise ArithmeticError("seven")

    async def visit() -> list[dict[str, Any]]:
        found = [header(piece) async for piece in stream(broken)]
        await until(lambda: line.working == 0)
        return found

    assert [part["part"] for part in alone(visit(), PATIENCE)] == ["began", "progress", "error"]
    assert "seven" in caplog.text


def test_a_full_line_lets_nobody_in_and_looking_and_entering_are_one_step() -> None:
    tickets = [runs.admission().run(Client(f"192.0.2.{last}"), Cost(1.0, 1)) for last in (7, 8, 9)]
    with pytest.raises(Refusal, match=r"error\.too_many_runs"):
        runs.admission().run(Client("192.0.2.2"), Cost(1.0, 1))
    tickets[0].leave()
    runs.admission().run(Client("192.0.2.2"), Cost(1.0, 1))


def test_who_is_pushed_out_of_the_line_is_refused_or_told_when_he_was_waiting_already(line: FairLine) -> None:
    async def visit() -> None:
        client = Client("192.0.2.1")
        working, *_ = tickets = [runs.admission().run(client, Cost(1.0, 1)) for _ in range(1 + line.longest)]
        stopped = threading.Event()
        waiting = runs.stream(endless(stopped), lambda: tickets[-1], lambda key: parts.failure(key))
        assert header(await anext(waiting))["part"] == "waiting"
        runs.admission().run(Client("192.0.2.2"), Cost(1.0, 1))
        assert tickets[-1].pushed_out
        assert [header(piece)["message"] async for piece in waiting] == ["error.too_many_runs"]
        refused = runs.stream(endless(stopped), lambda: tickets[-1], lambda key: parts.failure(key))
        with pytest.raises(Refusal, match=r"error\.too_many_runs"):
            await anext(refused)
        working.leave()

    alone(visit(), PATIENCE)


def test_a_run_keeps_its_place_until_its_thread_has_ended(line: FairLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The visitor leaves through the route while the thread cannot be stopped."""
    working, go_on = threading.Event(), threading.Event()

    def work(ask: Any, run: Run) -> Generator[bytes]:
        working.set()
        go_on.wait(PATIENCE)
        yield parts.progress(1.0)

    monkeypatch.setitem(LIVE, "train", replace(LIVE["train"], run=(work, lambda ask: Cost(1.0, 1))))
    own = runs.admission()
    monkeypatch.setattr(routes, "admission", lambda: own)

    async def visit() -> None:
        body = b"\x02\0\0\0{}"
        said: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if said:
                return said.pop()
            await until(working.is_set)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None: ...

        asked = scope("POST", f"{PREFIX}/run/train", content_length=str(len(body)))
        await Router(routes.ROUTES)(asked, receive, send)
        assert line.working == 1
        go_on.set()
        await until(lambda: line.working == 0)
        assert line.memory.taken == 0

    alone(visit(), PATIENCE)
