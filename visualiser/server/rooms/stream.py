"""One stream of server-sent events: the newest message whenever there is one, until the tab leaves or the room ends."""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from visualiser.server.http.answer import left
from visualiser.server.rooms.channel import HELLO, Seat
from visualiser.server.rooms.hall import Live
from visualiser.server.rooms.rooms import NOW, Rooms, now

HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
"""No proxy may buffer a stream, and no cache may keep it."""


class Stream(Response):
    """The answer that a tab follows. It gives its place back when it ends."""

    def __init__(self, rooms: Rooms, live: Live, seat: Seat) -> None:
        self.status_code, self.background = 200, None
        self._rooms, self._live, self._seat = rooms, live, seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending, leaving = asyncio.create_task(self._send(send)), asyncio.create_task(left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            try:
                with suppress(asyncio.CancelledError):
                    await sending
            finally:
                self._rooms.risen(self._live, self._seat)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS, (NOW, b"%d" % now())]})
        begun = HELLO
        while (piece := await self._seat.next()) is not None:
            await send({"type": "http.response.body", "body": begun + piece if begun else piece, "more_body": True})
            begun = b""
        await send({"type": "http.response.body", "body": b"", "more_body": False})
