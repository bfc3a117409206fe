"""Long work that a visitor starts, watches, pauses and cancels: waiting in line, then a stream of parts from a thread.

A run lives as long as its connection: a closed tab, the cancel button or a lost network ends it within a second, and
what it held is gone. `_running` is the one thing the server remembers meanwhile, so that a second request can pause or
cancel it; its names cannot be guessed, and it holds no more than there are runs.
"""

import asyncio
import logging
import os
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import closing
from typing import Final

from fastapi import Request

from visualiser.live import parts
from visualiser.live.asking import Refusal
from visualiser.live.places import Places

AT_ONCE: Final = 2
"""So many long runs work at the same time, for all visitors together; the others wait in line."""

LONGEST_LINE: Final = 64
"""So many runs work and wait together; more are refused at once."""

LONGEST_PAUSE: Final = 600.0
"""Seconds a run may stand still; it keeps its place meanwhile, so it must not do so for ever."""

_BEAT = 0.25  # seconds between two looks at the line and at the visitor's connection
_AHEAD = 16  # parts that a run may be ahead of the browser
_places = Places(AT_ONCE, LONGEST_LINE)
_running: dict[str, "Run"] = {}
log = logging.getLogger(__name__)


class Run:
    """One run as its job sees it: asks `cancelled` often, and `hold`s between two parts while the visitor pauses it."""

    def __init__(self) -> None:
        self.name = secrets.token_urlsafe(16)
        self._cancelled = threading.Event()
        self._going = threading.Event()
        self._going.set()

    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more; cheap enough for an inner loop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        self._cancelled.set()
        self._going.set()

    def pause(self) -> None:
        self._going.clear()

    def resume(self) -> None:
        self._going.set()

    def hold(self) -> None:
        """Returns at once, or when a pause ends; a pause that lasts too long cancels the run."""
        if not self._going.wait(LONGEST_PAUSE):
            self.cancel()


Job = Callable[[Run], Generator[bytes]]


def tell(name: str, wish: str) -> bool:
    """Pauses, resumes or cancels the run of this name; False when there is none or the wish is none."""
    run = _running.get(name)
    wishes = {"pause": Run.pause, "resume": Run.resume, "cancel": Run.cancel}
    if run is None or wish not in wishes:
        return False
    wishes[wish](run)
    return True


def require_room() -> None:
    """Raises `Refusal` when the line is so long that nobody else is let in."""
    if _places.full:
        raise Refusal("error.too_many_runs", 503)


def before_a_newcomer() -> int:
    """How many runs would have to end before one that is started now may work."""
    return _places.before_a_newcomer


def threads(besides: int = 0) -> int:
    """The cores, shared among all runs that work now (the one that asks is one of them) and `besides` others."""
    return max(1, (os.cpu_count() or 1) // max(1, len(_running) + besides))


async def stream(job: Job, request: Request, failure: Callable[[], bytes]) -> AsyncIterator[bytes]:
    """The parts of `job`, after those that tell one's place in line; `failure` makes the last one when the job
    breaks."""
    ticket, run = _places.enter(), Run()
    started = False
    try:
        told = 0
        while before := _places.before(ticket):
            if before != told:
                told = before
                yield parts.waiting(before, AT_ONCE)
            if await request.is_disconnected():
                return
            await asyncio.sleep(_BEAT)
        _running[run.name] = run
        yield parts.began(run.name)
        started = True
        async for piece in _worked(job, run, request, failure, lambda: _end(run, ticket)):
            yield piece
    finally:
        run.cancel()
        if not started:
            _end(run, ticket)


def _end(run: Run, ticket: object) -> None:
    _running.pop(run.name, None)
    _places.leave(ticket)


async def _worked(
    job: Job, run: Run, request: Request, failure: Callable[[], bytes], end: Callable[[], None]
) -> AsyncIterator[bytes]:
    """What `job` makes in a thread of its own. The place is given back when that thread has really ended."""
    loop = asyncio.get_running_loop()
    made: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(_AHEAD)

    def work() -> None:
        try:
            with closing(job(run)) as pieces:
                for piece in pieces:
                    while not room.acquire(timeout=_BEAT) and not run.cancelled():
                        pass
                    run.hold()
                    if run.cancelled():
                        return
                    loop.call_soon_threadsafe(made.put_nowait, piece)
        except Exception:
            if not run.cancelled():
                log.exception("a run broke")
                loop.call_soon_threadsafe(made.put_nowait, failure())
        finally:
            loop.call_soon_threadsafe(end)  # before the stream ends: afterwards the loop may be gone
            loop.call_soon_threadsafe(made.put_nowait, None)

    threading.Thread(target=work, daemon=True).start()
    looked = time.monotonic()
    while True:
        try:
            piece = await asyncio.wait_for(made.get(), _BEAT)
        except TimeoutError:
            piece = b""
        if piece is None:
            return
        if piece:
            yield piece
            room.release()
        if time.monotonic() - looked > _BEAT:
            looked = time.monotonic()
            if await request.is_disconnected():
                return
