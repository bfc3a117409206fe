"""Time on one thread and peak memory of each contender on the machine that runs this, against n or d_k, within bounds.

Before anything is run its memory is known from its shapes and its time estimated from the size before, by the ratio of
their operations. What would not fit is not run: its point says what it would have needed.
"""

import statistics
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Final, no_type_check

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.device import resolve
from attention_core.mechanisms.operations import Operations
from attention_core.studies.contenders import CONTENDERS, draw_operands, prepared
from attention_core.studies.tensor_memory import TensorMemory
from attention_core.threads import computing_with
from attention_core.validation import choice, real_number, whole_number

PASSES: Final = ("forward", "forward_backward")
VARIED: Final = ("n", "d_k")
# For the very first size there is nothing to estimate from: fewer operations a second than any machine of this decade.
_SLOWEST = 2e8
_FEWEST_CALLS, _MOST_CALLS = 3, 50
# Two threads on two cores wait for each other whenever anybody else computes; and the other cores are for others.
_THREADS = 1


@dataclass(frozen=True)
class CostPoint:
    """One contender at one size: measured, or skipped because it would leave a bound.

    seconds   median of `calls` calls, `fastest` the shortest of them; None when skipped
    bytes     most that its tensors held at once besides the operands, exactly; None when skipped
    skipped   "time" or "memory", None when measured
    expected_seconds, expected_bytes   what was estimated beforehand
    """

    contender: str
    passes: str
    size: int
    n: int
    d_k: int
    operations: Operations
    expected_seconds: float
    expected_bytes: int
    seconds: float | None = None
    fastest: float | None = None
    bytes: int | None = None
    calls: int = 0
    skipped: str | None = None


@no_type_check  # it checks itself, and its own message is to be heard before any type checker's
@dataclass(frozen=True, kw_only=True)
class CostConfig:
    """The sizes `sizes` of n (or d_k, as `varied` says), the other of the two fixed; one head, float32.

    A call that would take more than `seconds` or hold more than `bytes` is skipped, as is everything once `total`
    seconds are over. Each point repeats its call until `measuring` seconds are over (3 to 50 calls).
    Raises `InvalidInput` with the code `not_a_number`, `out_of_range` or `unknown_choice`.
    """

    varied: str = "n"
    sizes: tuple[int, ...] = (32, 64, 128, 256, 512, 1024)
    n: int = 256
    d_k: int = 64
    seed: int = 0
    seconds: float = 1.0
    total: float = 60.0
    bytes: int = 2**29
    measuring: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "varied", choice("varied", self.varied, VARIED))
        for field, minimum in (("n", 1), ("d_k", 1), ("seed", 0), ("bytes", 1)):
            object.__setattr__(self, field, whole_number(field, getattr(self, field), minimum))
        for field in ("seconds", "total", "measuring"):
            object.__setattr__(self, field, real_number(field, getattr(self, field), 0.0, 600.0))
        sizes = {whole_number(self.varied, size, 1) for size in self.sizes}
        whole_number("sizes", len(sizes), 1)
        object.__setattr__(self, "sizes", tuple(sorted(sizes)))

    def shape(self, size: int) -> tuple[int, int]:
        """(n, d_k) at one of the sizes."""
        return (size, self.d_k) if self.varied == "n" else (self.n, size)


def measure_costs(
    config: CostConfig, device: str = "cpu", clock: Callable[[], float] = time.perf_counter
) -> Generator[CostPoint, None, None]:
    """Every contender, forward and forward + backward, the smallest size first; closing the iterator ends the work.

    Where other programs share the machine the median shows it; estimates rest on the fastest calls, which it disturbs
    least. A call at the bound `seconds` is made four times; it may be stopped between any two of
    them, and before each backward.
    """
    place, began = resolve(device), clock()
    pace: dict[tuple[str, str], float] = {}  # seconds for one operation, as last measured
    for size in config.sizes:
        n, d_k = config.shape(size)
        operands = draw_operands(n, d_k, config.seed, place)
        for name, contender in CONTENDERS.items():
            for passes in PASSES:
                backward = passes == "forward_backward"
                operations = contender.operations(n, d_k, backward)
                expected = operations.total * pace.get((name, passes), 1 / _SLOWEST)
                held = contender.bytes(n, d_k, backward)
                late = expected > config.seconds or clock() - began + expected > config.total
                skipped = "memory" if held > config.bytes else "time" if late else None
                point = CostPoint(name, passes, size, n, d_k, operations, expected, held, skipped=skipped)
                if skipped is None:
                    point = _measured(point, prepared(contender, operands, backward), config.measuring, place, clock)
                    pace[name, passes] = (point.fastest or 0.0) / operations.total
                yield point


def _measured(
    point: CostPoint,
    call: Callable[[], tuple[Tensor, ...]],
    measuring: float,
    place: torch.device,
    clock: Callable[[], float],
) -> CostPoint:
    with computing_with(_THREADS):
        checkpoint()
        with TensorMemory() as memory:
            call()  # also the warm-up: its time does not count
        calls = _timed(call, measuring, place, clock)
    return replace(
        point, seconds=statistics.median(calls), fastest=min(calls), bytes=memory.peak, calls=len(calls)
    )  # fmt: skip


def _timed(
    call: Callable[[], tuple[Tensor, ...]], measuring: float, place: torch.device, clock: Callable[[], float]
) -> list[float]:
    """Seconds of each call, until `measuring` seconds are over."""
    taken: list[float] = []
    while len(taken) < _MOST_CALLS and (len(taken) < _FEWEST_CALLS or sum(taken) < measuring):
        checkpoint()
        _finish(place)
        start = clock()
        call()
        _finish(place)
        taken.append(clock() - start)
    return taken


def _finish(place: torch.device) -> None:
    """Waits for a device that works beside the program."""
    if place.type != "cpu":
        getattr(torch, place.type).synchronize()
