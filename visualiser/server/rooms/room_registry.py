"""The registry of the rooms that somebody follows through this process."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from visualiser.server.admission.places import gives_way
from visualiser.server.http import health
from visualiser.server.rooms.live_room import LiveRoom
from visualiser.server.rooms.store import Away, Store

UNWATCHED: Final = 60.0
"""Seconds after which a room that nobody follows through this process leaves its memory (but not the store)."""

_SEAT: Final = 1000
"""Bytes of a stream in a room's tables."""

_POLLED: Final = 160
"""Bytes of a tab that asks now and then."""


class RoomRegistry:
    """All rooms that somebody follows through this process."""

    def __init__(self, store: Store, most_streams: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self.most_streams, self._clock = store, most_streams, clock
        self.live: dict[str, LiveRoom] = {}
        self._loading: dict[str, asyncio.Future[LiveRoom]] = {}
        self.streams = 0
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def held(self) -> int:
        """Bytes of memory, beside the store's."""
        rooms = self.live.values()
        return self.streams * _SEAT + sum(live.held + _POLLED * len(live.polled) for live in rooms)

    def place(self, address: str) -> bool:
        """Return True if there is a place for one more stream of this address; the one that gave way has ended.

        The newest stream of the address with most gives way, but never to one of the same address.
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

    async def room(self, code: str) -> LiveRoom:
        """Return the room. Raise `NoRoom` or `Away`."""
        live = self.live.get(code)
        if live is None or live.gone:
            live = await self._loaded(code)
        live.used = self._clock()
        return live

    async def _loaded(self, code: str) -> LiveRoom:
        """Read a room from the store, once for all who ask at the same time."""
        if code in self._loading:
            return await asyncio.shield(self._loading[code])
        coming = self._loading[code] = asyncio.get_running_loop().create_future()
        try:
            await self.start()
            live = LiveRoom(code, self.store, self._clock)
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
            del self._loading[code]

    async def start(self) -> None:
        """Listen to the store, from the first room on."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self.store.watch(self._changed)), asyncio.create_task(self._pulse())]
            await asyncio.sleep(0)

    def _changed(self, code: str | None) -> None:
        for live in [*self.live.values()] if code is None else [self.live[code]] if code in self.live else []:
            live.changed()
            if code is None:  # a store that forgot everything also forgot who is here
                self._tasks.append(asyncio.create_task(live.report_presence()))

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
