"""The memory that is free when the process starts, from which an owner's bounds follow."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import psutil

_GROUP: Final = Path("/sys/fs/cgroup")
_LIMITS: Final = ("memory.max", "memory/memory.limit_in_bytes")
"""What a container may take, as Linux tells it in its two versions."""


@cache
def free_memory() -> int:
    """Return the bytes that were free for this process when it first asked: each bound is a share of one number."""
    free = psutil.virtual_memory().available
    limit = limit_of_group(_GROUP)
    return free if limit is None else max(0, min(free, limit - psutil.Process().memory_info().rss))


def limit_of_group(group: Path) -> int | None:
    """Return the bytes that a container's group may take; None without a bound."""
    for name in _LIMITS:
        with suppress(OSError, ValueError):  # no such file; the word "max"
            return int((group / name).read_text(encoding="ascii"))
    return None
