"""A fair queue for places and memory: turns go round among addresses, then among their tabs.

A client with a hundred requests has a hundred tickets but one turn in each round. A second visitor's first request
comes next. A tab's own requests keep their order. Only the server's event loop touches a line, so it needs
no lock.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator

from visualiser.server.admission.clients import Client

PATIENCE = 16
"""The number of tickets that may overtake one that waits for memory. After that all wait until it has enough."""


class Full(Exception):
    """No ticket is given: the line is too long, or this client has too many tickets in it."""


class Memory:
    """Bytes shared by several lines. An address holds at most `share` of them, or more if it holds nothing else.

    With few places the share is 1: a whole school may stand behind one address.
    """

    def __init__(self, total: int, share: float = 0.5) -> None:
        self.total, self.taken, self.share = total, 0, share
        self.lines: list[FairLine] = []
        self._by_address: Counter[str] = Counter()

    def has_free(self, wanted: int) -> bool:
        """True if so many bytes are free."""
        return self.taken + wanted <= self.total

    def is_fair(self, address: str, wanted: int) -> bool:
        """True if this address may take so many more bytes."""
        held = self._by_address[address]
        return wanted == 0 or held == 0 or held + wanted <= self.share * self.total

    def without_readers(self, wanted: int) -> bool:
        """True if so many bytes will be free once all work has ended, even if every reader still holds its answer."""
        return sum(line.resting for line in self.lines) + wanted <= self.total

    def is_needed(self) -> bool:
        """True if a ticket waits for memory that others hold."""
        return any(not self.has_free(ticket.memory) for line in self.lines for ticket in line.first())

    def serve(self) -> None:
        """Start the next turns in every line, after something became free."""
        for line in self.lines:
            line.serve()

    def change(self, address: str, by: int) -> None:
        """Take bytes, or return them if `by` is negative."""
        self.taken += by
        self._by_address[address] += by
        if not self._by_address[address]:
            del self._by_address[address]


class Ticket:
    """One request's place in a line. From its turn on it holds a place and memory, until it returns them."""

    def __init__(self, line: "FairLine", client: Client, memory: int) -> None:
        self.client, self.memory = client, memory
        self.working = self.turn_came = self.pushed_out = False
        self.overtaken = 0
        self.refusal: Exception = Full()
        self._line = line
        self._turn: asyncio.Future[None] | None = None

    async def turn(self) -> None:
        """Return when it is this ticket's turn. A cancelled caller must still `leave`.

        Raises `refusal` if the ticket was pushed out of a full line.
        """
        if not self.turn_came and not self.pushed_out:
            self._turn = asyncio.get_running_loop().create_future()
            await self._turn
        if self.pushed_out:
            raise self.refusal

    @property
    def before(self) -> int:
        """The number of tickets that must end before this one's turn; 0 once it came."""
        return 0 if self.turn_came or self.pushed_out else self._line.before(self)

    def is_in(self, line: "FairLine") -> bool:
        """Return True if it is a ticket of this line."""
        return self._line is line

    @property
    def at_once(self) -> int:
        """The number of tickets of its line that work at the same time."""
        return self._line.places

    @property
    def in_the_way(self) -> bool:
        """True if others wait for memory that this ticket holds only for the reader of its answer."""
        return self.turn_came and not self.working and self.memory > 0 and self._line.memory.is_needed()

    def rest(self, keep: int) -> None:
        """Return the place and all memory but `keep` bytes: the work is done, the answer is on its way."""
        self._line.rest(self, keep)

    def hold(self, memory: int) -> None:
        """Hold so many bytes for a reader again after everything was returned, even if they are not free."""
        self._line.hold(self, memory)

    def leave(self) -> None:
        """Return the place and the memory, or leave the line. A second call does nothing."""
        self._line.leave(self)

    def call(self) -> None:
        """Begin this ticket's turn."""
        self.turn_came = self.working = True
        self._wake()

    def push_out(self) -> None:
        """End the wait without a turn."""
        self.pushed_out = True
        self._wake()

    def _wake(self) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(None)


