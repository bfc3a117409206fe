"""Acts of teachers and students in a room, each counted and checked before a store is asked to work."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.types import Scope

from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.reach import Reach, reach
from visualiser.server.rooms import codes, messages, qr, questions, reading, results
from visualiser.server.rooms.channel import REMOTE, STUDENT, TEACHER, Seat
from visualiser.server.rooms.doors import Doors, Visitor
from visualiser.server.rooms.hall import Hall, Live
from visualiser.server.rooms.limits import ENDED, MESSAGE, OFFERED, TABS
from visualiser.server.rooms.record import REVEAL, Record, read
from visualiser.server.rooms.remote import Remote
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, NotHere, NotOpen, Snapshot
from visualiser.state import share

_TRIES: Final = 8
"""Attempts to change a room that its teacher changes from several tabs at once."""

_SEEN_APART: Final = 10.0
"""Seconds after which a tab that polls is noted as here again."""

NOW: Final = b"x-headlight-now"
"""The header with the server's time in milliseconds since 1970, by which pages read a question's clock."""

_CODES: Final = CapacityLimiter(1)
PICTURES: Final = CapacityLimiter(1)


Found = TypeVar("Found")


def refusal(problem: Exception) -> Refusal:
    """Return what a visitor is told of a store's refusal."""
    match problem:
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


