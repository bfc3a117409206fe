"""Programs that listen for their answers: a call starts once its program listens and stops once it has left.

A program posts its call and then listens to a stream of events (gradio's ``/call/NAME/EVENT``, or one stream for all
calls of a session). gradio itself would compute even if nobody listened, and does not notice a program that leaves.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

from starlette.types import Scope

from visualiser.server.admission.clients import names_to_drop
from visualiser.server.http.paths import route_path

Result = TypeVar("Result")

NEVER: Final = 60.0
"""Seconds after its call in which a program must begin to listen; people may do this by hand. Nothing is computed yet.
"""

UNHEARD: Final = 64
"""Calls without a listener; beyond this, the address with the most loses its first."""

BETWEEN: Final = 1.0
"""Seconds between two streams of one session: a program may open a new one for its next call."""

_LOOK: Final = 0.05  # seconds between checks
_CALL: Final = re.compile(r"/gradio_api/call/(?:v2/)?\w+/([\w-]+)")


class CallerGone(Exception):
    """The call ends without an answer: its program never listened, or has left."""


@dataclass(frozen=True)
class _Unheard:
    """A call without a listener. `heard` becomes True when one comes, False when the call is dropped."""

    address: str
    session: str | None
    heard: asyncio.Future[bool]

    def end(self, heard: bool) -> None:
        if not self.heard.done():
            self.heard.set_result(heard)


class Listeners:
    """The number of listeners, by event or session. Only the server's event loop touches it."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._unheard: dict[str, _Unheard] = {}

    @contextmanager
    def listening(self, scope: Scope) -> Iterator[None]:
        """Count a listener while its stream of events is answered. Do nothing for other requests."""
        name = _listened_for(scope)
        if name is None:
            yield
            return
        self._count[name] += 1
        for event, call in self._unheard.items():
            if name in (event, call.session):
                call.end(True)
        try:
            yield
        finally:
            self._count[name] -= 1
            if not self._count[name]:
                del self._count[name]

    def listened(self, *names: str | None) -> bool:
        """True if anybody listens for one of these events or sessions."""
        return any(name in self._count for name in names)

    async def wait_for_listener(self, event: str, session: str | None, address: str) -> None:
        """Return when somebody listens for this event or this session.

        Raises `CallerGone` after `NEVER` seconds, or once more than `UNHEARD` calls wait and this one is the first
        of the address with the most.
        """
        if self.listened(event, session):
            return
        call = self._unheard[event] = _Unheard(address, session, asyncio.get_running_loop().create_future())
        for name in names_to_drop(UNHEARD, {name: call.address for name, call in self._unheard.items()}):
            self._unheard[name].end(False)
        try:
            async with asyncio.timeout(NEVER):
                if not await call.heard:
                    raise CallerGone
        except TimeoutError:
            raise CallerGone from None
        finally:
            del self._unheard[event]

    async def run_while_listening(self, work: Coroutine[Any, Any, Result], event: str, session: str | None) -> Result:
        """Return the result of `work`, or cancel it and raise `CallerGone` once no listener for its event or session
        is left.

        Cancelling the caller cancels `work`, too.
        """
        task = asyncio.ensure_future(work)
        heard, patience = time.monotonic(), BETWEEN
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_LOOK)
                if event in self._count:
                    heard, patience = time.monotonic(), 0.0
                elif session in self._count:
                    heard, patience = time.monotonic(), BETWEEN
                elif time.monotonic() - heard > patience and not task.done():
                    raise CallerGone
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
"""This process's listeners."""
