"""Curves over d_k or over the number of keys: the subject of their figure, what they tell, and their ends."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attention_core import LengthPoint, LengthsConfig, SweepConfig, SweepPoint
from attention_core.config import LOG_N_KEYS
from visualiser.locale.message import Message, message

Plan = SweepConfig | LengthsConfig
Points = Sequence[SweepPoint] | Sequence[LengthPoint]


def spreads(points: Points, curve: str, size: int, measure: str) -> tuple[float, float, float]:
    """Return a measure's middle, least and greatest value over the seeds at one place of a curve."""
    return next(point for point in points if (point.curve, point.size) == (curve, size)).spread(measure)


def ends(points: Points, measure: str = "entropy", first: int | None = None) -> dict[str, Any]:
    """Return every curve's measure at `first`, or else its first place, and at its last: `NAME_from` and `NAME_to`."""
    found: dict[str, Any] = {}
    for end in ("from", "to"):
        for curve in dict.fromkeys(point.curve for point in points):
            sizes = [point.size for point in points if point.curve == curve]
            place = sizes[-1] if end == "to" else sizes[0] if first is None else first
            found[f"{curve}_{end}"] = spreads(points, curve, place, measure)[0]
    return found


def of_mechanisms(swept: "Swept") -> list[Message]:
    """Describe the entropies and the gradient from one end of the axis to the other."""
    config, points = swept.config, swept.points
    low, high = config.sizes[0], config.sizes[-1]
    gradients = ends(points, "gradient")
    return [
        message("why.sweep.entropy", low=low, high=high, seeds=config.seeds, ceiling=_ceiling(config), **ends(points)),
        message(
            "why.sweep.gradient",
            high=high,
            unscaled_from=gradients["unscaled_from"],
            **{f"{curve}_to": gradients[f"{curve}_to"] for curve in config.curves},
        ),
        message("why.sweep.where"),
    ]


def of_qk_norm(swept: "Swept") -> list[Message]:
    """Describe entropies and variances with normalised queries and keys beside those without."""
    config, points = swept.config, swept.points
    low, high = config.sizes[0], config.sizes[-1]
    variances = {curve: spreads(points, curve, high, "variance")[0] for curve in config.curves}
    return [
        message(
            "why.qk_norm.entropy", low=low, high=high, seeds=config.seeds, ceiling=_ceiling(config), **ends(points)
        ),
        message("why.qk_norm.variance", high=high, **variances),
        message("why.qk_norm.bound"),
        message("why.sweep.where"),
    ]


def of_keys(swept: "Swept") -> list[Message]:
    """Describe the largest weight and the entropy of each series at 32 keys and at the most, and the theory."""
    return [*key_lines(swept.config, swept.points), message("why.keys.theory")]


def key_lines(config: Plan, points: Points) -> list[Message]:
    """Describe each series from the number of keys at which a factor that grows with ln n is the usual one."""
    return [_key_line(config, points, curve) for curve in config.curves]


KEY_FACTS: Final[Mapping[str, tuple[str, int | None]]] = {
    "weight_from": ("largest_weight", LOG_N_KEYS),
    "weight_to": ("largest_weight", None),
    "share_from": ("entropy_share", LOG_N_KEYS),
    "share_to": ("entropy_share", None),
    "sink_first": ("sink_weight", 0),
    "sink_from": ("sink_weight", LOG_N_KEYS),
    "sink_to": ("sink_weight", None),
}
"""Measure and place of each mean in the sentence on a series; 0 is the first place of the axis, None its last."""


def place_of(config: Plan, size: int | None) -> int:
    """Return a place of the axis: its first for 0, its last for None."""
    return config.sizes[-1] if size is None else size or config.sizes[0]


def _key_line(config: Plan, points: Points, curve: str) -> Message:
    of = {
        name: spreads(points, curve, place_of(config, size), measure)[0] for name, (measure, size) in KEY_FACTS.items()
    }
    first, low, high = (place_of(config, size) for size in (0, LOG_N_KEYS, None))
    return message(f"why.keys.{curve}", first=first, low=low, high=high, **of)


def _ceiling(config: Plan) -> float:
    assert isinstance(config, SweepConfig)
    return math.log(config.n)


@dataclass(frozen=True)
class Swept:
    """The plan of a sweep, its points so far, the place on its axis where the page stands, and what is told of it."""

    config: Plan
    points: Points
    at: int
    words: Callable[["Swept"], list[Message]] = of_mechanisms
