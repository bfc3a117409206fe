"""The reachable part of gradio: the routes that the page, programs (gradio_client, curl) and a login need.

gradio has some seventy routes: uploads to the disk, files, a proxy, component servers, streams, monitoring. Each open
one is listed here. test_surface.py lists every route of the installed gradio, so that a new one is served only after a
decision.
"""

import re
from http import HTTPStatus
from typing import Final

from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio.running import requires_login
from visualiser.server.http.addresses import MCP, PREFIX
from visualiser.server.http.answer import refusal_response
from visualiser.server.http.kept_answers import header
from visualiser.server.http.paths import route_path
from visualiser.server.http.room_code import code_in_path
from visualiser.state import share
from visualiser.state.parameters import PAGES

_NAME: Final = r"[\w-]+"
_CALLS: Final = "|".join(("attention", "heads", *PAGES[1:]))  # gradio answers an unknown name with 500


MOST_FIELDS: Final = 256
"""Fields of a query. A page's link has fewer than a hundred; reading ten thousand blocks the event loop for long."""


def _any(*paths: str) -> re.Pattern[str]:
    return re.compile("|".join(paths), re.DOTALL)


_READ: Final = _any(
    # the page and its files
    "/",
    *(f"/{page}" for page in PAGES[1:]),
    r"/assets/.+",
    r"/static/(fonts|img|js)/.+",
    r"/favicon\.ico",
    r"(/gradio_api)?/theme\.css",
    r"/manifest\.json",
    r"/robots\.txt",
    # programs: before a call, and to hear the answer
    "/config/?",
    "/gradio_api/info/?",
    "/gradio_api/startup-events",
    f"/gradio_api/heartbeat/{_NAME}",
    "/gradio_api/queue/data",
    f"/gradio_api/call/(v2/)?({_CALLS})/{_NAME}",
)
_CALLED: Final = _any(
    "/gradio_api/queue/join",
    f"/gradio_api/call/(v2/)?({_CALLS})/?",
    "/gradio_api/reset/?",
    "/gradio_api/cancel",
)
_TOOLS: Final = _any(f"{MCP}(/http)?/?")
_READS: Final = ("GET", "HEAD")


def reachable(method: str, path: str, *, login: bool = False, mcp: bool = False) -> bool:
    """True if this is answered at all. A login or MCP opens a few more routes."""
    if path.startswith(f"{PREFIX}/"):
        return True  # our own routes answer unknown paths themselves
    if method in _READS and (_READ.fullmatch(path) or code_in_path(path) is not None):
        return True
    if method == "POST" and _CALLED.fullmatch(path):
        return True
    if login and (method, path.rstrip("/")) in (("POST", "/login"), ("GET", "/logout")):
        return True
    if mcp and method in _READS and path == f"{MCP}/schema":
        return True
    # every method: clients ask for a stream, or end a session, and are told that there is none
    return mcp and _TOOLS.fullmatch(path) is not None


class Surface:
    """ASGI: answer 404 to everything that is not `reachable`, and 400 to a query of too many fields, before gradio
    runs."""

    def __init__(self, app: ASGIApp, *, mcp: bool = False) -> None:
        self.app, self._mcp = app, mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if not reachable(scope["method"], route_path(scope), login=requires_login(scope), mcp=self._mcp):
                await _nothing_here(scope, receive, send)
                return
            if (came := scope["query_string"].count(b"&") + 1) > MOST_FIELDS:
                await _too_many_fields(scope, came)(scope, receive, send)
                return
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
            return
        await self.app(scope, receive, send)


_nothing_here: Final = JSONResponse({"detail": HTTPStatus.NOT_FOUND.phrase}, status_code=404)


def _too_many_fields(scope: Scope, came: int) -> JSONResponse:
    lang = share.preferred_language(header(scope, b"accept-language") or None)
    return refusal_response(Refusal("error.too_many_fields", 400, came=came, limit=MOST_FIELDS), lang)
