"""The place of a test where answers are made, and its readers."""

import threading
from collections.abc import Iterator
from typing import Any

from attention_core.cancellation import checkpoint
from visualiser.server.admission.clients import Client
from visualiser.server.admission.fair_line import FairLine, Memory, Ticket

ADDRESS = "192.0.2.1"

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


class Kitchen:
    """A line with one place, and computations that count their starts and steps."""

    def __init__(self) -> None:
        self.line = FairLine(1, Memory(1000), each=1, longest=10, longest_each=10)
        self.begun = self.steps = 0
        self.gate = threading.Event()
        self.ended = threading.Event()

    def enter(self, tab: str = "one", memory: int = 900) -> Ticket:
        return self.line.enter(Client(ADDRESS, tab), memory)

    def two(self) -> Iterator[bytes]:
        self.begun += 1
        yield b"first"
        self.gate.wait(PATIENCE)
        yield b"second"

    def endless(self) -> Iterator[bytes]:
        self.begun += 1
        try:
            while True:
                self.steps += 1
                checkpoint()
                if self.steps == 1:
                    yield b"first"
                threading.Event().wait(0.002)
        finally:
            self.ended.set()


async def read(flight: Any) -> list[bytes]:
    return [piece async for piece in flight]
