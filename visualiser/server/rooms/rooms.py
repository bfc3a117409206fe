"""Acts of teachers and students in a room, each counted and checked before a store is asked to work."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import codes, messages, qr, reading, results
from visualiser.server.rooms.hall import TEACHER, Hall, Live, Seat
from visualiser.server.rooms.limits import ENDED, MESSAGE, OFFERED, TABS, Guesses, Rate
from visualiser.server.rooms.record import CLOSED, DISCUSS, NEXT, OVER, REVEAL, Question, Record, read
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, NotOpen, Snapshot
from visualiser.state import share

_TRIES: Final = 8
"""Attempts to change a room that its teacher changes from several tabs at once."""

_SEEN_APART: Final = 10.0
"""Seconds after which a tab that polls is noted as here again."""

_CODES: Final = CapacityLimiter(1)
_PICTURES: Final = CapacityLimiter(1)


Found = TypeVar("Found")


@dataclass(frozen=True)
class Visitor:
    """The sender of a request: its address, its tab's token and its secret; each empty if none of its form came."""

    address: str
    token: str = ""
    secret: str = ""


def refusal(problem: Exception) -> Refusal:
    """Return what a visitor is told of a store's refusal."""
    match problem:
        case NoRoom():
            return Refusal("error.room_none", 404)
        case NotOpen():
            return Refusal("error.room_closed", 409)
        case NoPlace():
            return Refusal("error.room_full", 503, 30.0)
        case _:
            return Refusal("error.room_away", 503, 2.0)


