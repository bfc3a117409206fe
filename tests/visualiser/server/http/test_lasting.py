"""Heartbeats have a share of the connections: one a session, and of the address with most one gives way."""

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.alone import until
from tests.visualiser.server.asking import answer, scope
from visualiser.server.front import front
from visualiser.server.http.lasting import HEARTBEATS, STREAMS, Heartbeats, most_connections
from visualiser.server.rooms.routes import process_rooms


async def app(asked: Scope, receive: Receive, send: Send) -> None:
    """Beat as gradio does, until the client is gone; answer everything else."""

    async def beats() -> AsyncIterator[bytes]:
        while True:
            yield b"data: ALIVE\n\n"
            await asyncio.sleep(3600)

    beating = "/heartbeat/" in asked["path"]
    found = StreamingResponse(beats(), media_type="text/event-stream") if beating else PlainTextResponse("a page")
    await found(asked, receive, send)


class Heartbeat:
    """A client's heartbeat."""

    def __init__(self, behind: ASGIApp, session: str, address: str = "192.0.2.7") -> None:
        self.status, self.chunks, self.ended = 0, list[bytes](), False
        asked = {**scope("GET", f"/gradio_api/heartbeat/{session}"), "client": (address, 4711)}
        self.task = asyncio.ensure_future(behind(asked, self._receive, self._send))

    async def _receive(self) -> Message:
        return await asyncio.Event().wait() and {}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.chunks.append(message["body"])
            self.ended = not message.get("more_body", False)

    async def begun(self) -> int:
        await until(lambda: bool(self.chunks))
        return self.status


async def test_a_session_has_one_heartbeat_and_the_server_a_bounded_number() -> None:
    behind = Heartbeats(app, lambda: 3)
    rude = [Heartbeat(behind, f"session{number}") for number in range(3)]
    assert [await one.begun() for one in rude] == [200, 200, 200]
    again = Heartbeat(behind, "session0")
    assert await again.begun() == 200
    await until(lambda: rude[0].ended)
    late = Heartbeat(behind, "session9")
    assert (await late.begun(), late.ended) == (503, True)
    polite = Heartbeat(behind, "session10", "192.0.2.8")
    assert await polite.begun() == 200
    await until(lambda: sum(one.ended for one in (*rude[1:], again)) == 1)
    await until(lambda: rude[0].task.done())
    assert (await answer(behind, scope("GET", "/"))).body == b"a page"
    for one in (*rude, again, polite):
        one.task.cancel()
    await asyncio.gather(*(one.task for one in (*rude, again, polite)), return_exceptions=True)
    assert not behind._open


def test_half_of_the_connections_stays_for_what_ends() -> None:
    assert STREAMS + HEARTBEATS <= 0.5


async def test_the_app_bounds_its_heartbeats() -> None:
    behind = front(app)
    first, second = (Heartbeat(behind, "session") for _ in range(2))
    await until(lambda: first.ended or second.ended)
    for one in (first, second):
        one.task.cancel()
    await asyncio.gather(first.task, second.task, return_exceptions=True)


def test_the_rooms_of_a_process_have_a_share_of_its_streams_and_count_what_they_hold() -> None:
    process_rooms.cache_clear()
    try:
        rooms = process_rooms()
        assert rooms.registry.most_streams == int(STREAMS * most_connections())
        empty = rooms.held
        rooms.registry.streams += 7
        assert rooms.registry.store.beside() == rooms.held > empty  # pyright: ignore[reportAttributeAccessIssue]
    finally:
        process_rooms.cache_clear()
