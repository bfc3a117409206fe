"""An app for one person on a machine of several: every address begins with a secret, and without it there is nothing.

A port of loopback is open to every user of the machine, and to a page of another host whose name leads there. A cookie
would be one of another site in a notebook's frame, which browsers drop. A part of the path is not: the page's own
addresses are relative, so they all have it.

The app knows itself by what the browser shows. A proxy before it may have taken a part of the path away, and is
believed about that: whoever knows the secret could write any address into their own answer alone.
"""

from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from visualiser.server.http.kept_answers import header

_OPEN: Final = "/gradio_api/startup-events"
"""`launch` asks this of itself, once."""

_CONTEXTS: Final = (b"x-forwarded-context", b"x-proxycontextpath")
"""The part of the path that jupyter-server-proxy has taken away."""

_nothing_here: Final = PlainTextResponse("", status_code=401)


@dataclass
class Outside:
    """Scheme and host at which a proxy shows the app, if the proxy does not tell; empty if there is none.

    It may be known only when the app has a port.
    """

    origin: str = ""


class Secret:
    """ASGI: serve `app` below `/secret`.

    Parameters
    ----------
    app
        The whole app.
    secret
        The first part of every path.
    outside
        Where else it is shown.
    """

    def __init__(self, app: ASGIApp, secret: str, outside: Outside | None = None) -> None:
        self.app, self._root, self._outside = app, f"/{secret}", outside or Outside()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        first, rest = path[: len(self._root)], path[len(self._root) :]
        if compare_digest(first.encode(), self._root.encode()) and rest.startswith("/"):
            await self.app(self._within(scope), receive, send)
        elif path == _OPEN:
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await _nothing_here(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    def _within(self, scope: Scope) -> Scope:
        taken = next((found for name in _CONTEXTS if (found := header(scope, name))), "").rstrip("/")
        headers = scope["headers"]
        if self._outside.origin and not _is_direct(scope):
            scheme, _, host = self._outside.origin.partition("://")
            ours = {b"x-forwarded-host": host.encode("latin-1"), b"x-forwarded-proto": scheme.encode("latin-1")}
            headers = [*((name, value) for name, value in headers if name not in ours), *ours.items()]
        root = taken + self._root
        return {**scope, "path": taken + scope["path"], "root_path": root, "headers": headers}


def _is_direct(scope: Scope) -> bool:
    server = scope.get("server")
    return server is not None and header(scope, b"host") == f"{server[0]}:{server[1]}"
