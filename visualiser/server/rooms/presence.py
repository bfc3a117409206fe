"""Presence in rooms: the tabs that follow, by a stream or by polling."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import body_fields
from visualiser.server.rooms.channel import STUDENT, Seat
from visualiser.server.rooms.live_room import LiveRoom
from visualiser.server.rooms.request_limits import Visitor
from visualiser.server.rooms.room_access import RoomAccess
from visualiser.server.rooms.store import Away, NoRoom

_SEEN_APART: Final = 10.0
"""Seconds after which a tab that polls is noted as here again."""


class Presence:
    """The tabs that follow the rooms of one process."""

    def __init__(self, access: RoomAccess) -> None:
        self._access = access
        self._closing: set[asyncio.Task[None]] = set()

    async def place(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Note that a student's page has left the class's, or follows again."""
        live, name = await self._access.require_student(visitor, code)
        await self.mark_present(visitor, live, name, STUDENT, body_fields.parse_flag(payload, "left"))

    async def message(self, visitor: Visitor, code: str) -> tuple[int, bytes]:
        """Return the revision and the JSON of the present message, and note that the tab is here."""
        live, you, name = await self._access.require_reader(visitor, code)
        if self._access.clock() - live.polled.get(name, -_SEEN_APART) >= _SEEN_APART:
            await self.mark_present(visitor, live, name, you, visitor.left)
            live.mark_polled(name)
        channel = live.channel(you)
        return channel.revision, channel.body

    async def open_stream(self, visitor: Visitor, code: str) -> tuple[LiveRoom, Seat]:
        """Return a place for a stream. The tab's former stream, if there is one, ends."""
        while True:
            live, you, name = await self._access.require_reader(visitor, code)
            channel = live.channel(you)
            if name not in channel.seats and not self._access.registry.place(visitor.address):
                raise Refusal("error.room_streams", 503, 10.0)
            await self.mark_present(visitor, live, name, you, visitor.left)
            if not live.gone:
                break  # a room that went meanwhile closes no seat that it gets now
        former = channel.seats.get(name)
        if former is not None:
            former.close()
        self._access.registry.streams += 1
        seat = channel.seats[name] = Seat(channel, name, visitor.address, self._access.group_of(visitor, live))
        return live, seat

    async def close_stream(self, live: LiveRoom, seat: Seat) -> None:
        """Give the place of a stream back; once for every stream."""
        self._access.registry.streams -= 1
        live.used = self._access.clock()
        if seat.channel.seats.get(seat.name) is not seat:
            return  # the tab has another stream
        del seat.channel.seats[seat.name]
        if seat.channel.you == STUDENT and not live.gone:
            with suppress(Away, NoRoom):
                await self._access.store.left(live.code, [seat.name])

    def close_stream_later(self, live: LiveRoom, seat: Seat) -> None:
        """Give the place of a stream back, from where nothing can be awaited."""
        task = asyncio.create_task(self.close_stream(live, seat))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Wait until every stream that ended has given its place back."""
        await asyncio.gather(*self._closing)

    async def mark_present(self, visitor: Visitor, live: LiveRoom, name: str, you: str, left: bool) -> None:
        """Note that a student's tab is here, and if its page has left; of the others only that the room is used."""
        names = {name: self._access.group_of(visitor, live)} if you == STUDENT else {}
        if not await self._access.call_store(self._here(live.code, names, left)):
            raise Refusal("error.room_full", 503, 30.0)

    async def _here(self, code: str, names: Mapping[str, int], left: bool) -> bool:
        try:
            return await self._access.store.here(code, names, left)
        except NoRoom:
            await self._access.refuse_ended(code)  # after the last message that this process has
            raise
