"""The page itself, made once for each page and server address, and kept compressed.

gradio makes it anew for every visitor: a copy of all components, an address written into each, a template. The result
is the same for everybody who sees the server at the same address, unless people log in: then gradio answers each time.
Making a page waits for a turn, address by address, so invented server addresses keep nobody from the page.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final
from urllib.parse import parse_qsl, urlencode
from weakref import WeakValueDictionary

from starlette.types import ASGIApp, Receive, Scope, Send

from visualiser.locale import LANGUAGES
from visualiser.server.admission.entry import admission
from visualiser.server.admission.refusal import Refusal
from visualiser.server.gradio.running import is_logged_in, requires_login
from visualiser.server.http.answer import refusal_response
from visualiser.server.http.app_answers import CapturedResponse, address_headers, request_app, send_captured
from visualiser.server.http.compression import Packed
from visualiser.server.http.content_security import document_policy
from visualiser.server.http.first_bytes import insert, requested_page
from visualiser.server.http.kept_answers import Kept, header, send_kept
from visualiser.server.http.lesson_links import step_query
from visualiser.server.http.paths import route_path
from visualiser.server.http.remote_document import is_remote, remote_document
from visualiser.server.http.room_code import code_in_path
from visualiser.server.http.turns import VisitorLeft, run_apart, turn
from visualiser.state import share
from visualiser.state.parameters import EXPLORE, PAGES

KEPT_DOCUMENTS: Final = 32
"""Pages times addresses. Invented addresses can push others out, which then are made again."""
_LONGEST_ADDRESS: Final = 400

_Key = tuple[str, ...]


class Documents:
    """ASGI: answer GET and HEAD of the page and GET of gradio's configuration; pass everything else to `app`.

    gradio reads `page` from the query and fails for an unknown name. So only known names are passed on, and no other
    parameter of a link.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._kept: OrderedDict[_Key, Kept] = OrderedDict()
        self._making: WeakValueDictionary[_Key, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        path = route_path(scope)
        try:
            if path == "/":
                pairs = await _pairs(scope, receive)
                step = step_query(pairs)
                if is_remote(pairs) and (not requires_login(scope) or await is_logged_in(scope)):
                    await send_captured(scope, send, remote_document(_language(scope, pairs)))
                elif step is None:
                    await self._answer(requested_page(dict(pairs)), scope, receive, send)
                else:
                    await _redirect(f"?{step}", send)
            elif path[1:] in PAGES[1:]:
                # gradio's separate address of a page, below which our relative links would break
                others = (pair for pair in await _pairs(scope, receive) if pair[0] != "page")
                await _redirect(f"./?{urlencode([('page', path[1:]), *others])}", send)
            elif (code := code_in_path(path)) is not None:
                # what a class types from the wall; the login of an app with one is asked there
                others = (pair for pair in await _pairs(scope, receive) if pair[0] != "room")
                up = "../" if path.endswith("/") else "./"
                await _redirect(f"{up}?{urlencode([('room', code), *others])}", send)
            elif path.rstrip("/") == "/config" and scope["method"] == "GET":
                async with _turn(scope, receive):
                    answer = await request_app(self.app, scope, scope["query_string"], _all_but_encoding(scope))
                await send_captured(scope, send, answer)
            else:
                await self.app(scope, receive, send)
        except VisitorLeft:
            pass
        except Refusal as refusal:
            lang = share.preferred_language(header(scope, b"accept-language") or None)
            await refusal_response(refusal, lang)(scope, receive, send)

    async def _answer(self, page: str, scope: Scope, receive: Receive, send: Send) -> None:
        key = (page, scope["scheme"], scope["path"], scope.get("root_path", ""), *_address(scope))
        if requires_login(scope):
            async with _turn(scope, receive):
                answer = await self._make(page, scope, _all_but_encoding(scope))
            await send_captured(scope, send, answer)
            return
        if sum(map(len, key)) > _LONGEST_ADDRESS:
            raise Refusal("error.bad_request", 400)
        kept = self._found(key)
        if kept is None:
            # if a whole class opens the page at once, the first turn makes it for all
            async with _turn(scope, receive), self._making.setdefault(key, asyncio.Lock()):
                kept = self._found(key) or await self._new(key, page, scope)
        await (send_captured(scope, send, kept) if isinstance(kept, CapturedResponse) else send_kept(scope, send, kept))

    async def _new(self, key: _Key, page: str, scope: Scope) -> Kept | CapturedResponse:
        """Make and keep the page. If that fails, return gradio's answer."""
        answer = await self._make(page, scope, address_headers(scope))
        if answer.status != 200:
            return answer
        kept = self._kept[key] = Kept(Packed(answer.body, answer.media_type), answer.headers[-1:])
        if len(self._kept) > KEPT_DOCUMENTS:
            self._kept.popitem(last=False)
        return kept

    def _found(self, key: _Key) -> Kept | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def _make(self, page: str, scope: Scope, headers: Sequence[tuple[bytes, bytes]]) -> CapturedResponse:
        # gradio's name for the first page is empty
        query = urlencode({"page": page}).encode() if page != EXPLORE else b""
        answer = await request_app(self.app, scope, query, headers)
        if not answer.media_type.startswith("text/html"):
            return answer
        body = insert(answer.body, page)
        policy = (b"content-security-policy", document_policy(body).encode("latin-1"))
        return CapturedResponse(answer.status, (*answer.headers, policy), body)


def _language(scope: Scope, pairs: Sequence[tuple[str, str]]) -> str:
    requested = dict(pairs).get("lang", "")
    return requested if requested in LANGUAGES else share.preferred_language(header(scope, b"accept-language") or None)


def _turn(scope: Scope, receive: Receive) -> AbstractAsyncContextManager[None]:
    """Take a turn in the line of pages."""
    return turn(admission().pages, scope, receive)


async def _pairs(scope: Scope, receive: Receive) -> list[tuple[str, str]]:
    """Return the parameters of a link."""
    query = scope["query_string"].decode("latin-1")
    return await run_apart(len(query), scope, receive, parse_qsl, query, keep_blank_values=True)


def _address(scope: Scope) -> list[str]:
    """Return everything that gradio's address of itself depends on, as one key."""
    server = scope.get("server") or ("", 0)
    written = [f"{name.decode('latin-1')}:{value.decode('latin-1')}" for name, value in address_headers(scope)]
    return [*written, *map(str, server)]


def _all_but_encoding(scope: Scope) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in scope["headers"] if name not in (b"accept-encoding", b"range")]


async def _redirect(to: str, send: Send) -> None:
    headers = [(b"location", to.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 307, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
