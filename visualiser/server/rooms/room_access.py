"""Access to a room: the room of a request's code, and the right of its sender as student, teacher or remote."""

import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import codes
from visualiser.server.rooms.channel import REMOTE, STUDENT, TEACHER
from visualiser.server.rooms.live_room import LiveRoom
from visualiser.server.rooms.record import Record, read_record
from visualiser.server.rooms.request_limits import RequestLimits, Visitor
from visualiser.server.rooms.room_registry import RoomRegistry
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, NotHere, NotOpen, Snapshot, Store

PICTURES: Final = CapacityLimiter(1)
"""Pictures and addresses made at the same time, each in a thread."""

Found = TypeVar("Found")


def store_refusal(error: Exception) -> Refusal:
    """Return the refusal that a visitor gets for a store's error."""
    match error:
        case NoRoom():
            return Refusal("error.room_none", 404)
        case NotOpen():
            return Refusal("error.room_closed", 409)
        case NotHere():
            return Refusal("error.room_absent", 425, 2.0)
        case NoPlace():
            return Refusal("error.room_full", 503, 30.0)
        case _:
            return Refusal("error.room_away", 503, 2.0)


def last_record(live: LiveRoom) -> Record:
    """Return the record of the last message."""
    if live.record is None:  # impossible: a room is read before anybody has it
        raise RuntimeError("a room without its record")
    return live.record


class RoomAccess:
    """The rooms of one process, as requests reach them."""

    def __init__(self, registry: RoomRegistry, clock: Callable[[], float] = time.monotonic) -> None:
        self.registry, self.limits, self.clock = registry, RequestLimits(registry, clock), clock

    @property
    def store(self) -> Store:
        """The store of all rooms."""
        return self.registry.store

    @staticmethod
    def group_of(visitor: Visitor, live: LiveRoom) -> int:
        """Return the group of a visitor's address in this room."""
        return codes.group_of(visitor.address, last_record(live).secret)

    async def require_teacher(self, visitor: Visitor, code: str) -> Record:
        """Return the room's record if this visitor is its teacher. Raise `Refusal`."""
        record = last_record(await self.find(visitor, code))
        if not visitor.secret or not codes.belongs(visitor.secret, record.secret):
            raise Refusal("error.room_secret", 403)
        return record

    async def require_student(self, visitor: Visitor, code: str) -> tuple[LiveRoom, str]:
        """Return the room, and the name of the student's tab in it. Raise `Refusal`."""
        if not visitor.token:
            raise Refusal("error.room_tab", 400)
        live = await self.find(visitor, code)
        return live, codes.name_of(visitor.token, last_record(live).secret)

    async def require_reader(self, visitor: Visitor, code: str) -> tuple[LiveRoom, str, str]:
        """Return the room, the kind of its reader, and the name of the tab; of a remote, the hash of its right.

        Raises `Refusal`.
        """
        if not visitor.secret:
            live, name = await self.require_student(visitor, code)
            return live, STUDENT, name
        live = await self.find(visitor, code)
        secret = last_record(live).secret
        if codes.belongs(visitor.secret, secret):
            return live, TEACHER, codes.name_of(visitor.token, secret)
        if not last_record(live).remote.steers(visitor.secret):
            live.publish(await self.snapshot(code))  # its right may be newer than the last message
        remote = last_record(live).remote
        if not remote.steers(visitor.secret):
            raise Refusal("error.room_secret", 403)
        return live, REMOTE, remote.right

    async def find(self, visitor: Visitor, code: str) -> LiveRoom:
        """Return the room of a code. Raise `Refusal`; an unknown code counts as a guess."""
        guesses, found, counts = self.limits.guesses, False, False
        if not guesses.begin(visitor.address, code):
            raise Refusal("error.room_guesses", 429, guesses.seconds(visitor.address))
        try:
            live = await self.registry.room(code)
            found = True
        except NoRoom:
            counts = True
            raise Refusal("error.room_none", 404) from None
        except Away as problem:
            raise store_refusal(problem) from None
        finally:
            guesses.end(visitor.address, code, found=found, counts=counts)
        if last_record(live).ended:
            raise Refusal("error.room_ended", 410)
        return live

    async def refuse_ended(self, code: str) -> None:
        """Raise `Refusal` if the store has this room no more, or has it as one that has ended."""
        if read_record((await self.snapshot(code)).document).ended:
            raise Refusal("error.room_ended", 410)

    async def snapshot(self, code: str) -> Snapshot:
        """Return the room as the store has it now. Raise `Refusal`."""
        found = await self.call_store(self.registry.store.snapshot(code))
        if found is None:
            raise Refusal("error.room_none", 404)
        return found

    @staticmethod
    async def call_store(call: Awaitable[Found]) -> Found:
        """Return the store's answer. Raise `Refusal` in place of its own errors."""
        try:
            return await call
        except (Away, NoPlace, NoRoom, NotHere, NotOpen) as problem:
            raise store_refusal(problem) from None
