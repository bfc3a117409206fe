"""What the browser asks for: reading a request's body, up to a stated size, into a value."""

import asyncio
import hashlib
import json
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import Request

from visualiser.server.admission.clients import UNKNOWN, Client, client_of
from visualiser.server.admission.cost import Shape
from visualiser.server.admission.entry import admission, entered
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.stated import Stated, stated
from visualiser.server.live.surrogates import read_whole
from visualiser.state import parameters, share
from visualiser.state.view import MOST_COLUMNS
from visualiser.upload import FILE_LIMIT

HEADER_LIMIT: Final = 256 * 1024
"""Bytes of JSON that are read: a link of the greatest length with every sign escaped, and the structures known."""

BODY_LIMIT = FILE_LIMIT + HEADER_LIMIT + 4
"""Bytes of a body that are read: the JSON, and the largest upload."""

HELD: Final = "headlight.held"
"""Where a request keeps the tickets that it holds until it is answered."""

STALLED: Final = 30.0
"""Seconds in which 64 kB of a body, or its end, have to come."""

QUICK: Final = 8 * 1024
"""Bytes of JSON that the event loop may read itself: tens of microseconds."""

READING: Final = CapacityLimiter(2)
"""Long JSON, long texts and headers of files that are read at the same time, each in a thread."""

_FREE: Final = 8 * 1024  # bytes of a body that every connection may bring without asking: most links are shorter
_PROGRESS: Final = 64 * 1024  # bytes of a body that have to come in `STALLED` seconds
_NOBODY: Final = Client(UNKNOWN)


@dataclass(frozen=True)
class Ask:
    """What the browser sends: the link, the one it showed before (for "what just changed"), the structures it knows, an
    upload's tensors, how its screen is, and the page's own address for links in what is taken away.

    `extra` holds what single routes ask for besides: a row, a figure's name; unchecked. `page` is the route's page,
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
        """The same question of a browser that knows no structure: one answer to it serves all who ask. Nothing is in
        it that `question` leaves out."""
        asked = replace(self, known=frozenset(), previous=self.previous if self.compares else None, address="")
        vars(asked).update(reading=self.reading)  # it takes longer to read again than anything else here
        return asked

    @cached_property
    def question(self) -> bytes | None:
        """What tells this question from others on the same route; None where an upload makes it the visitor's own."""
        if self.upload:
            return None
        left_out = {"known", "address"} if self.compares else {"known", "address", "previous"}
        said = {name: value for name, value in self.extra.items() if name not in left_out}
        said["lang"] = self.lang
        try:
            written = json.dumps(said, sort_keys=True).encode()
        except RecursionError:  # writing goes less deep than reading
            return None
        return hashlib.blake2b(written, digest_size=16).digest()

    @property
    def light(self) -> bool:
        """Whether a control is moving: the figures are wanted, sentences and tables come when it rests."""
        return self.extra.get("light") is True

    @property
    def compares(self) -> bool:
        """Whether the answer may tell what changed since `previous`. A frame of a moving control tells nothing, and no
        page but Explore compares; so those who follow one drag share its answers."""
        return self.page in (None, parameters.EXPLORE) and not self.light

    @cached_property
    def reading(self) -> share.Reading:
        """The link, read with the bounds of the route's page."""
        return share.read(self.query, self.accept_language, self.page)

    @cached_property
    def pinned(self) -> share.State | None:
        """State A, where one is pinned."""
        return share.pinned_state(self.reading.state)

    @cached_property
    def stated(self) -> Stated | None:
        """The sizes that the upload states, within the page's bounds; None if it states none."""
        longest = parameters.bounds(self.reading.state.page)["n"].maximum
        return stated(self.upload, int(longest))

    @property
    def file(self) -> tuple[int, Shape | None]:
        """The bytes of the upload, 0 without one, and the sizes that it states."""
        return (self.stated.bytes, self.stated.shape) if self.stated else (len(self.upload), None)

    def priced_as(self, state: share.State, pinned: share.State | None, file: Stated | None) -> "Ask":
        """The same question about another state and another file, to ask for its price: nothing is read again."""
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
    """What is said to a request of `came` bytes or more where `limit` are read."""
    return Refusal(key, 413, came=came, limit=limit)


async def body(request: Request, limit: int, key: str = "error.body_too_large") -> bytes:
    """The body; raises `Refusal` with `key` as soon as more than `limit` bytes have come or are announced.

    A large one waits for its share of memory before it is read, and holds it until its request is answered
    (`visualiser.server.live.routes.refusing`); one that does not come on is given up.
    """
    announced = request.headers.get("content-length", "")
    # Python reads no number of thousands of digits, zeros included; what says nothing is read up to the limit.
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
            # so much, or the end, has to come in the time that patience allows
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
    """Body = u32 length | JSON {query, previous, known, theme, columns, address, …} | the upload's safetensors."""
    given = await body(request, BODY_LIMIT)
    length = struct.unpack_from("<I", given)[0] if len(given) >= 4 else -1
    if not 0 <= length <= len(given) - 4:
        raise Refusal("error.bad_request", 400)
    if length > HEADER_LIMIT:
        raise too_large(length, HEADER_LIMIT)
    language, client = request.headers.get("accept-language"), client_of(request.scope)
    if length <= QUICK:
        return _understood(given, length, language, client, page)
    # A large link is cut into tokens and grapheme clusters: that takes a thread, not the loop that serves everybody.
    return await run_sync(_understood, given, length, language, client, page, limiter=READING)


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
        # `type`, because a bool is an int, too
        columns=columns if type(columns) is int and 0 <= columns <= MOST_COLUMNS else 0,
        address=str(said.get("address", ""))[:2000],
        extra=said,
        page=page,
        client=client,
    )
    _ = ask.reading, ask.pinned, ask.question  # here, where it may take its time
    return ask
