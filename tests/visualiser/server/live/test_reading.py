"""Reading of links and bodies: short ones at once, long ones in a thread, in turns, and none of a visitor who left."""

import asyncio
import json
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote

import pytest
from fastapi.testclient import TestClient
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from attention_core import text as text_module
from tests.visualiser.conftest import parts, wrapped
from tests.visualiser.server.asking import answer, scope
from tests.visualiser.server.reading_threads import loop_runs_here
from visualiser.server.admission.clients import Client
from visualiser.server.admission.entry import admission
from visualiser.server.http import documents
from visualiser.server.http.turns import QUICK
from visualiser.server.live import page_request, request_parser
from visualiser.server.live.body import TICKETS
from visualiser.server.live.routes import PREFIX
from visualiser.state import share


@pytest.fixture
def on_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return one entry for each link read of a body: True if the event loop's own thread read it."""
    read: list[bool] = []

    def watched(query: str, *more: str | None) -> share.Reading:
        read.append(loop_runs_here())
        return share.read(query, *more)

    monkeypatch.setattr(page_request, "share", type("share", (), {**vars(share), "read": staticmethod(watched)}))
    return read


def of_length(length: int) -> bytes:
    """Return a body of this length with a link of words."""
    empty = {"query": "page=explore&source=text&text="}
    words = "a+" * length
    return wrapped({"query": empty["query"] + words[: length - 4 - len(json.dumps(empty))]})


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize(("length", "here"), [(QUICK, True), (QUICK + 1, False), (8000, False), (60_000, False)])
def test_the_event_loop_reads_only_short_bodies(
    client: TestClient, on_the_loop: list[bool], length: int, here: bool
) -> None:
    body = of_length(length)
    assert len(body) == length
    assert "cells" in [part["part"] for part in parts(client.post(f"{PREFIX}/page/explore", content=body))]
    assert on_the_loop == [here]


@pytest.mark.parametrize(("length", "here"), [(QUICK, True), (QUICK + 1, False), (60_000, False)])
async def test_the_event_loop_reads_only_short_addresses(
    monkeypatch: pytest.MonkeyPatch, length: int, here: bool
) -> None:
    read: list[bool] = []

    def watched(query: str, *, keep_blank_values: bool) -> list[tuple[str, str]]:
        read.append(loop_runs_here())
        return parse_qsl(query, keep_blank_values=keep_blank_values)

    monkeypatch.setattr(documents, "parse_qsl", watched)
    query = "text=" + "%41" * ((length - 5) // 3)
    query += "a" * (length - len(query))
    received = await answer(documents.Documents(_nothing), scope(path="/why", query=query))
    assert (received.status, received.headers["location"][:10]) == (307, "./?page=wh")
    assert read == [here]


async def _nothing(*_: object) -> None:
    raise AssertionError("nobody else is asked")


async def test_the_link_of_a_visitor_who_left_is_not_read(on_the_loop: list[bool]) -> None:
    first = admission().links.enter(Client("192.0.2.9"))
    body, left = of_length(8000), asyncio.Event()
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Message:
        if (message := next(messages, None)) is not None:
            return message
        await left.wait()
        return {"type": "http.disconnect"}

    asked = scope("POST")
    try:
        waiting = asyncio.ensure_future(request_parser.parse_request(Request(asked, receive)))
        while admission().links.waiting == 0:
            await asyncio.sleep(0)
        left.set()
        with pytest.raises(ClientDisconnect):
            await waiting
    finally:
        first.leave()
        for ticket in asked[TICKETS]:  # which the route gives back
            ticket.leave()
    assert (on_the_loop, admission().links.waiting, admission().links.working) == ([], 0, 0)


class Counted:
    """A pattern that counts the characters it is given."""

    given = 0

    def __init__(self, pattern: "text_module.regex.Pattern[str]") -> None:
        self.pattern = pattern

    def finditer(self, text: str, *, concurrent: bool) -> "Iterator[text_module.regex.Match[str]]":
        return self._given(text, concurrent).finditer(text, concurrent=concurrent)

    def findall(self, text: str, *, concurrent: bool) -> list[str]:
        return self._given(text, concurrent).findall(text, concurrent=concurrent)

    def _given(self, text: str, concurrent: bool) -> "text_module.regex.Pattern[str]":
        assert not concurrent, "each match would let go of the interpreter's lock, and wait for it while others compute"
        Counted.given += len(text)
        return self.pattern


@pytest.mark.parametrize("word", ["a+", "%ED%95%9C+", "a'", "%F0%9F%91%A9%E2%80%8D"])
@pytest.mark.parametrize("length", [1000, 8000, 64_000])
def test_reading_a_link_takes_work_in_proportion_to_its_length(
    monkeypatch: pytest.MonkeyPatch, word: str, length: int
) -> None:
    monkeypatch.setattr(
        text_module, "_PATTERNS", {name: Counted(pattern) for name, pattern in text_module._PATTERNS.items()}
    )
    monkeypatch.setattr(Counted, "given", 0)
    pinned = quote("source=text&text=" + word * (length // 6 // len(word)), safe="")
    query = f"source=text&text={word * (length // 2 // len(word))}&pin={pinned}"
    state = share.read(query, page="explore").state
    assert share.pinned_state(state) is not None
    assert Counted.given <= 4 * len(query)
