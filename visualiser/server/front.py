"""Our middleware, which every request passes before gradio's own, from the outside in.

gradio wraps its middleware around the one that it is given, so ours would be innermost. When the server starts, its
whole stack is put behind ours instead.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp

from visualiser.server import sharing
from visualiser.server.admission.threads import bound_others
from visualiser.server.gradio.calls import Calls
from visualiser.server.gradio.running import put_before
from visualiser.server.gradio.sessions import keep_few
from visualiser.server.gradio.surface import Surface
from visualiser.server.http.content_security import ContentSecurity
from visualiser.server.http.documents import Documents
from visualiser.server.http.lasting import Heartbeats
from visualiser.server.http.login import Login
from visualiser.server.http.origins import Origins
from visualiser.server.http.static_files import StaticFiles
from visualiser.server.live.routes import OwnRoutes
from visualiser.server.rooms import routes as rooms


def front(app: ASGIApp, tools: Sequence[Route] = ()) -> ASGIApp:
    """Wrap `app` in all of our middleware. Serve `tools` to language models if there are any."""
    ours = OwnRoutes(Calls(app), [*rooms.ROUTES, *sharing.ROUTES, *tools])
    return ContentSecurity(Origins(Surface(StaticFiles(Login(Heartbeats(Documents(ours)))), mcp=bool(tools))))


def lifespan(
    tools: Sequence[Route] = (), around: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the lifespan of an app with `front` before it, which serves `tools`; `around` wraps all of it."""
    return lambda app: _living(app, tools, around)


@asynccontextmanager
async def _living(app: FastAPI, tools: Sequence[Route], around: Callable[[ASGIApp], ASGIApp]) -> AsyncIterator[None]:
    """Put `front` before the stack of a starting gradio app. Bound its threads and its sessions."""
    put_before(app, lambda stack: around(front(stack, tools)))
    keep_few(app)
    bounding = asyncio.create_task(bound_others())
    try:
        yield
    finally:
        bounding.cancel()
        await rooms.close()
