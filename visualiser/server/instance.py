"""The name of this process, which the names of runs and maps begin with.

A question about a run or a map may reach a process that did not make it: after a restart, or behind a proxy that sends
one visitor to several replicas. The name tells, so the page can say what really happened.
"""

import secrets
from typing import Final

INSTANCE: Final = secrets.token_urlsafe(6)
"""This process; another one, a later one on the same port included, has another."""


def new_name() -> str:
    """A name that nobody can guess: this process, a point, 128 random bits."""
    return f"{INSTANCE}.{secrets.token_urlsafe(16)}"


def made_elsewhere(name: object) -> bool:
    """Whether another process made this name. False for what is no name at all."""
    if not isinstance(name, str):
        return False
    instance, point, rest = name.partition(".")
    return bool(point and rest) and instance != INSTANCE
