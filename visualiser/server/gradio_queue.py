"""What gradio's queue keeps of calls that are over: it never forgets a session, and results that nobody fetches stay.

Each call of a program without a session of its own is a new session. What is left of one is a few hundred bytes, and
its result where nobody listened; a hundred thousand calls are a hundred megabytes.
"""

import time
from collections.abc import Callable
from typing import Final

from gradio.queueing import Queue

from visualiser.server.listeners import Listeners

KEPT: Final = 60.0
"""Seconds for which a result waits for its program to come for it."""

SESSIONS: Final = 16
"""Sessions whose state gradio keeps, 200 kB each, 10,000 if one lets it. Nothing here has any state: as many as keep
gradio from making one anew for each step of a call."""

_PAUSE: Final = 1.0  # seconds between two looks


class Tidy:
    """Forgets, at most once a second, sessions of which all calls are over: at once when their results have been heard,
    after `KEPT` seconds when nobody came. Only the server's event loop touches it."""

    def __init__(self, listeners: Listeners, clock: Callable[[], float] = time.monotonic) -> None:
        self._listeners, self._clock = listeners, clock
        self._looked = -_PAUSE
        self._over: dict[str, float] = {}

    def look(self, queue: Queue) -> None:
        """Forgets what can be forgotten now."""
        now = self._clock()
        if now - self._looked < _PAUSE:
            return
        self._looked = now
        over: dict[str, float] = {}
        for session, unheard in list(queue.pending_event_ids_session.items()):
            under_way = any(event in queue.event_ids_to_events for event in unheard)
            if under_way or self._listeners.listened(session, *unheard):
                continue
            since = self._over.get(session, now)
            if unheard and now - since < KEPT:
                over[session] = since
                continue
            queue.pending_event_ids_session.pop(session, None)
            queue.pending_messages_per_session.pop(session, None)
        self._over = over
