"""A row's statistics with 420 digits, from float32 scores taken as exact, and rows that are hard to get right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
import numpy as np
from hypothesis import strategies as st

Real: TypeAlias = Any
"""mpmath's number, which has no types."""

DIGITS = 420
"""p − p² of a weight of 1 − 1e-200 keeps 220 of them."""

UNIT = 2.0**-23
BOUND = 8 * UNIT
"""The relative error that the docstring of `row_sums` allows."""

LEAST = 2.0**-149
"""The distance between float32's subnormal numbers."""


@dataclass(frozen=True)
class Exact:
    """The weights of the allowed keys, with the number of keys that share each, and what follows from them."""

    weights: list[Real]
    counts: list[int]

    def power(self, exponent: int) -> Real:
        """Return Σ pⁿ."""
        return mpmath.fsum(count * p**exponent for p, count in zip(self.weights, self.counts, strict=True))

    def statistics(self) -> dict[str, Real]:
        """Return the definitions of the table, as they stand there."""
        terms = (-count * p * mpmath.log(p) for p, count in zip(self.weights, self.counts, strict=True))
        square, cube = self.power(2), self.power(3)
        return {
            "entropy": mpmath.fsum(terms),
            "sum_of_squares": square,
            "jacobian_norm": mpmath.sqrt(max(0, square - 2 * cube + square**2)),
            "jacobian_trace": 1 - square,
            "largest_weight": max(self.weights),
        }


def exact(scores: Sequence[float], counts: Sequence[int] | None = None) -> Exact:
    """Return the softmax of float32 scores, each shared by a number of keys. There must be an allowed one."""
    counts = [1] * len(scores) if counts is None else counts
    there = [
        (mpmath.mpf(float(np.float32(s))), count) for s, count in zip(scores, counts, strict=True) if s != -math.inf
    ]
    most = max(s for s, _ in there)
    powers = [(mpmath.exp(s - most), count) for s, count in there]
    total = mpmath.fsum(count * power for power, count in powers)
    return Exact([power / total for power, _ in powers], [count for _, count in powers])


def off(found: float, true: Real) -> float:
    """Return the error in units of the bound: at most 1 is within it, and one subnormal place more is allowed."""
    error = abs(mpmath.mpf(found) - true)
    return float(error / (mpmath.mpf(BOUND) * abs(true) + LEAST))


_falls = st.one_of(
    st.just(0.0),
    st.floats(0, 2.0**-20),
    st.floats(0, 4),
    st.floats(3, 20),
    st.floats(80, 112),
    st.floats(340, 380),
    st.floats(700, 760),
    st.floats(0, 3e38),
    st.just(math.inf),
)
"""Distances to the largest score: ties, one float apart, usual, faint, below float32, below its square and below
float64's smallest number, the other end of float32, and forbidden.
"""

_tops = st.one_of(st.floats(-100, 100), st.sampled_from([0.0, 2.0**-149, 1e4, -1e4, 1.7e38, -3.4e38]))


@st.composite
def rows(draw: st.DrawFn, most: int = 11, copies: int = 1) -> tuple[list[float], list[int]]:
    """Draw distinct float32 scores and the number of keys that share each; the first is allowed."""
    top = float(np.float32(draw(_tops)))
    falls = [0.0, *draw(st.lists(_falls, min_size=0, max_size=most - 1))]
    with np.errstate(over="ignore"):
        scores = [float(np.float32(top - fall)) for fall in falls]
    lowest = -float(np.finfo(np.float32).max)
    scores = [s if fall == math.inf else max(s, lowest) for s, fall in zip(scores, falls, strict=True)]
    return scores, [draw(st.integers(1, copies)) if copies > 1 else 1 for _ in scores]
