"""The page itself, made once for each page and address of the server, and kept compressed.

gradio makes it anew for every visitor: a copy of all components, an address written into each, a template. It comes out
the same for everybody who sees the server at the same address, unless people log in: then gradio answers each time.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl, urlencode

import anyio
from starlette.types import ASGIApp, Receive, Scope, Send

from visualiser.live.first_bytes import asked_page, insert
from visualiser.parameters import PAGES
from visualiser.server.compression import Packed
from visualiser.server.content_security import document_policy
from visualiser.server.gradio_answers import Answer, address_headers, ask, send_answer
from visualiser.server.kept_answers import Kept, send_kept
from visualiser.server.login import guarded
from visualiser.server.paths import route_path

KEPT_DOCUMENTS: Final = 32
"""Pages times addresses. Whoever makes addresses up lets others' documents go, which costs making them again."""
_LONGEST_ADDRESS: Final = 400

_Key = tuple[str, ...]


class Documents:
    """ASGI: answers GET and HEAD of the page, and asks `app` for everything else.

    gradio reads `page` from the query itself and fails for a name that it does not know: it only hears names it does,
    and nothing else of a link.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._kept: OrderedDict[_Key, Kept] = OrderedDict()
        self._making = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        path = route_path(scope)
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if path == "/":
            await self._answer(asked_page(dict(pairs)), scope, send)
        elif path[1:] in PAGES[1:]:
            await _redirect(path[1:], pairs, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, page: str, scope: Scope, send: Send) -> None:
        key = (page, scope["scheme"], scope["path"], scope.get("root_path", ""), *_address(scope))
        if guarded(scope) or sum(map(len, key)) > _LONGEST_ADDRESS:
            await send_answer(scope, send, await self._make(page, scope, _all_but_encoding(scope)))
            return
        kept = self._found(key)
        if kept is None:
            # one after the other: of a class that opens the page at once, the first one makes it for all
            async with self._making:
                kept = self._found(key)
                if kept is None:
                    answer = await self._make(page, scope, address_headers(scope))
                    if answer.status != 200:
                        await send_answer(scope, send, answer)
                        return
                    kept = self._kept[key] = Kept(Packed(answer.body, answer.media_type), answer.headers[-1:])
                    if len(self._kept) > KEPT_DOCUMENTS:
                        self._kept.popitem(last=False)
        await send_kept(scope, send, kept)

    def _found(self, key: _Key) -> Kept | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def _make(self, page: str, scope: Scope, headers: Sequence[tuple[bytes, bytes]]) -> Answer:
        # gradio's own name for the first page is the empty one
        query = urlencode({"page": page}).encode() if page != PAGES[0] else b""
        answer = await ask(self.app, scope, query, headers)
        if not answer.media_type.startswith("text/html"):
            return answer
        body = insert(answer.body, page)
        policy = (b"content-security-policy", document_policy(body).encode("latin-1"))
        return Answer(answer.status, (*answer.headers, policy), body)


def _address(scope: Scope) -> list[str]:
    """Everything that gradio makes its own address of, as one key."""
    server = scope.get("server") or ("", 0)
    written = [f"{name.decode('latin-1')}:{value.decode('latin-1')}" for name, value in address_headers(scope)]
    return [*written, *map(str, server)]


def _all_but_encoding(scope: Scope) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in scope["headers"] if name not in (b"accept-encoding", b"range")]


async def _redirect(page: str, pairs: list[tuple[str, str]], send: Send) -> None:
    """gradio has an address of its own for each page, below which our relative links would lie elsewhere."""
    query = urlencode([("page", page), *(pair for pair in pairs if pair[0] != "page")])
    headers = [(b"location", f"./?{query}".encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 307, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
