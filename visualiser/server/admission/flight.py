"""One computation shared by all who wait for it.

It runs once, gives its parts to each reader as they are made, and stops when all readers have left. Its place is
returned once the computing thread has really ended, its memory once nobody needs the parts.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from typing import Any, Final, NamedTuple, TypeVar

from attention_core import Cancelled, stopping
from visualiser.server import allocator
from visualiser.server.admission.fair_line import Ticket
from visualiser.server.admission.reader import Reader
from visualiser.server.admission.refusal import Refusal
from visualiser.server.admission.threads import Threads

Make = Callable[[], Iterator[bytes]]
Result = TypeVar("Result")

_THREADS: Final = Threads(64)
"""More threads than all lines have places, so every ticket in turn has one."""


class Beat(NamedTuple):
    """A message to waiting readers after each `seconds` of silence."""

    seconds: float
    content: bytes


class Flight:
    """A computation under way, or just ended. Only the server's event loop touches it, except in `_work`.

    Until it starts, each address that needs it has its own ticket. The first turn that comes starts it, so nobody waits
    for another address's turn.
    """

    def __init__(self, make: Make, when_ended: Callable[["Flight"], None]) -> None:
        self._make, self._when_ended = make, when_ended
        self.pieces: list[bytes] = []
        self.bytes = 0
        self.ended = False
        self._problem: Exception | None = None
        self._stop = threading.Event()
        self._changed: list[asyncio.Future[bool]] = []
        self._readers = 0
        self._ticket: Ticket | None = None
        self._waiting: dict[str, tuple[asyncio.Task[None], Ticket]] = {}

    @property
    def sound(self) -> bool:
        """True if it can serve more visitors: it did not fail, and was not abandoned before its end."""
        return not self._stop.is_set() and self._problem is None

    async def parts(self, address: str, enter: Callable[[], Ticket], beat: Beat | None = None) -> AsyncIterator[bytes]:
        """Yield the parts from the first on as they come, and a `beat` after each silence.

        `enter` gives a ticket in the line. Raises what the computation raised. Close the iterator if you stop early;
        the computation stops when its last reader closes.
        """
        self._readers += 1
        if self.ended and self._ticket is not None:
            self._ticket.hold(self.bytes)
        reader = Reader(lambda: self._ticket)
        try:
            if self._ticket is None and not self.ended and address not in self._waiting:
                self._wait(address, enter)
            at = 0
            while True:
                while at < len(self.pieces):
                    at += 1
                    with reader.reads():
                        yield self.pieces[at - 1]
                if self._problem is not None:
                    raise self._problem
                if self.ended:
                    return
                if not await self._change(beat) and beat is not None:
                    with reader.reads():
                        yield beat.content
        finally:
            reader.leave()
            self._readers -= 1
            if not self._readers:
                self._unread()

    def _wait(self, address: str, enter: Callable[[], Ticket]) -> None:
        try:
            ticket = enter()
        except Refusal:
            if not self._waiting:  # else another ticket's turn will come
                raise
        else:
            self._waiting[address] = asyncio.create_task(self._run(address, ticket)), ticket

    def _wait_no_more(self) -> None:
        for task, ticket in self._waiting.values():
            if task is not asyncio.current_task():
                task.cancel()
                ticket.leave()  # a cancelled task that has not begun runs no `finally`
        self._waiting.clear()

    def _unread(self) -> None:
        """Return the memory, or stop the computation, once the last reader has left.

        From then on a cache that keeps the answer accounts for its bytes.
        """
        if self.ended:
            if self._ticket is not None:
                self._ticket.leave()
            return
        self._stop.set()
        if self._ticket is None:
            self._wait_no_more()
            self._end()

    async def _run(self, address: str, ticket: Ticket) -> None:
        try:
            await ticket.turn()
        except Refusal as refusal:  # pushed out of the line
            self._waiting.pop(address, None)
            if not self._waiting and self._ticket is None and not self.ended:
                self._problem = refusal
                self._end()
            return
        finally:
            if not ticket.working or self._ticket is not None or self.ended:
                ticket.leave()
        if self._ticket is not None or self.ended:
            return
        self._ticket = ticket
        self._wait_no_more()
        try:
            await asyncio.get_running_loop().run_in_executor(_THREADS, self._work, asyncio.get_running_loop())
        except RuntimeError as problem:  # no thread could be started
            self._problem = problem
            self._stop.set()  # work that still waits for a thread must not run without a ticket
        finally:
            give_back(ticket, self.bytes)
            self._end()
            if not self._readers:
                ticket.leave()

    def _end(self) -> None:
        self.ended = True
        self._when_ended(self)
        self._wake_readers()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        """Compute in a thread and hand over each part when it is made."""
        try:
            with stopping(self._stop.is_set), closing(_closable(self._make())) as pieces:
                for piece in pieces:
                    if self._stop.is_set():
                        return
                    loop.call_soon_threadsafe(self._add_part, piece)
        except Cancelled:
            return
        except Exception as problem:
            loop.call_soon_threadsafe(self._failed, problem)

    def _add_part(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.bytes += len(piece)
        self._wake_readers()

    def _failed(self, problem: Exception) -> None:
        self._problem = problem
        self._wake_readers()

    async def _change(self, beat: Beat | None) -> bool:
        """Wait for a change and return True; False when it is time for a `beat`."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        self._changed.append(waiter)
        timer = None if beat is None else loop.call_later(beat.seconds, _wake, waiter, False)
        try:
            return await waiter
        finally:
            if timer is not None:
                timer.cancel()

    def _wake_readers(self) -> None:
        waiters, self._changed = self._changed, []
        for waiter in waiters:
            _wake(waiter, True)


