"""Arithmetic written with as many digits as make it right as shown: 7 840 / 256 = 30.6."""

from collections.abc import Callable
from typing import Final

from visualiser.locale import number

_MOST: Final = 15
_LONG: Final = 1e6  # longer numbers are written with a power of ten
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")


def consistent_digits(value: float, follows: Callable[..., float], /, **terms: float) -> dict[str, str]:
    """Write the terms so that `follows`, of the terms as they are written, gives `value` as it is written."""
    written: dict[str, str] = {}
    for digits in range(3, _MOST + 1):
        written = {name: number(term, max(digits, _digits_before_point(term))) for name, term in terms.items()}
        if number(float(follows(**{name: parse_number(term) for name, term in written.items()}))) == number(
            float(value)
        ):
            break
    return written


def _digits_before_point(term: float) -> int:
    """Return the number of digits before the point: 8457 is not written 8460."""
    return len(f"{abs(term):.0f}") if abs(term) < _LONG else 0


def parse_number(written: str) -> float:
    """Return a number that `visualiser.locale.number` wrote."""
    return float(written.replace("×10", "e").translate(_RAISED).replace("∞", "inf").replace("–", "nan"))
