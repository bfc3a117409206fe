"""One stream of server-sent events: the newest message whenever there is one, until the tab leaves or the room ends."""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from visualiser.server.http.answer import wait_for_disconnect
from visualiser.server.rooms.channel import HELLO, Seat
from visualiser.server.rooms.live_room import LiveRoom
from visualiser.server.rooms.presence import Presence
from visualiser.server.rooms.server_time import CLOCK_HEADER, milliseconds

HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
"""No proxy may buffer a stream, and no cache may keep it."""


class Stream(Response):
    """The answer that a tab follows. It gives its place back when it ends."""

    def __init__(self, presence: Presence, live: LiveRoom, seat: Seat) -> None:
        self.status_code, self.background = 200, None
        self._presence, self._live, self._seat = presence, live, seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending, leaving = asyncio.create_task(self._send(send)), asyncio.create_task(wait_for_disconnect(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            try:
                with suppress(asyncio.CancelledError):
                    await sending
            finally:
                self._presence.close_stream_later(self._live, self._seat)

    async def _send(self, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [*HEADERS, (CLOCK_HEADER, b"%d" % milliseconds())],
            }
        )
        first = HELLO
        while (piece := await self._seat.next()) is not None:
            await send({"type": "http.response.body", "body": first + piece if first else piece, "more_body": True})
            first = b""
        await send({"type": "http.response.body", "body": b"", "more_body": False})
