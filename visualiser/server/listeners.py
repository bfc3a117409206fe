"""Which programs still listen for what they asked for: a call whose program has left is stopped.

A program posts its call and then listens to a stream of events (gradio's ``/call/NAME/EVENT``, or one stream for all
calls of a session). gradio forgets who left, and goes on computing.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

from starlette.types import Scope

from visualiser.server.paths import route_path

Result = TypeVar("Result")

NEVER: Final = 10.0
"""Seconds that a program has, from the beginning of its call, to begin to listen."""

BETWEEN: Final = 1.0
"""Seconds between two streams of one session: a program may open a new one for its next call."""

_LOOK: Final = 0.05  # seconds between two looks
_CALL: Final = re.compile(r"/gradio_api/call/(?:v2/)?\w+/([\w-]+)")


class NobodyListens(Exception):
    """The call was stopped: its program has left."""


class Listeners:
    """How many listen, by event or session. Only the server's event loop touches it."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()

    @contextmanager
    def listening(self, scope: Scope) -> Iterator[None]:
        """While a stream of events is answered; a request for anything else is nobody's listening."""
        name = _listened_for(scope)
        if name is None:
            yield
            return
        self._count[name] += 1
        try:
            yield
        finally:
            self._count[name] -= 1
            if not self._count[name]:
                del self._count[name]

    def listened(self, *names: str) -> bool:
        """Whether anybody listens for one of these events or sessions."""
        return any(name in self._count for name in names)

    async def wanted(self, work: Coroutine[Any, Any, Result], event: str | None, session: str | None) -> Result:
        """What `work` returns. It is cancelled, and `NobodyListens` raised, when whoever listened for this event, or
        this session, is gone, or when nobody began to; who is cancelled meanwhile cancels it, too."""
        task = asyncio.ensure_future(work)
        heard, patience = time.monotonic(), NEVER
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_LOOK)
                if event in self._count:
                    heard, patience = time.monotonic(), 0.0
                elif session in self._count:
                    heard, patience = time.monotonic(), BETWEEN
                elif time.monotonic() - heard > patience and not task.done():
                    raise NobodyListens
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])


def _listened_for(scope: Scope) -> str | None:
    if scope["method"] != "GET":
        return None
    path = route_path(scope)
    if (found := _CALL.fullmatch(path)) is not None:
        return found[1]
    if path == "/gradio_api/queue/data":
        return parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", [None])[0]
    return None


listeners: Final = Listeners()
"""This process's own."""