class Rooms:
    """The rooms of one process."""

    def __init__(self, hall: Hall, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.hall, self.hours = hall, hours
        self._by_address = Rate(500, 3000, clock=clock)
        self._by_tab = Rate(2, 20, clock=clock)
        self._offers = Rate(3 / 60, 3, clock=clock)
        self._by_room = Rate(20, 40, clock=clock)
        self._opened = Rate(1 / 60, 60, clock=clock)
        self._guesses = Guesses(clock=clock)
        self._clock = clock
        self._going: set[asyncio.Task[None]] = set()

    def admit(self, visitor: Visitor, code: str) -> None:
        """Count a request before anything of it is read. Raise `Refusal` if there are too many.

        Tabs that are here, and the teacher, have rates of their own, so that strangers at the same address keep nobody
        out.
        """
        live = self.hall.live.get(code)
        known = False
        if live is not None and live.record is not None:
            secret = live.record.secret
            if visitor.secret:
                known = codes.belongs(visitor.secret, secret)
            else:
                known = bool(visitor.token) and live.has(codes.name_of(visitor.token, secret))
        if not known and not self._by_address.take(visitor.address):
            raise _slow(self._by_address.seconds(visitor.address))
        tab = visitor.address, visitor.token
        if not visitor.secret and not self._by_tab.take(tab):
            raise _slow(self._by_tab.seconds(tab))

    async def open(self, visitor: Visitor, said: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
        """Make the room of this secret, or find it. Return if it is new, and what its teacher is told."""
        if not codes.is_secret(visitor.secret):
            raise Refusal("error.room_secret", 403)
        if not self._opened.take(visitor.address):
            raise _slow(self._opened.seconds(visitor.address))
        secret = codes.hash_of(visitor.secret)
        state = said.get("state", {})
        if not isinstance(state, dict):
            raise reading.wrong("state")
        record = Record(life=codes.new_name(), secret=secret, until=time.time() + self.hours * 3600)
        record = await reading.stated(record, {"link": "", **state})
        if (asked := said.get("question")) is not None:
            if not isinstance(asked, dict):
                raise reading.wrong("question")
            record = replace(record, question=reading.question(asked, again="id" in asked))
        _short(record)
        code = await run_sync(codes.code_of, visitor.secret, limiter=_CODES)
        try:
            there = await self.hall.store.create(code, record.written(), record.until, record.takes)
        except NoPlace:
            raise Refusal("error.rooms_full", 503, 60.0) from None
        except Away as problem:
            raise refusal(problem) from None
        if there is not None and not codes.belongs(visitor.secret, read(there).secret):
            raise Refusal("error.room_taken", 409)
        self._guesses.found(visitor.address, code)
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
        """Move the class."""
        await self._steers(visitor, code)

        async def moved(record: Record) -> Record:
            return await reading.stated(record, said)

        await self._change(code, moved)

    async def ask(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> str:
        """Put a question in place of the former one; return its name."""
        await self._steers(visitor, code)
        asked = reading.question(said)
        await self._change(code, _always(lambda record: replace(record, question=asked)), anew=True)
        return asked.id

    async def phase(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Take the question to its next phase."""
        await self._steers(visitor, code)
        phase, name = said.get("phase"), reading.a_name(said, "question")
        if phase not in (CLOSED, DISCUSS, REVEAL, OVER):
            raise reading.wrong("phase")
        if phase == OVER:
            await self._change(code, _always(lambda room: replace(_at(room, name, OVER)[0], question=None)))
        elif phase == REVEAL:
            await self._reveal(code, name, said.get("truth"))
        else:
            turn = {"round": 2} if phase == DISCUSS else {}

            def next_phase(room: Record) -> Record:
                room, asked = _at(room, name, phase)
                return replace(room, question=replace(asked, phase=phase, **turn))

            await self._change(code, _always(next_phase))

    async def _reveal(self, code: str, name: str, truth: Any) -> None:
        """Close the round, so that no answer comes any more, then show the distributions to all."""

        def closed(room: Record) -> Record:
            room, asked = _at(room, name, REVEAL)
            if truth is not None:
                reading.answer(asked, truth, "truth")
            return replace(room, question=replace(asked, phase=CLOSED))

        await self._change(code, _always(closed))
        first, second = await self._asked(self.hall.store.answers(code))

        def shown(room: Record) -> Record:
            room, asked = _at(room, name, REVEAL)
            true = None if truth is None else reading.answer(asked, truth, "truth")
            found = results.results(asked, first, second, true)
            return replace(room, question=replace(asked, phase=REVEAL, results=found))

        await self._change(code, _always(shown), keeps=True)

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
        return await run_sync(qr.svg, reading.address(said, code), limiter=_PICTURES)

    async def file(self, visitor: Visitor, code: str) -> bytes:
        """Return the revealed distributions as CSV."""
        await self._steers(visitor, code)
        return results.csv(await self._asked(self.hall.store.revealed(code)))

    async def answer(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Take a student's answer, in place of their former one in this round.

        A room that was lost in its second round takes back what was answered in the first.
        """
        live, name = await self._student(visitor, code)
        asked = _present(live).question
        takes = reading.a_round(said)
        if asked is None or takes not in (asked.takes, asked.takes_back):
            asked = read((await self._snapshot(code)).document).question  # it may be newer than the last message
        if asked is None or takes not in (asked.takes, asked.takes_back):
            raise Refusal("error.room_closed", 409)
        given = orjson.dumps(reading.answer(asked, said.get("answer")))
        store = self.hall.store
        if takes == asked.takes:
            await self._asked(store.answer(code, takes, name, given))
        else:
            await self._asked(store.give_back(code, asked.takes, name, given, asked.first))

    async def offer(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Take the state that a student offers."""
        _, name = await self._student(visitor, code)
        if not self._offers.take((code, name)):
            raise _slow(self._offers.seconds((code, name)))
        written = share.canonical(await reading.link(said, OFFERED))
        await self._asked(self.hall.store.offer(code, name, written))

    async def message(self, visitor: Visitor, code: str) -> tuple[int, bytes]:
        """Return the revision and the JSON of the present message, and note that the tab is here."""
        live, teacher, name = await self._reader(visitor, code)
        if not teacher and self._clock() - live.polled.get(name, -_SEEN_APART) >= _SEEN_APART:
            await self._comes(live, name)
            live.polled[name] = self._clock()
        channel = live.channel(teacher)
        return channel.revision, channel.body

    async def sit(self, visitor: Visitor, code: str) -> tuple[Live, Seat]:
        """Return a place for a stream. The tab's former stream, if there is one, ends."""
        live, teacher, name = await self._reader(visitor, code)
        channel = live.channel(teacher)
        former = channel.seats.get(name)
        if former is None and self.hall.streams >= self.hall.most_streams:
            raise Refusal("error.room_streams", 503, 10.0)
        if not teacher:
            await self._comes(live, name)
        former = channel.seats.get(name)
        if former is not None:
            former.close()
        self.hall.streams += 1
        seat = channel.seats[name] = Seat(channel, name)
        return live, seat

    async def rise(self, live: Live, seat: Seat) -> None:
        """Give the place of a stream back; once for every stream."""
        self.hall.streams -= 1
        live.used = self._clock()
        if seat.channel.seats.get(seat.name) is not seat:
            return  # the tab has another stream
        del seat.channel.seats[seat.name]
        if seat.channel.you != TEACHER and not live.gone:
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

    async def _comes(self, live: Live, name: str) -> None:
        if not await self._asked(self.hall.store.here(live.code, [name])):
            raise Refusal("error.room_full", 503, 30.0)

    async def _reader(self, visitor: Visitor, code: str) -> tuple[Live, bool, str]:
        """Return the room, if its teacher reads it, and the name of the tab."""
        if not visitor.secret:
            live, name = await self._student(visitor, code)
            return live, False, name
        live = await self._found(visitor, code)
        secret = _present(live).secret
        if not codes.belongs(visitor.secret, secret):
            raise Refusal("error.room_secret", 403)
        return live, True, codes.name_of(visitor.token, secret)

    async def _student(self, visitor: Visitor, code: str) -> tuple[Live, str]:
        if not visitor.token:
            raise Refusal("error.room_tab", 400)
        live = await self._found(visitor, code)
        return live, codes.name_of(visitor.token, _present(live).secret)

    async def _found(self, visitor: Visitor, code: str) -> Live:
        """Return the room, or count a guess."""
        if not self._guesses.may_ask(visitor.address, code):
            raise Refusal("error.room_guesses", 429, self._guesses.seconds(visitor.address))
        try:
            live = await self.hall.room(code)
        except NoRoom:
            self._guesses.missed(visitor.address, code)
            raise Refusal("error.room_none", 404) from None
        except Away as problem:
            raise refusal(problem) from None
        self._guesses.found(visitor.address, code)
        if _present(live).ended:
            raise Refusal("error.room_ended", 410)
        return live

    async def _snapshot(self, code: str) -> Snapshot:
        found = await self._asked(self.hall.store.snapshot(code))
        if found is None:
            raise Refusal("error.room_none", 404)
        return found

    async def _steers(self, visitor: Visitor, code: str) -> Record:
        """Return the room if this visitor steers it."""
        record = _present(await self._found(visitor, code))
        if not visitor.secret or not codes.belongs(visitor.secret, record.secret):
            raise Refusal("error.room_secret", 403)
        if not self._by_room.take(code):
            raise _slow(self._by_room.seconds(code))
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
        except (Away, NoPlace, NoRoom, NotOpen) as problem:
            raise refusal(problem) from None


def _slow(seconds: float) -> Refusal:
    return Refusal("error.room_slow", 429, max(0.1, round(seconds, 1)))


def _present(live: Live) -> Record:
    if live.record is None:  # impossible: a room is read before anybody has it
        raise RuntimeError("a room without its record")
    return live.record


def _at(room: Record, name: str, phase: str) -> tuple[Record, Question]:
    """Return the room and its question if that is `name` and `phase` may follow. Raise `Refusal`."""
    asked = room.question
    if asked is None or asked.id != name or phase not in NEXT[asked.phase]:
        raise Refusal("error.room_phase", 409)
    return room, asked


def _short(record: Record) -> None:
    """Raise `Refusal` if the message of this room would be too long."""
    came = len(messages.encoded(0, TEACHER, messages.for_class(record, TABS)))
    if came > MESSAGE:
        raise Refusal("error.room_message", 422, came=came, limit=MESSAGE)


def _always(change: Callable[[Record], Record]) -> Callable[[Record], Awaitable[Record]]:
    async def changed(record: Record) -> Record:
        return change(record)

    return changed
