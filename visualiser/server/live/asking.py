"""Questions of the browser: read a request's body, up to a stated size, into a value."""

import asyncio
import hashlib
import json
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, ParamSpec, TypeVar

from anyio import CapacityLimiter
from fastapi import Request
from starlette.requests import ClientDisconnect

from attention_core.cached import cached_property
from visualiser.server.admission.clients import UNKNOWN, Client, client_of
from visualiser.server.admission.cost import Shape
from visualiser.server.admission.entry import admission, entered
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.turns import Left, read_apart
from visualiser.server.live.stated import Stated, stated
from visualiser.server.live.surrogates import read_whole
from visualiser.state import parameters, share
from visualiser.state.view import MOST_COLUMNS
from visualiser.upload import FILE_LIMIT

Given = ParamSpec("Given")
Result = TypeVar("Result")

HEADER_LIMIT: Final = 256 * 1024
"""The most bytes of JSON read: the longest link with every character escaped, and the known structures."""

BODY_LIMIT = FILE_LIMIT + HEADER_LIMIT + 4
"""The most bytes of a body read: the JSON, and the largest upload."""

HELD: Final = "headlight.held"
"""The key of a request's scope for the tickets it holds until it is answered."""

LANGUAGE: Final = "headlight.language"
"""The key of a request's scope for the language of its link, once that was read."""

STALLED: Final = 30.0
"""Seconds within which the next 64 kB of a body, or its end, must come."""

READING: Final = CapacityLimiter(2)
"""Long texts and file headers read at the same time to price them, each in a thread."""

_FREE: Final = 8 * 1024  # bytes of a body allowed without a ticket: most links are shorter
_PROGRESS: Final = 64 * 1024  # bytes of a body that must come in `STALLED` seconds
_NOBODY: Final = Client(UNKNOWN)


@dataclass(frozen=True)
class Ask:
    """A question of the browser.

    It holds the link, the one shown before (for "what just changed"), the structures that the browser knows, an
    upload's tensors, the screen, and the page's own address for links in downloads.

    `extra` holds further, unchecked fields for single routes: a row, a figure's name. `page` is the route's page,
    whatever the link says: with another page's bounds a link could ask for what this page never computes. None leaves
    it to the link.
    """

    query: str
    previous: str | None
    known: frozenset[str]
    upload: bytes
    accept_language: str | None
    theme: str
    columns: int
    address: str
    extra: Mapping[str, Any]
    page: str | None = None
    client: Client = _NOBODY

    def for_everybody(self) -> "Ask":
        """Return the same question for a browser that knows no structure: one answer serves everybody who asks it.

        It holds nothing that `question` leaves out.
        """
        asked = replace(self, known=frozenset(), previous=self.previous if self.compares else None, address="")
        vars(asked).update(reading=self.reading, pinned=self.pinned)  # reading again would take longest
        return asked

    @cached_property
    def question(self) -> bytes | None:
        """The identity of this question on its route; None if an upload makes it the visitor's own."""
        if self.upload:
            return None
        left_out = {"known", "address"} if self.compares else {"known", "address", "previous"}
        said = {name: value for name, value in self.extra.items() if name not in left_out}
        said["lang"] = self.lang
        try:
            written = json.dumps(said, sort_keys=True).encode()
        except RecursionError:  # writing allows less depth than reading
            return None
        return hashlib.blake2b(written, digest_size=16).digest()

    @property
    def light(self) -> bool:
        """True while a control moves: the answer has figures only; sentences and tables follow when it rests."""
        return self.extra.get("light") is True

    @property
    def compares(self) -> bool:
        """True if the answer may tell what changed since `previous`.

        Only Explore compares, and not while a control moves. So all who follow one drag share its answers.
        """
        return self.page in (None, parameters.EXPLORE) and not self.light

    @cached_property
    def reading(self) -> share.Reading:
        """The link, read with the bounds of the route's page."""
        return share.read(self.query, self.accept_language, self.page)

    @cached_property
    def pinned(self) -> share.State | None:
        """State A, if one is pinned."""
        return share.pinned_state(self.reading.state)

    @cached_property
    def stated(self) -> Stated | None:
        """The sizes that the upload states, within the page's bounds; None if it states none."""
        longest = parameters.bounds(self.reading.state.page)["n"].maximum
        return stated(self.upload, int(longest))

    @property
    def file(self) -> tuple[int, Shape | None]:
        """The bytes of the upload (0 without one), and the sizes it states."""
        return (self.stated.bytes, self.stated.shape) if self.stated else (len(self.upload), None)

    def priced_as(self, state: share.State, pinned: share.State | None, file: Stated | None) -> "Ask":
        """Return the same question about another state and file, to price it without reading anything again."""
        asked = replace(self)
        vars(asked).update(reading=replace(self.reading, state=state), pinned=pinned, stated=file)
        return asked

    @cached_property
    def before(self) -> share.State | None:
        """The state shown before, if there was one."""
        if self.previous is None:
            return None
        return share.read(self.previous, self.accept_language, self.page).state

    @property
    def lang(self) -> str:
        """The visitor's language."""
        return self.reading.state.lang


