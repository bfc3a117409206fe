"""Bounds on requests to gradio's own routes, checked before gradio reads them: length, time and encoding.

gradio would keep a body or a session name of any length, and fail when it quotes a text that cannot be encoded.
`visualiser.server.gradio.listeners` counts the programs that wait for an answer.
"""

import re
from contextlib import nullcontext
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.server.admission.clients import client_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio import running
from visualiser.server.gradio.listeners import listeners
from visualiser.server.gradio.queue import QueueCleaner, asked_by, full
from visualiser.server.http.answer import refusal_response
from visualiser.server.live.body import HEADER_LIMIT, parse_body, read_body
from visualiser.server.live.routes import leave
from visualiser.server.live.surrogates import dump_json, load_json
from visualiser.state import share

_NAME: Final = re.compile(r"[\w-]{1,64}", re.ASCII)
"""The name of a session or event, as browsers and gradio_client make it. gradio's separator would break its /cancel."""


class Calls:
    """ASGI: pass on a POST with a body of at most `HEADER_LIMIT` bytes; refuse a longer or a slow one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._cleaner = app, QueueCleaner(listeners)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            with listeners.listening(scope) if scope["type"] == "http" else nullcontext():
                await self._app(scope, receive, send)
            return
        if (queue := running.queue(scope)) is not None:
            self._cleaner.look(queue)
        request = Request(scope, receive)
        try:
            given = await read_body(request, HEADER_LIMIT)
            quotable, session = await parse_body(request, given, _read, given)
            if queue is not None and session is not None and full(queue, session):
                raise Refusal("error.busy", 503, retry=2.0)
            asked_by.set(client_of(scope).address)  # for this request only: the server runs each in its own task
            await self._app(scope, replay_body(quotable, receive), send)
        except Refusal as refusal:
            lang = share.preferred_language(request.headers.get("accept-language"))
            await refusal_response(refusal, lang)(scope, receive, send)
        except ClientDisconnect:
            pass  # nobody reads the answer
        finally:
            leave(request)


def _read(given: bytes) -> tuple[bytes, str | None]:
    """Return a JSON text that can be quoted, and its session. gradio refuses a text that is no JSON.

    Raises `Refusal` for an invalid name of a session or event.
    """
    try:
        call = load_json(given)
        given = dump_json(call, given)
    except (ValueError, RecursionError):
        return given, None
    if not isinstance(call, dict):
        return given, None
    session = call.get("session_hash")
    for name in (session, call.get("event_id")):
        if name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise Refusal("error.bad_request", 400)
    return given, session if "data" in call else None


def replay_body(given: bytes, receive: Receive) -> Receive:
    """Return a `receive` that repeats a body already read, then passes on what follows."""
    replayed: list[Message] = [{"type": "http.request", "body": given, "more_body": False}]

    async def next_message() -> Message:
        return replayed.pop() if replayed else await receive()

    return next_message
