"""Arithmetic of a number format from its definition, by exact fractions; and scores that lie at its edges."""

import math
from fractions import Fraction

import numpy as np
import torch
from hypothesis import strategies as st

BITS = {"float16": (11, -14, 15), "bfloat16": (8, -126, 127), "float32": (24, -126, 127)}
"""Digits, and the exponents of the smallest normal and of the largest number."""
DTYPES = st.sampled_from(sorted(BITS))
# ordinary scores, the edges of exp in each format, of the formats themselves, and what is between
EDGES = (0.0, -0.0, 11.08, 11.1, 12.0, -16.0, -17.4, 88.7, 88.8, -87.4, -104.0, 65504.0, 65520.0, -7e4, 6e-8, 1e38)
NUMBERS = st.one_of(
    st.floats(-30, 30, width=32), st.floats(-120, 120, width=32), st.sampled_from(EDGES), st.floats(-7e4, 7e4, width=32)
)
ROWS = st.integers(1, 9).flatmap(lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=1, max_size=4))


def rounded(number: float, dtype: str) -> float:
    """Round a number to a format, to the nearest and to even: by exact fractions, from the format's definition."""
    if not math.isfinite(number) or number == 0:
        return number
    digits, least, most = BITS[dtype]
    exact = Fraction(number)
    power = max(math.frexp(number)[1] - 1, least)
    unit = Fraction(2) ** (power - digits + 1)
    found = round(exact / unit) * unit  # of two alike the even one
    return math.copysign(math.inf, number) if abs(found) >= Fraction(2) ** (most + 1) else float(found)


@np.errstate(all="ignore")
def times(one: float, other: float) -> float:
    return float(np.float32(one) * np.float32(other))


@np.errstate(all="ignore")
def over(one: float, other: float) -> float:
    return float(np.float32(one) / np.float32(other))


def unit_of(number: float, dtype: str) -> float:
    digits, least, _ = BITS[dtype]
    power = max(math.frexp(number)[1] - 1, least) if number else least
    return 2.0 ** (power - digits + 1)


def same(ours: float, theirs: float) -> bool:
    return ours == theirs or (math.isnan(ours) and math.isnan(theirs))


def close(ours: float, exact: float, dtype: str, by: float = 0.501) -> bool:
    """Return True if a number of the format is the nearest to an exact one, but for float32 having made it first."""
    if not math.isfinite(ours) or not math.isfinite(exact):
        return same(ours, exact) or (math.isinf(ours) and abs(exact) >= float(torch.finfo(getattr(torch, dtype)).max))
    blur = 4 * 2.0**-24 * abs(exact) if dtype != "float32" else 1.5 * unit_of(exact, dtype)
    return abs(ours - exact) <= by * unit_of(exact, dtype) + blur
