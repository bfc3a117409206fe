"""File descriptors: each connection takes one, and without a free one nobody can connect."""

import contextlib
from typing import Final

try:
    import resource
except ImportError:  # Windows has no such bound
    resource = None

RESERVE: Final = 256
"""Descriptors kept for files, and for new connections accepted before old ones are closed for them."""

ENOUGH: Final = 1_048_576
"""The bound to ask for if the system sets none."""


def raise_limit() -> int | None:
    """Raise the bound of this process as far as the system allows and return it; None if there is none."""
    if resource is None:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unbounded = resource.RLIM_INFINITY
    # macOS reports no bound, yet refuses more than 10,240 to some processes
    for wanted in (min(hard, ENOUGH) if hard != unbounded else ENOUGH, 10_240):
        if soft == unbounded or wanted <= soft:
            break
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return None if soft == unbounded else soft


def connections_that_fit(wanted: int, limit: int | None) -> int:
    """Return `wanted`, or the part of the bound beyond the reserve, but at least an eighth of the bound."""
    return wanted if limit is None else min(wanted, max(limit - RESERVE, limit // 8, 1))
