"""One computation for all who ask the same: made once, passed on as it comes, stopped when everybody has left."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing
from random import Random
from typing import Any

import pytest

from attention_core.cancellation import checkpoint
from tests.alone import alone
from visualiser.server import allocator
from visualiser.server.admission import reader
from visualiser.server.admission.clients import Client
from visualiser.server.admission.fair_line import FairLine, Memory, Ticket
from visualiser.server.admission.flight import computed, given_back, pulled
from visualiser.server.admission.refusal import Refusal
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.http.answer import Answer

ADDRESS = "192.0.2.1"
PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


class Kitchen:
    """A line with one place, and computations that count their starts and steps."""

    def __init__(self) -> None:
        self.line = FairLine(1, Memory(1000), each=1, longest=10, longest_each=10)
        self.begun = self.steps = 0
        self.gate = threading.Event()
        self.ended = threading.Event()

    def enter(self, tab: str = "one", memory: int = 900) -> Ticket:
        return self.line.enter(Client(ADDRESS, tab), memory)

    def two(self) -> Iterator[bytes]:
        self.begun += 1
        yield b"first"
        self.gate.wait(PATIENCE)
        yield b"second"

    def endless(self) -> Iterator[bytes]:
        self.begun += 1
        try:
            while True:
                self.steps += 1
                checkpoint()
                if self.steps == 1:
                    yield b"first"
                threading.Event().wait(0.002)
        finally:
            self.ended.set()


async def read(flight: Any) -> list[bytes]:
    return [piece async for piece in flight]


def test_five_hundred_followers_cost_one_computation() -> None:
    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(10_000)
        flights = [shared.parts("q", ADDRESS, kitchen.enter, kitchen.two) for _ in range(500)]
        reading = [asyncio.create_task(read(flight)) for flight in flights]
        await until(lambda: kitchen.begun == 1)
        late = asyncio.create_task(read(shared.parts("q", ADDRESS, kitchen.enter, kitchen.two)))
        kitchen.gate.set()
        assert set(map(tuple, await asyncio.gather(*reading, late))) == {(b"first", b"second")}
        assert await read(shared.parts("q", ADDRESS, kitchen.enter, kitchen.two)) == [b"first", b"second"]
        assert kitchen.begun == 1
        await read(shared.parts("another", ADDRESS, kitchen.enter, kitchen.two))
        await read(shared.parts(None, ADDRESS, kitchen.enter, kitchen.two))
        assert kitchen.begun == 3

    alone(visit(), PATIENCE)


def test_parts_come_before_the_computation_ends_and_the_place_stays_until_then() -> None:
    async def visit() -> None:
        kitchen = Kitchen()
        flight = SharedAnswers(0).parts("q", ADDRESS, kitchen.enter, kitchen.two)
        async with aclosing(flight) as parts:  # type: ignore[type-var]
            assert await anext(parts) == b"first"
            assert (kitchen.line.working, kitchen.line.memory.taken) == (1, 900)
            kitchen.gate.set()
            assert await anext(parts) == b"second"
            await until(lambda: kitchen.line.working == 0)
            assert kitchen.line.memory.taken == len(b"firstsecond")  # until it has left
        assert kitchen.line.memory.taken == 0

    alone(visit(), PATIENCE)


def test_what_is_kept_for_those_who_ask_again_is_bounded_in_bytes_and_time() -> None:
    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(200, seconds=0.05)
        for question in range(50):
            await read(shared.parts(question, ADDRESS, lambda: kitchen.enter(memory=10), lambda: iter([b"x" * 40])))
            assert shared.bytes <= 200
            assert kitchen.line.memory.taken == 0  # a kept answer takes nobody's turn
        await read(shared.parts("large", ADDRESS, kitchen.enter, lambda: iter([b"x" * 300])))
        await until(lambda: shared.bytes == 0)
        assert (kitchen.line.memory.taken, shared._flights) == (0, {})

    alone(visit(), PATIENCE)


def test_a_kept_answer_takes_memory_of_the_line_while_it_is_read_again_even_after_it_was_dropped() -> None:
    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(1000, seconds=0.05)
        make = lambda: iter([b"x" * 40, b"y" * 40])  # noqa: E731
        await read(shared.parts("q", ADDRESS, kitchen.enter, make))
        async with aclosing(shared.parts("q", ADDRESS, kitchen.enter, make)) as slow:  # type: ignore[type-var]
            assert await anext(slow) == b"x" * 40
            async with aclosing(shared.parts("q", ADDRESS, kitchen.enter, make)) as other:  # type: ignore[type-var]
                await anext(other)
                assert kitchen.line.memory.taken == 80
            await until(lambda: shared.bytes == 0)
            assert kitchen.line.memory.taken == 80
            assert await anext(slow) == b"y" * 40
        assert kitchen.line.memory.taken == 0

    alone(visit(), PATIENCE)


def test_the_last_to_leave_stops_the_computation_at_its_next_step() -> None:
    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(10_000)
        first, second = (shared.parts("q", ADDRESS, kitchen.enter, kitchen.endless) for _ in range(2))
        assert (await anext(first), await anext(second)) == (b"first", b"first")
        await first.aclose()  # type: ignore[attr-defined]
        at = kitchen.steps
        await until(lambda: kitchen.steps > at + 2)  # the other reader still waits for it
        await second.aclose()  # type: ignore[attr-defined]
        at = kitchen.steps
        await until(kitchen.ended.is_set)
        assert kitchen.steps <= at + 2
        await until(lambda: kitchen.line.working == 0)
        assert (kitchen.line.memory.taken, shared._flights) == (0, {})

    alone(visit(), PATIENCE)


def test_who_leaves_the_line_computes_nothing() -> None:
    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(10_000)
        at_work = kitchen.enter("zero", 1)
        waiting = asyncio.create_task(read(shared.parts("q", ADDRESS, kitchen.enter, kitchen.endless)))
        await until(lambda: kitchen.line.waiting == 1)
        waiting.cancel()
        await until(lambda: kitchen.line.waiting == 0)
        at_work.leave()
        assert (kitchen.begun, kitchen.line.working, shared._flights) == (0, 0, {})

    alone(visit(), PATIENCE)


def test_a_refusal_or_a_failure_is_everybodys_and_nobody_is_served_it_later() -> None:
    def broken() -> Iterator[bytes]:
        yield b"first"
        raise ArithmeticError("seven")

    def refused() -> Ticket:
        raise Refusal("error.busy", 503)

    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(10_000)
        for _ in range(2):
            with pytest.raises(ArithmeticError, match="seven"):
                await read(shared.parts("q", ADDRESS, kitchen.enter, broken))
        with pytest.raises(Refusal):
            await read(shared.parts("q", ADDRESS, refused, broken))
        await until(lambda: kitchen.line.working == 0)
        assert (kitchen.line.memory.taken, kitchen.line.working, shared._flights) == (0, 0, {})

    alone(visit(), PATIENCE)


def test_a_large_answer_is_made_as_it_is_read_and_holds_no_place_meanwhile() -> None:
    made: list[int] = []

    def many() -> Iterator[bytes]:
        for index in range(40):
            made.append(index)
            yield bytes(2**17)

    async def visit() -> None:
        kitchen = Kitchen()
        pieces = pulled(kitchen.enter, lambda: kitchen.enter(memory=0), many)
        await anext(pieces)
        assert len(made) <= 2
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 900)
        kitchen.enter("other", 0).leave()  # others take their turn in between
        assert len([piece async for piece in pieces]) == 39
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 0)
        made.clear()
        pieces = pulled(kitchen.enter, lambda: kitchen.enter(memory=0), many)
        await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]
        assert len(made) <= 2
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 0)

    alone(visit(), PATIENCE)


def test_a_call_is_stopped_when_its_caller_is_cancelled_and_holds_its_place_until_then() -> None:
    async def visit() -> None:
        kitchen = Kitchen()
        assert await computed(kitchen.enter, lambda: 7) == 7
        calling = asyncio.create_task(computed(kitchen.enter, lambda: list(kitchen.endless())))
        await until(lambda: kitchen.steps > 3)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert kitchen.ended.is_set()
        assert (kitchen.line.working, kitchen.line.memory.taken) == (0, 0)

    alone(visit(), PATIENCE)


def test_nobody_waits_for_the_turn_of_somebody_else() -> None:
    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(10_000)
        kitchen.gate.set()
        at_work = kitchen.line.enter(Client("192.0.2.9"), 0)
        rude = Client("192.0.2.66")
        crowd = [kitchen.line.enter(rude, 0) for _ in range(8)]
        first = asyncio.create_task(
            read(shared.parts("q", rude.address, lambda: kitchen.line.enter(rude), kitchen.two))
        )
        await asyncio.sleep(0)
        polite = asyncio.create_task(read(shared.parts("q", ADDRESS, kitchen.enter, kitchen.two)))
        await until(lambda: kitchen.line.waiting == 10)
        at_work.leave()
        crowd[0].leave()  # the second turn is the other address's
        assert await polite == await first == [b"first", b"second"]
        assert kitchen.begun == 1
        for ticket in crowd:
            ticket.leave()
        await until(lambda: kitchen.line.working == 0)
        assert kitchen.line.waiting == 0

    alone(visit(), PATIENCE)


def test_who_is_not_let_into_the_line_shares_what_others_wait_for() -> None:
    def refused() -> Ticket:
        raise Refusal("error.busy", 503)

    async def visit() -> None:
        kitchen, shared = Kitchen(), SharedAnswers(10_000)
        kitchen.gate.set()
        at_work = kitchen.enter("zero", 1)
        first = asyncio.create_task(read(shared.parts("q", ADDRESS, kitchen.enter, kitchen.two)))
        await until(lambda: kitchen.line.waiting == 1)
        second = asyncio.create_task(read(shared.parts("q", "192.0.2.7", refused, kitchen.two)))
        await asyncio.sleep(0)
        at_work.leave()
        assert await first == await second == [b"first", b"second"]

    alone(visit(), PATIENCE)


@pytest.mark.parametrize("way", ["pulled", "computed", "shared", "followed"])
def test_whoever_leaves_in_whatever_moment_leaves_nothing_behind(way: str) -> None:
    """Cancelled after any number of loop steps, once or twice, with and without another ticket ahead."""

    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            checkpoint()
            yield bytes(2**17)

    async def asking(kitchen: Kitchen, shared: SharedAnswers, number: int) -> None:
        if way == "computed":
            await computed(kitchen.enter, lambda: list(pieces()))
            return
        if way == "pulled":
            parts: Any = pulled(kitchen.enter, lambda: kitchen.enter(memory=0), pieces)
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
            return pulled(kitchen.enter, lambda: kitchen.enter(memory=0), lambda: iter(made))

        async def send(message: Any) -> None:
            sent.append(message["type"])
            if len(sent) > 1:
                await asyncio.Event().wait()  # nobody reads

        async def receive() -> Any:
            await asyncio.Event().wait()  # nobody leaves, either

        answering = asyncio.create_task(Answer(parts)({"type": "http"}, receive, send))
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
    told: list[int] = []
    monkeypatch.setattr(allocator, "trim_soon", lambda: told.append(1))
    memory = Memory(2**30)
    ticket = FairLine(1, memory, each=1, longest=1, longest_each=1).enter(Client(ADDRESS), 2**25 + 1)
    given_back(ticket, keep)
    assert len(told) == trims
    assert memory.taken == keep
