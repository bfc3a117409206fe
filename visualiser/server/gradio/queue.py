"""What gradio's queue keeps of calls that are over: it never forgets a session, and results that nobody fetches stay.

Each call of a program without a session of its own is a new session. What is left of one is a few hundred bytes, and
its result where nobody listened; a hundred thousand calls are a hundred megabytes.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Final

from gradio.queueing import Queue
from gradio.server_messages import EventMessage
from gradio.utils import LRUCache

from visualiser.server.admission.clients import UNKNOWN, beyond
from visualiser.server.gradio.listeners import Listeners

KEPT: Final = 60.0
"""Seconds for which a result waits for its program to come for it."""

MOST: Final = 2000
"""Sessions whose results wait for their programs; of more, the address that has most loses its first."""

PENDING: Final = 64
"""Calls of one session that are not over, or whose results nobody has heard; it gets no more."""

STATISTICS: Final = 64
"""Calls of which gradio keeps statistics, each with its session's name; nobody can read them here, and none is ever
summed up: gradio would do so with pandas, in a thread of its own, at the end of each call."""

LOOKS: Final = 0.02
"""Seconds between two looks of gradio's for calls. Its own thousand looks a second took a twentieth of a core at rest,
and the interpreter's lock from whoever computed."""

_PAUSE: Final = 1.0  # seconds between two looks

asked_by: Final[ContextVar[str]] = ContextVar("asked_by", default=UNKNOWN)
"""The address of the request that is being answered."""


class Messages(LRUCache[str, "asyncio.Queue[EventMessage]"]):
    """What gradio has to tell each session. gradio's own table drops the oldest of 2,000 sessions, and gradio's queue
    stops for ever when it has to tell a dropped one something: this table drops none, `Tidy` does."""

    def __init__(self) -> None:
        super().__init__(sys.maxsize)
        self._address: dict[str, str] = {}

    def __setitem__(self, session: str, messages: "asyncio.Queue[EventMessage]") -> None:
        """Notes the address whose request made the session."""
        self._address.setdefault(session, asked_by.get())
        super().__setitem__(session, messages)

    def __missing__(self, session: str) -> "asyncio.Queue[EventMessage]":
        """What is said to a session that is gone is lost."""
        return asyncio.Queue()

    def __delitem__(self, session: str) -> None:
        """Forget a session. The second of two streams that end at the same time finds nothing."""
        self._address.pop(session, None)
        if session in self:
            super().__delitem__(session)

    def address(self, session: str) -> str:
        """Of the program that made the session."""
        return self._address.get(session, UNKNOWN)


def secured(queue: Queue) -> None:
    """Give a new queue of gradio's a table of messages that no visitor can break, short statistics and a slow clock."""
    queue.pending_messages_per_session = Messages()
    queue.ANALYTICS_MAX_EVENTS = STATISTICS
    queue.sleep_when_free = LOOKS
    queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize  # gradio's spelling; calls between two sums


def full(queue: Queue, session: str) -> bool:
    """True if this session has to hear results before it may call again: none of a busy session's is forgotten."""
    return len(queue.pending_event_ids_session.get(session, ())) >= PENDING


class Tidy:
    """Forgets, at most once a second, sessions of which all calls are over: at once when their results have been heard,
    after `KEPT` seconds when nobody came. Only the server's event loop touches it.

    gradio itself keeps a call for ever that is cancelled twice: what neither waits nor works for `KEPT` seconds goes.
    """

    def __init__(self, listeners: Listeners, clock: Callable[[], float] = time.monotonic) -> None:
        self._listeners, self._clock = listeners, clock
        self._looked = -_PAUSE
        self._unheard: dict[str, float] = {}
        self._idle: dict[str, float] = {}

    def look(self, queue: Queue) -> None:
        """Forgets what can be forgotten now."""
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
        for session in {*_too_long(unheard, now), *beyond(MOST, waiting)}:
            del unheard[session]
            _forget(queue, session)
        self._unheard = unheard


def _under_way(queue: Queue) -> set[str]:
    """The events that wait or work."""
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
