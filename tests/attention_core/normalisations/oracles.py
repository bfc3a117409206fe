"""Weights, statistics and Jacobians of each normalisation from their definitions: numpy in float64, and mpmath.

They share no formula with the code: every J is the whole matrix, entmax's τ is found by bisection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
import numpy as np

Real: TypeAlias = Any
"""mpmath's number, which has no types."""


def entmax_threshold(scores: np.ndarray) -> np.ndarray:
    """Return τ with Σ [s/2 − τ]₊² = 1 for each row of float64 scores, by bisection. A row of −∞ alone has 0.

    Of the two neighbours in float64 it is the upper one, whose sum is below 1: no weight is above 1.
    """
    top = scores.max(-1, keepdims=True) / 2
    top = np.where(np.isfinite(top), top, 0.0)
    low, high = top - 1, top
    for _ in range(80):
        middle = (low + high) / 2
        above = (np.maximum(scores / 2 - middle, 0) ** 2).sum(-1, keepdims=True) >= 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


def weights(name: str, masked: np.ndarray, sink: float) -> np.ndarray:
    """Return the weights of rows of float64 scores; −∞ marks a forbidden key."""
    if name == "sigmoid":
        return 1 / (1 + np.exp(np.log(masked.shape[-1]) - masked))
    if name == "entmax":
        return np.maximum(masked / 2 - entmax_threshold(masked), 0) ** 2
    top = masked.max(-1, keepdims=True)
    top = np.maximum(top, sink) if name == "sink" else np.where(np.isfinite(top), top, 0.0)
    e = np.exp(masked - top)
    total = e.sum(-1, keepdims=True) + (np.exp(sink - top) if name == "sink" else 0.0)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def jacobians(name: str, p: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Return ∂pᵢ/∂sⱼ by the scaled scores: rows × n_k × n_k."""
    if name == "sigmoid":
        J = np.eye(p.shape[-1]) * (p * (1 - p))[..., None, :]
    else:
        u = np.sqrt(p) if name == "entmax" else p
        total = u.sum(-1)[..., None, None] if name == "entmax" else 1.0
        total = np.where(total == 0, 1.0, total)
        J = np.eye(p.shape[-1]) * u[..., None, :] - u[..., :, None] * u[..., None, :] / total
    return J * slopes[..., None, :]


def statistics(name: str, masked: np.ndarray, p: np.ndarray, slopes: np.ndarray, sink: float) -> dict[str, np.ndarray]:
    """Return every statistic that the rows have, by the table's definitions."""
    J = jacobians(name, p, slopes)
    keys = np.isfinite(masked).sum(-1)
    found = {
        "sum_of_squares": (p**2).sum(-1),
        "jacobian_norm": np.sqrt((J**2).sum((-1, -2))),
        "jacobian_trace": np.trace(J, axis1=-2, axis2=-1),
        "largest_weight": p.max(-1),
    }
    if name == "sigmoid":
        return found | {"mass": p.sum(-1)}
    outcomes = p
    if name == "sink":
        missing = 1 - p.sum(-1, keepdims=True)
        outcomes, keys = np.concatenate([p, missing], -1), keys + 1
        found["sink_weight"] = missing[..., 0]
    logarithms = np.log(np.where(outcomes > 0, outcomes, 1.0))
    found |= {"entropy": -(outcomes * logarithms).sum(-1), "ceiling": np.log(np.maximum(keys, 1))}
    found["effective_keys"] = np.exp(found["entropy"])
    if name == "entmax":
        return found | {"support": (p > 0).sum(-1)}
    e = np.exp(masked).sum(-1) + (np.exp(sink) if name == "sink" else 0.0)
    return found | {"logsumexp": np.where(e > 0, np.log(np.where(e > 0, e, 1.0)), -np.inf)}


@dataclass(frozen=True)
class Exact:
    """One row with hundreds of digits: its weights, the sink's, the slopes and, of entmax, the roots of the weights."""

    name: str
    p: list[Real]
    sink: Real
    slopes: list[Real]
    roots: list[Real]

    def jacobian(self) -> list[list[Real]]:
        """Return ∂pᵢ/∂sⱼ by the scaled scores."""
        u = self.roots if self.name == "entmax" else self.p
        total = mpmath.fsum(u) if self.name == "entmax" else mpmath.mpf(1)
        one = [[(a if i == j else 0) - a * b / total for j, b in enumerate(u)] for i, a in enumerate(u)]
        if self.name == "sigmoid":
            one = [[a * (1 - a) if i == j else mpmath.mpf(0) for j, _ in enumerate(u)] for i, a in enumerate(u)]
        return [[cell * d for cell, d in zip(row, self.slopes, strict=True)] for row in one]

    def statistics(self) -> dict[str, Real]:
        """Return the statistics that do not merely count, as the table defines them."""
        J = self.jacobian()
        found = {
            "sum_of_squares": mpmath.fsum(p**2 for p in self.p),
            "jacobian_norm": mpmath.sqrt(mpmath.fsum(cell**2 for row in J for cell in row)),
            "jacobian_trace": mpmath.fsum(row[i] for i, row in enumerate(J)),
            "largest_weight": max(self.p),
        }
        if self.name == "sigmoid":
            return found | {"mass": mpmath.fsum(self.p)}
        outcomes = [*self.p, self.sink] if self.name == "sink" else self.p
        found["entropy"] = mpmath.fsum(-p * mpmath.log(p) for p in outcomes if p > 0)
        return found | ({"sink_weight": self.sink} if self.name == "sink" else {})


def exact(name: str, masked: Sequence[float], slopes: Sequence[Real], sink: float) -> Exact:
    """Return one row of scores, taken as exact; at least one is finite."""
    s = [mpmath.mpf(x) for x in masked]
    finite = [x for x in s if mpmath.isfinite(x)]
    top = max(finite)
    if name == "sigmoid":
        p = [1 / (1 + len(s) * mpmath.exp(-x)) if mpmath.isfinite(x) else mpmath.mpf(0) for x in s]
        return Exact(name, p, mpmath.mpf(0), list(slopes), [])
    if name == "entmax":
        low, high = top / 2 - 1, top / 2
        for _ in range(int(mpmath.mp.prec * 1.1)):
            middle = (low + high) / 2
            above = mpmath.fsum(max(0, x / 2 - middle) ** 2 for x in finite) >= 1
            low, high = (middle, high) if above else (low, middle)
        roots = [max(mpmath.mpf(0), x / 2 - low) if mpmath.isfinite(x) else mpmath.mpf(0) for x in s]
        return Exact(name, [u**2 for u in roots], mpmath.mpf(0), list(slopes), roots)
    high = max(top, sink) if name == "sink" else top
    powers = [mpmath.exp(x - high) if mpmath.isfinite(x) else mpmath.mpf(0) for x in s]
    beside = mpmath.exp(sink - high) if name == "sink" else mpmath.mpf(0)
    total = mpmath.fsum(powers) + beside
    return Exact(name, [e / total for e in powers], beside / total, list(slopes), [])
