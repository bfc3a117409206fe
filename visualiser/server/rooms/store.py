"""Where rooms live: the operations that every store has, and the store in this process's memory.

A store knows documents, names and answers as bytes, and no rule of a room but one: an answer is taken while its round
is open, or given back while the next one is. Each operation is one step for all processes that share the store.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from visualiser.server.rooms.limits import ENDED, HERE, OFFERS, REVEALED, ROOMS, TABS

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


@dataclass(frozen=True)
class Offer:
    """A state that a student offers."""

    id: str
    link: str


@dataclass(frozen=True)
class Snapshot:
    """A room at one revision: its document, how many are here, how many have answered each round, the offers."""

    revision: int
    version: int
    document: bytes
    count: int
    answered: tuple[int, int]
    offers: tuple[Offer, ...]


class Store(Protocol):
    """What a store does. Every method may raise `Away`; all but `create` and `snapshot` raise `NoRoom`."""

    async def create(self, code: str, document: bytes, until: float, takes: str) -> bytes | None:
        """Make a room, unless there is one: then return its document. Raise `NoPlace` if there are too many."""
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

    async def answer(self, code: str, takes: str, name: str, answer: bytes) -> None:
        """Keep the answer of this name in the round `takes`, in place of its former one.

        Raises `NotOpen`, and `NoPlace` if too many others have answered.
        """
        ...

    async def give_back(self, code: str, takes: str, name: str, answer: bytes, most: int) -> None:
        """Keep what this name had answered in the first round, while the second one, `takes`, is open.

        Raises `NotOpen` if it is not, if the name has an answer of the first round, or if `most` have.
        """
        ...

    async def answers(self, code: str) -> tuple[list[bytes], list[bytes]]:
        """Return the answers of both rounds, without names."""
        ...

    async def offer(self, code: str, name: str, link: str) -> None:
        """Keep what this name offers, in place of its former offer."""
        ...

    async def drop(self, code: str, offer: str | None) -> None:
        """Forget an offer; with None, all."""
        ...

    async def here(self, code: str, names: Iterable[str]) -> bool:
        """Note that these tabs are here. Return False if there was no place for one of them."""
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


@dataclass
class _Kept:
    document: bytes
    until: float
    takes: str
    revision: int
    version: int = 1
    here: dict[str, float] = field(default_factory=dict)
    answers: tuple[dict[str, bytes], dict[str, bytes]] = field(default_factory=lambda: ({}, {}))
    offers: dict[str, Offer] = field(default_factory=dict)
    revealed: list[bytes] = field(default_factory=list)


_BESIDES = 200  # bytes of Python's own for each value that is kept


class MemoryStore:
    """Rooms in this process's memory, at most `most` bytes of them."""

    def __init__(self, most: int = 40 * 2**20, clock: Callable[[], float] = time.time) -> None:
        self._most, self._clock = most, clock
        self._rooms: dict[str, _Kept] = {}
        self._changed: Changed = lambda _: None
        self.taken = 0

    async def create(self, code: str, document: bytes, until: float, takes: str) -> bytes | None:
        """See `Store`."""
        self._sweep()
        kept = self._rooms.get(code)
        if kept is not None and not _is_over(kept):
            return kept.document
        if kept is None and len(self._rooms) >= ROOMS:
            raise NoPlace
        former = 0 if kept is None else kept.revision
        self._take(len(document) + _BESIDES)
        self._forget(code)
        self._rooms[code] = _Kept(document, until, takes, max(int(self._clock() * 1000), former + 1))
        self._changed(code)
        return None

    async def snapshot(self, code: str) -> Snapshot | None:
        """See `Store`."""
        self._sweep()
        kept = self._rooms.get(code)
        if kept is None:
            return None
        self._look(code, kept)
        answered = len(kept.answers[0]), len(kept.answers[1])
        offers = tuple(kept.offers.values())
        return Snapshot(kept.revision, kept.version, kept.document, len(kept.here), answered, offers)

    async def change(
        self, code: str, version: int, document: bytes, takes: str, *, anew: bool = False, revealed: bytes = b""
    ) -> bool:
        """See `Store`."""
        kept = self._kept(code)
        if kept.version != version:
            return False
        self._take(len(document) - len(kept.document) + len(revealed) + (_BESIDES if revealed else 0))
        if anew:
            self._return(_size_of_answers(kept))
            kept.answers = {}, {}
        if revealed:
            kept.revealed.append(revealed)
            for old in kept.revealed[:-REVEALED]:
                self._return(len(old) + _BESIDES)
            del kept.revealed[:-REVEALED]
        kept.document, kept.takes, kept.version = document, takes, version + 1
        self._next(code, kept)
        return True

    async def end(self, code: str, document: bytes) -> None:
        """See `Store`."""
        kept = self._kept(code)
        revision = kept.revision + 1
        self._forget(code)
        self.taken += len(document) + _BESIDES
        self._rooms[code] = _Kept(document, self._clock() + ENDED, _OVER, revision)
        self._changed(code)

    async def answer(self, code: str, takes: str, name: str, answer: bytes) -> None:
        """See `Store`."""
        kept = self._kept(code)
        if not takes or kept.takes != takes:
            raise NotOpen
        answers = kept.answers[int(takes[-1]) - 1]
        former = answers.get(name)
        if former is None and len(answers) >= TABS:
            raise NoPlace
        self._take(len(answer) - len(former) if former is not None else len(answer) + _BESIDES)
        answers[name] = answer
        if former is None:
            self._next(code, kept)

    async def give_back(self, code: str, takes: str, name: str, answer: bytes, most: int) -> None:
        """See `Store`."""
        kept = self._kept(code)
        first, _ = kept.answers
        if not takes or kept.takes != takes or name in first or len(first) >= most:
            raise NotOpen
        self._take(len(answer) + _BESIDES)
        first[name] = answer
        self._next(code, kept)

    async def answers(self, code: str) -> tuple[list[bytes], list[bytes]]:
        """See `Store`."""
        first, second = self._kept(code).answers
        return sorted(first.values()), sorted(second.values())

    async def offer(self, code: str, name: str, link: str) -> None:
        """See `Store`."""
        kept = self._kept(code)
        self._take(len(link) + _BESIDES)
        former = kept.offers.pop(name, None)
        if former is None and len(kept.offers) >= OFFERS:
            former = kept.offers.pop(next(iter(kept.offers)))
        if former is not None:
            self._return(len(former.link) + _BESIDES)
        kept.offers[name] = Offer(str(kept.revision + 1), link)
        self._next(code, kept)

    async def drop(self, code: str, offer: str | None) -> None:
        """See `Store`."""
        kept = self._kept(code)
        for name, one in list(kept.offers.items()):
            if offer in (None, one.id):
                self._return(len(one.link) + _BESIDES)
                del kept.offers[name]
        self._next(code, kept)

    async def here(self, code: str, names: Iterable[str]) -> bool:
        """See `Store`."""
        kept = self._kept(code)
        self._look(code, kept)
        came, all_in = False, True
        for name in names:
            known = name in kept.here
            if known or len(kept.here) < TABS:
                kept.here[name] = self._clock()
                self.taken += 0 if known else _BESIDES
                came = came or not known
            else:
                all_in = False
        if came:
            self._next(code, kept)
        return all_in

    async def left(self, code: str, names: Iterable[str]) -> None:
        """See `Store`."""
        kept = self._kept(code)
        went = [name for name in names if kept.here.pop(name, None) is not None]
        self._return(_BESIDES * len(went))
        if went:
            self._next(code, kept)

    async def revealed(self, code: str) -> list[bytes]:
        """See `Store`."""
        return list(self._kept(code).revealed)

    async def watch(self, changed: Changed) -> None:
        """See `Store`."""
        self._changed = changed

    async def close(self) -> None:
        """See `Store`."""

    def _kept(self, code: str) -> _Kept:
        self._sweep()
        kept = self._rooms.get(code)
        if kept is None or _is_over(kept):
            raise NoRoom
        return kept

    def _look(self, code: str, kept: _Kept) -> None:
        """Forget the tabs that were not seen for long."""
        since = self._clock() - HERE
        gone = [name for name, seen in kept.here.items() if seen < since]
        for name in gone:
            del kept.here[name]
        self._return(_BESIDES * len(gone))
        if gone:
            self._next(code, kept)

    def _next(self, code: str, kept: _Kept) -> None:
        kept.revision += 1
        self._changed(code)

    def _sweep(self) -> None:
        now = self._clock()
        for code in [code for code, kept in self._rooms.items() if kept.until <= now]:
            self._forget(code)
            self._changed(code)

    def _forget(self, code: str) -> None:
        kept = self._rooms.pop(code, None)
        if kept is not None:
            links = sum(len(one.link) + _BESIDES for one in kept.offers.values())
            files = sum(len(one) + _BESIDES for one in kept.revealed)
            here = _BESIDES * len(kept.here)
            self._return(len(kept.document) + _BESIDES + links + files + here + _size_of_answers(kept))

    def _take(self, more: int) -> None:
        if more > 0 and self.taken + more > self._most:
            raise NoPlace
        self.taken += more

    def _return(self, less: int) -> None:
        self.taken -= less


_OVER = "over"
"""In place of a round: the room has ended."""


def _is_over(kept: _Kept) -> bool:
    return kept.takes == _OVER


def _size_of_answers(kept: _Kept) -> int:
    return sum(len(one) + _BESIDES for answers in kept.answers for one in answers.values())
