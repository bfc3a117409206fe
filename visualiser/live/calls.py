"""What programs send to gradio's own routes, read before gradio reads it: at most so much, in time, as whole text.

gradio would keep a body of any length and a session's name of any length, and fail on a text that cannot be written
when it quotes it in a refusal. Who listens for an answer is noted for `visualiser.server.listeners`.
"""

import re
from contextlib import nullcontext
from typing import Final

from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser import share
from visualiser.live.asking import HEADER_LIMIT, QUICK, body
from visualiser.live.routes import leave, refused
from visualiser.live.surrogates import read_whole, write_whole
from visualiser.server.gradio_queue import Tidy
from visualiser.server.listeners import listeners
from visualiser.server.refusal import Refusal

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
            given = await body(request, HEADER_LIMIT, Refusal("error.body_too_large", 413))
            said = _readable(given) if len(given) <= QUICK else await run_sync(_readable, given)
            await self._app(scope, _again(said, receive), send)
        except Refusal as refusal:
            lang = share.preferred_language(request.headers.get("accept-language"))
            await refused(refusal, lang)(scope, receive, send)
        except ClientDisconnect:
            pass  # nobody reads an answer
        finally:
            leave(request)


def _readable(given: bytes) -> bytes:
    """A JSON text that can be quoted; what is none is gradio's to refuse. Raises `Refusal` for a name that is none."""
    try:
        said = read_whole(given)
        given = write_whole(given)
    except (ValueError, RecursionError):
        return given
    names = [said.get("session_hash"), said.get("event_id")] if isinstance(said, dict) else []
    if any(name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)) for name in names):
        raise Refusal("error.bad_request", 400)
    return given


def _again(given: bytes, receive: Receive) -> Receive:
    """`receive`, which gives the body that has been read once more, and then what else comes."""
    left: list[Message] = [{"type": "http.request", "body": given, "more_body": False}]

    async def next_message() -> Message:
        return left.pop() if left else await receive()

    return next_message
