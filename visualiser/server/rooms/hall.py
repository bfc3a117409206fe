"""The rooms that somebody follows through this process: each message is encoded once, and wakes its readers.

A reader has no queue: it knows the last revision it was sent and takes the newest, so a slow one skips the rest.
Messages go out at most five times a second, the first at once and the last always; if only the count has changed, once
a second.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from visualiser.server.admission.places import gives_way
from visualiser.server.http import health
from visualiser.server.rooms import messages, record
from visualiser.server.rooms.channel import REMOTE, STUDENT, TEACHER, Channel, Seat
from visualiser.server.rooms.held import size
from visualiser.server.rooms.limits import TABS
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, Snapshot, Store

APART: Final = 0.2
"""Seconds between two messages to the class."""

COUNTS_APART: Final = 1.0
"""Seconds between two messages if only the count has changed."""

BYTES_A_SECOND: Final = 8e6
"""Bytes of messages that a room sends in a second to all its readers together."""

BEAT: Final = 15.0
"""Seconds between two signs of life."""

UNWATCHED: Final = 60.0
"""Seconds after which a room that nobody follows through this process leaves its memory (but not the store)."""

_AGAIN: Final = 1.0  # seconds until a store that is away is asked again
_log = logging.getLogger(__name__)


class Live:
    """One room that somebody follows through this process."""

    def __init__(self, code: str, store: Store, clock: Callable[[], float]) -> None:
        self.code = code
        self._store, self._clock = store, clock
        self.students, self.teachers, self.remotes = Channel(STUDENT), Channel(TEACHER), Channel(REMOTE)
        self.record: record.Record | None = None
        self.used = clock()
        self.gone = False
        self.polled: dict[str, float] = {}
        self._document = self._fresh = 0
        self._dirty = asyncio.Event()
        self._looked = self._said = -COUNTS_APART
        self._next_beat = clock() + BEAT
        self.work: asyncio.Task[None] | None = None

    @property
    def seats(self) -> list[Seat]:
        """All streams."""
        return [*self.students.seats.values(), *self.teachers.seats.values(), *self.remotes.seats.values()]

    @property
    def held(self) -> int:
        """Bytes of memory, but for streams and tabs."""
        events = self.students.event, self.teachers.event, self.remotes.event
        return _RECORD + 2 * self._document + sum(map(size, events))

    def has(self, name: str) -> bool:
        """True if this student follows through this process."""
        return name in self.students.seats or name in self.polled

    def polls(self, name: str) -> None:
        """Note that this tab has asked for the message."""
        self.polled.pop(name, None)
        self.polled[name] = self._clock()
        if len(self.polled) > TABS:
            del self.polled[next(iter(self.polled))]

    def channel(self, you: str) -> Channel:
        """Return the messages to one kind of reader."""
        return {STUDENT: self.students, TEACHER: self.teachers, REMOTE: self.remotes}[you]

    def changed(self) -> None:
        """Note that the store has something new."""
        self._dirty.set()

    async def load(self) -> None:
        """Read the room for the first time. Raise `NoRoom` or `Away`."""
        snapshot = await self._store.snapshot(self.code)
        if snapshot is None:
            raise NoRoom
        self.tell(snapshot)
        self.work = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        """Tell every change, as often as may be."""
        while not self.gone:
            await self._dirty.wait()
            await asyncio.sleep(max(0.0, self._looked + self._apart() - self._clock()))
            self._dirty.clear()
            self._looked = self._clock()
            try:
                snapshot = await self._store.snapshot(self.code)
            except Away:
                self._dirty.set()
                await asyncio.sleep(_AGAIN)
                continue
            if snapshot is None:
                self.close(over=self.record is not None and self.record.until <= time.time())
                return
            try:
                self.tell(snapshot)
            except Exception:
                _log.exception("a room's message broke")

    def _apart(self) -> float:
        size = len(self.students.event) * len(self.students.seats)
        return max(APART, size / BYTES_A_SECOND)

    def tell(self, snapshot: Snapshot) -> None:
        """Tell all readers what is new to them."""
        self.record = found = record.read(snapshot.document)
        if found.ended:
            self.close(over=True)
            return
        self._fresh = len(found.remote.fresh(time.time()))
        teachers = messages.for_teacher(found, snapshot)
        if not self.teachers.has_said(teachers):
            self.teachers.say(snapshot.revision, teachers)
        self._tell_remote(found, snapshot)
        students = messages.for_class(found, snapshot.count)
        self._document = len(snapshot.document)
        if self.students.has_said(students):
            return
        now = self._clock()
        counts_only = self.students.has_said(students, but_count=True)
        if counts_only and (wait := self._said + COUNTS_APART - now) > 0:
            asyncio.get_running_loop().call_later(wait, self.changed)
            return
        self._said = now
        self.students.say(snapshot.revision, students)

    def _tell_remote(self, found: record.Record, snapshot: Snapshot) -> None:
        """Tell the remote, and end the streams of one whose right was taken back."""
        for name, seat in list(self.remotes.seats.items()):
            if name != found.remote.right:
                seat.close()
        if found.remote.right and not self.remotes.has_said(said := messages.for_remote(found, snapshot)):
            self.remotes.say(snapshot.revision, said)

    async def beat(self) -> None:
        """Send signs of life, and note in the store who is here, when it is time."""
        now = self._clock()
        if self.record is not None and self.record.until <= time.time():
            self.close(over=True)
        if self.record is not None and len(self.record.remote.fresh(time.time())) != self._fresh:
            self.changed()  # a tab that comes back does no old command
        if now < self._next_beat or self.gone:
            return
        self._next_beat = now + BEAT
        for seat in self.seats:
            seat.beat = True
            seat.wake()
        self.polled = {name: seen for name, seen in self.polled.items() if now - seen < BEAT}
        await self.here()

    async def here(self) -> None:
        """Note in the store that all who have a stream are here, and that the room is used if its teacher has one."""
        if self.seats:
            names = {name: seat.group for name, seat in self.students.seats.items()}
            with suppress(Away, NoPlace):
                try:
                    await self._store.here(self.code, names)
                except NoRoom:
                    self.changed()  # it was lost without a word

    def close(self, *, over: bool = False) -> None:
        """End every stream; `over` if the room has ended, and is not only lost from sight."""
        self.gone = True
        for seat in self.seats:
            seat.close(over=over)
        if self.work is not None and self.work is not asyncio.current_task():
            self.work.cancel()


_RECORD: Final = 4000
"""Bytes of a room's own, and of its record beside twice its document."""

