"""File descriptors: every connection takes one, and without a free one nobody can come in."""

import contextlib
from typing import Final

try:
    import resource
except ImportError:  # Windows, which has no such bound
    resource = None

RESERVE: Final = 256
"""Descriptors kept for files, and for connections that were taken on before others are closed for them."""

ENOUGH: Final = 1_048_576
"""No more is asked for where the system names no bound."""


def raise_limit() -> int | None:
    """Raise the bound of this process as far as the system lets it, and return it; None if there is none."""
    if resource is None:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unbounded = resource.RLIM_INFINITY
    # macOS names no bound and yet refuses more than 10,240 to some processes
    for wanted in (min(hard, ENOUGH) if hard != unbounded else ENOUGH, 10_240):
        if soft == unbounded or wanted <= soft:
            break
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return None if soft == unbounded else soft


def connections_that_fit(wanted: int, limit: int | None) -> int:
    """`wanted`, or what the bound leaves beside the reserve; never less than an eighth of the bound."""
    return wanted if limit is None else min(wanted, max(limit - RESERVE, limit // 8, 1))
