"""The time of a map on this machine, and the longest sequence it can do, from a short measured pass.

The time of a pass is its number of cells times the time of one. That grows with d_k and, along the edge of a mask,
with the mask. The measurement describes the machine and no visitor, so the process keeps it. A busy machine is
measured again some minutes later, and the best counts.
"""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
import torch

from attention_core import AttentionConfig, attention_passes, checkpoint
from attention_core.blocks.head_threads import MOST
from attention_core.device import resolve
from attention_core.threads import computing_with
from visualiser.maps.geometry import cells, masked, options
from visualiser.maps.kept import BINS
from visualiser.pages.map.pass_price import further_seconds, has_room, room
from visualiser.server.admission.cost import FLOAT, Shape, Sized
from visualiser.server.admission.fitting import largest
from visualiser.state import parameters

SECONDS: Final = 60.0
"""The longest expected time of a pass, in seconds; a longer one is not started."""

RENEWED: Final = 60.0
"""Seconds after which the next request measures the machine again."""

_WIDTHS: Final = (64, 256)
_N_K: Final = 2048
_BLOCK: Final = 256
_MASKED: Final = 3.0  # more than a mask was ever seen to cost
_BLOCKS: Final = 6
_PATIENCE: Final = 0.2  # seconds for one width, if at least two blocks between the first and the last are done
_GAIN: Final = 0.5  # of a core by each further one, measured with two: 1.4 to 1.8 times as fast as one
_known: dict[str, tuple["Speed", float]] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Speed:
    """Seconds a cell at each of `_WIDTHS`, without a mask; `masked` is the factor for a cell under a mask.

    Of what other weights take beyond a softmax, each of `cores` does its share.
    """

    per_cell: tuple[float, float]
    masked: float
    cores: float = 1.0

    def seconds(self, config: AttentionConfig, h: int, n_q: int, n_k: int, d_k: int) -> float:
        """Return the expected time of a pass."""
        edge = 256 * n_q * masked(config)
        each = self._each(d_k) * (self.masked if edge else 1.0) + further_seconds(config) / self.cores
        # a block of queries computes all keys that any of its queries may attend to
        return each * h * min(n_q * n_k, cells(config, n_q, n_k) + edge)

    def _each(self, d_k: int) -> float:
        """Interpolate linearly between the measured widths; beyond the last, scale with the width."""
        return float(np.interp(d_k, _WIDTHS, self.per_cell)) * max(1.0, d_k / _WIDTHS[-1])


def speed(device: str) -> Speed:
    """Return this machine's speed, measured at the first call (tenths of a second) and again after `RENEWED`.

    The best measurement counts.
    """
    kind = resolve(device).type
    with _lock:  # two measurements at once would measure each other
        best, when = _known.get(kind, (None, -RENEWED))
        if best is None or time.monotonic() - when > RENEWED:
            best = _better(_measured(kind), best)
            _known[kind] = best, time.monotonic()
        return best


def _better(new: Speed, old: Speed | None) -> Speed:
    if old is None:
        return new
    narrow, wide = (min(pair) for pair in zip(new.per_cell, old.per_cell, strict=True))
    return Speed((narrow, wide), min(new.masked, old.masked), new.cores)


def _measured(device: str) -> Speed:
    narrow, wide = (_per_cell(device, AttentionConfig(d_k=width, tie=False)) for width in _WIDTHS)
    narrow = min(narrow, wide)  # if it seems to take longer, the machine was busy with something else
    longer = _per_cell(device, AttentionConfig(d_k=_WIDTHS[0], tie=False, mask="causal")) / narrow
    return Speed((narrow, wide), min(max(1.0, longer), _MASKED), _cores(device))


def _per_cell(device: str, config: AttentionConfig) -> float:
    """Return the seconds a cell in the fastest block of queries: a machine that is busy now will not always be.

    The first block is left out because the O(n) preparation of a pass precedes it; the last, because it also makes the
    results. One thread is measured: of two, one that waits for a core makes the other spin, which counts as its time.
    """
    block = _BLOCK if device == "cpu" else 16 * _BLOCK
    generator = torch.Generator().manual_seed(0)
    Q, K = (torch.randn(n, config.d_k, generator=generator) for n in (_BLOCKS * block, _N_K))
    times: list[float] = []
    with computing_with(1):
        for _ in attention_passes(Q, K, overview=BINS, device=device, block=block, **options(config)):
            times.append(_now(device))
            if len(times) > 3 and times[-1] - times[0] > _PATIENCE:
                break
    done = [cells(config, _BLOCKS * block, _N_K, block * (1 + index)) for index in range(len(times))]
    steps = zip(times, times[1:], done, done[1:], strict=False)
    return min((after - before) / (more - less) for before, after, less, more in list(steps)[:-1]) / _cores(device)


def _cores(device: str) -> float:
    """Return how many times as fast as one thread a run alone is."""
    return 1.0 + _GAIN * (min(os.cpu_count() or 1, MOST) - 1) if device == "cpu" else 1.0


def _now(device: str) -> float:
    """Return the thread's CPU time on a CPU, so that other load does not count; else the time after synchronising."""
    if device == "cuda":
        torch.cuda.synchronize()
    return time.thread_time() if device == "cpu" else time.perf_counter()


def longest(fits: Callable[[int], bool], most: int) -> int:
    """Return the largest n from 2 to `most` that fits, or 2 if none does; what fits at n fits below it."""
    return largest(fits, 2, most) or 2


def limit(config: AttentionConfig, h: int, d_k: int, device: str, seconds: float = SECONDS) -> int:
    """Return the longest sequence to begin with these heads, width and mask: by time (`seconds`), memory, page."""
    known, most = speed(device), roomiest(config, h, d_k)

    def fits(n: int) -> bool:
        checkpoint()  # a run whose visitor has left ends here, before its pass
        return known.seconds(config, h, n, n, d_k) <= seconds

    return longest(fits, most)


def roomiest(config: AttentionConfig, h: int, d_k: int) -> int:
    """Return the longest sequence with these heads, width and mask that memory and page allow."""
    # no price depends on what is drawn
    return _roomiest(replace(config, seed=0), h, d_k, has_room, room())


@lru_cache(256)
def _roomiest(config: AttentionConfig, h: int, d_k: int, has_room: Callable[[Sized], bool], room: int) -> int:
    """Search once for each `room` and what is asked of it."""

    def fits(n: int) -> bool:
        shape = Shape(h, n, n, d_k, d_k)
        file = 2 * FLOAT * shape.operands if config.source == "upload" else 0  # its V, too
        return has_room(Sized(config, shape, file))

    return longest(fits, int(parameters.bounds("map")["n"].maximum))