class FairLine:
    """A line in which `places` tickets work at once, at most `each` of one tab.

    At most `longest` tickets wait, `longest_each` of one tab. A full line still admits a client whose address waits
    less than another: the last ticket of the address that waits most is pushed out.
    """

    def __init__(self, places: int, memory: Memory, *, each: int, longest: int, longest_each: int) -> None:
        self.places, self.each, self.longest, self.longest_each = places, each, longest, longest_each
        self.memory = memory
        memory.lines.append(self)
        self.working = 0
        self._waiting: OrderedDict[str, OrderedDict[str, deque[Ticket]]] = OrderedDict()
        self._count = 0
        self._held: set[Ticket] = set()
        self._by_address: Counter[str] = Counter()
        self._by_client: Counter[Client] = Counter()

    @property
    def waiting(self) -> int:
        """The number of waiting tickets."""
        return self._count

    @property
    def resting(self) -> int:
        """Bytes of answers on their way."""
        return sum(ticket.memory for ticket in self._held if not ticket.working)

    def first(self) -> Iterator[Ticket]:
        """Yield the first ticket of each waiting tab that may have the memory and the place it wants."""
        for tabs in self._waiting.values():
            for tickets in tabs.values():
                ticket = tickets[0]
                if self._by_client[ticket.client] < self.each and self.memory.is_fair(
                    ticket.client.address, ticket.memory
                ):
                    yield ticket

    def enter(self, client: Client, memory: int = 0) -> Ticket:
        """Return a ticket, whose turn may have come already. Raise `Full`."""
        mine = len(self._waiting.get(client.address, {}).get(client.tab, ()))
        if mine >= self.longest_each or (self._count >= self.longest and not self._makes_room(client)):
            raise Full
        ticket = Ticket(self, client, memory)
        self._waiting.setdefault(client.address, OrderedDict()).setdefault(client.tab, deque()).append(ticket)
        self._count += 1
        self.serve()
        return ticket

    def before(self, ticket: Ticket) -> int:
        """Return the number of tickets that must end before this one's turn, as the line stands now."""
        ahead = next(index for index, other in enumerate(self._in_turn()) if other is ticket)
        return max(1, ahead + self.working - self.places + 1)

    def before_a_newcomer(self) -> int:
        """Return the number of tickets that would have to end before a newcomer's turn."""
        return max(0, self._count + self.working - self.places + 1)

    def rest(self, ticket: Ticket, keep: int) -> None:
        """See `Ticket.rest`."""
        if ticket not in self._held:
            return
        keep = min(keep, ticket.memory)
        self.memory.change(ticket.client.address, keep - ticket.memory)
        ticket.memory = keep
        self._stop(ticket)
        self.memory.serve()

    def hold(self, ticket: Ticket, memory: int) -> None:
        """See `Ticket.hold`."""
        if ticket in self._held:
            return
        ticket.memory = memory
        self._held.add(ticket)
        self.memory.change(ticket.client.address, memory)

    def leave(self, ticket: Ticket) -> None:
        """See `Ticket.leave`."""
        if ticket in self._held:
            self._stop(ticket)
            self._held.remove(ticket)
            self.memory.change(ticket.client.address, -ticket.memory)
        elif not ticket.turn_came:
            self._remove(ticket)
        self.memory.serve()

    def serve(self) -> None:
        """Call the tickets whose turn it is now."""
        while self.working < self.places and (ticket := self._next()) is not None:
            client = ticket.client
            self._remove(ticket)
            self._turn_was(client)
            self.working += 1
            self._by_address[client.address] += 1
            self._by_client[client] += 1
            self._held.add(ticket)
            self.memory.change(client.address, ticket.memory)
            ticket.call()

    def _makes_room(self, client: Client) -> bool:
        """Push out one ticket for a newcomer if its address waits for at least two more than the newcomer's."""
        waiting = {address: sum(map(len, tabs.values())) for address, tabs in self._waiting.items()}
        most = max(waiting, key=waiting.__getitem__)
        if waiting[most] < waiting.get(client.address, 0) + 2:
            return False
        last = max(self._waiting[most].values(), key=len)[-1]
        self._remove(last)
        last.push_out()
        return True

    def _next(self) -> Ticket | None:
        """Return the first ticket of the address and tab that work least; of equals, the one served longest ago."""
        best: tuple[tuple[int, int], Ticket] | None = None
        short: list[Ticket] = []
        for address, tabs in self._waiting.items():
            for tab, tickets in tabs.items():
                first = tickets[0]
                if self._by_client[first.client] >= self.each or not self.memory.is_fair(address, first.memory):
                    continue
                if not self.memory.has_free(first.memory):
                    if first.overtaken >= PATIENCE and self.memory.without_readers(first.memory):
                        return None  # else small requests would starve a large one
                    short.append(first)
                    continue
                rank = self._by_address[address], self._by_client[Client(address, tab)]
                if best is None or rank < best[0]:
                    best = rank, first
                if rank[1] == 0:
                    break  # no other tab of this address ranks better
            if best and best[0] == (0, 0):
                break
        if best is None:
            return None
        for ticket in short:
            ticket.overtaken += 1
        return best[1]

    def _in_turn(self) -> Iterator[Ticket]:
        """Yield all waiting tickets in the order of their turns, as if all work took equally long."""
        tabs = [[list(tickets) for tickets in tabs.values()] for tabs in self._waiting.values()]
        addresses = [list(_round(tickets)) for tickets in tabs]
        yield from _round(addresses)

    def _turn_was(self, client: Client) -> None:
        if (tabs := self._waiting.get(client.address)) is not None:
            self._waiting.move_to_end(client.address)
            if client.tab in tabs:
                tabs.move_to_end(client.tab)

    def _remove(self, ticket: Ticket) -> None:
        tabs = self._waiting.get(ticket.client.address, OrderedDict())
        tickets = tabs.get(ticket.client.tab, deque())
        if ticket not in tickets:
            return
        tickets.remove(ticket)
        self._count -= 1
        if not tickets:
            del tabs[ticket.client.tab]
        if not tabs:
            del self._waiting[ticket.client.address]

    def _stop(self, ticket: Ticket) -> None:
        if not ticket.working:
            return
        ticket.working = False
        self.working -= 1
        client = ticket.client
        self._by_address[client.address] -= 1
        self._by_client[client] -= 1
        if not self._by_address[client.address]:
            del self._by_address[client.address]
        if not self._by_client[client]:
            del self._by_client[client]


def _round(lists: list[list[Ticket]]) -> Iterator[Ticket]:
    """Yield the first of each list, then the second of each, and so on."""
    for turn in range(max(map(len, lists), default=0)):
        for tickets in lists:
            if turn < len(tickets):
                yield tickets[turn]
