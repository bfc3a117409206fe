"""Batches of a large answer."""

from collections.abc import Iterator

from tests.alone import alone
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.flight import stream_batches

PARTS = 2000


def test_small_parts_are_measured_once_each() -> None:
    measured = 0

    class Piece(bytes):
        def __len__(self) -> int:
            nonlocal measured
            measured += 1
            return super().__len__()

    def pieces() -> Iterator[bytes]:
        return (Piece(b"x") for _ in range(PARTS))

    async def visit() -> int:
        lines, somebody = Admission(2**30, 2), Client("192.0.2.7")
        parts = stream_batches(lambda: lines.enter(somebody, Cost(1.0, 1)), lambda: lines.next_batch(somebody), pieces)
        return sum([1 async for _ in parts])

    assert alone(visit()) == PARTS
    assert measured == PARTS
