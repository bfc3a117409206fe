"""Logins of an app launched with `auth=`: our routes ask for gradio's cookie, too.

gradio guards its own routes, but not ours. Scripts and styles stay open for the login page, health for a proxy.
"""

import inspect
import re
from typing import Final

from fastapi import Request
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from visualiser.locale import text
from visualiser.server.http.addresses import MCP, PREFIX
from visualiser.server.http.paths import route_path
from visualiser.state import share

_OPEN: Final = re.compile(rf"{PREFIX}/(assets/.*|live|ready)", re.DOTALL)


def guarded(scope: Scope) -> bool:
    """True if gradio asks visitors to log in."""
    app = scope.get("app")
    return getattr(app, "auth", None) is not None or getattr(app, "auth_dependency", None) is not None


async def known(scope: Scope) -> bool:
    """True if gradio knows this visitor, by the same rules as `gradio.routes.App`."""
    app, request = scope["app"], Request(scope)
    if app.auth_dependency is not None:
        user = app.auth_dependency(request)
        return (await user if inspect.isawaitable(user) else user) is not None
    names = (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}")
    token = request.cookies.get(names[0]) or request.cookies.get(names[1])
    return app.tokens.get(token) is not None


class Login:
    """ASGI: refuse our own routes to visitors who have not logged in, if gradio asks for a login."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and guarded(scope):
            path = route_path(scope)
            ours = path.startswith((f"{PREFIX}/", MCP)) and not _OPEN.fullmatch(path)
            if ours and not await known(scope):
                lang = share.preferred_language(Request(scope).headers.get("accept-language"))
                refusal = JSONResponse({"message": text(lang, "error.login")}, status_code=401)
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)
