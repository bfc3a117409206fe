"""One room as this process's memory keeps it, and the bytes that it takes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Final, Protocol, TypeVar

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


_SLOT: Final = 80
"""Bytes by which a table grows for an entry, at most on average."""


@dataclass(slots=True)
class Tab:
    """A tab that is here, or was: when it was seen last, its group, and if its page has left the class's."""

    seen: float
    group: int
    away: bool = False

    def size(self) -> int:
        """Return the bytes of memory that it takes."""
        return size(self) + _TIME


@dataclass(slots=True)
class Answer:
    """An answer, and the group of its tab."""

    body: bytes
    group: int

    def size(self) -> int:
        """Return the bytes of memory that it takes."""
        return size(self) + size(self.body)


class Sized(Protocol):
    """A value that counts its own bytes."""

    def size(self) -> int:
        """Return the bytes of memory that it takes."""
        ...


Value = TypeVar("Value", bound=Sized)


class Table(dict[str, Value]):
    """Values by name. `entries` are the bytes of both, without the table that holds them."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        super().__init__()
        self.entries = 0

    def put(self, name: str, value: Value) -> None:
        """Keep a value in place of the name's former one, as the newest."""
        self.drop(name)
        self[name] = value
        self.entries += size(name) + value.size()

    def drop(self, name: str) -> Value | None:
        """Forget a value, and return it if there is one. The last one takes the table's own memory with it."""
        former = self.pop(name, None)
        if former is not None:
            self.entries -= size(name) + former.size()
            if not self:
                self.clear()
        return former

    def clear(self) -> None:
        """Forget all values."""
        super().clear()
        self.entries = 0

    def growth(self, name: str, value: Value) -> int:
        """Return by how many bytes at most the table grows with this value."""
        former = self.get(name)
        return size(name) + value.size() + _SLOT if former is None else value.size() - former.size()

    def size(self) -> int:
        """Return the bytes of memory of the table with all in it."""
        return size(self) + self.entries


@dataclass(slots=True)
class Kept:
    """A room."""

    document: bytes
    until: float
    takes: str
    revision: int
    used: float
    group: int = 0
    version: int = 1
    peopled: bool = False
    counted: int = 0
    here: Table[Tab] = field(default_factory=Table)
    left: Table[Tab] = field(default_factory=Table)
    answers: tuple[Table[Answer], Table[Answer]] = field(default_factory=lambda: (Table(), Table()))
    offers: Table[Offer] = field(default_factory=Table)
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
        own = (self, self.document, self.takes, self.answers, self.revealed, *self.revealed)
        tables = (self.here, self.left, *self.answers, self.offers)
        return sum(map(size, own)) + sum(table.size() for table in tables) + _BESIDES

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

    def place_for_answer(self, turn: int, group: int) -> bool:
        """Return if one more of this group may answer; who has to give way is forgotten."""
        answers = self.answers[turn]
        if len(answers) < TABS:
            return True
        groups = {name: one.group for name, one in reversed(answers.items())}  # of many at once the last came late
        chosen = gives_way(groups, group, lambda name: name not in self.here)
        if chosen is not None:
            answers.drop(chosen)
        return chosen is not None

    def keep_revealed(self, revealed: bytes, most: int) -> None:
        """Keep a revealed question, and no more than `most`."""
        self.revealed.append(revealed)
        del self.revealed[:-most]

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
                self.left.drop(name)
                self.here.put(name, Tab(now, group, away is True))
                came = self.peopled = True
            else:
                all_in = False
        return came, all_in

    def _place(self, group: int, now: float) -> bool:
        if len(self.here) < TABS:
            return True
        oldest_first = sorted(self.here, key=lambda name: (self.here[name].seen, self.here[name].group, name))
        groups = {name: self.here[name].group for name in oldest_first}
        chosen = gives_way(groups, group, lambda name: self.here[name].seen <= now - STALE)
        if chosen is not None:
            self.leave([chosen], self.here[chosen].seen)
        return chosen is not None

    def leave(self, names: Iterable[str], seen: float) -> bool:
        """Note that these tabs have gone; they may still answer for a while. Return if one was here."""
        went = False
        for name in names:
            tab = self.here.drop(name)
            if tab is not None:
                tab.seen, went = seen, True
                self.left.put(name, tab)
        if (more := len(self.left) - TABS) > 0:
            for name in nsmallest(more, self.left, key=self._age_of_left):
                self.left.drop(name)
        return went

    def _age_of_left(self, name: str) -> tuple[float, int, str]:
        tab = self.left[name]
        return tab.seen, tab.group, name

    def look(self, now: float) -> bool:
        """Forget the tabs that were not seen for long. Return if one of them was counted."""
        for name in [name for name, tab in self.left.items() if tab.seen <= now - HERE]:
            self.left.drop(name)
        gone = [name for name, tab in self.here.items() if tab.seen <= now - HERE]
        for name in gone:
            self.here.drop(name)
        return bool(gone)