class Rooms:
    """The rooms of one process."""

    def __init__(self, hall: Hall, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.hall, self.hours = hall, hours
        self.doors = Doors(hall, clock)
        self._clock = clock
        self._going: set[asyncio.Task[None]] = set()

    @property
    def held(self) -> int:
        """Bytes of this process's memory, beside the store's."""
        return self.hall.held + self.doors.held

    async def open(self, visitor: Visitor, said: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
        """Make the room of this secret, or find it. Return if it is new, and what its teacher is told."""
        if not codes.is_secret(visitor.secret):
            raise Refusal("error.room_secret", 403)
        secret = codes.hash_of(visitor.secret)
        code = self.doors.open(visitor, secret)
        known = bool(code)
        state = said.get("state", {})
        if not isinstance(state, dict):
            raise reading.wrong("state")
        record = Record(
            life=codes.new_name(),
            secret=secret,
            until=time.time() + self.hours * 3600,
            remote=Remote(right=reading.right(said)),
        )
        record = await reading.stated(record, {"link": "", **state})
        if (asked := said.get("question")) is not None:
            if not isinstance(asked, dict):
                raise reading.wrong("question")
            found = questions.question(asked, again="id" in asked)
            record = replace(record, question=replace(found, revealed=found.revealed or now()))
        _short(record)
        code = code or await run_sync(codes.code_of, visitor.secret, limiter=_CODES)
        group = codes.group_of(visitor.address)
        try:
            there = await self.hall.store.create(code, record.written(), record.until, record.takes, group)
        except NoPlace:
            raise Refusal("error.rooms_full", 503, 60.0) from None
        except Away as problem:
            raise refusal(problem) from None
        if there is not None and not codes.belongs(visitor.secret, read(there).secret):
            raise Refusal("error.room_taken", 409)
        self.doors.knows(visitor, secret, code)
        if there is not None and not known:
            self.doors.was_open(visitor)
        snapshot = await self._snapshot(code)
        record = read(snapshot.document)
        if there is None and (asked := record.question) is not None and asked.phase == REVEAL:
            again = self.hall.store.change(
                code, snapshot.version, snapshot.document, record.takes, revealed=results.kept(asked)
            )
            await self._asked(again)
        message = messages.encoded(snapshot.revision, TEACHER, messages.for_teacher(record, snapshot))
        return there is None, {"code": code, "until": record.until, "message": orjson.Fragment(message)}

    async def state(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Move the class. A result goes with the step of the lesson at which it was shown."""
        await self._steers(visitor, code)

        async def moved(record: Record) -> Record:
            changed = await reading.stated(record, said)
            asked = record.question
            if asked is None or asked.phase != REVEAL or changed.step == record.step:
                return changed
            return replace(changed, question=None)

        await self._change(code, moved)

    async def drop(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Forget an offer, or all."""
        await self._steers(visitor, code)
        await self._asked(self.hall.store.drop(code, reading.a_name(said, "offer") if "offer" in said else None))

    async def end(self, visitor: Visitor, code: str) -> None:
        """End the room."""
        record = await self._steers(visitor, code)
        await self._asked(self.hall.store.end(code, record.over(time.time() + ENDED).written()))

    async def picture(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> bytes:
        """Return the QR code of the address for students."""
        await self._steers(visitor, code)
        return await run_sync(qr.svg, reading.address(said, code), limiter=PICTURES)

    async def reach(self, visitor: Visitor, code: str, scope: Scope) -> Reach:
        """Return who reaches this server: of use to a teacher on its own machine."""
        await self._steers(visitor, code)
        return await run_sync(reach, scope, limiter=PICTURES)

    async def offer(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Take the state that a student offers."""
        _, name = await self._student(visitor, code)
        self.doors.offer(code, name)
        written = share.canonical(await reading.link(said, OFFERED))
        await self._asked(self.hall.store.offer(code, name, written))

    async def place(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Note that a student's page has left the class's, or follows again."""
        live, name = await self._student(visitor, code)
        await self._comes(visitor, live, name, STUDENT, reading.flag(said, "left"))

    async def message(self, visitor: Visitor, code: str) -> tuple[int, bytes]:
        """Return the revision and the JSON of the present message, and note that the tab is here."""
        live, you, name = await self._reader(visitor, code)
        if self._clock() - live.polled.get(name, -_SEEN_APART) >= _SEEN_APART:
            await self._comes(visitor, live, name, you, visitor.left)
            live.polls(name)
        channel = live.channel(you)
        return channel.revision, channel.body

    async def sit(self, visitor: Visitor, code: str) -> tuple[Live, Seat]:
        """Return a place for a stream. The tab's former stream, if there is one, ends."""
        live, you, name = await self._reader(visitor, code)
        channel = live.channel(you)
        former = channel.seats.get(name)
        if former is None and not self.hall.place(visitor.address):
            raise Refusal("error.room_streams", 503, 10.0)
        await self._comes(visitor, live, name, you, visitor.left)
        former = channel.seats.get(name)
        if former is not None:
            former.close()
        self.hall.streams += 1
        seat = channel.seats[name] = Seat(channel, name, visitor.address, self._group(visitor, live))
        return live, seat

    async def rise(self, live: Live, seat: Seat) -> None:
        """Give the place of a stream back; once for every stream."""
        self.hall.streams -= 1
        live.used = self._clock()
        if seat.channel.seats.get(seat.name) is not seat:
            return  # the tab has another stream
        del seat.channel.seats[seat.name]
        if seat.channel.you == STUDENT and not live.gone:
            with suppress(Away, NoRoom):
                await self.hall.store.left(live.code, [seat.name])

    def risen(self, live: Live, seat: Seat) -> None:
        """Give the place of a stream back, from where nothing can be awaited."""
        task = asyncio.create_task(self.rise(live, seat))
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def close(self) -> None:
        """End everything."""
        await asyncio.gather(*self._going)
        await self.hall.close()

    async def _comes(self, visitor: Visitor, live: Live, name: str, you: str, left: bool) -> None:
        """Note that a student's tab is here, and if its page has left; of the others only that the room is used."""
        names = {name: self._group(visitor, live)} if you == STUDENT else {}
        if not await self._asked(self.hall.store.here(live.code, names, left)):
            raise Refusal("error.room_full", 503, 30.0)

    @staticmethod
    def _group(visitor: Visitor, live: Live) -> int:
        return codes.group_of(visitor.address, present(live).secret)

    async def _reader(self, visitor: Visitor, code: str) -> tuple[Live, str, str]:
        """Return the room, who reads it, and the name of the tab; of the remote, the hash of its right."""
        if not visitor.secret:
            live, name = await self._student(visitor, code)
            return live, STUDENT, name
        live = await self._found(visitor, code)
        secret = present(live).secret
        if codes.belongs(visitor.secret, secret):
            return live, TEACHER, codes.name_of(visitor.token, secret)
        if not present(live).remote.steers(visitor.secret):
            live.tell(await self._snapshot(code))  # its right may be newer than the last message
        remote = present(live).remote
        if not remote.steers(visitor.secret):
            raise Refusal("error.room_secret", 403)
        return live, REMOTE, remote.right

    async def _student(self, visitor: Visitor, code: str) -> tuple[Live, str]:
        if not visitor.token:
            raise Refusal("error.room_tab", 400)
        live = await self._found(visitor, code)
        return live, codes.name_of(visitor.token, present(live).secret)

    async def _found(self, visitor: Visitor, code: str) -> Live:
        """Return the room, or count a guess."""
        guesses, found, counts = self.doors.guesses, False, False
        if not guesses.ask(visitor.address, code):
            raise Refusal("error.room_guesses", 429, guesses.seconds(visitor.address))
        try:
            live = await self.hall.room(code)
            found = True
        except NoRoom:
            counts = True
            raise Refusal("error.room_none", 404) from None
        except Away as problem:
            raise refusal(problem) from None
        finally:
            guesses.asked(visitor.address, code, found=found, counts=counts)
        if present(live).ended:
            raise Refusal("error.room_ended", 410)
        return live

    async def _snapshot(self, code: str) -> Snapshot:
        found = await self._asked(self.hall.store.snapshot(code))
        if found is None:
            raise Refusal("error.room_none", 404)
        return found

    async def _steers(self, visitor: Visitor, code: str) -> Record:
        """Return the room if this visitor steers it."""
        record = present(await self._found(visitor, code))
        if not visitor.secret or not codes.belongs(visitor.secret, record.secret):
            raise Refusal("error.room_secret", 403)
        return record

    async def _change(
        self, code: str, change: Callable[[Record], Awaitable[Record]], *, anew: bool = False, keeps: bool = False
    ) -> None:
        """Change the room by `change`, again if another process or tab was faster.

        `anew` drops all answers; `keeps` keeps the question for the file of results.
        """
        for _ in range(_TRIES):
            snapshot = await self._snapshot(code)
            record = read(snapshot.document)
            if record.ended:
                raise Refusal("error.room_ended", 410)
            changed = await change(record)
            if changed == record:
                return
            _short(changed)
            kept = results.kept(changed.question) if keeps and changed.question is not None else b""
            written = changed.written()
            done = self.hall.store.change(code, snapshot.version, written, changed.takes, anew=anew, revealed=kept)
            if await self._asked(done):
                return
        raise refusal(Away())

    async def _asked(self, store: Awaitable[Found]) -> Found:
        try:
            return await store
        except (Away, NoPlace, NoRoom, NotHere, NotOpen) as problem:
            raise refusal(problem) from None


def now() -> int:
    """Return the time in milliseconds since 1970."""
    return int(time.time() * 1000)


def present(live: Live) -> Record:
    """Return the room as its last message had it."""
    if live.record is None:  # impossible: a room is read before anybody has it
        raise RuntimeError("a room without its record")
    return live.record


def _short(record: Record) -> None:
    """Raise `Refusal` if the message of this room would be too long."""
    came = len(messages.encoded(0, TEACHER, messages.for_class(record, TABS)))
    if came > MESSAGE:
        raise Refusal("error.room_message", 422, came=came, limit=MESSAGE)


def always(change: Callable[[Record], Record]) -> Callable[[Record], Awaitable[Record]]:
    """Return a change that waits for nothing, as `Rooms` takes it."""

    async def changed(record: Record) -> Record:
        return change(record)

    return changed
