"""Shared answers: the same question, asked during its computation or soon after, gets the same bytes.

Only answers that are pure functions of the question are shared, so they hold nothing of a visitor. They are kept for
seconds, within a bound of bytes (docs/decisions/nothing-kept.md).
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import aclosing
from typing import Final

from visualiser.server.admission.fair_line import Ticket
from visualiser.server.admission.flight import Beat, Flight, Make

SECONDS: Final = 5.0
"""Seconds for which a finished answer is kept: a class that follows one drag asks within that."""


class SharedAnswers:
    """Flights by their question: those under way and those that just ended."""

    def __init__(self, most_bytes: int, seconds: float = SECONDS) -> None:
        self._most_bytes, self._seconds = most_bytes, seconds
        self._flights: dict[Hashable, Flight] = {}
        self._kept: OrderedDict[Hashable, Flight] = OrderedDict()
        self.bytes = 0  # of all kept answers

    async def parts(
        self,
        question: Hashable | None,
        address: str,
        enter: Callable[[], Ticket],
        make: Make,
        beat: Beat | None = None,
    ) -> AsyncIterator[bytes]:
        """Yield the parts of the answer to `question`, from a running, kept or new computation. Close it if you stop
        early.

        A `beat` follows each silence. The question None is never shared. `enter` gives a ticket of the caller, whose
        address is `address`.
        """
        flight = self._flight(question, make)
        async with aclosing(flight.parts(address, enter, beat)) as parts:  # type: ignore[type-var]
            async for part in parts:
                yield part

    def _flight(self, question: Hashable | None, make: Make) -> Flight:
        if question is None:
            return Flight(make, lambda flight: None)
        found = self._flights.get(question)
        if found is None or not found.sound:
            found = self._flights[question] = Flight(make, lambda flight: self._ended(question, flight))
        return found

    def _ended(self, question: Hashable, flight: Flight) -> None:
        if self._flights.get(question) is not flight:
            return
        if not flight.sound or flight.bytes > self._most_bytes // 4:
            del self._flights[question]
            return
        self._kept[question] = flight
        self.bytes += flight.bytes
        asyncio.get_running_loop().call_later(self._seconds, self._drop, question, flight)
        while self.bytes > self._most_bytes:
            oldest, first = next(iter(self._kept.items()))
            self._drop(oldest, first)

    def _drop(self, question: Hashable, flight: Flight) -> None:
        if self._kept.get(question) is flight:
            del self._kept[question], self._flights[question]
            self.bytes -= flight.bytes