_SEAT: Final = 1000
"""Bytes of a stream in a room's tables."""

_POLLED: Final = 160
"""Bytes of a tab that asks now and then."""


class Hall:
    """All rooms that somebody follows through this process."""

    def __init__(self, store: Store, most_streams: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self.most_streams, self._clock = store, most_streams, clock
        self.live: dict[str, Live] = {}
        self._coming: dict[str, asyncio.Future[Live]] = {}
        self.streams = 0
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def held(self) -> int:
        """Bytes of memory, beside the store's."""
        rooms = self.live.values()
        return self.streams * _SEAT + sum(live.held + _POLLED * len(live.polled) for live in rooms)

    def place(self, address: str) -> bool:
        """Return if there is a place for one more stream of this address; which gives way has ended.

        Of the address with most streams the newest gives way, but never to one of the same address.
        """
        if self.streams < self.most_streams:
            return True
        seats = {str(id(seat)): seat for live in self.live.values() for seat in live.seats if not seat.closed}
        newest_first = dict(reversed(seats.items()))
        addresses = {name: seat.address for name, seat in newest_first.items()}
        chosen = gives_way(addresses, address, lambda _: False)
        if chosen is not None:
            seats[chosen].close()
        return chosen is not None

    async def room(self, code: str) -> Live:
        """Return the room. Raise `NoRoom` or `Away`."""
        live = self.live.get(code)
        if live is None or live.gone:
            live = await self._loaded(code)
        live.used = self._clock()
        return live

    async def _loaded(self, code: str) -> Live:
        """Read a room from the store, once for all who ask at the same time."""
        if code in self._coming:
            return await asyncio.shield(self._coming[code])
        coming = self._coming[code] = asyncio.get_running_loop().create_future()
        try:
            await self.start()
            live = Live(code, self.store, self._clock)
            await live.load()
            self.live[code] = live
            coming.set_result(live)
            live.changed()  # what came between reading and listening
            return live
        except BaseException as problem:
            coming.set_exception(problem if isinstance(problem, Exception) else Away())
            coming.exception()  # somebody else may not be waiting
            raise
        finally:
            del self._coming[code]

    async def start(self) -> None:
        """Listen to the store, from the first room on."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self.store.watch(self._changed)), asyncio.create_task(self._pulse())]
            await asyncio.sleep(0)

    def _changed(self, code: str | None) -> None:
        for live in [*self.live.values()] if code is None else [self.live[code]] if code in self.live else []:
            live.changed()
            if code is None:  # a store that forgot everything also forgot who is here
                self._tasks.append(asyncio.create_task(live.here()))

    async def _pulse(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._tasks = [task for task in self._tasks if not task.done()]
            for code, live in list(self.live.items()):
                if health.is_draining():
                    live.close()  # readers come back, to another process
                if not live.gone:
                    await live.beat()
                unused = not live.seats and self._clock() - live.used > UNWATCHED
                if (live.gone and not live.seats) or unused:
                    live.close()
                    del self.live[code]

    async def close(self) -> None:
        """End everything."""
        works = [live.work for live in self.live.values() if live.work is not None]
        for live in self.live.values():
            live.close()
        for task in self._tasks:
            task.cancel()
        # a connection of the store is whole again only when its user has ended
        await asyncio.gather(*self._tasks, *works, return_exceptions=True)
        self._tasks = []
        await self.store.close()
