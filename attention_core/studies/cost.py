"""The time on one thread and the peak memory of each contender on this machine, against n or d_k, within bounds.

Before a call its memory is known from its shapes, and its time is estimated from the size before by the ratio of
operations. A call beyond a bound is skipped, and its point has the estimates.
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

__all__ = ["PASSES", "VARIED", "CostConfig", "CostPoint", "measure_costs"]

PASSES: Final = ("forward", "forward_backward")
VARIED: Final = ("n", "d_k")
# Operations a second for the first size, which has no earlier one: fewer than any machine of this decade computes.
_SLOWEST = 2e8
_FEWEST_CALLS, _MOST_CALLS = 3, 50
# Two threads on two cores wait for each other whenever another program computes, and take the cores of others.
_THREADS = 1


@dataclass(frozen=True)
class CostPoint:
    """One contender at one size: measured, or skipped because it would exceed a bound.

    Attributes
    ----------
    expected_seconds, expected_bytes
        The estimates before the call.
    seconds, fastest
        The median and the shortest of `calls` calls; None if skipped.
    bytes
        The exact peak memory of its tensors beside the operands; None if skipped.
    skipped
        "time" or "memory"; None if measured.
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


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class CostConfig:
    """The measurements at `sizes` of n or d_k, whichever is `varied`, with the other fixed; one head, float32.

    Parameters
    ----------
    varied
        "n" or "d_k".
    sizes
        Its values; they are sorted.
    n, d_k
        The value of the one that is not varied.
    seed
        The seed of Q, K and V.
    seconds, bytes
        Skip a call that would take or hold more.
    total
        Skip every call after these seconds.
    measuring
        Repeat the call of a point for these seconds (3 to 50 calls).

    Raises
    ------
    InvalidInput
        `not_a_number`, `out_of_range` or `unknown_choice`.
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
        """Return (n, d_k) at one of the sizes."""
        return (size, self.d_k) if self.varied == "n" else (self.n, size)


def measure_costs(
    config: CostConfig, device: str = "cpu", clock: Callable[[], float] = time.perf_counter
) -> Generator[CostPoint, None, None]:
    """Measure every contender, forward and forward + backward, the smallest size first. Close the generator to stop.

    Other programs on the machine raise the median. Estimates use the fastest calls, which they disturb least. A call at
    the bound `seconds` is made four times; it may be stopped between any two of them, and before each backward.

    Parameters
    ----------
    config
        The sizes and the bounds.
    device
        Name for `resolve`.
    clock
        A function that returns seconds.

    Yields
    ------
    CostPoint
        One contender at one size, measured or skipped.

    Raises
    ------
    InvalidInput
        The codes of `resolve`, at the first point.
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
            call()  # also warms up: its time does not count
        calls = _timed(call, measuring, place, clock)
    return replace(
        point, seconds=statistics.median(calls), fastest=min(calls), bytes=memory.peak, calls=len(calls)
    )  # fmt: skip


def _timed(
    call: Callable[[], tuple[Tensor, ...]], measuring: float, place: torch.device, clock: Callable[[], float]
) -> list[float]:
    """Call for `measuring` seconds and return the seconds of each call."""
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
    """Wait for a device that works asynchronously."""
    if place.type != "cpu":
        getattr(torch, place.type).synchronize()
