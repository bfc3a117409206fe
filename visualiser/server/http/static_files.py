"""Files that never change while the process runs, gradio's and ours, answered from memory before any routing.

gradio's files are requested from gradio once and kept, so nothing here knows its folders. Only answers of 200 are kept,
each under one address, so there are no more than installed files. Most addresses, and all of ours, hold a hash of the
content, so a browser keeps them for ever; the few without one are checked each time.
"""

import asyncio
import re
from functools import cache
from posixpath import normpath

from starlette.types import ASGIApp, Receive, Scope, Send

from visualiser.server.http import assets
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.app_answers import CapturedResponse, request_app, send_captured
from visualiser.server.http.compression import ENCODERS, PACKER, Packed
from visualiser.server.http.kept_answers import IMMUTABLE, REVALIDATED, Kept, send_kept
from visualiser.server.http.paths import route_path

_GRADIOS = re.compile(
    r"/(assets/.+|static/.+|favicon\.ico|theme\.css|gradio_api/theme\.css|manifest\.json|robots\.txt)", re.DOTALL
)
_MOST = 1000
"""Files kept; gradio has some two hundred."""

_HASHED = re.compile(r"/assets/[^/]+-[\w-]{8,12}\.\w+")


@cache
def own_files() -> dict[str, Kept]:
    """Return our scripts and styles, and plotly.js, by their path."""
    files = {f"{PREFIX}/assets/{assets.version()}/{name}": asset for name, asset in assets.scripts().items()}
    files[f"{PREFIX}/assets/{assets.plotly_version()}/plotly.min.js"] = assets.plotly()
    return {path: Kept(Packed(asset.plain, asset.media_type)) for path, asset in files.items()}


def pack() -> None:
    """Compress our own files quickly, once for each encoding."""
    for kept in own_files().values():
        for encoding in ENCODERS:
            kept.packed.pack(encoding)


def pack_smaller() -> None:
    """Queue smaller forms of our own files, the shortest file first."""
    packed = sorted((kept.packed for kept in own_files().values()), key=lambda each: len(each.plain))
    for encoding in ENCODERS:
        for one in packed:
            PACKER.later(one, encoding)


class StaticFiles:
    """ASGI: answer GET and HEAD of static files from memory; pass everything else to `app`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._kept: dict[str, Kept] = {}
        self._asking: dict[str, asyncio.Task[CapturedResponse]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        path = route_path(scope)
        own = own_files().get(path)
        if own is not None:
            await send_kept(scope, send, own, IMMUTABLE)
        elif path in self._kept:
            await send_kept(scope, send, self._kept[path], caching(path, scope["query_string"]))
        elif _GRADIOS.fullmatch(path):
            if normpath(path) != path:  # a second name of a file would be kept again
                await send_captured(scope, send, CapturedResponse(404, (), b""))
                return
            answer = await self._fetch(path, scope)
            if path in self._kept:
                await send_kept(scope, send, self._kept[path], caching(path, scope["query_string"]))
            else:
                await send_captured(scope, send, answer)
        else:
            await self.app(scope, receive, send)

    async def _fetch(self, path: str, scope: Scope) -> CapturedResponse:
        """Return gradio's answer, requested once for all simultaneous callers."""
        task = self._asking.get(path)
        if task is None:
            task = self._asking[path] = asyncio.create_task(request_app(self.app, scope))
            task.add_done_callback(lambda _: self._asking.pop(path, None))
        answer = await asyncio.shield(task)
        if answer.status == 200 and path not in self._kept and len(self._kept) < _MOST:
            self._kept[path] = Kept(Packed(answer.body, answer.media_type))
        return answer


def caching(path: str, query: bytes) -> str:
    """Return the Cache-Control of gradio's file at this address. gradio writes the hash of its styles in the query."""
    return IMMUTABLE if _HASHED.fullmatch(path) or re.fullmatch(rb"v=[0-9a-f]{64}", query) else REVALIDATED
