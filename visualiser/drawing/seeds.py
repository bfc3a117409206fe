"""Snapshots of trainings as figures need them: the newest of each curve, and the range over its seeds."""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core.experiments import HeadsSnapshot, QualityCurve, QualitySnapshot

Shot = TypeVar("Shot", QualitySnapshot, HeadsSnapshot)


def key(shot: QualitySnapshot | HeadsSnapshot) -> tuple[str, int] | int:
    """Return a curve's key: mechanism and d_k, or h."""
    curve = shot.curve
    return (curve.mechanism, curve.d_k) if isinstance(curve, QualityCurve) else curve.h


def newest(snapshots: Iterable[Shot]) -> dict[tuple[str, int] | int, Shot]:
    """Return the last snapshot of each curve."""
    return {key(shot): shot for shot in snapshots}


def history(snapshots: Iterable[Shot]) -> dict[tuple[str, int] | int, list[Shot]]:
    """Return all snapshots of each curve, in their order."""
    found: dict[tuple[str, int] | int, list[Shot]] = {}
    for shot in snapshots:
        found.setdefault(key(shot), []).append(shot)
    return found


def spread(values: Tensor | None) -> NDArray[np.float64]:
    """Return (mean, least, most) over the seeds; NaN for a curve that has not begun."""
    if values is None:
        return np.full(3, np.nan)
    numbers = values.double().numpy()
    return np.array([numbers.mean(), numbers.min(), numbers.max()])


def spread_by_median(values: Tensor | None) -> NDArray[np.float64]:
    """Return (median, least, most) over the seeds: for values whose decades differ, where one seed makes the mean."""
    found = spread(values)
    if values is not None:
        found[0] = float(values.double().median())
    return found


def is_finished(shot: QualitySnapshot | HeadsSnapshot | None) -> bool:
    """Return False if the curve is not trained to its last step."""
    return shot is not None and shot.step >= shot.steps
