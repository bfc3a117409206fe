"""The largest of all that a sentence names: no list is cut before it is looked for."""

import math
from collections.abc import Mapping
from typing import TypeVar

Key = TypeVar("Key")


def largest(found: Mapping[Key, float]) -> tuple[Key, float] | None:
    """Return the largest of all values with its key, the first of equal ones; None if all are NaN or there is none."""
    there = {key: value for key, value in found.items() if not math.isnan(value)}
    if not there:
        return None
    key = max(there, key=lambda one: there[one])
    return key, there[key]
