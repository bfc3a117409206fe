"""The colour of a cell: the range of a colour scale, and plotly's description of it.

Ranges are rounded outwards in coarse steps, so that colours keep their meaning during most of a drag.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from visualiser.theme import DIVERGING, WEIGHTS

DECADES: Final = 4
"""The length of a logarithmic scale in powers of ten; smaller weights share its last colour."""
TOLERANCE: Final = 1e-6
"""A value that exceeds the end of a scale by this share of it still lies within: float32 has seven digits."""
UNSIGNED: Final = ("weights", "norms")
"""Stages whose scale begins at 0."""
_STEPS: Final = (1, 1.5, 2, 3, 5, 7)


def step(value: float) -> int:
    """Return the number of the smallest step 1, 1.5, 2, 3, 5, 7 × 10^k that is at least `value` (> 0); 1 is step 0."""
    first = math.floor(math.log10(value)) * len(_STEPS)
    return next(one for one in range(first, first + 8) if value <= step_value(one) * (1 + TOLERANCE))


def step_value(number: int) -> float:
    """Return the value of a step."""
    power, place = divmod(number, len(_STEPS))
    return float(f"{_STEPS[place]}e{power}")


def nice(value: float) -> float:
    """Return the smallest of 1, 1.5, 2, 3, 5, 7 × 10^k that is at least `value` (> 0), so that a scale is 2/3 full."""
    return step_value(step(value))


def _extremes(tensors: Sequence[Tensor]) -> tuple[float, float]:
    """Return the least and the greatest finite value, always with 0 between them; (0, 0) if there is none."""
    lows, highs = [0.0], [0.0]
    for tensor in tensors:
        if tensor.numel() == 0:
            continue
        # numpy on one core: a millisecond at most; torch waits for a second core that may be busy.
        low, high = float(tensor.numpy().min()), float(tensor.numpy().max())
        if not (math.isfinite(low) and math.isfinite(high)):  # a mask set scores to −∞, differences to NaN
            finite = tensor[torch.isfinite(tensor)]
            low, high = (float(finite.min()), float(finite.max())) if finite.numel() else (0.0, 0.0)
        lows.append(low)
        highs.append(high)
    return min(lows), max(highs)


def colour_range(tensors: Tensor | Sequence[Tensor], stage: str, colour: str = "linear") -> tuple[float, float]:
    """Return the ends of the colour scale for one tensor, or for several that share it.

    Weights, and these times norms: 0 to the rounded largest; on a logarithmic scale, log10 of the rounded largest and
    four decades below. Every other stage, and a difference: symmetric about 0. `colour` "log" applies to weights alone,
    since scores have a sign.
    """
    low, high = _extremes([tensors] if isinstance(tensors, Tensor) else tensors)
    if stage in UNSIGNED:
        top = nice(high) if high > 0 else 1.0
        return (math.log10(top) - DECADES, math.log10(top)) if colour == "log" else (0.0, top)
    reach = max(-low, high)
    reach = nice(reach) if reach > 0 else 1.0
    return -reach, reach


def colour_axis(
    limits: tuple[float, float], stage: str, colour: str, title: str | None, bar: dict[str, Any]
) -> dict[str, Any]:
    """Return plotly's colour axis: `limits` as numpy values, the stage's scale, and a colour bar placed by `bar`."""
    ticks: dict[str, Any] = {"nticks": 6}
    if stage == "weights" and colour == "log":
        powers = {-power: "1" if power == 0 else f"{10.0**-power:.{power}f}" for power in range(10)}
        alias = {str(power).replace("-", sign): name for power, name in powers.items() for sign in ("-", "−")}
        ticks = {"tickmode": "linear", "tick0": 0, "dtick": 1, "labelalias": alias}
    return {
        "cmin": np.float64(limits[0]),
        "cmax": np.float64(limits[1]),
        "colorscale": WEIGHTS if stage in UNSIGNED else DIVERGING,
        "colorbar": {**ticks, **({} if title is None else {"title": {"text": title, "side": "right"}}), **bar},
    }
