"""A sweep over d_k: the subject of its figure, and the entropies at its ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_core import SweepConfig, SweepPoint
from attention_core.studies.sweep import CURVES


@dataclass(frozen=True)
class Swept:
    """A sweep, its points so far, and the d_k at which the page stands."""

    config: SweepConfig
    points: Sequence[SweepPoint]
    d_k: int


def ends(points: Sequence[SweepPoint]) -> dict[str, Any]:
    """Return every curve's entropy at the smallest and at the largest d_k, as `NAME_from` and `NAME_to`."""
    found = {f"{which}_from": _entropy(points, which, 0) for which in CURVES}
    return found | {f"{which}_to": _entropy(points, which, -1) for which in CURVES}


def _entropy(points: Sequence[SweepPoint], which: str, place: int) -> float:
    return [point for point in points if point.curve == which][place].spread("entropy")[0]
