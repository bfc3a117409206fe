"""The rooms of one process: what their teachers, students and remotes do, on one store and with one set of limits."""

import time
from collections.abc import Callable

from visualiser.server.rooms.presence import Presence
from visualiser.server.rooms.room_access import RoomAccess
from visualiser.server.rooms.room_registry import RoomRegistry
from visualiser.server.rooms.steering import Steering
from visualiser.server.rooms.teaching import Teaching
from visualiser.server.rooms.voting import Voting


class Rooms:
    """The rooms of one process; each ends by itself after `hours`."""

    def __init__(self, registry: RoomRegistry, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        access = RoomAccess(registry, clock)
        self.registry, self.limits = registry, access.limits
        self.presence, self.teaching = Presence(access), Teaching(access, hours)
        self.voting, self.steering = Voting(access), Steering(access)

    @property
    def held(self) -> int:
        """Bytes of this process's memory, beside the store's."""
        return self.registry.held + self.limits.held

    async def close(self) -> None:
        """End everything."""
        await self.presence.close()
        await self.registry.close()
