"""Long connections: streams of rooms and gradio's heartbeats get shares of all connections.

The rest stays for short requests. So a client that holds every stream keeps no page from its answers, even behind the
same address.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.server import settings
from visualiser.server.admission.clients import client_of
from visualiser.server.admission.places import gives_way
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.answer import refusal_response
from visualiser.server.http.descriptors import connections_that_fit, raise_limit
from visualiser.server.http.kept_answers import header
from visualiser.server.http.paths import route_path
from visualiser.state import share

STREAMS, HEARTBEATS = 0.4, 0.1
"""Shares of the connections. Our pages open no heartbeat; gradio's clients open one each."""

_HEARTBEAT: Final = re.compile(r"/gradio_api/heartbeat/([\w-]+)")


def most_connections() -> int:
    """Return how many connections this process holds at once."""
    return connections_that_fit(settings.connections(), raise_limit())


class Heartbeats:
    """ASGI: one heartbeat a session, and a bounded number. If all are taken, the address with most loses one."""

    def __init__(self, app: ASGIApp, most: Callable[[], int] | None = None) -> None:
        self.app, self._most = app, most or (lambda: max(1, int(HEARTBEATS * most_connections())))
        self._open: dict[str, tuple[str, asyncio.Event]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _HEARTBEAT.fullmatch(route_path(scope)) if scope["type"] == "http" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        address = client_of(scope).address
        session = f"{address} {found[1][:64]}"
        if not self._place(session, address):
            lang = share.preferred_language(header(scope, b"accept-language") or None)
            await refusal_response(Refusal("error.busy", 503, 30.0), lang)(scope, receive, send)
            return
        ended = asyncio.Event()
        self._open[session] = address, ended
        try:
            await self._beat(ended, scope, receive, send)
        finally:
            if self._open.get(session, ("", None))[1] is ended:
                del self._open[session]

    def _place(self, session: str, address: str) -> bool:
        """Return True if there is a place; a heartbeat that gave it up has ended."""
        former = self._open.pop(session, None)
        if former is not None:
            former[1].set()
        if len(self._open) < self._most():
            return True
        newest_first = {name: whose for name, (whose, _) in reversed(self._open.items())}
        chosen = gives_way(newest_first, address, lambda _: False)
        if chosen is not None:
            self._open.pop(chosen)[1].set()
        return chosen is not None

    async def _beat(self, ended: asyncio.Event, scope: Scope, receive: Receive, send: Send) -> None:
        """Let gradio send until the client leaves or the place is given away, which gradio takes for the same."""
        started = over = False

        async def sending(message: Message) -> None:
            nonlocal started, over
            started = True
            over = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        beating = asyncio.ensure_future(self.app(scope, receive, sending))
        waiting = asyncio.create_task(ended.wait())
        try:
            await asyncio.wait({beating, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
        if started and not over and ended.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})
