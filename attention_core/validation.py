"""Checks of single settings. Each returns the value in the config's type, or raises `InvalidInput`.

JavaScript and JSON have one kind of number, so 32.0 counts as the whole number 32. A bool never counts as a number.
"""

import math
import operator
from collections.abc import Sequence
from typing import Any

from attention_core.errors import InvalidInput, shown

__all__ = ["choice", "name", "real_number", "whole_number"]


def whole_number(field: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """Return `value` as an int between `minimum` and `maximum`; codes `not_a_number`, `out_of_range`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = int(value) if _is_whole(value) else operator.index(value)
    except TypeError:
        raise _not_a_number(field, value, "a whole number") from None
    _require_range(field, number, minimum, maximum)
    return number


def name(field: str, value: Any) -> str:
    """Return `value` if it is a name of 1 to 200 characters in one line; code `not_a_name`."""
    if not isinstance(value, str) or not 0 < len(value) <= 200 or not value.isprintable():
        raise InvalidInput(
            "not_a_name", f"{field} must be a name of 1 to 200 characters; got {shown(value)}.", field=field
        )
    return value


def real_number(field: str, value: Any, minimum: float, maximum: float) -> float:
    """Return `value` as a finite float between `minimum` and `maximum`; codes `not_a_number`, `out_of_range`."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
        if not math.isfinite(number):
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise _not_a_number(field, value, "a finite number") from None
    _require_range(field, number, minimum, maximum)
    return number


def choice(field: str, value: Any, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`; code `unknown_choice`."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(choices)
    raise InvalidInput(
        "unknown_choice",
        f"{field} must be one of {listed}; got {shown(value)}.",
        field=field,
        value=shown(value),
        choices=listed,
    )


def flag(field: str, value: Any) -> bool:
    """Return `value` if it is a bool; code `unknown_choice`, because "no" and 0 would be guesses."""
    if isinstance(value, bool):
        return value
    raise InvalidInput(
        "unknown_choice",
        f"{field} must be one of True, False; got {shown(value)}.",
        field=field,
        value=shown(value),
        choices="true, false",
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def _not_a_number(field: str, value: Any, expected: str) -> InvalidInput:
    return InvalidInput(
        "not_a_number",
        f"{field} must be {expected}; got {shown(value)}.",
        field=field,
        value=shown(value),
        expected=expected,
    )


def _require_range(field: str, number: int | float, minimum: int | float, maximum: int | float | None) -> None:
    if number < minimum or (maximum is not None and number > maximum):
        expected = f"at least {minimum}" if maximum is None else f"between {minimum} and {maximum}"
        limits = {"minimum": minimum} if maximum is None else {"minimum": minimum, "maximum": maximum}
        written = f"≥ {minimum}" if maximum is None else f"{minimum} … {maximum}"
        raise InvalidInput(
            "out_of_range",
            f"{field} must be {expected}; got {shown(number)}.",
            field=field,
            value=shown(number),
            range=written,
            **limits,
        )
