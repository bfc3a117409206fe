"""An answer while it is sent: in small pieces, refused in words before its first part, ended when its reader leaves."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from attention_core import InvalidInput
from tests.alone import alone
from visualiser.locale import texts
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.answer import CHUNK, StreamingAnswer, refusal_response

PATIENCE = 20.0


class Reader:
    """The reader of an answer. `leave` closes the connection, `stop` reads nothing more."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.leave, self.stopped = asyncio.Event(), asyncio.Event()
        self.left = 0

    async def reads(self, answer: StreamingAnswer) -> None:
        answer.when_done = self._left
        answer.refuse = lambda problem: refusal_response(problem, "en")
        await answer({"type": "http"}, self._receive, self._send)

    def _left(self) -> None:
        self.left += 1

    async def _receive(self) -> Any:
        await self.leave.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if self.stopped.is_set():
            await asyncio.Event().wait()
        self.messages.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


def test_a_large_part_leaves_in_pieces_and_whole() -> None:
    part = bytes(range(256)) * 1000

    async def parts() -> AsyncIterator[bytes | memoryview]:
        yield b"head"
        yield memoryview(part)

    async def visit() -> None:
        reader = Reader()
        await reader.reads(StreamingAnswer(parts))
        assert reader.body == b"head" + part
        assert max(len(message.get("body", b"")) for message in reader.messages) == CHUNK
        assert [message["type"] for message in reader.messages].count("http.response.start") == 1
        assert (b"x-accel-buffering", b"no") in reader.messages[0]["headers"]
        assert reader.messages[-1]["more_body"] is False
        assert reader.left == 1

    alone(visit(), PATIENCE)


@pytest.mark.parametrize("stalled", [False, True])
def test_a_reader_who_leaves_ends_the_making(stalled: bool) -> None:
    ended = []

    async def parts() -> AsyncIterator[bytes]:
        try:
            yield b"first"
            while True:
                await asyncio.sleep(0)
                yield b"x" * (10 if stalled else 0)
        finally:
            ended.append(True)

    async def visit() -> None:
        reader = Reader()
        reading = asyncio.create_task(reader.reads(StreamingAnswer(parts)))
        while len(reader.messages) < 2:
            await asyncio.sleep(0)
        if stalled:
            reader.stopped.set()
        assert not ended
        reader.leave.set()
        await reading
        assert (ended, reader.left) == ([True], 1)

    alone(visit(), PATIENCE)


@pytest.mark.parametrize(
    ("problem", "status", "expected"),
    [
        (Refusal("error.busy", 503, 2.0), 503, {"message": texts("en")["error.busy"], "retry": 2.0}),
        (InvalidInput("text_empty", "for Python"), 422, {"message": texts("en")["error.text_empty"]}),
    ],
)
def test_what_is_refused_before_the_first_part_is_said(problem: Exception, status: int, expected: dict) -> None:
    async def parts() -> AsyncIterator[bytes]:
        raise problem
        yield b""

    async def visit() -> None:
        reader = Reader()
        await reader.reads(StreamingAnswer(parts))
        assert reader.messages[0]["status"] == status
        assert json.loads(reader.body) == expected
        assert reader.left == 1

    alone(visit(), PATIENCE)


def test_what_breaks_in_the_middle_is_nobodys_whole_answer() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"first"
        raise ArithmeticError("seven")

    async def visit() -> None:
        reader = Reader()
        with pytest.raises(ArithmeticError):
            await reader.reads(StreamingAnswer(parts))
        assert all(message.get("more_body", True) for message in reader.messages)  # it never ends as if complete
        assert reader.left == 1

    alone(visit(), PATIENCE)
