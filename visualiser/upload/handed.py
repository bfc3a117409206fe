"""Q, K and V that this process was handed in memory: the browser sends their name where it would send a file."""

from typing import Final

from visualiser.held import Held, is_name
from visualiser.upload.refusals import refusal

_PREFIX: Final = b"\0held:"
"""No file and no text begins like this."""

HANDED: Final[Held[bytes]] = Held()
"""Canonical files by their names."""


def enclosed(body: bytes) -> bytes:
    """Return the file that a request encloses: its own bytes, or those of the name that it sends in their place.

    Raises `InvalidInput` (`held_gone`) for the name of a file that is not held, or no longer.
    """
    if not body.startswith(_PREFIX):
        return body
    name = body[len(_PREFIX) :].decode("ascii", "replace")
    found = HANDED.find(name) if is_name(name) else None
    if found is None:
        raise refusal("held_gone")
    return found
