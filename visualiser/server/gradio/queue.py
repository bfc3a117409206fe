"""Clean-up of gradio's queue: gradio forgets no session and no result that is never fetched.

Each call of a program without a session of its own makes a new one. It leaves a few hundred bytes, and its result if
nobody listened: a hundred megabytes for a hundred thousand calls.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Final

from gradio.context import LocalContext
from gradio.queueing import Queue
from gradio.server_messages import EventMessage
from gradio.utils import LRUCache

from visualiser.server.admission.clients import UNKNOWN, names_to_drop
from visualiser.server.gradio.listeners import Listeners

KEPT: Final = 60.0
"""Seconds for which a result waits to be fetched."""

MOST: Final = 2000
"""Sessions with unfetched results; beyond this, the address with the most loses its first."""

PENDING: Final = 64
"""Unfinished or unheard calls of one session; at this number it gets no more."""

STATISTICS: Final = 64
"""Calls of which gradio keeps statistics, each with its session's name. Nobody can read them here.

They are never summed up: gradio would do so with pandas, in a separate thread, at the end of each call.
"""

LOOKS: Final = 0.02
"""Seconds between gradio's checks for calls.

Its default, a thousand checks a second, took a twentieth of an idle core, and the interpreter's lock from computations.
"""

_PAUSE: Final = 1.0  # seconds between checks

asked_by: Final[ContextVar[str]] = ContextVar("asked_by", default=UNKNOWN)
"""The address of the current request."""


class Messages(LRUCache[str, "asyncio.Queue[EventMessage]"]):
    """gradio's messages to each session, of which only `QueueCleaner` drops any.

    gradio's own table drops the oldest of 2,000 sessions, and its queue stops for ever at the next message to that
    session.
    """

    def __init__(self) -> None:
        super().__init__(sys.maxsize)
        self._address: dict[str, str] = {}

    def __setitem__(self, session: str, messages: "asyncio.Queue[EventMessage]") -> None:
        """Note the address whose request made the session."""
        self._address.setdefault(session, asked_by.get())
        super().__setitem__(session, messages)

    def __missing__(self, session: str) -> "asyncio.Queue[EventMessage]":
        """Return a queue that nobody reads: messages to a forgotten session are lost."""
        return asyncio.Queue()

    def __delitem__(self, session: str) -> None:
        """Forget a session. It may be gone already, if two of its streams end at the same time."""
        self._address.pop(session, None)
        if session in self:
            super().__delitem__(session)

    def address(self, session: str) -> str:
        """Return the address of the program that made the session."""
        return self._address.get(session, UNKNOWN)


def harden(queue: Queue) -> None:
    """Give a new gradio queue a message table that no visitor can break, short statistics and a slow clock."""
    queue.pending_messages_per_session = Messages()
    queue.ANALYTICS_MAX_EVENTS = STATISTICS
    queue.sleep_when_free = LOOKS
    queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize  # gradio's spelling; calls between two summaries


def answered_event() -> str | None:
    """Return the name of the call that is answered; None if it did not come through gradio's queue."""
    return LocalContext.event_id.get(None)


def full(queue: Queue, session: str) -> bool:
    """True if this session must fetch results before it may call again. None of a busy session's results is dropped."""
    return len(queue.pending_event_ids_session.get(session, ())) >= PENDING


class QueueCleaner:
    """Forgets finished sessions, at most once a second.

    A session goes at once when its results were fetched, or `KEPT` seconds after its calls ended. gradio itself keeps a
    call that is cancelled twice for ever; such a call goes once it has neither waited nor worked for `KEPT` seconds.
    Only the server's event loop touches this.
    """

    def __init__(self, listeners: Listeners, clock: Callable[[], float] = time.monotonic) -> None:
        self._listeners, self._clock = listeners, clock
        self._looked = -_PAUSE
        self._unheard: dict[str, float] = {}
        self._idle: dict[str, float] = {}

    def look(self, queue: Queue) -> None:
        """Forget all that can be forgotten now."""
        now = self._clock()
        if now - self._looked < _PAUSE:
            return
        self._looked = now
        under_way = _under_way(queue)
        self._idle = {event: self._idle.get(event, now) for event in queue.event_ids_to_events.keys() - under_way}
        for event in _too_long(self._idle, now):
            queue.event_ids_to_events.pop(event, None)
        unheard: dict[str, float] = {}
        for session in {**queue.pending_event_ids_session, **queue.pending_messages_per_session}:
            events = queue.pending_event_ids_session.get(session, set())
            if events & under_way or self._listeners.listened(session, *events):
                continue
            if events:
                unheard[session] = self._unheard.get(session, now)
            else:
                _forget(queue, session)
        waiting = {session: _address(queue, session) for session in unheard}
        for session in {*_too_long(unheard, now), *names_to_drop(MOST, waiting)}:
            del unheard[session]
            _forget(queue, session)
        self._unheard = unheard


def _under_way(queue: Queue) -> set[str]:
    """Return the events that wait or work."""
    lines = (line.queue for line in queue.event_queue_per_concurrency_id.values())
    return {event._id for events in (*queue.active_jobs, *lines) for event in events or ()}


def _too_long(since: Mapping[str, float], now: float) -> list[str]:
    return [name for name, began in since.items() if now - began >= KEPT]


def _address(queue: Queue, session: str) -> str:
    messages = queue.pending_messages_per_session
    return messages.address(session) if isinstance(messages, Messages) else UNKNOWN


def _forget(queue: Queue, session: str) -> None:
    queue.pending_event_ids_session.pop(session, None)
    del queue.pending_messages_per_session[session]
