"""The operations of every store of rooms.

A store knows documents, names and answers as bytes, and two rules of a room: an answer is taken while its round is
open, or given back while the next one is; and only from a tab that is here, or was within `HERE` seconds. Each
operation is one step for all processes that share the store.

A *group* is one of 256 to which an address belongs (`codes.group_of`). Where places run out, the group that has most of
them gives way. So whoever invents tabs or rooms takes them from nobody at other addresses.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from visualiser.server.rooms.held import size

Changed = Callable[[str | None], None]
"""Called with the code of a room that has changed; with None if any may have changed unnoticed."""


class Away(Exception):
    """The store cannot be reached now."""


class NoRoom(Exception):
    """There is no such room."""


class NoPlace(Exception):
    """The store, or the room, takes no more."""


class NotOpen(Exception):
    """The round that this answers is not open."""


class NotHere(Exception):
    """The tab that answers is not here."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A state that a student offers."""

    id: str
    link: str

    def size(self) -> int:
        """Return the bytes of memory that it takes."""
        return size(self) + size(self.id) + size(self.link)


@dataclass(frozen=True)
class Snapshot:
    """A room at one revision: its document, how many are here, how many have answered each round, the offers.

    `away` is how many of those here have pages that left the class's, `gone` how many of those who have answered are
    not here.
    """

    revision: int
    version: int
    document: bytes
    count: int
    away: int
    answered: tuple[int, int]
    offers: tuple[Offer, ...]
    gone: tuple[int, int]


class Store(Protocol):
    """What a store does. Every method may raise `Away`; all but `create` and `snapshot` raise `NoRoom`."""

    async def create(self, code: str, document: bytes, until: float, takes: str, group: int = 0) -> bytes | None:
        """Make a room, unless there is one: then return its document. Raise `NoPlace` if there are too many.

        It ends at `until`, or earlier if nobody uses it. A room that nobody uses now gives its place to a newer one.
        """
        ...

    async def snapshot(self, code: str) -> Snapshot | None:
        """Return the room; None if there is none."""
        ...

    async def change(
        self, code: str, version: int, document: bytes, takes: str, *, anew: bool = False, revealed: bytes = b""
    ) -> bool:
        """Replace the document if `version` is still its version; else return False.

        `anew` drops all answers; `revealed` is kept for the file of results.
        """
        ...

    async def end(self, code: str, document: bytes) -> None:
        """Drop everything but this document, and that soon."""
        ...

    async def answer(self, code: str, takes: str, name: str, answer: bytes, group: int = 0) -> None:
        """Keep the answer of this name in the round `takes`, in place of its former one.

        Raises `NotOpen`, `NotHere`, and `NoPlace` if too many others have answered and none of them gives way.
        """
        ...

    async def give_back(self, code: str, takes: str, name: str, answer: bytes, most: int, group: int = 0) -> None:
        """Keep what this name had answered in the first round, while the second one, `takes`, is open.

        Raises `NotOpen` if it is not, if the name has an answer of the first round, or if `most` have; and `NotHere`.
        """
        ...

    async def kept_answer(self, code: str, version: int, turn: int, name: str) -> bytes | None:
        """Return the answer that this name has in a round; None if it has none, or if `version` is another one now."""
        ...

    async def answers(self, code: str) -> tuple[list[bytes], list[bytes]]:
        """Return the answers of both rounds, without names."""
        ...

    async def answered_both(self, code: str) -> list[tuple[bytes, bytes]]:
        """Return both answers of each name that has answered both rounds, without names."""
        ...

    async def offer(self, code: str, name: str, link: str) -> None:
        """Keep what this name offers, in place of its former offer."""
        ...

    async def drop(self, code: str, offer: str | None) -> None:
        """Forget an offer; with None, all."""
        ...

    async def here(self, code: str, names: Mapping[str, int], away: bool | None = None) -> bool:
        """Note that these tabs, each with its group, are here, and that the room is used.

        `away` tells if their pages have left the class's; with None that stays.

        Return False if there was no place for one of them.
        """
        ...

    async def left(self, code: str, names: Iterable[str]) -> None:
        """Note that these tabs are gone."""
        ...

    async def revealed(self, code: str) -> list[bytes]:
        """Return what was kept for the file of results."""
        ...

    async def watch(self, changed: Changed) -> None:
        """Call `changed` for every change, until cancelled."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
