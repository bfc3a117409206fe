"""Conclusions from measured costs: their growth as a power of n or d_k, and the ratio of two contenders."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attention_core.studies.cost import CostPoint

__all__ = ["CostRatio", "PowerLaw", "cost_ratio", "measured", "power_law", "upper_half"]

_MOST_ERROR = 0.25
_SHOWS_SPREAD = 3  # sizes: a line through two has no residuals


@dataclass(frozen=True)
class PowerLaw:
    """cost ≈ factor · size^slope, fitted to the sizes from `first` to `last`.

    `error` is the standard error of the slope, NaN for two sizes, which any power law fits.
    """

    slope: float
    factor: float
    first: int
    last: int
    error: float = math.nan

    @property
    def holds(self) -> bool:
        """True if the costs lie close to the law: a quarter of a power, or less, is left open."""
        return self.error <= _MOST_ERROR

    def at(self, size: int | float) -> float:
        return self.factor * size**self.slope


@dataclass(frozen=True)
class CostRatio:
    """The cost of `one` divided by that of `other`, at the largest size where both were measured.

    `time` compares the medians. `time_least` and `time_most` compare the fastest call of one with the median of the
    other: what the calls themselves leave open.
    """

    one: str
    other: str
    passes: str
    size: int
    n: int
    d_k: int
    time: float
    time_least: float
    time_most: float
    operations: float
    memory: float


def power_law(sizes: Sequence[int], costs: Sequence[int | float]) -> PowerLaw | None:
    """Fit a power law by least squares on logarithms over the upper half of the sizes, at least three if there are.

    Small sizes are left out because the overhead of a call dominates them.

    Parameters
    ----------
    sizes, costs
        A size and its cost, in any unit.

    Returns
    -------
    PowerLaw or None
        None with fewer than two sizes, or if a cost of the upper half is not positive.

    Raises
    ------
    ValueError
        If there is not one cost for each size.
    """
    upper = upper_half(list(zip(sizes, costs, strict=True)))
    if len({size for size, _ in upper}) < 2 or any(cost <= 0 for _, cost in upper):
        return None
    x, y = ([math.log(value) for value in side] for side in zip(*upper, strict=True))
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    spread = math.fsum((a - mean_x) ** 2 for a in x)
    slope = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    left = math.fsum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True))
    error = math.sqrt(left / (len(x) - 2) / spread) if len(x) >= _SHOWS_SPREAD else math.nan
    return PowerLaw(slope, math.exp(mean_y - slope * mean_x), upper[0][0], upper[-1][0], error)


def upper_half(pairs: Sequence[tuple[int, int | float]]) -> list[tuple[int, int | float]]:
    """Return the sizes and costs that `power_law` fits, the smallest size first."""
    ordered = sorted(pairs)
    return ordered[max(0, min(len(ordered) // 2, len(ordered) - _SHOWS_SPREAD)) :]


def measured(points: Iterable[CostPoint], contender: str, passes: str) -> list[CostPoint]:
    """Return the measured points of one curve, the smallest size first."""
    found = [p for p in points if (p.contender, p.passes, p.skipped) == (contender, passes, None)]
    return sorted(found, key=lambda point: point.size)


def cost_ratio(points: Sequence[CostPoint], one: str, other: str, passes: str) -> CostRatio | None:
    """Compare `one` with `other`.

    Parameters
    ----------
    points
        Points from `measure_costs`.
    one, other
        Names of contenders.
    passes
        "forward" or "forward_backward".

    Returns
    -------
    CostRatio or None
        None if no size was measured for both.
    """
    mine = {p.size: p for p in measured(points, one, passes)}
    theirs = {p.size: p for p in measured(points, other, passes)}
    common = mine.keys() & theirs.keys()
    if not common:
        return None
    a, b = mine[max(common)], theirs[max(common)]
    return CostRatio(
        one=one,
        other=other,
        passes=passes,
        size=a.size,
        n=a.n,
        d_k=a.d_k,
        time=_ratio(a.seconds, b.seconds),
        time_least=_ratio(a.fastest, b.seconds),
        time_most=_ratio(a.seconds, b.fastest),
        operations=_ratio(a.operations.total, b.operations.total),
        memory=_ratio(a.bytes, b.bytes),
    )


def _ratio(one: int | float | None, other: int | float | None) -> float:
    """Return one / other; NaN if a value is missing or `other` is 0, a time below a clock's tick."""
    return one / other if one is not None and other else math.nan
