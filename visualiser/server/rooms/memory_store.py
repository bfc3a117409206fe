"""Rooms in this process's memory, of which every byte is counted."""

import time
from collections.abc import Callable, Iterable, Mapping

from visualiser.server.admission.places import gives_way
from visualiser.server.rooms.held import compact, size
from visualiser.server.rooms.kept_room import OVER, Answer, Kept, Tab
from visualiser.server.rooms.room_limits import ENDED, HERE, OFFERS, REVEALED, ROOMS
from visualiser.server.rooms.store import Changed, NoPlace, NoRoom, NotHere, NotOpen, Offer, Snapshot

_EMPTY = 1200
"""Bytes of a room without its document."""


class MemoryStore:
    """Rooms in this process's memory, at most `most` bytes of them and of what `beside` counts."""

    def __init__(self, most: int = 40 * 2**20, clock: Callable[[], float] = time.time) -> None:
        self._most, self._clock = most, clock
        self._rooms: dict[str, Kept] = {}
        self._changed: Changed = lambda _: None
        self.taken = 0
        self.beside: Callable[[], int] = lambda: 0

    async def create(self, code: str, document: bytes, until: float, takes: str, group: int = 0) -> bytes | None:
        """See `Store`."""
        self._sweep()
        kept = self._rooms.get(code)
        if kept is not None and not kept.is_over:
            return kept.document
        self._require(len(document) + _EMPTY)
        if kept is None and len(self._rooms) >= ROOMS:
            self._forget(self._unused(group))
        now = self._clock()
        former = 0 if kept is None else kept.revision
        self._forget(code)
        self._rooms[code] = Kept(compact(document), until, takes, max(int(now * 1000), former + 1), now, group)
        self._count_and_wake(code)
        return None

    async def snapshot(self, code: str) -> Snapshot | None:
        """See `Store`."""
        self._sweep()
        kept = self._rooms.get(code)
        if kept is None:
            return None
        if kept.look(self._clock()):
            self._next(code, kept)
        self._count(kept)
        answered = len(kept.answers[0]), len(kept.answers[1])
        offers = tuple(kept.offers.values())
        here = len(kept.here), kept.away()
        return Snapshot(kept.revision, kept.version, kept.document, *here, answered, offers, kept.gone())

    async def change(
        self, code: str, version: int, document: bytes, takes: str, *, anew: bool = False, revealed: bytes = b""
    ) -> bool:
        """See `Store`."""
        kept = self._kept(code)
        if kept.version != version:
            return False
        self._require(len(document) - len(kept.document) + (size(revealed) if revealed else 0))
        if anew:
            for answers in kept.answers:
                answers.clear()
        if revealed:
            kept.keep_revealed(compact(revealed), REVEALED)
        kept.document, kept.takes, kept.version = compact(document), takes, version + 1
        self._next(code, kept)
        return True

    async def end(self, code: str, document: bytes) -> None:
        """See `Store`."""
        kept = self._kept(code)
        self._forget(code)
        now = self._clock()
        over = (now + ENDED, OVER, kept.revision + 1, now, kept.group, kept.version + 1)
        self._rooms[code] = Kept(compact(document), *over)
        self._count_and_wake(code)

    async def answer(self, code: str, takes: str, name: str, answer: bytes, group: int = 0) -> None:
        """See `Store`."""
        kept = self._kept(code)
        if not takes or kept.takes != takes:
            raise NotOpen
        if not kept.may_answer(name, self._clock()):
            raise NotHere
        turn = int(takes[-1]) - 1
        new = name not in kept.answers[turn]
        self._require(kept.answers[turn].growth(name, Answer(answer, group)))
        if new and not kept.place_for_answer(turn, group):
            raise NoPlace
        kept.answers[turn].put(name, Answer(compact(answer), group))
        if new:
            self._next(code, kept)
        self._count(kept)

    async def give_back(self, code: str, takes: str, name: str, answer: bytes, most: int, group: int = 0) -> None:
        """See `Store`."""
        kept = self._kept(code)
        first, _ = kept.answers
        if not takes or kept.takes != takes or name in first or len(first) >= most:
            raise NotOpen
        if not kept.may_answer(name, self._clock()):
            raise NotHere
        self._require(first.growth(name, Answer(answer, group)))
        first.put(name, Answer(compact(answer), group))
        self._next(code, kept)

    async def kept_answer(self, code: str, version: int, turn: int, name: str) -> bytes | None:
        """See `Store`."""
        room = self._kept(code)
        found = room.answers[turn - 1].get(name)
        return None if found is None or room.version != version else found.body

    async def answers(self, code: str) -> tuple[list[bytes], list[bytes]]:
        """See `Store`."""
        first, second = self._kept(code).answers
        return sorted(one.body for one in first.values()), sorted(one.body for one in second.values())

    async def answered_both(self, code: str) -> list[tuple[bytes, bytes]]:
        """See `Store`."""
        first, second = self._kept(code).answers
        return sorted((first[name].body, one.body) for name, one in second.items() if name in first)

    async def offer(self, code: str, name: str, link: str) -> None:
        """See `Store`."""
        kept = self._kept(code)
        offer = Offer(str(kept.revision + 1), link)
        self._require(kept.offers.growth(name, offer))
        if name not in kept.offers and len(kept.offers) >= OFFERS:
            kept.offers.drop(next(iter(kept.offers)))
        kept.offers.put(name, offer)
        self._next(code, kept)

    async def drop(self, code: str, offer: str | None) -> None:
        """See `Store`."""
        kept = self._kept(code)
        for name, one in list(kept.offers.items()):
            if offer in (None, one.id):
                kept.offers.drop(name)
        self._next(code, kept)

    async def here(self, code: str, names: Mapping[str, int], away: bool | None = None) -> bool:
        """See `Store`."""
        kept = self._kept(code)
        now = self._clock()
        went = kept.look(now)
        kept.used = now
        self._require(sum(kept.here.growth(name, Tab(now, group)) for name, group in names.items()))
        came, all_in = kept.see(names, now, away)
        if came or went:
            self._next(code, kept)
        self._count(kept)
        return all_in

    async def left(self, code: str, names: Iterable[str]) -> None:
        """See `Store`."""
        kept = self._kept(code)
        if kept.leave(names, self._clock()):
            self._next(code, kept)

    async def revealed(self, code: str) -> list[bytes]:
        """See `Store`."""
        return list(self._kept(code).revealed)

    async def watch(self, changed: Changed) -> None:
        """See `Store`."""
        self._changed = changed

    async def close(self) -> None:
        """See `Store`."""

    def _kept(self, code: str) -> Kept:
        self._sweep()
        kept = self._rooms.get(code)
        if kept is None or kept.is_over:
            raise NoRoom
        return kept

    def _next(self, code: str, kept: Kept) -> None:
        kept.revision += 1
        kept.used = self._clock()
        self._count_and_wake(code)

    def _count_and_wake(self, code: str) -> None:
        self._count(self._rooms[code])
        self._changed(code)

    def _unused(self, group: int) -> str:
        """Return the room that gives its place to a newer one of this group. Raise `NoPlace` if none does."""
        over = [code for code, kept in self._rooms.items() if kept.is_over]
        if over:
            return over[0]
        least_first = sorted(self._rooms, key=lambda code: (len(self._rooms[code].here), self._rooms[code].used))
        groups = {code: self._rooms[code].group for code in least_first}
        chosen = gives_way(groups, group, self._is_idle)
        if chosen is None:
            raise NoPlace
        return chosen

    def _is_idle(self, code: str) -> bool:
        kept = self._rooms[code]
        return not kept.here and kept.used <= self._clock() - HERE

    def _sweep(self) -> None:
        now = self._clock()
        for code in [code for code, kept in self._rooms.items() if kept.has_gone(now)]:
            self._forget(code)
            self._changed(code)

    def _forget(self, code: str) -> None:
        kept = self._rooms.pop(code, None)
        if kept is not None:
            self.taken -= kept.counted

    def _require(self, more: int) -> None:
        """Raise `NoPlace` if so many bytes more are too many."""
        if more > 0 and self.taken + more + self.beside() > self._most:
            raise NoPlace

    def _count(self, kept: Kept) -> None:
        """Count a room's bytes anew."""
        now = kept.size()
        self.taken += now - kept.counted
        kept.counted = now
