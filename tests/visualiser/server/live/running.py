"""Runs of a few parts and without an end, started as the routes start them."""

import threading
from collections.abc import AsyncIterator, Generator

from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.live import parts, runs
from visualiser.server.live.runs import Run

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


def stream(job: runs.Job, tab: str = "one") -> AsyncIterator[bytes]:
    """Start a run of one tab of one address."""
    ticket = runs.admission().run(Client("192.0.2.1", tab), Cost(1.0, 1))
    return runs.stream(job, lambda: ticket, lambda key: parts.failure(key))


def three(run: Run) -> Generator[bytes]:
    for i in range(3):
        yield parts.progress(i / 3)
    yield parts.ended()


def endless(stopped: threading.Event) -> runs.Job:
    def job(run: Run) -> Generator[bytes]:
        try:
            yield parts.progress(0.0)
            while not run.cancelled():
                stopped.wait(0.005)
        finally:
            stopped.set()

    return job


def counting(run: Run) -> Generator[bytes]:
    """Yield until it is cancelled."""
    while not run.cancelled():
        yield parts.progress(0.0)
