"""Admission of all computations: the estimated cost decides in which line a request waits.

The usable memory, `settings.memory()`, is divided beforehand, so that all requests together stay below it. Small and
light work has its own places and never waits behind heavier work. Long runs have two places.
"""

import math
import os
from functools import cache
from typing import Final

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from visualiser.server import settings
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.fair_line import FairLine, Full, Memory, Ticket
from visualiser.server.admission.fitting import Fit, Smaller, no_smaller
from visualiser.server.admission.refusal import Refusal

MEBIBYTE: Final = 2**20
COMPUTE, RUNS, LIGHT, BODIES, ANSWERS = 0.32, 0.2, 0.06, 0.08, 0.03
"""Shares of the memory: heavy work, long runs, light and small work, request bodies, reusable answers.

Kept maps take a fifth (`visualiser.pages.map.store`). The rest is memory that allocators do not return.
"""

SMALL_SECONDS: Final = 0.025
"""The longest small work. Small work runs one at a time: it is mostly Python, and two threads would be slower than one,
since each waits for the interpreter's lock after every tensor operation."""

LIGHT_SECONDS: Final = 0.12
"""The longest light work, which also takes little memory: a drag at n = 256, 8 heads."""

RUNS_AT_ONCE: Final = 2
"""The number of long runs that work at once, for all visitors together."""

FETCHES_AT_ONCE: Final = 1
"""The number of models that are fetched at once: a disk and a network, and no memory."""

FOLLOWERS_AT_ONCE: Final = 64
"""The number of runs that wait for another's at once; each has a thread."""

FITTING: Final = CapacityLimiter(1)
"""One refusal at a time looks for what would fit, in a thread: it takes milliseconds of pure Python."""


class Admission:
    """The lines of one server process. `cores` sets the number of simultaneous computations."""

    def __init__(self, memory: int, cores: int) -> None:
        self.memory = memory
        self.compute, self.quick = Memory(int(COMPUTE * memory)), Memory(int(LIGHT * memory))
        self.bodies, self.long = Memory(int(BODIES * memory)), Memory(int(RUNS * memory), share=1.0)
        places = max(2, cores)
        self.small = FairLine(1, self.quick, each=1, longest=4096, longest_each=32)
        self.light = FairLine(places, self.quick, each=max(1, places // 2), longest=4096, longest_each=32)
        self.heavy = FairLine(places, self.compute, each=1, longest=1024, longest_each=16)
        self.runs = FairLine(RUNS_AT_ONCE, self.long, each=1, longest=64, longest_each=4)
        # A run that waits for a network may do so for minutes: it takes no place from those that compute.
        self.fetches = FairLine(FETCHES_AT_ONCE, Memory(0), each=1, longest=64, longest_each=4)
        # One that waits for another's run computes nothing: a class may wait for one load, each in a thread.
        self.followers = FairLine(FOLLOWERS_AT_ONCE, Memory(0), each=1, longest=1024, longest_each=4)
        # A separate line: a ticket that holds memory must never wait for one that waits for that memory.
        self.batches = FairLine(1, Memory(0), each=1, longest=4096, longest_each=4096)
        # A whole class opens the page at once. The first turn makes it for all, so the line is long but short-lived.
        self.pages = FairLine(2, Memory(0), each=1, longest=4096, longest_each=1024)
        # Links and bodies to read, short and long, each one at a time for all visitors.
        self.links, self.long_links = (FairLine(1, Memory(0), each=1, longest=4096, longest_each=32) for _ in range(2))
        self.uploads = FairLine(1024, self.bodies, each=4, longest=1024, longest_each=16)
        self._most_light = self.quick.total // places

    async def require(self, cost: Cost, smaller: Smaller = no_smaller, *, run: bool = False) -> None:
        """Raise `Refusal` for work that can never run; `run` for a long run.

        The refusal names the memory needed, the memory there is, and the alternative that `smaller` finds in a thread.
        """
        memory = self.long if run else self.compute
        if cost.memory > memory.total:
            raise self._too_costly(cost, memory, await run_sync(smaller, memory.total, limiter=FITTING))

    def enter(self, client: Client, cost: Cost) -> Ticket:
        """Return a ticket in the line for work of this cost. Raise `Refusal`; `require` also names what would fit."""
        if cost.memory > self.compute.total:
            raise self._too_costly(cost, self.compute)
        return enter_line(self._line(cost), client, cost.memory)

    def next_batch(self, client: Client) -> Ticket:
        """Return a ticket for the next batch of an answer that already holds its memory. Raise `Refusal`."""
        return enter_line(self.batches, client, 0)

    def run(self, client: Client, cost: Cost) -> Ticket:
        """Return a ticket in the line of long runs that a cost names. Checking for room and taking it is one step.

        Raises `Refusal` as `enter` does.
        """
        if cost.memory > self.long.total:
            raise self._too_costly(cost, self.long)
        lines = {"runs": self.runs, "fetches": self.fetches, "followers": self.followers}
        return enter_line(lines[cost.line], client, cost.memory, "error.too_many_runs", retry=10.0)

    def _line(self, cost: Cost) -> FairLine:
        if cost.memory > self._most_light or cost.seconds > LIGHT_SECONDS:
            return self.heavy
        return self.small if cost.seconds <= SMALL_SECONDS else self.light

    def _too_costly(self, cost: Cost, memory: Memory, fit: Fit | None = None) -> Refusal:
        """Return the refusal of work that can never run; an owner can start a process for which it is not too much."""
        needs, limit = (round(number / MEBIBYTE) for number in (cost.memory, memory.total))
        sizes = {"needs": max(needs, limit + 1), "limit": limit}
        if fit is not None:
            key = "error.too_costly_unpinned" if fit.unpinned else "error.too_costly_fits"
            return Refusal(key, 422, **sizes, name=fit.name, value=fit.value)
        if not settings.is_own():
            return Refusal("error.too_costly", 422, **sizes)
        enough = settings.rounded(math.ceil(cost.memory * self.memory / memory.total))
        return Refusal("error.too_costly_own", 422, **sizes, enough=enough)


def enough_memory(needed: int) -> int:
    """Return a value of `HEADLIGHT_MEMORY_MB` with which one computation may take so many bytes."""
    return settings.rounded(math.ceil(needed / COMPUTE))


def enter_line(
    line: FairLine, client: Client, memory: int, key: str = "error.busy", retry: float | None = 2.0
) -> Ticket:
    """Return a ticket in `line`. Raise `Refusal` if the line is full for this client, now or while it waits."""
    refusal = Refusal(key, 503, retry)
    try:
        ticket = line.enter(client, memory)
    except Full:
        raise refusal from None
    ticket.refusal = refusal
    return ticket


@cache
def admission() -> Admission:
    """Return this process's admission."""
    return Admission(settings.memory(), os.cpu_count() or 1)
