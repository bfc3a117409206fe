"""Bodies of requests: read up to a stated size, while they come in time, and parsed off the event loop if long."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, ParamSpec, TypeVar

from anyio import CapacityLimiter
from fastapi import Request
from starlette.requests import ClientDisconnect

from visualiser.server.admission.clients import client_of
from visualiser.server.admission.entry import admission, enter_line
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.turns import VisitorLeft, run_apart
from visualiser.upload import FILE_LIMIT

Given = ParamSpec("Given")
Result = TypeVar("Result")

HEADER_LIMIT: Final = 256 * 1024
"""The most bytes of JSON read: the longest link with every character escaped, and the known structures."""

BODY_LIMIT = FILE_LIMIT + HEADER_LIMIT + 4
"""The most bytes of a body read: the JSON, and the largest upload."""

TICKETS: Final = "headlight.held"
"""The key of a request's scope for the tickets it holds until it is answered."""

STALL_SECONDS: Final = 30.0
"""Seconds within which the next 64 kB of a body, or its end, must come."""

PARSERS: Final = CapacityLimiter(2)
"""Long texts and file headers read at the same time to price them, each in a thread."""

_UNTICKETED: Final = 8 * 1024  # bytes of a body allowed without a ticket: most links are shorter
_PROGRESS: Final = 64 * 1024  # bytes of a body that must come in `STALL_SECONDS`


def too_large(came: int, limit: int, key: str = "error.body_too_large") -> Refusal:
    """Return the refusal of a request of at least `came` bytes if only `limit` are read."""
    return Refusal(key, 413, came=came, limit=limit)


async def read_body(request: Request, limit: int, key: str = "error.body_too_large") -> bytes:
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
    if size > _UNTICKETED:
        ticket = enter_line(admission().uploads, client_of(request.scope), size)
        request.scope.setdefault(TICKETS, []).append(ticket)
        async with _refuse_stalls():
            await ticket.turn()
    chunks, length = [], 0
    stream = request.stream()
    while True:
        async with _refuse_stalls():
            # this much, or the end, must come in time
            enough = length + _PROGRESS
            while length < enough:
                chunk = await anext(stream, None)
                if chunk is None:
                    return b"".join(chunks)
                length += len(chunk)
                if length > limit:
                    raise too_large(length, limit, key)
                chunks.append(chunk)


@asynccontextmanager
async def _refuse_stalls() -> AsyncIterator[None]:
    """Raise `Refusal` if the block takes longer than `STALL_SECONDS`."""
    try:
        async with asyncio.timeout(STALL_SECONDS):
            yield
    except TimeoutError:
        raise Refusal("error.body_stalled", 408) from None


async def parse_body(
    request: Request, body: bytes, parser: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    """Return what `parser` returns of these arguments, in a thread if the body is long.

    Raises what it raises, `Refusal`, and `ClientDisconnect` if the visitor leaves before the turn comes.
    """
    try:
        return await run_apart(len(body), request.scope, request.receive, parser, *given, **named)
    except VisitorLeft:
        raise ClientDisconnect from None
