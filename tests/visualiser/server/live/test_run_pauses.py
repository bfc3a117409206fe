"""Runs that stand still: pauses by name, too long ones, and readers who read too slowly."""

import asyncio
import threading
from collections.abc import AsyncIterator, Generator
from typing import Any, cast
from unittest.mock import Mock

import pytest

from tests.alone import alone, until
from tests.visualiser.pieces import header
from tests.visualiser.server.live.running import PATIENCE, counting, endless, stream, three
from visualiser.server.admission.fair_line import FairLine
from visualiser.server.instance import INSTANCE
from visualiser.server.live import parts, runs
from visualiser.server.live.runs import Run

pytestmark = pytest.mark.usefixtures("line")


def test_whoever_waits_or_stands_still_hears_that_the_server_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BEAT", 0.05)

    async def visit() -> list[str]:
        stopped = threading.Event()
        first = stream(endless(stopped))
        name = header(await anext(first))["run"]
        assert name.startswith(f"{INSTANCE}.")
        second = stream(three, "two")
        heard = [header(await anext(second))["part"] for _ in range(3)]
        heard += [header(await anext(first))["part"]]
        assert runs.command(name, "pause") == "done"
        heard += [header(await anext(first))["part"] for _ in range(2)]
        for pieces in (first, second):
            await cast(Any, pieces).aclose()
        await until(stopped.is_set)
        return heard

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
        assert runs.command(name, "pause") == "done"
        assert runs.command(name, "cancel") == "done"
        assert runs.command(name, "pause") == "ended"
        await cast(Any, pieces).aclose()
        await until(lambda: line.working == 0)
        assert runs.command(name, "resume") == "ended"

    alone(visit(), PATIENCE)


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
        assert runs.command(name, "pause") == "done"
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
        assert runs.command(name, "pause") == "done"
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
    assert runs.command("no such run", "pause") == "unknown"


def test_a_run_goes_on_where_it_was_paused() -> None:
    async def visit() -> list[str]:
        pieces = stream(three)
        name = header(await anext(pieces))["run"]
        assert runs.command(name, "pause") == "done"
        assert runs.command(name, "resume") == "done"
        return [header(piece)["part"] async for piece in pieces]

    assert alone(visit(), PATIENCE) == ["progress", "progress", "progress", "ended"]
