"""Logins of an app launched with `auth=`: every route that computes, streams or tells asks for gradio's cookie.

gradio guards only some of its own routes, and none of ours. Open stay the page, which then asks for the password, its
scripts and styles, and health for a proxy. Wrong passwords are bounded (`login_attempts`).
"""

import re
from math import ceil
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.server.admission.clients import client_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio.running import guarded, known
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.answer import refused
from visualiser.server.http.login_attempts import LoginAttempts
from visualiser.server.http.paths import route_path
from visualiser.state import share

_BEHIND: Final = re.compile(r"/gradio_api/.*|/config/?", re.DOTALL)
"""What a login guards; the rest of what is reachable is the page and its files."""

_OPEN: Final = re.compile(rf"{PREFIX}/(assets/.*|live|ready)|/gradio_api/(theme\.css|startup-events)", re.DOTALL)
"""`launch` asks gradio's startup-events of itself, once and without a login."""


class Login:
    """ASGI: if gradio asks for a login, refuse visitors who have not logged in, and too many wrong passwords."""

    def __init__(self, app: ASGIApp, attempts: LoginAttempts | None = None) -> None:
        self.app, self._attempts = app, LoginAttempts() if attempts is None else attempts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and guarded(scope):
            path = route_path(scope)
            if scope["method"] == "POST" and path.rstrip("/") == "/login":
                await self._log_in(scope, receive, send)
                return
            if _BEHIND.fullmatch(path) and not _OPEN.fullmatch(path) and not await known(scope):
                await _refused(scope, Refusal("error.login", 401))(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _log_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an attempt on. It counts as wrong until gradio has found it right, so many at once gain nothing."""
        address = client_of(scope).address
        if wait := self._attempts.begin(address):
            refusal = Refusal("error.login_wait", 429, retry=wait, seconds=max(1, ceil(wait)))
            await _refused(scope, refusal)(scope, receive, send)
            return

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                self._attempts.right(address)
            await send(message)

        await self.app(scope, receive, watched)


def _refused(scope: Scope, refusal: Refusal) -> Response:
    return refused(refusal, share.preferred_language(Request(scope).headers.get("accept-language")))