def _wake(waiter: "asyncio.Future[bool]", changed: bool) -> None:
    """Wake a waiter, unless it is awake or gone."""
    if not waiter.done():
        waiter.set_result(changed)


def give_back(ticket: Ticket, keep: int) -> None:
    """Return a ticket's place and all memory but `keep`. Trim the allocator if that is much."""
    if ticket.memory - keep > _MUCH:
        allocator.trim_soon()
    ticket.rest(keep)


def _closable(pieces: Iterator[bytes]) -> Any:
    """Return an iterator that can be closed."""
    return pieces if hasattr(pieces, "close") else (piece for piece in pieces)


async def run_in_turn(enter: Callable[[], Ticket], work: Callable[[], Result]) -> Result:
    """Run `work` when its turn has come and return its result. Stop it if the caller is cancelled."""
    stop, loop, ticket = threading.Event(), asyncio.get_running_loop(), enter()

    def stoppable() -> Result:
        with stopping(stop.is_set):
            return work()

    try:
        await ticket.turn()
        return await _wait_for_thread(loop.run_in_executor(_THREADS, stoppable), stop)
    finally:
        give_back(ticket, 0)
        ticket.leave()


async def _wait_for_thread(work: "asyncio.Future[Result]", stop: threading.Event) -> Result:
    """Return the result of a thread's work. If cancelled, stop the thread and wait until it has really ended."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        while not work.done():  # a second cancellation must not free the place before the thread ends
            with suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # mark the exception as retrieved: nobody is left to hear it
        raise


async def stream_batches(enter: Callable[[], Ticket], again: Callable[[], Ticket], make: Make) -> AsyncIterator[bytes]:
    """Yield the parts of a large answer, made as they are read. Between batches it holds memory but no place.

    `enter` gives the ticket that holds the memory, `again` one for each further batch. Close it if you stop early.
    """
    stop, loop = threading.Event(), asyncio.get_running_loop()
    held = enter()
    reader = Reader(lambda: held)
    pieces: Any = None

    def batch() -> list[bytes]:
        nonlocal pieces
        with stopping(stop.is_set):
            making = pieces = _closable(make()) if pieces is None else pieces
            found: list[bytes] = []
            size = 0
            for piece in making:
                found.append(piece)
                size += len(piece)
                if size >= _BATCH or stop.is_set():
                    break
            return found

    def close() -> None:
        if pieces is not None:
            pieces.close()

    async def made(ticket: Ticket) -> list[bytes]:
        await ticket.turn()
        return await _wait_for_thread(loop.run_in_executor(_THREADS, batch), stop)

    try:
        try:
            found = await made(held)
        finally:
            held.rest(held.memory)
        while found:
            for piece in found:
                with reader.reads():
                    yield piece
            ticket = again()
            try:
                found = await made(ticket)
            finally:
                ticket.leave()
    finally:
        reader.leave()
        stop.set()
        try:
            await _wait_for_thread(loop.run_in_executor(_THREADS, close), stop)
        finally:  # also if cancelled while closing
            give_back(held, 0)
            held.leave()


_MUCH: Final = 2**25
"""Freed bytes above which to trim the allocator."""

_BATCH: Final = 2**18
"""Bytes per batch: a turn for every line would take longer than the lines."""
