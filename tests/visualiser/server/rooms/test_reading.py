"""Bodies of rooms: the event loop reads only short ones."""

import asyncio
import json
from typing import Any

import pytest

from tests.visualiser.server.reading_threads import loop_runs_here
from tests.visualiser.server.rooms.classroom import MakeStore, classroom, tab
from tests.visualiser.server.rooms.test_asking import CHOICE
from visualiser.server.http.turns import QUICK
from visualiser.server.live.surrogates import load_json
from visualiser.server.rooms import body_fields


@pytest.fixture
def on_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return one entry for each body read: True if the event loop's own thread read it."""
    read: list[bool] = []

    def watched(written: bytes) -> Any:
        read.append(loop_runs_here())
        return load_json(written)

    monkeypatch.setattr(body_fields, "load_json", watched)
    return read


def of_length(payload: dict[str, Any], length: int) -> bytes:
    """Return a body that says this, in so many bytes."""
    return json.dumps(payload).encode().ljust(length)


@pytest.mark.slow
@pytest.mark.parametrize(("length", "here"), [(QUICK, True), (QUICK + 1, False), (4000, False)])
@pytest.mark.parametrize("act", ["state", "ask", "phase", "clock", "advice", "drop", "qr", "ticket", "shown", "revoke"])
async def test_the_event_loop_reads_only_short_bodies_of_a_teacher(
    make: MakeStore, on_the_loop: list[bool], act: str, length: int, here: bool
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        on_the_loop.clear()
        assert (await taught.teach(act, of_length(CHOICE, length))).status < 500
        assert on_the_loop == [here]


@pytest.mark.parametrize(("length", "here"), [(QUICK, True), (QUICK + 1, False), (4000, False)])
@pytest.mark.parametrize("act", ["answer", "place", "offer", "exchange", "command"])
async def test_the_event_loop_reads_only_short_bodies_of_a_student(
    make: MakeStore, on_the_loop: list[bool], act: str, length: int, here: bool
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        on_the_loop.clear()
        assert (await taught.student(act, tab(1), of_length({"left": False}, length), here=False)).status < 500
        assert on_the_loop == [here]


async def test_the_event_loop_does_not_read_the_longest_body(make: MakeStore, on_the_loop: list[bool]) -> None:
    async with classroom(make) as taught:
        answer = await taught.ask("POST", "", of_length({"state": {"link": "n=9"}}, 24_000), secret=taught.secret)
        assert answer.status == 201
        assert on_the_loop == [False]


async def test_a_class_behind_one_address_is_read_tab_by_tab(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        left = of_length({"left": True}, QUICK + 1)
        answers = await asyncio.gather(*(taught.student("place", tab(number), left) for number in range(100)))
        assert {answer.status for answer in answers} == {204}
