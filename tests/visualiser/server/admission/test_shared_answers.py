"""One computation for all who ask the same: made once, kept for a while, stopped when everybody has left."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from tests.alone import alone, until
from tests.visualiser.server.admission.kitchen import ADDRESS, PATIENCE, Kitchen, read
from visualiser.server.admission.clients import Client
from visualiser.server.admission.fair_line import Ticket
from visualiser.server.admission.refusal import Refusal
from visualiser.server.admission.shared_answers import SharedAnswers


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
