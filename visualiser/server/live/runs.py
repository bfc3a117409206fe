"""Long runs, which a visitor starts, watches, pauses and cancels: a wait in line, then parts from a thread.

A run lives as long as its connection. A closed tab, the cancel button or a lost network ends it and frees what it held.
Meanwhile the server remembers only `_running`, so that a second request can pause or cancel the run. Its names cannot
be guessed, and it is as small as the number of runs.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import closing
from typing import Any, Final, Literal

from attention_core import Cancelled, checkpoint, stopping
from visualiser.server.admission.entry import RUNS_AT_ONCE, admission
from visualiser.server.admission.fair_line import Ticket
from visualiser.server.admission.flight import give_back
from visualiser.server.instance import made_here, new_name
from visualiser.server.live import parts

AT_ONCE: Final = RUNS_AT_ONCE
LONGEST_PAUSE: Final = 600.0
"""Seconds that a run may stand still and keep its place: all its pauses and waits for its reader together."""

LONGEST_WAITED_FOR: Final = 60.0
"""Seconds that a run may stand still while others wait for its place."""

BEAT: Final = 10.0
"""Seconds of silence after which a stream sends a sign of life; proxies cut silent streams."""

_LOOK: Final = 0.25  # seconds between checks of the line and of a pause
_AHEAD: Final = 16  # parts that a run may be ahead of the browser
_running: dict[str, "Run"] = {}
log = logging.getLogger(__name__)


class Run:
    """One run, passed to its job. The job asks `cancelled` often, and calls `hold` between two parts.

    `computes` is False for one that only waits: for a network, or for another's run.
    """

    def __init__(self, computes: bool = True) -> None:
        self.name, self.computes = new_name(), computes
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._stood = 0.0
        self.ended_by_pause = False

    def cancelled(self) -> bool:
        """True if nobody waits for the result any more; cheap enough for an inner loop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """End the run for good."""
        with self._lock:
            self._cancelled.set()
            self._going.set()

    def pause(self) -> None:
        """Stop the run at its next part, unless it is cancelled."""
        with self._lock:
            if not self._cancelled.is_set():
                self._going.clear()

    def resume(self) -> None:
        """Continue after a pause."""
        self._going.set()

    def hold(self) -> None:
        """Return at once, or when a pause ends."""
        self.stand_until(self._going.wait)

    def stand_until(self, going: Callable[[float], bool]) -> None:
        """Return when `going`, which waits for at most so many seconds, is true, or when the run is cancelled.

        Cancels a run whose stops have taken too long altogether.
        """
        began = time.monotonic() - self._stood
        while not going(_LOOK) and not self.cancelled():
            waited_for = admission().runs.waiting + admission().fetches.waiting > 0
            if time.monotonic() - began > (LONGEST_WAITED_FOR if waited_for else LONGEST_PAUSE):
                self.ended_by_pause = True
                self.cancel()
        self._stood = time.monotonic() - began


Job = Callable[[Run], Generator[bytes]]


Outcome = Literal["done", "ended", "unknown"]


def command(name: str, wish: str) -> Outcome:
    """Pause, resume or cancel the run of this name.

    "ended": the run is over and nothing is left to do. The process forgets ended runs, so any
    name that it made and that does not run counts as one. "unknown": another process made the name, or there is no
    such command.
    """
    wishes = {"pause": Run.pause, "resume": Run.resume, "cancel": Run.cancel}
    if wish not in wishes or not made_here(name):
        return "unknown"
    run = _running.get(name)
    if run is None or run.cancelled():
        return "ended"
    wishes[wish](run)
    return "done"


def before_a_newcomer() -> int:
    """Return the number of runs that would have to end before one started now could work."""
    return admission().runs.before_a_newcomer()


def threads(besides: int = 0) -> int:
    """Return the cores per run, shared among all that compute (the caller's included) and `besides` others."""
    computing = sum(run.computes for run in _running.values())
    return max(1, (os.cpu_count() or 1) // max(1, computing + besides))


async def stream(job: Job, enter: Callable[[], Ticket], failure: Callable[[str], bytes]) -> AsyncIterator[bytes]:
    """Yield the place in line, then the parts of `job`. Close the iterator when the visitor leaves.

    `enter` gives the ticket. `failure` makes the last part from a text's key, if the job fails or stood still for too
    long. Closing ends the run; the ticket is returned once its thread has ended, never earlier.
    """
    ticket = enter()
    run, started = Run(computes=ticket.is_in(admission().runs)), False
    turn = asyncio.ensure_future(ticket.turn())
    try:
        announced, last_sent = 0, time.monotonic()
        while not ticket.turn_came:
            if ticket.pushed_out:
                if not announced:
                    raise ticket.refusal
                yield failure("error.too_many_runs")
                return
            if (before := ticket.before) != announced:
                announced, last_sent = before, time.monotonic()
                yield parts.waiting(before, ticket.at_once)
            elif time.monotonic() - last_sent > BEAT:
                last_sent = time.monotonic()
                yield parts.beat()
            await asyncio.wait([turn], timeout=_LOOK)
        _running[run.name] = run
        yield parts.started(run.name)
        started = True
        async for piece in _stream_work(job, run, failure, lambda: _end(run, ticket)):
            yield piece
    finally:
        run.cancel()
        if not turn.cancel() and not turn.cancelled():
            turn.exception()  # mark the exception as retrieved
        if not started:
            _end(run, ticket)


def _end(run: Run, ticket: Ticket) -> None:
    _running.pop(run.name, None)
    give_back(ticket, 0)
    ticket.leave()


async def _stream_work(
    job: Job, run: Run, failure: Callable[[str], bytes], end: Callable[[], None]
) -> AsyncIterator[bytes]:
    """Yield what `job` makes in a separate thread. Call `end` once that thread has really ended."""
    loop = asyncio.get_running_loop()
    made: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(_AHEAD)

    def work() -> None:
        try:
            with stopping(run.cancelled), closing(job(run)) as pieces:
                checkpoint()  # of a crowd that leaves at once, many get their turn on the way out
                for piece in pieces:
                    run.stand_until(lambda seconds: room.acquire(timeout=seconds))
                    run.hold()
                    if run.ended_by_pause:
                        loop.call_soon_threadsafe(made.put_nowait, failure("error.pause_too_long"))
                    if run.cancelled():
                        return
                    loop.call_soon_threadsafe(made.put_nowait, piece)
        except Cancelled:
            pass
        except Exception:
            if not run.cancelled():
                log.exception("a run broke")
                loop.call_soon_threadsafe(made.put_nowait, failure("error.server"))
        finally:
            _call_soon(loop, end)  # before the stream ends
            _call_soon(loop, made.put_nowait, None)

    try:
        threading.Thread(target=work, daemon=True).start()
    except RuntimeError:
        log.exception("no thread for a run")
        end()
        yield failure("error.server")
        return
    while True:
        try:
            async with asyncio.timeout(BEAT):  # wait_for of Python 3.11 loses a cancellation that comes with a part
                piece = await made.get()
        except TimeoutError:
            yield parts.beat()
            continue
        if piece is None:
            return
        yield piece
        room.release()


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *given: Any) -> None:
    """Call from the event loop, unless the server has ended meanwhile."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(call, *given)
