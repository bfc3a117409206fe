"""Turns of a request before its answer begins, given up when the visitor leaves; and reading in a thread.

Long links and bodies are read off the event loop, one at a time for all visitors: reading is Python, and two threads
would take as long and keep the event loop waiting twice as often. Short ones never wait for long ones.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, ParamSpec, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.types import Receive, Scope

from visualiser.server.admission.clients import client_of
from visualiser.server.admission.entry import admission, enter_line
from visualiser.server.admission.fair_line import FairLine
from visualiser.server.http.answer import wait_for_disconnect

Given = ParamSpec("Given")
Result = TypeVar("Result")

QUICK: Final = 500
"""Bytes that the event loop may read and judge itself: within a millisecond, whatever they are."""

SHORT: Final = 8 * 1024
"""Bytes of a link or body that is read in at most ten milliseconds or so; a longer one waits in a line of its own."""

_THREADS: Final = CapacityLimiter(2)  # one for each line


class VisitorLeft(Exception):
    """The visitor has left before the turn came."""


@asynccontextmanager
async def turn(line: FairLine, scope: Scope, receive: Receive) -> AsyncIterator[None]:
    """Take a turn in `line`. Call it after the body has been read.

    Raises `Refusal` if the line is full, `VisitorLeft` if the visitor leaves before the turn comes.
    """
    ticket = enter_line(line, client_of(scope), 0)
    try:
        if not ticket.turn_came:
            await _turn_came(ticket.turn(), receive)
        yield
    finally:
        ticket.leave()


async def run_apart(
    length: int,
    scope: Scope,
    receive: Receive,
    read: Callable[Given, Result],
    *given: Given.args,
    **named: Given.kwargs,
) -> Result:
    """Return what `read` returns of `length` bytes: at once of few, else in a thread when the client's turn has come.

    Raises what `read` and `turn` raise.
    """
    if length <= QUICK:
        return read(*given, **named)
    lines = admission()
    async with turn(lines.links if length <= SHORT else lines.long_links, scope, receive):
        return await run_sync(lambda: read(*given, **named), limiter=_THREADS)


async def _turn_came(turn: Awaitable[None], receive: Receive) -> None:
    """Return when `turn` does. Raise `VisitorLeft` if the visitor leaves before."""
    coming, leaving = asyncio.ensure_future(turn), asyncio.ensure_future(wait_for_disconnect(receive))
    try:
        await asyncio.wait({coming, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not coming.done():
            raise VisitorLeft
        coming.result()
    finally:
        for waiting in (coming, leaving):
            waiting.cancel()
