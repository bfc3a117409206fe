"""A colour scale that ends at the 99.5 % quantile of the drawn cells, and is marked as open where cells lie beyond.

One outlier then hides nothing. The end is rounded outwards as in `visualiser.drawing.colour`, so it is the smallest
step that at most one drawn cell in `SPARE` exceeds. That is counted and not estimated: no cell is left out, and no
sorting is needed. Where the scale is symmetric about 0, the 0.5 % quantile counts as well, and the farther of the two
decides both ends. Masked cells and cells without a finite number are not drawn as colours, so they do not count.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from visualiser.drawing.colour import DECADES, TOLERANCE, UNSIGNED, colour_range, step, step_value
from visualiser.locale import number

SPARE: Final = 200
"""One drawn cell in so many may lie beyond an end: the ends are the 0.5 % and the 99.5 % quantile."""
_LARGEST: Final = float(np.finfo(np.float32).max)
_FLOOR: Final = 6 * -46
"""The step 10⁻⁴⁶: no float32 lies between it and 0."""
_SAMPLE: Final = 4096
_APART: Final = 0.6
"""Powers of ten that are closer to the top of a logarithmic bar are not written there."""

Cells = NDArray[np.float32]


@dataclass(frozen=True)
class Limits:
    """The ends of a colour scale, and the number of drawn cells `below` and `above` them, of all drawn `cells`.

    `low` and `high` are values of the quantity; `axis` are the same ends on the colour axis, in powers of ten if the
    scale is logarithmic. `cells` is 0 if the scale is the full one: then nothing was counted.
    """

    low: float
    high: float
    axis: tuple[float, float]
    below: int = 0
    above: int = 0
    cells: int = 0


def full_limits(ends: tuple[float, float], stage: str, colour: str = "linear") -> Limits:
    """Return the full scale whose `ends` are those of `colour_range`."""
    low, high = (10.0**end for end in ends) if _logarithmic(stage, colour) else ends
    return Limits(low, high, ends)


def quantile_limits(drawn: Sequence[Cells], stage: str, colour: str = "linear", beside: Sequence[Cells] = ()) -> Limits:
    """Return the scale of these cells together: values of the quantity, NaN where no colour is drawn.

    If the quantile is 0, as where nearly all weights vanish, the scale is the full one of the same cells. Cells
    `beside` them have its colours and no part in its ends; they are counted.
    """
    signed = stage not in UNSIGNED
    cells = _numbers(drawn)
    reach, below, above = _least_step(drawn, cells // SPARE, signed)
    if not reach:
        reach = colour_range([torch.from_numpy(part) for part in drawn], stage)[1]
        below = above = 0
    if beside:
        further = _beyond(beside, reach, signed)
        cells, below, above = cells + _numbers(beside), below + further[0], above + further[1]
    if _logarithmic(stage, colour):
        top = math.log10(reach)
        return Limits(10.0 ** (top - DECADES), reach, (top - DECADES, top), below, above, cells)
    low = -reach if signed else 0.0
    return Limits(low, reach, (low, reach), below, above, cells)


def bar_ticks(limits: Limits, stage: str, colour: str = "linear") -> dict[str, Any]:
    """Return the ticks of the scale's colour bar, its ends among them; "<" and ">" mark an end that cells exceed."""
    high = limits.high
    if _logarithmic(stage, colour):
        low, top = limits.axis
        powers = range(math.ceil(low - TOLERANCE), math.floor(top - _APART) + 1)
        values, texts = [*map(float, powers), top], [*(number(10.0**power) for power in powers), number(high)]
    else:
        thirds = f"{high:.1e}"[:3] in ("1.5", "3.0")
        parts = 3 if thirds and stage in UNSIGNED else 2
        values = [high * (part / parts) for part in range(0 if stage in UNSIGNED else -parts, parts + 1)]
        texts = [number(value) for value in values]
    if limits.below:
        texts[0] = f"<{texts[0]}"
    if limits.above:
        texts[-1] = f">{texts[-1]}"
    # numpy arrays: they move with the numbers
    return {"tickmode": "array", "tickvals": np.array(values), "ticktext": np.array(texts)}


def _logarithmic(stage: str, colour: str) -> bool:
    return stage == "weights" and colour == "log"


def _numbers(parts: Sequence[Cells]) -> int:
    return sum(part.size - int(np.count_nonzero(np.isnan(part))) for part in parts)


def _beyond(parts: Sequence[Cells], reach: float, signed: bool) -> tuple[int, int]:
    """Return the cells below and above a scale's ends; NaN is neither."""
    end = np.float32(min(reach * (1 + TOLERANCE), _LARGEST))
    below = sum(int(np.count_nonzero(part < -end)) for part in parts) if signed else 0
    return below, sum(int(np.count_nonzero(part > end)) for part in parts)


def _least_step(drawn: Sequence[Cells], spare: int, signed: bool) -> tuple[float, int, int]:
    """Return the smallest step that at most `spare` cells exceed, on each side if `signed`, and the cells beyond it.

    The step is 0 if every positive one would do. The search begins at the quantile of a sample and goes on in growing
    strides, then halves: two or three passes over the cells as a rule.
    """

    @cache
    def beyond(number: int) -> tuple[int, int]:
        return _beyond(drawn, step_value(number), signed)

    def fits(number: int) -> bool:
        return max(beyond(number)) <= spare

    low = high = _guess(drawn, signed)
    stride = 1
    if fits(high):
        low -= 1
        while low > _FLOOR and fits(low):
            high, low, stride = low, low - 2 * stride, 2 * stride
        low = max(low, _FLOOR)
        if low == _FLOOR and fits(low):
            return 0.0, 0, 0
    else:
        high += 1
        while not fits(high):
            low, high, stride = high, high + 2 * stride, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return step_value(high), *beyond(high)


def _guess(drawn: Sequence[Cells], signed: bool) -> int:
    """Return the step at the quantile of every so many cells, an odd number, so that no column is always met."""
    every = max(1, sum(part.size for part in drawn) // _SAMPLE) | 1
    sample = np.concatenate([part.reshape(-1)[::every] for part in drawn]) if drawn else np.empty(0, np.float32)
    sample = sample[~np.isnan(sample)]
    sample = np.abs(sample) if signed else sample
    if not sample.size:
        return _FLOOR + 1
    place = sample.size - 1 - sample.size // (SPARE // 2 if signed else SPARE)
    value = float(np.partition(sample, place)[place])
    return step(value) if value > 0 else _FLOOR + 1
