"""The curves beside a histogram of scores: their exact density, and the normal density that it approaches."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionResult
from attention_core.studies.score_density import has_score_density, score_density

REACH: Final = 20.0
"""The curves end this many standard deviations from 0: beyond the scores of any page, also for d_k = 1."""
_SIDE: Final = 80
"""Points on either side, ever closer towards 0, where the density for a small d_k has a peak."""
_LEAST: Final = float(np.finfo(np.float32).tiny)
"""Scores of a smaller standard deviation are 0 in float32."""


@dataclass(frozen=True, eq=False)
class ScoreCurves:
    """Points of both densities, without those where the exact one is infinite.

    That is 0 for d_k = 1, and with QK-norm both ends for d_k = 2.
    `summit` is the largest exact density, or 0 if there is none.
    """

    scores: NDArray[np.float64]
    exact: NDArray[np.float64]
    normal: NDArray[np.float64]
    spread: float
    summit: float


_NOTHING: Final = ScoreCurves(np.empty(0), np.empty(0), np.empty(0), 0.0, 0.0)


def score_curves(result: AttentionResult) -> ScoreCurves:
    """Return the curves of a result; empty ones if its density is unknown or has no width."""
    config = result.config
    spread = math.sqrt(config.d_k) * config.factor
    if not has_score_density(config) or spread < _LEAST:
        return _NOTHING
    x, exact = (_directions if config.qk_norm else _standardised)(config.d_k)
    normal = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    summit = 0.0 if config.d_k == (2 if config.qk_norm else 1) else float(exact.max()) / spread
    return ScoreCurves(x * spread, exact / spread, normal / spread, spread, summit)


@lru_cache(maxsize=64)
def _standardised(d_k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points and density of the scores divided by their deviation √d_k. Callers must not change them."""
    steep = 8.0
    side = REACH * np.sinh(np.linspace(0, steep, _SIDE + 1)) / math.sinh(steep)
    side = side[1:] if d_k == 1 else side
    deviation = math.sqrt(d_k)
    density = score_density(torch.from_numpy(side * deviation), d_k).numpy() * deviation
    mirrored = slice(None, None, -1) if d_k == 1 else slice(None, 0, -1)
    return np.concatenate((-side[mirrored], side)), np.concatenate((density[mirrored], density))


@lru_cache(maxsize=64)
def _directions(d_k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points and density of √d_k · cos θ, which ends at ±√d_k. Callers must not change them."""
    deviation = math.sqrt(d_k)
    near = np.sinh(np.linspace(0, 4.0, _SIDE + 1)) / math.sinh(4.0) * min(REACH, deviation)
    ends = np.sin(np.linspace(0, math.pi / 2, _SIDE // 2 + 1)) * deviation  # ever closer towards the end
    side = np.unique(np.concatenate((near, ends[ends <= REACH])))
    side = side[side < deviation] if d_k == 2 else side
    density = score_density(torch.from_numpy(side * deviation), d_k, normed=True).numpy() * deviation
    if deviation <= REACH and d_k > 2:  # down to the axis where nothing is beyond
        side, density = np.append(side, deviation), np.append(density, 0.0)
    return np.concatenate((-side[:0:-1], side)), np.concatenate((density[:0:-1], density))
