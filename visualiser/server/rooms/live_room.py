"""One room that somebody follows through this process: each message is encoded once, and wakes its readers.

Messages go out at most five times a second, the first at once and the last always; if only the count has changed, once
a second.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from visualiser.server.rooms import room_messages
from visualiser.server.rooms.channel import REMOTE, STUDENT, TEACHER, Channel, Seat
from visualiser.server.rooms.held import size
from visualiser.server.rooms.record import Record, read_record
from visualiser.server.rooms.room_limits import TABS
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, Snapshot, Store

APART: Final = 0.2
"""Seconds between two messages to the class."""

COUNTS_APART: Final = 1.0
"""Seconds between two messages if only the count has changed."""

BYTES_A_SECOND: Final = 8e6
"""Bytes of messages that a room sends in a second to all its readers together."""

BEAT: Final = 15.0
"""Seconds between two signs of life."""

_AGAIN: Final = 1.0  # seconds until a store that is away is asked again

_RECORD: Final = 4000
"""Bytes of a room's own, and of its record beside twice its document."""

_log = logging.getLogger(__name__)


class LiveRoom:
    """One room that somebody follows through this process."""

    def __init__(self, code: str, store: Store, clock: Callable[[], float]) -> None:
        self.code = code
        self._store, self._clock = store, clock
        self.students, self.teachers, self.remotes = Channel(STUDENT), Channel(TEACHER), Channel(REMOTE)
        self.record: Record | None = None
        self.used = clock()
        self.gone = False
        self.polled: dict[str, float] = {}
        self._document = self._fresh = 0
        self._dirty = asyncio.Event()
        self._read_at = self._published_at = -COUNTS_APART
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

    def mark_polled(self, name: str) -> None:
        """Note that this tab has polled for the message."""
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
        self.publish(snapshot)
        self.work = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        """Publish every change, as often as the rates allow."""
        while not self.gone:
            await self._dirty.wait()
            await asyncio.sleep(max(0.0, self._read_at + self._apart() - self._clock()))
            self._dirty.clear()
            self._read_at = self._clock()
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
                self.publish(snapshot)
            except Exception:
                _log.exception("a room's message broke")

    def _apart(self) -> float:
        size = len(self.students.event) * len(self.students.seats)
        return max(APART, size / BYTES_A_SECOND)

    def publish(self, snapshot: Snapshot) -> None:
        """Send each reader what is new to it."""
        self.record = found = read_record(snapshot.document)
        if found.ended:
            self.close(over=True)
            return
        self._fresh = len(found.remote.fresh(time.time()))
        teachers = room_messages.for_teacher(found, snapshot)
        if not self.teachers.is_repeat(teachers):
            self.teachers.publish(snapshot.revision, teachers)
        self._publish_to_remote(found, snapshot)
        students = room_messages.for_class(found, snapshot.count)
        self._document = len(snapshot.document)
        if self.students.is_repeat(students):
            return
        now = self._clock()
        counts_only = self.students.is_repeat(students, but_count=True)
        if counts_only and (wait := self._published_at + COUNTS_APART - now) > 0:
            asyncio.get_running_loop().call_later(wait, self.changed)
            return
        self._published_at = now
        self.students.publish(snapshot.revision, students)

    def _publish_to_remote(self, found: Record, snapshot: Snapshot) -> None:
        """Send to the remote, and end the streams of one whose right was taken back."""
        for name, seat in list(self.remotes.seats.items()):
            if name != found.remote.right:
                seat.close()
        if found.remote.right and not self.remotes.is_repeat(message := room_messages.for_remote(found, snapshot)):
            self.remotes.publish(snapshot.revision, message)

    async def beat(self) -> None:
        """Send signs of life, and report to the store which tabs are here, when it is time."""
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
        await self.report_presence()

    async def report_presence(self) -> None:
        """Report the tabs with a stream to the store; the teacher's stream alone shows that the room is used."""
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
