"""An answer that waits sends signs of life, and its content stays the same."""

import asyncio
import json
import struct
import threading
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.types import Message

from tests.alone import alone, until
from tests.visualiser.conftest import parts as read
from tests.visualiser.pieces import header
from tests.visualiser.server.asking import scope
from tests.visualiser.server.live.test_patience import APP
from visualiser.locale import text
from visualiser.server.admission.clients import Client
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.fair_line import FairLine, Memory, Ticket
from visualiser.server.admission.flight import Beat
from visualiser.server.admission.refusal import Refusal
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.live import body, parts, routes, runs
from visualiser.server.live.routes import PREFIX

PATIENCE = 20.0
BEAT = Beat(0.02, b"beat")


def test_who_waits_hears_beats_in_line_and_while_it_is_computed() -> None:
    line, gate, heard = FairLine(1, Memory(0), each=1, longest=10, longest_each=10), threading.Event(), []

    def made() -> Iterator[bytes]:
        yield b"first"
        gate.wait(PATIENCE)
        yield b"second"

    async def asks() -> None:
        async for piece in SharedAnswers(0).parts(
            None, "192.0.2.2", lambda: line.enter(Client("192.0.2.2")), made, BEAT
        ):
            heard.append(piece)

    async def visit() -> None:
        before = line.enter(Client("192.0.2.1"))
        asking = asyncio.create_task(asks())
        await until(lambda: heard == [b"beat"] * 3)
        before.leave()
        await until(lambda: b"first" in heard)
        since = heard.index(b"first")
        await until(lambda: heard[since + 1 :] == [b"beat"] * 2)
        gate.set()
        await asking
        assert [piece for piece in heard if piece != b"beat"] == [b"first", b"second"]

    alone(visit())


def test_who_need_not_wait_pays_for_no_beats() -> None:
    line, tasks = FairLine(1, Memory(0), each=1, longest=10, longest_each=10), []

    async def visit() -> None:
        enter = lambda: line.enter(Client("192.0.2.1"))  # noqa: E731
        async for _ in SharedAnswers(0).parts(None, "192.0.2.1", enter, lambda: iter([b"first"]), BEAT):
            tasks.append(len(asyncio.all_tasks()))

    alone(visit())
    assert tasks == [2]  # the caller and the computation


class Asking:
    """A frame requested while the line is full, and the messages received."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines = Admission(2**30, 2)
        self.tickets: list[Ticket] = []
        self.heard: list[Message] = []
        monkeypatch.setattr(runs, "BEAT", BEAT.seconds)
        for module in (body, routes):
            monkeypatch.setattr(module, "admission", lambda: self.lines)
        monkeypatch.setattr(routes, "_shared", SharedAnswers(0))  # without other tests' answers
        enter = self.lines.enter

        def noted(*arguments: Any) -> Ticket:
            self.tickets.append(enter(*arguments))
            return self.tickets[-1]

        monkeypatch.setattr(self.lines, "enter", noted)

    @property
    def body(self) -> bytes:
        """The bytes received so far."""
        return b"".join(message.get("body", b"") for message in self.heard)

    def fill(self) -> list[Ticket]:
        """Enter tickets of others, ahead of all that come now."""
        before: list[Ticket] = []
        for line in (self.lines.small, self.lines.light, self.lines.heavy):
            while not before or before[-1].turn_came or before[-1]._line is not line:
                before.append(line.enter(Client(f"192.0.2.{len(before)}", "tab")))
        return before

    async def visit(self, lang: str = "en") -> None:
        """Send one request and wait for its end."""
        payload = json.dumps({"query": f"n=5&h=2&lang={lang}"}).encode()
        bodies = [struct.pack("<I", len(payload)) + payload]

        async def receive() -> Message:
            if not bodies:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message: Message) -> None:
            self.heard.append(message)

        await APP(scope("POST", f"{PREFIX}/page/explore", f"lang={lang}"), receive, send)

    async def beats(self, count: int) -> None:
        """Return when so many beats have been received."""
        await until(lambda: self.body.count(parts.beat()) >= count)


@pytest.fixture
def frame(monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(monkeypatch)


def test_a_page_that_waits_for_its_turn_hears_beats(frame: Asking) -> None:
    async def visit() -> None:
        before = frame.fill()
        visiting = asyncio.create_task(frame.visit())
        await frame.beats(2)
        for ticket in before:
            ticket.leave()
        await visiting

    alone(visit())
    answer = Mock(content=frame.body.replace(parts.beat(), b""))
    assert [part["part"] for part in read(answer)] == ["cells", "panels"]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_refusal_after_a_beat_says_when_to_ask_again(frame: Asking, lang: str) -> None:
    async def visit() -> None:
        frame.fill()
        visiting = asyncio.create_task(frame.visit(lang))
        await frame.beats(1)
        frame.tickets[-1].push_out()
        await visiting

    alone(visit())
    last = header(frame.body.replace(parts.beat(), b""))
    assert (last["part"], last["message"], last["retry"]) == ("error", text(lang, "error.busy"), 2.0)
    assert frame.heard[0]["status"] == 200


def test_a_refusal_before_a_beat_keeps_its_status(frame: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Ticket:
        raise Refusal("error.busy", 503, 2.0)

    monkeypatch.setattr(frame.lines, "enter", full)
    alone(frame.visit())
    assert frame.heard[0]["status"] == 503
    assert json.loads(frame.body) == {"message": text("en", "error.busy"), "retry": 2.0}


def test_a_sign_of_life_holds_nothing_but_its_name() -> None:
    assert header(parts.beat()) == {"part": "beat", "bytes": 0}
    assert parts.beat() is parts.beat()  # written once
