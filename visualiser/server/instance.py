"""The name of this process: a prefix of the names of its runs and maps.

A question about a run or a map may reach a process that did not make it: after a restart, or behind a proxy that sends
one visitor to several replicas. The prefix shows this, so the page can say what really happened.
"""

import secrets
from typing import Final

INSTANCE: Final = secrets.token_urlsafe(6)
"""This process. Any other has another name, even a later one on the same port."""


def new_name() -> str:
    """Return a name that nobody can guess: this process, a point, 128 random bits."""
    return f"{INSTANCE}.{secrets.token_urlsafe(16)}"


def made_here(name: str) -> bool:
    """True if the name has this process's prefix."""
    return name.startswith(f"{INSTANCE}.")


def made_elsewhere(name: object) -> bool:
    """True if another process made this name; False if it is no such name."""
    if not isinstance(name, str):
        return False
    instance, point, rest = name.partition(".")
    return bool(point and rest) and instance != INSTANCE
