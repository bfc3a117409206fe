"""One computation and its place in the line: passed on as it comes, stopped when its reader leaves."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from random import Random
from typing import Any

import pytest

from attention_core.cancellation import checkpoint
from tests.alone import alone, until
from tests.visualiser.server.admission.kitchen import ADDRESS, PATIENCE, Kitchen
from visualiser.server import allocator
from visualiser.server.admission import reader
from visualiser.server.admission.clients import Client
from visualiser.server.admission.fair_line import FairLine, Memory
from visualiser.server.admission.flight import give_back, run_in_turn, stream_batches
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.http.answer import StreamingAnswer


def test_a_large_answer_is_made_as_it_is_read_and_holds_no_place_meanwhile() -> None:
    made: list[int] = []

    def many() -> Iterator[bytes]:
        for index in range(40):
            made.append(index)
            yield bytes(2**17)

    async def visit() -> None:
        kitchen = Kitchen()
        pieces = stream_batches(kitchen.enter, lambda: kitchen.enter(memory=0), many)
        await anext(pieces)
        assert len(made) <= 2
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 900)
        kitchen.enter("other", 0).leave()  # others take their turn in between
        assert len([piece async for piece in pieces]) == 39
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 0)
        made.clear()
        pieces = stream_batches(kitchen.enter, lambda: kitchen.enter(memory=0), many)
        await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]
        assert len(made) <= 2
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 0)

    alone(visit(), PATIENCE)


def test_a_call_is_stopped_when_its_caller_is_cancelled_and_holds_its_place_until_then() -> None:
    async def visit() -> None:
        kitchen = Kitchen()
        assert await run_in_turn(kitchen.enter, lambda: 7) == 7
        calling = asyncio.create_task(run_in_turn(kitchen.enter, lambda: list(kitchen.endless())))
        await until(lambda: kitchen.steps > 3)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert kitchen.ended.is_set()
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 0)

    alone(visit(), PATIENCE)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["pulled", "computed", "shared", "followed"])
def test_whoever_leaves_in_whatever_moment_leaves_nothing_behind(way: str) -> None:
    """Cancelled after any number of loop steps, once or twice, with and without another ticket ahead."""

    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            checkpoint()
            yield bytes(2**17)

    async def asking(kitchen: Kitchen, shared: SharedAnswers, number: int) -> None:
        if way == "computed":
            await run_in_turn(kitchen.enter, lambda: list(pieces()))
            return
        if way == "pulled":
            parts: Any = stream_batches(kitchen.enter, lambda: kitchen.enter(memory=0), pieces)
        else:
            parts = shared.parts("q", f"192.0.2.{number}", kitchen.enter, pieces)
        async with aclosing(parts):
            async for _ in parts:
                pass

    async def visit() -> None:
        random = Random(way)
        for _ in range(150):
            kitchen, shared = Kitchen(), SharedAnswers(0)
            before = kitchen.enter("zero", 100) if random.random() < 0.3 else None
            tasks = [asyncio.create_task(asking(kitchen, shared, each)) for each in range(1 + 2 * (way == "followed"))]
            for _ in range(random.randrange(60)):
                await asyncio.sleep(random.choice((0, 0, 0, 0.0002)))
                if before is not None and random.random() < 0.1:
                    before.leave()
            for task in tasks:
                for _ in range(random.randrange(1, 3)):
                    task.cancel()
                    for _ in range(random.randrange(3)):
                        await asyncio.sleep(0)
            if before is not None:
                before.leave()
            await asyncio.gather(*tasks, return_exceptions=True)
            await until(lambda: kitchen.line.working == 0)  # noqa: B023
            assert (kitchen.line.waiting, kitchen.line.memory.taken, kitchen.line._held) == (0, 0, set())
            assert shared._flights == {}

    alone(visit(), PATIENCE)


@pytest.mark.parametrize("shared", [False, True])
def test_who_reads_too_slowly_makes_way_for_those_who_wait_for_memory(
    shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "LONGEST", 0.0)
    monkeypatch.setattr(reader, "_LOOK", 0.005)

    async def visit() -> None:
        kitchen, answers, sent = Kitchen(), SharedAnswers(10), []

        def parts() -> Any:
            made = [bytes(500), bytes(300)]
            if shared:
                return answers.parts("q", ADDRESS, kitchen.enter, lambda: iter(made))
            return stream_batches(kitchen.enter, lambda: kitchen.enter(memory=0), lambda: iter(made))

        async def send(message: Any) -> None:
            sent.append(message["type"])
            if len(sent) > 1:
                await asyncio.Event().wait()  # nobody reads

        async def receive() -> Any:
            await asyncio.Event().wait()  # nobody leaves, either

        answering = asyncio.create_task(StreamingAnswer(parts)({"type": "http"}, receive, send))
        await until(lambda: len(sent) == 2 and kitchen.line.working == 0)
        waits = kitchen.line.enter(Client("192.0.2.9"), 950)
        await answering
        assert sent == ["http.response.start", "http.response.body"]
        assert waits.working
        assert kitchen.line.memory.taken == 950

    alone(visit(), PATIENCE)


@pytest.mark.parametrize(("keep", "trims"), [(0, 1), (2, 0)])
def test_much_memory_that_is_given_back_is_told_the_system(
    keep: int, trims: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only more than 32 MiB count as much."""
    trimmed: list[int] = []
    monkeypatch.setattr(allocator, "trim_soon", lambda: trimmed.append(1))
    memory = Memory(2**30)
    ticket = FairLine(1, memory, each=1, longest=1, longest_each=1).enter(Client(ADDRESS), 2**25 + 1)
    give_back(ticket, keep)
    assert len(trimmed) == trims
    assert memory.taken == keep
