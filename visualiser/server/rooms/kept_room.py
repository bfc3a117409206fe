"""One room as this process's memory keeps it, and the bytes that it takes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from visualiser.server.admission.places import gives_way
from visualiser.server.rooms.held import size
from visualiser.server.rooms.room_limits import HERE, LEFT, STALE, TABS, UNUSED
from visualiser.server.rooms.store import Offer

OVER: Final = "over"
"""In place of a round: the room has ended."""

_TIME: Final = 32
"""Bytes of a number."""

_BESIDES: Final = 256
"""Bytes of a room's numbers, its code and its place among the rooms."""


@dataclass(slots=True)
class Tab:
    """A tab that is here, or was: when it was seen last, its group, and if its page has left the class's."""

    seen: float
    group: int
    away: bool = False


@dataclass(slots=True)
class Answer:
    """An answer, and the group of its tab."""

    said: bytes
    group: int


@dataclass(slots=True)
class Kept:
    """A room. `entries` are the bytes of names and values, without the tables that hold them."""

    document: bytes
    until: float
    takes: str
    revision: int
    used: float
    group: int = 0
    version: int = 1
    peopled: bool = False
    entries: int = 0
    counted: int = 0
    here: dict[str, Tab] = field(default_factory=dict)
    left: dict[str, Tab] = field(default_factory=dict)
    answers: tuple[dict[str, Answer], dict[str, Answer]] = field(default_factory=lambda: ({}, {}))
    offers: dict[str, Offer] = field(default_factory=dict)
    revealed: list[bytes] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """True if the room has ended."""
        return self.takes == OVER

    def has_gone(self, now: float) -> bool:
        """True if the room's time is over, or nobody has used it for long."""
        rests = not self.is_over and self.used + (LEFT if self.peopled else UNUSED) <= now
        return rests or self.until <= now

    def size(self) -> int:
        """Return the bytes of memory that this room takes."""
        tables = (self, self.document, self.takes, self.here, self.left, *self.answers, self.offers, self.revealed)
        return sum(map(size, tables)) + size(self.answers) + _BESIDES + self.entries

    def may_answer(self, name: str, now: float) -> bool:
        """True if this tab is here, or was a while ago."""
        tab = self.here.get(name) or self.left.get(name)
        return tab is not None and tab.seen > now - HERE

    def away(self) -> int:
        """Return how many of those here have pages that left the class's."""
        return sum(tab.away for tab in self.here.values())

    def gone(self) -> tuple[int, int]:
        """Return how many of each round's answers are of tabs that are not here."""
        first, second = (sum(name not in self.here for name in answers) for answers in self.answers)
        return first, second

    def keep_answer(self, turn: int, name: str, said: bytes, group: int) -> None:
        """Keep an answer in place of the name's former one."""
        answers = self.answers[turn]
        self.drop_answer(turn, name)
        answers[name] = Answer(said, group)
        self.entries += answer_size(name, said)

    def drop_answer(self, turn: int, name: str) -> None:
        """Forget an answer, if there is one."""
        former = self.answers[turn].pop(name, None)
        if former is not None:
            self.entries -= answer_size(name, former.said)

    def drop_answers(self) -> None:
        """Forget all answers."""
        self.entries -= sum(answer_size(name, one.said) for answers in self.answers for name, one in answers.items())
        self.answers = {}, {}

    def place_for_answer(self, turn: int, group: int) -> bool:
        """Return if one more of this group may answer; who has to give way is forgotten."""
        answers = self.answers[turn]
        if len(answers) < TABS:
            return True
        groups = {name: one.group for name, one in reversed(answers.items())}  # of many at once the last came late
        chosen = gives_way(groups, group, lambda name: name not in self.here)
        if chosen is not None:
            self.drop_answer(turn, chosen)
        return chosen is not None

    def keep_offer(self, name: str, offer: Offer) -> None:
        """Keep an offer in place of the name's former one, as the newest."""
        self.drop_offer(name)
        self.offers[name] = offer
        self.entries += offer_size(name, offer)

    def drop_offer(self, name: str) -> None:
        """Forget an offer, if there is one."""
        former = self.offers.pop(name, None)
        if former is not None:
            self.entries -= offer_size(name, former)

    def keep_revealed(self, revealed: bytes, most: int) -> None:
        """Keep a revealed question, and no more than `most`."""
        self.revealed.append(revealed)
        self.entries += size(revealed)
        while len(self.revealed) > most:
            self.entries -= size(self.revealed.pop(0))

    def see(self, names: Mapping[str, int], now: float, away: bool | None = None) -> tuple[bool, bool]:
        """Note that these tabs are here. Return if one came, left the class's state or follows again, and if all have
        a place."""
        came, all_in = False, True
        for name, group in names.items():
            tab = self.here.get(name)
            if tab is not None:
                tab.seen, tab.group = now, group
                if away is not None and tab.away != away:
                    tab.away, came = away, True
            elif self._place(group, now):
                self._forget_left(name)
                self.here[name] = Tab(now, group, away is True)
                self.entries += tab_size(name)
                came = self.peopled = True
            else:
                all_in = False
        return came, all_in

    def _place(self, group: int, now: float) -> bool:
        if len(self.here) < TABS:
            return True
        oldest_first = sorted(self.here, key=lambda name: self.here[name].seen)
        groups = {name: self.here[name].group for name in oldest_first}
        chosen = gives_way(groups, group, lambda name: self.here[name].seen <= now - STALE)
        if chosen is not None:
            self.leave([chosen], self.here[chosen].seen)
        return chosen is not None

    def leave(self, names: Iterable[str], seen: float) -> bool:
        """Note that these tabs have gone; they may still answer for a while. Return if one was here."""
        went = False
        for name in names:
            tab = self.here.pop(name, None)
            if tab is not None:
                tab.seen, went = seen, True
                self.left[name] = tab  # its bytes stay counted
        while len(self.left) > TABS:
            self._forget_left(next(iter(self.left)))
        if went and not self.here:
            self.here = {}  # a table never shrinks by itself
        return went

    def look(self, now: float) -> bool:
        """Forget the tabs that were not seen for long. Return if one of them was counted."""
        for name in [name for name, tab in self.left.items() if tab.seen <= now - HERE]:
            self._forget_left(name)
        if not self.left:
            self.left = {}
        gone = [name for name, tab in self.here.items() if tab.seen <= now - HERE]
        for name in gone:
            del self.here[name]
            self.entries -= tab_size(name)
        if not self.here:
            self.here = {}
        return bool(gone)

    def _forget_left(self, name: str) -> None:
        if self.left.pop(name, None) is not None:
            self.entries -= tab_size(name)


def tab_size(name: str) -> int:
    """Return the bytes of a tab that is kept."""
    return size(name) + _TAB


def answer_size(name: str, said: bytes) -> int:
    """Return the bytes of an answer that is kept."""
    return size(name) + size(said) + _ANSWER


def offer_size(name: str, offer: Offer) -> int:
    """Return the bytes of an offer that is kept."""
    return size(name) + size(offer) + size(offer.id) + size(offer.link)


_TAB: Final = size(Tab(0.0, 0)) + _TIME
_ANSWER: Final = size(Answer(b"", 0))