def too_large(came: int, limit: int, key: str = "error.body_too_large") -> Refusal:
    """Return the refusal of a request of at least `came` bytes if only `limit` are read."""
    return Refusal(key, 413, came=came, limit=limit)


async def body(request: Request, limit: int, key: str = "error.body_too_large") -> bytes:
    """Return the body. Raise `Refusal` with `key` once more than `limit` bytes have come or are announced.

    A large body waits for its share of memory before it is read, and holds it until its request is answered
    (`visualiser.server.live.routes.refusing`). A body that stalls is refused.
    """
    announced = request.headers.get("content-length", "")
    # Python refuses to parse numbers of thousands of digits, zeros included. Without a valid length, read up to the
    # limit.
    size = int(announced) if len(announced) <= 20 and announced.isascii() and announced.isdigit() else limit
    if size > limit:
        raise too_large(size, limit, key)
    if size > _FREE:
        ticket = entered(admission().uploads, client_of(request.scope), size)
        request.scope.setdefault(HELD, []).append(ticket)
        async with _patience():
            await ticket.turn()
    chunks, length = [], 0
    stream = request.stream()
    while True:
        async with _patience():
            # this much, or the end, must come in time
            wanted = length + _PROGRESS
            while length < wanted:
                chunk = await anext(stream, None)
                if chunk is None:
                    return b"".join(chunks)
                length += len(chunk)
                if length > limit:
                    raise too_large(length, limit, key)
                chunks.append(chunk)


@asynccontextmanager
async def _patience() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(STALLED):
            yield
    except TimeoutError:
        raise Refusal("error.body_stalled", 408) from None


async def asked(request: Request, page: str | None = None) -> Ask:
    """Read an `Ask` from u32 length | JSON {query, previous, known, theme, columns, address, …} | the upload's
    safetensors."""
    given = await body(request, BODY_LIMIT)
    length = struct.unpack_from("<I", given)[0] if len(given) >= 4 else -1
    if not 0 <= length <= len(given) - 4:
        raise Refusal("error.bad_request", 400)
    if length > HEADER_LIMIT:
        raise too_large(length, HEADER_LIMIT)
    language, client = request.headers.get("accept-language"), client_of(request.scope)
    # a link's text is cut into words: of a long one in a thread, to keep the event loop free
    ask = await read(request, given, _understood, given, length, language, client, page)
    request.scope[LANGUAGE] = ask.lang
    return ask


async def read(
    request: Request, body: bytes, reader: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    """Return what `reader` returns of these arguments, in a thread if the body is long.

    Raises what it raises, `Refusal`, and `ClientDisconnect` if the visitor leaves before the turn comes.
    """
    try:
        return await read_apart(len(body), request.scope, request.receive, reader, *given, **named)
    except Left:
        raise ClientDisconnect from None


def _understood(given: bytes, length: int, language: str | None, client: Client, page: str | None) -> Ask:
    try:
        said = read_whole(given[4 : 4 + length])
    except (ValueError, RecursionError) as broken:
        raise Refusal("error.bad_request", 400) from broken
    if not isinstance(said, dict):
        raise Refusal("error.bad_request", 400)
    previous, columns, known = said.get("previous"), said.get("columns"), said.get("known")
    ask = Ask(
        query=str(said.get("query", "")),
        previous=previous if isinstance(previous, str) else None,
        known=frozenset(map(str, known[:64])) if isinstance(known, list) else frozenset(),
        upload=given[4 + length :],
        accept_language=language,
        theme="dark" if said.get("theme") == "dark" else "light",
        # `type`, because a bool is also an int
        columns=columns if type(columns) is int and 0 <= columns <= MOST_COLUMNS else 0,
        address=str(said.get("address", ""))[:2000],
        extra=said,
        page=page,
        client=client,
    )
    _ = ask.reading, ask.pinned, ask.question, ask.stated  # computed here, while in a thread
    return ask
