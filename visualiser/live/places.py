"""Places for long work: so many at the same time for all visitors together; whoever waits knows how many are before."""


class Places:
    """A line of which the first `count` may work. Only the server's event loop touches it, so it needs no lock."""

    def __init__(self, count: int, longest: int) -> None:
        self.count, self.longest = count, longest
        self._line: list[object] = []

    @property
    def full(self) -> bool:
        """Whether so many work and wait already that nobody is let into the line."""
        return len(self._line) >= self.longest

    @property
    def before_a_newcomer(self) -> int:
        """How many would have to end before one who enters now may work."""
        return max(0, len(self._line) - self.count + 1)

    def enter(self) -> object:
        """A ticket at the end of the line."""
        ticket = object()
        self._line.append(ticket)
        return ticket

    def before(self, ticket: object) -> int:
        """How many have to end before this ticket may work; 0 when it may."""
        return max(0, self._line.index(ticket) - self.count + 1)

    def leave(self, ticket: object) -> None:
        """Gives the place back, whether it was worked in or only waited for."""
        self._line.remove(ticket)
