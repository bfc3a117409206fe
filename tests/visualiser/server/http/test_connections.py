"""Full servers: which connections keep their place, and which are closed because they stand still."""

import asyncio
from collections.abc import Callable

from visualiser.server.http.connections import Bounds, Connections


class Transport:
    """A connection's other half, without a network."""

    def __init__(self) -> None:
        self.unsent = 0

    def get_write_buffer_size(self) -> int:
        return self.unsent


class Loop(asyncio.SelectorEventLoop):
    """A loop that never runs and keeps the scheduled calls."""

    def __init__(self) -> None:
        super().__init__()
        self.close()
        self.looks: list[Callable[[asyncio.AbstractEventLoop], None]] = []

    def call_later(self, delay, callback, *arguments, context=None):  # pyright: ignore
        self.looks.append(callback)


class Connection:
    """A connection without a protocol, as `Connections` sees it."""

    def __init__(self, everyone: Connections, address: str, loop: Loop) -> None:
        self.everyone, self.address = everyone, address
        self.transport = Transport()
        self.loop: asyncio.AbstractEventLoop = loop
        self.since, self.unsent, self.dropped = 0.0, 0, False
        self.patience: float | None = None

    def drop(self) -> None:
        self.dropped = True
        self.everyone.leave(self)


class Town:
    """Addresses that connect to one server, with their own clock."""

    def __init__(self, bounds: Bounds) -> None:
        self.now = 0.0
        self.everyone = Connections(bounds, lambda: self.now)
        self.loop = Loop()

    def enters(self, address: str, *, busy: bool = False) -> Connection:
        self.now += 0.001
        connection = Connection(self.everyone, address, self.loop)
        self.everyone.enter(connection)
        if busy:
            self.everyone.work(connection)
        return connection

    def later(self, seconds: int) -> None:
        """Let so many seconds pass, with a check in each."""
        for _ in range(seconds):
            self.now += 1
            self.loop.looks[-1](self.loop)

    def stands_still(self, seconds: float) -> None:
        """Let the server itself do nothing for so long."""
        self.now += seconds
        self.loop.looks[-1](self.loop)


def test_the_longest_waiting_connection_of_who_has_most_gives_way():
    town = Town(Bounds(most=5))
    polite = town.enters("polite")
    rude = [town.enters("rude") for _ in range(4)]
    newcomer = town.enters("polite")
    assert [connection.dropped for connection in rude] == [True, False, False, False]
    assert not polite.dropped
    assert not newcomer.dropped
    assert town.everyone.count == 5


def test_who_answers_a_request_keeps_its_place():
    town = Town(Bounds(most=3))
    busy = [town.enters("rude", busy=True) for _ in range(2)]
    waiting = town.enters("rude")
    assert not town.enters("other").dropped
    assert waiting.dropped
    assert not any(connection.dropped for connection in busy)


def test_when_all_are_busy_the_newest_of_who_has_most_gives_way():
    town = Town(Bounds(most=4))
    rude = [town.enters("rude", busy=True) for _ in range(4)]
    assert not town.enters("polite").dropped
    assert [connection.dropped for connection in rude] == [False, False, False, True]


def test_who_has_most_and_all_busy_gets_no_more():
    town = Town(Bounds(most=4))
    rude = [town.enters("rude", busy=True) for _ in range(3)]
    polite = town.enters("polite")
    assert town.enters("rude").dropped
    assert not polite.dropped
    assert not any(connection.dropped for connection in rude)


def test_a_school_behind_one_address_gets_every_place():
    town = Town(Bounds(most=500))
    school = [town.enters("school", busy=True) for _ in range(500)]
    assert not any(connection.dropped for connection in school)


def test_many_addresses_with_one_idle_connection_each_take_turns():
    town = Town(Bounds(most=10))
    crowd = [town.enters(f"visitor {number}") for number in range(10)]
    assert not town.enters("another").dropped
    assert [connection.dropped for connection in crowd] == [True] + [False] * 9


def test_what_waits_too_long_is_closed_and_what_works_is_not():
    town = Town(Bounds(most=10, head=10))
    waiting, busy = town.enters("here"), town.enters("here", busy=True)
    town.later(9)
    assert not waiting.dropped
    town.later(2)
    assert waiting.dropped
    assert not busy.dropped


def test_what_the_server_was_late_is_nobodys_pause():
    town = Town(Bounds(most=10, head=10))
    waiting = town.enters("here")
    town.stands_still(60)  # nothing sent meanwhile was read
    assert not waiting.dropped
    town.later(6)
    assert not waiting.dropped
    town.later(5)
    assert waiting.dropped


def test_who_reads_nothing_is_closed_and_who_reads_slowly_is_not():
    town = Town(Bounds(most=10, stalled=30))
    still, slow = town.enters("here", busy=True), town.enters("here", busy=True)
    still.transport.unsent = slow.transport.unsent = 9000
    for _ in range(4):
        town.later(20)
        slow.transport.unsent -= 1000
    assert still.dropped
    assert not slow.dropped
