"""Logins of an app launched with `auth=`: every route with an answer of its own requires gradio's cookie.

gradio guards only some of its own routes, and none of ours. The page stays open, which then asks for the password, and
so do its scripts and styles, and health for a proxy. Wrong passwords are bounded (`login_attempts`).
"""

import re
from math import ceil
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visualiser.server.admission.clients import client_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio.running import is_logged_in, requires_login
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.answer import refusal_response
from visualiser.server.http.login_attempts import LoginAttempts
from visualiser.server.http.paths import route_path
from visualiser.state import share

_BEHIND: Final = re.compile(r"/gradio_api/.*|/config/?", re.DOTALL)
"""The paths that require a login; all others are the page and its files."""

_OPEN: Final = re.compile(rf"{PREFIX}/(assets/.*|live|ready)|/gradio_api/(theme\.css|startup-events)", re.DOTALL)
"""`launch` asks gradio's startup-events of itself, once and without a login."""


class Login:
    """ASGI: if gradio asks for a login, refuse visitors who have not logged in, and too many wrong passwords."""

    def __init__(self, app: ASGIApp, attempts: LoginAttempts | None = None) -> None:
        self.app, self._attempts = app, LoginAttempts() if attempts is None else attempts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and requires_login(scope):
            path = route_path(scope)
            if scope["method"] == "POST" and path.rstrip("/") == "/login":
                await self._log_in(scope, receive, send)
                return
            if _BEHIND.fullmatch(path) and not _OPEN.fullmatch(path) and not await is_logged_in(scope):
                await _refused(scope, Refusal("error.login", 401))(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _log_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an attempt on. It counts as wrong until gradio accepts it, so parallel attempts gain nothing."""
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
    return refusal_response(refusal, share.preferred_language(Request(scope).headers.get("accept-language")))
