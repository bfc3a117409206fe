"""The memory that rooms hold, counted as Python allocates it.

A value that a library made may hold much more than its length: `orjson.dumps` hands out its whole buffer,
eight kilobytes for a vote of four hundred bytes. So what is kept is a copy, and its size is what the copy takes.
"""

import sys
from typing import Any, Final

_STEP: Final = 16
"""Allocators give whole steps, and large blocks have a head of one."""


def compact(data: bytes) -> bytes:
    """Return a copy that holds no more than its length."""
    return bytes(memoryview(data))


def size(value: Any) -> int:
    """Return the bytes of memory of this object alone, without what it refers to."""
    return -(-sys.getsizeof(value) // _STEP) * _STEP + _STEP
