"""The order in which maps leave a full store: first the oldest of the visitor who holds the most."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from visualiser.maps.kept import Kept
from visualiser.server.admission.clients import Client

LEAST_LIFE: Final = 60.0
"""The age in seconds until which other addresses' maps push no map out, unless its address holds over half of all."""


@dataclass
class Entry:
    """A map with its owner, its size, and the times when it was made and last used."""

    kept: Kept
    owner: Client
    bytes: int
    made: float
    used: float


def first_out(
    entries: Mapping[str, Entry], newest: str, now: float, weight: Callable[[Entry], int], most: int
) -> str | None:
    """Return the map that has to go, never the newest itself; None if every other one is protected.

    `entries` begins with the least recently used. `weight` is an entry's share of `most`. The address that holds the
    most loses first, and within it the tab that holds the most; between equals, the newcomer's own address.
    """
    own = entries[newest].owner.address
    of_address, of_tab = defaultdict[str, int](int), defaultdict[Client, int](int)
    for entry in entries.values():
        of_address[entry.owner.address] += weight(entry)
        of_tab[entry.owner] += weight(entry)

    def may_go(entry: Entry) -> bool:
        address = entry.owner.address
        return address == own or now - entry.made >= LEAST_LIFE or of_address[address] > most / 2

    def rank(name: str) -> tuple[int, bool, int]:
        owner = entries[name].owner
        return of_address[owner.address], owner.address == own, of_tab[owner]

    return max((name for name, entry in entries.items() if name != newest and may_go(entry)), key=rank, default=None)
