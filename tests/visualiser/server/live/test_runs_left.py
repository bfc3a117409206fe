"""Runs of rude clients: left and then paused, and three hundred at once."""

import asyncio
import json
import struct
import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest
from starlette.routing import Router

from tests.alone import alone, until
from tests.visualiser.server.asking import answer, scope
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.http.addresses import PREFIX
from visualiser.server.live import parts, routes, runs
from visualiser.server.live.answering import LIVE
from visualiser.server.live.runs import Run

PATIENCE = 30.0
BODY = b"\x02\0\0\0{}"
ROUTER = Router(routes.ROUTES)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Admission:
    """Return lines of this test alone, with a training that lasts until it is cancelled."""

    def endless(request: Any, run: Run) -> Generator[bytes]:
        yield parts.progress(0.0)
        while not run.cancelled():
            time.sleep(0.005)

    own = Admission(2**30, 2)
    for module in (runs, routes):
        monkeypatch.setattr(module, "admission", lambda: own)
    monkeypatch.setitem(LIVE, "train", replace(LIVE["train"], run=(endless, lambda request: Cost(1.0, 1))))
    return own


class Asker:
    """A client that starts a run and reads it until `left`."""

    def __init__(self, number: int = 0) -> None:
        self.scope = scope("POST", f"{PREFIX}/run/train", content_length=str(len(BODY)))
        self.scope["client"] = (f"192.0.2.{number % 250}", 4711)
        self.heard, self.status, self.left = b"", 0, asyncio.Event()

    async def visit(self) -> None:
        messages: list[Any] = [{"type": "http.request", "body": BODY, "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await self.left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            self.status = message.get("status", self.status)
            self.heard += message.get("body", b"")

        await ROUTER(self.scope, receive, send)

    @property
    def run(self) -> str:
        """The run's name, once it has begun."""
        (length,) = struct.unpack_from("<I", self.heard)
        return json.loads(self.heard[4 : 4 + length])["run"]


def test_a_wish_for_a_run_that_was_left_changes_nothing_and_is_no_error(lines: Admission) -> None:
    async def visit() -> None:
        asker = Asker()
        visiting = asyncio.create_task(asker.visit())
        await until(lambda: bool(asker.heard))
        name = asker.run
        asker.left.set()
        await visiting
        for wish in ("pause", "resume", "cancel"):
            received = await answer(ROUTER, scope("POST", f"{PREFIX}/runs/{name}/{wish}"))
            assert (received.status, received.body) == (200, b'{"run":"ended"}')
        await until(lambda: lines.runs.working == 0)
        assert lines.long.taken == 0

    alone(visit(), PATIENCE)


@pytest.mark.slow
def test_three_hundred_runs_at_once_are_as_many_as_the_line_holds(lines: Admission) -> None:
    async def visit() -> None:
        askers = [Asker(number) for number in range(300)]
        visiting = [asyncio.create_task(asker.visit()) for asker in askers]
        held = runs.AT_ONCE + lines.runs.longest
        await until(lambda: sum(asker.status == 503 for asker in askers) == 300 - held)
        assert lines.runs.working == runs.AT_ONCE
        assert lines.runs.waiting == lines.runs.longest
        for asker in askers:
            asker.left.set()
        await asyncio.gather(*visiting)
        await until(lambda: lines.runs.working + lines.runs.waiting == 0)
        assert lines.long.taken == 0

    alone(visit(), PATIENCE)
