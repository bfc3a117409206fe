"""A reader is cut off if its waits together are too long, and only if others wait for memory."""

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest

from tests.alone import alone
from visualiser.server.admission import reader
from visualiser.server.admission.reader import LONGEST, Reader

PATIENCE = 20.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    clock = Mock(monotonic=lambda: clock.now, now=0.0)
    monkeypatch.setattr(reader, "time", clock)
    monkeypatch.setattr(reader, "_LOOK", 0.0)
    return clock


@pytest.mark.parametrize("in_the_way", [True, False])
def test_waits_count_together_and_work_does_not(clock: Any, in_the_way: bool) -> None:
    parts = []

    async def visit() -> None:
        slow = Reader(lambda: Mock(in_the_way=in_the_way))
        for seconds in (LONGEST - 10, 9, 2):
            clock.now += LONGEST  # while the next part is made
            with slow.reads():
                clock.now += seconds
                for _ in range(10):  # checks
                    await asyncio.sleep(0)
            parts.append(seconds)
        slow.leave()

    if in_the_way:
        with pytest.raises(asyncio.CancelledError):
            alone(visit(), PATIENCE)
    else:
        alone(visit(), PATIENCE)
    assert len(parts) == (2 if in_the_way else 3)


def test_who_holds_no_memory_yet_is_not_cut_off(clock: Any) -> None:
    async def visit() -> None:
        slow = Reader(lambda: None)
        with slow.reads():
            clock.now += 2 * LONGEST
            for _ in range(10):
                await asyncio.sleep(0)
        slow.leave()

    alone(visit(), PATIENCE)
