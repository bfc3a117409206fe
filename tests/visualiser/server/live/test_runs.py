"""Long runs: their parts in order, the line, cancellation by leaving or by name, and broken jobs."""

import asyncio
import threading
import time
from collections.abc import Generator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from starlette.routing import Router

from tests.alone import alone, until
from tests.visualiser.pieces import header
from tests.visualiser.server.asking import scope
from tests.visualiser.server.live.running import PATIENCE, endless, stream, three
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fair_line import FairLine
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.addresses import PREFIX
from visualiser.server.live import parts, routes, runs
from visualiser.server.live.answering import LIVE
from visualiser.server.live.runs import Run

pytestmark = pytest.mark.usefixtures("line")


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
        received = [header(await anext(second))]
        await cast(Any, first).aclose()  # the first visitor leaves
        received += [header(piece) async for piece in second]
        await until(stopped.is_set)
        return received

    received = alone(visit(), PATIENCE)
    assert received[0] == {"part": "waiting", "before": 1, "at_once": 1, "bytes": 0}
    assert [part["part"] for part in received[1:]] == ["began", "progress", "progress", "progress", "ended"]


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


@pytest.mark.parametrize("turns", range(8))
def test_a_visitor_who_goes_just_as_a_part_comes_ends_the_run(line: FairLine, turns: int) -> None:
    """The answer is cancelled so many turns of the loop after a part has come to a stream that waits for it."""
    let, stopped = threading.Event(), threading.Event()

    def job(run: Run) -> Generator[bytes]:
        try:
            yield parts.progress(0.0)
            let.wait(PATIENCE)
            yield parts.progress(0.5)
            while not run.cancelled():
                stopped.wait(0.005)
        finally:
            stopped.set()

    async def visit() -> None:
        seen: list[bytes] = []

        async def read() -> None:
            async with aclosing(cast(Any, stream(job))) as pieces:
                async for piece in pieces:
                    seen.append(piece)

        reading = asyncio.ensure_future(read())
        await until(lambda: len(seen) == 2)
        let.set()
        time.sleep(0.05)  # the loop stands while the part comes
        for _ in range(turns):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait([reading], timeout=2)
        assert reading.done()
        await until(stopped.is_set)
        await until(lambda: line.working == 0)

    alone(visit(), PATIENCE)


def test_a_run_whose_visitor_goes_as_its_turn_comes_does_nothing(
    line: FairLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def job(run: Run) -> Generator[bytes]:
        done.append(run.name)
        yield parts.ended()

    real = threading.Thread.start

    def late(thread: threading.Thread) -> None:
        for run in list(runs._running.values()):
            run.cancel()
        real(thread)

    async def visit() -> None:
        monkeypatch.setattr(threading.Thread, "start", late)
        assert [header(piece)["part"] async for piece in stream(job)] == ["began"]
        await until(lambda: line.working == 0)

    alone(visit(), PATIENCE)
    assert done == []


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


def test_cancelling_by_name_ends_the_stream_at_once() -> None:
    async def visit() -> None:
        stopped = threading.Event()
        pieces = stream(endless(stopped))
        name = header(await anext(pieces))["run"]
        assert header(await anext(pieces))["part"] == "progress"
        assert runs.command(name, "explode") == "unknown"
        assert runs.command(name, "cancel") == "done"
        assert [header(piece)["part"] async for piece in pieces] == []
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

    def work(request: Any, run: Run) -> Generator[bytes]:
        working.set()
        go_on.wait(PATIENCE)
        yield parts.progress(1.0)

    monkeypatch.setitem(LIVE, "train", replace(LIVE["train"], run=(work, lambda request: Cost(1.0, 1))))
    own = runs.admission()
    monkeypatch.setattr(routes, "admission", lambda: own)

    async def visit() -> None:
        body = b"\x02\0\0\0{}"
        messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
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
