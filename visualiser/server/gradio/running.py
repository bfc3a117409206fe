"""gradio's running app, as a request or the process knows it: its login, its address, its queue and its middleware.

Lower rooms ask here, so that no other file knows how gradio keeps these (`visualiser.server.gradio.private`).
"""

import inspect
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from starlette.types import ASGIApp, Scope


def requires_login(scope: Scope) -> bool:
    """True if gradio asks visitors to log in."""
    app = scope.get("app")
    return getattr(app, "auth", None) is not None or getattr(app, "auth_dependency", None) is not None


async def is_logged_in(scope: Scope) -> bool:
    """True if gradio knows this visitor, by the same rules as `gradio.routes.App`."""
    app, request = scope["app"], Request(scope)
    if app.auth_dependency is not None:
        user = app.auth_dependency(request)
        return (await user if inspect.isawaitable(user) else user) is not None
    names = (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}")
    token = request.cookies.get(names[0]) or request.cookies.get(names[1])
    return app.tokens.get(token) is not None


def address(scope: Scope) -> tuple[str | None, int | None, str]:
    """Return host, port and scheme at which `launch` serves the app; None if it does not.

    An address of IPv6 has no brackets.
    """
    blocks = _blocks(scope)
    host, port = getattr(blocks, "server_name", None), getattr(blocks, "server_port", None)
    return host.strip("[]") if host else host, port, getattr(blocks, "protocol", "http")


def queue(scope: Scope) -> Any:
    """Return the app's `gradio.queueing.Queue` of calls; None if another app serves the request."""
    return getattr(_blocks(scope), "_queue", None)


def put_before(app: FastAPI, wrap: Callable[[ASGIApp], ASGIApp]) -> None:
    """Wrap the whole stack of a starting app. gradio's own middleware would stand around ours."""
    stack = app.middleware_stack
    if stack is None:  # impossible: the start event itself came through the stack
        raise RuntimeError("the app starts without its middleware")
    app.middleware_stack = wrap(stack)


def _blocks(scope: Scope) -> Any:
    return getattr(scope.get("app"), "blocks", None)


def listening(blocks: Any) -> set[int]:
    """Return the file numbers of the sockets at which `launch` serves an app."""
    return {one.fileno() for server in blocks.server.servers for one in server.sockets}
