"""What programs send to gradio's own routes, read before gradio reads it: at most so much, in time, as whole text.

gradio would keep a body of any length and a session's name of any length, and fail on a text that cannot be written
when it quotes it in a refusal. Who listens for an answer is noted for `visualiser.server.gradio.listeners`.
"""

import re
from contextlib import nullcontext
from typing import Final

from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.server.admission.clients import client_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio.listeners import listeners
from visualiser.server.gradio.queue import Tidy, asked_by, full
from visualiser.server.live.asking import HEADER_LIMIT, QUICK, READING, body
from visualiser.server.live.routes import leave, refused
from visualiser.server.live.surrogates import read_whole, write_whole
from visualiser.state import share

_NAME: Final = re.compile(r"[\w-]{1,64}", re.ASCII)
"""A session or an event, as browsers and gradio_client name them; a name with gradio's separator breaks its /cancel."""


class Calls:
    """ASGI: hands a POST on with a body of at most `HEADER_LIMIT` bytes; a longer or a slow one is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._tidy = app, Tidy(listeners)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            with listeners.listening(scope) if scope["type"] == "http" else nullcontext():
                await self._app(scope, receive, send)
            return
        if (queue := getattr(getattr(scope.get("app"), "blocks", None), "_queue", None)) is not None:
            self._tidy.look(queue)
        request = Request(scope, receive)
        try:
            given = await body(request, HEADER_LIMIT)
            said, calling = _read(given) if len(given) <= QUICK else await run_sync(_read, given, limiter=READING)
            if queue is not None and calling is not None and full(queue, calling):
                raise Refusal("error.busy", 503, retry=2.0)
            asked_by.set(client_of(scope).address)  # for this request alone: the server gives each a task of its own
            await self._app(scope, _again(said, receive), send)
        except Refusal as refusal:
            lang = share.preferred_language(request.headers.get("accept-language"))
            await refused(refusal, lang)(scope, receive, send)
        except ClientDisconnect:
            pass  # nobody reads an answer
        finally:
            leave(request)


def _read(given: bytes) -> tuple[bytes, str | None]:
    """A JSON text that can be quoted, and the session that calls; what is no JSON is gradio's to refuse.

    Raises `Refusal` for a session's or an event's name that is none.
    """
    try:
        said = read_whole(given)
        given = write_whole(said, given)
    except (ValueError, RecursionError):
        return given, None
    if not isinstance(said, dict):
        return given, None
    session = said.get("session_hash")
    for name in (session, said.get("event_id")):
        if name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise Refusal("error.bad_request", 400)
    return given, session if "data" in said else None


def _again(given: bytes, receive: Receive) -> Receive:
    """`receive`, which gives the body that has been read once more, and then what else comes."""
    left: list[Message] = [{"type": "http.request", "body": given, "more_body": False}]

    async def next_message() -> Message:
        return left.pop() if left else await receive()

    return next_message
