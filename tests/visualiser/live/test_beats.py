"""An answer that waits says that it is still there, and stays what it was."""

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

import pytest
from starlette.types import Message

from tests.visualiser.live.test_patience import APP
from tests.visualiser.server.asking import scope
from visualiser.live import asking, parts, routes, runs
from visualiser.live.routes import PREFIX
from visualiser.locale import text
from visualiser.server.admission import Admission
from visualiser.server.clients import Client
from visualiser.server.refusal import Refusal

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BEAT", 0.02)


def in_own_loop(visit: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Playwright's own loop lives in the main thread, where another may not start."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(asyncio.wait_for(visit(), PATIENCE))).result()


def header(part: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", part)
    return json.loads(part[4 : 4 + length])


async def until_heard(heard: list[bytes], beats: int) -> None:
    while heard.count(parts.beat()) < beats:
        await asyncio.sleep(0.001)


def test_who_waits_in_line_hears_beats_and_then_the_answer() -> None:
    async def visit() -> None:
        heard: list[bytes] = []

        async def made() -> AsyncIterator[bytes]:
            await until_heard(heard, 3)
            yield b"first"
            yield b"second"

        async with aclosing(routes.beating(made(), "en")) as pieces:
            async for piece in pieces:
                heard.append(piece)
        assert heard[:3] == [parts.beat()] * 3
        assert heard[-2:] == [b"first", b"second"]

    in_own_loop(visit)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_refusal_after_a_beat_says_when_to_ask_again(lang: str) -> None:
    async def visit() -> None:
        heard: list[bytes] = []

        async def made() -> AsyncIterator[bytes]:
            await until_heard(heard, 1)
            raise Refusal("error.busy", 503, 2.0)
            yield b""

        async for piece in routes.beating(made(), lang):
            heard.append(piece)
        last = header(heard[-1])
        assert (last["part"], last["message"], last["retry"]) == ("error", text(lang, "error.busy"), 2.0)

    in_own_loop(visit)


def test_a_refusal_before_a_beat_keeps_its_status() -> None:
    async def made() -> AsyncIterator[bytes]:
        raise Refusal("error.busy", 503, 2.0)
        yield b""

    async def visit() -> None:
        with pytest.raises(Refusal, match=r"error\.busy"):
            await anext(routes.beating(made(), "en"))

    in_own_loop(visit)


def test_who_is_cut_off_while_reading_is_cut_off_and_who_leaves_ends_the_making() -> None:
    ended: list[str] = []
    making: list[asyncio.Task[Any] | None] = []

    async def made(name: str) -> AsyncIterator[bytes]:
        making.append(asyncio.current_task())
        try:
            yield b"first"
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    async def reads() -> None:
        async for _ in routes.beating(made("cut off"), "en"):
            task = making[-1]
            assert task is not None
            task.cancel()
            await asyncio.Event().wait()  # does not read on

    async def visit() -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(reads())
        async with aclosing(routes.beating(made("left"), "en")) as pieces:
            assert await anext(pieces) == b"first"
        assert ended == ["cut off", "left"]

    in_own_loop(visit)


def test_a_page_that_waits_for_its_turn_hears_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Admission(2**30, 2)
    for module in (asking, routes):
        monkeypatch.setattr(module, "admission", lambda: own)
    heard: list[bytes] = []

    async def visit() -> None:
        before = []
        for line in (own.light, own.heavy):
            while not before or before[-1].turn_came or before[-1]._line is not line:
                before.append(line.enter(Client(f"192.0.2.{len(before)}", "tab")))
        said = json.dumps({"query": "n=5&h=2"}).encode()
        bodies = [struct.pack("<I", len(said)) + said]

        async def receive() -> Message:
            if not bodies:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message: Message) -> None:
            heard.append(message.get("body", b""))

        visiting = asyncio.create_task(APP(scope("POST", f"{PREFIX}/frame"), receive, send))
        await until_heard(heard, 2)
        for ticket in before:
            ticket.leave()
        await visiting

    in_own_loop(visit)
    assert header(b"".join(heard).replace(parts.beat(), b""))["part"] == "cells"
