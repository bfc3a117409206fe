"""The doors of all rooms: what a visitor sends is counted here before anything of it is read.

Tabs that are in a room, and its teacher, are counted by themselves; only strangers share their address's rate. So a
school has one address and yet no student, and no program there, keeps the others out.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import codes
from visualiser.server.rooms.hall import Hall
from visualiser.server.rooms.limits import OPENINGS, OPENINGS_OF_TAB
from visualiser.server.rooms.rates import Guesses, Rate

_SECRETS: Final = 1000
"""Secrets whose codes are remembered."""

_SECRET: Final = 400
"""Bytes of one of them."""


@dataclass(frozen=True)
class Visitor:
    """The sender of a request: its address, its tab's token and its secret; each empty if none of its form came.

    `left` is true if the tab says that its page shows a state of its own.
    """

    address: str
    token: str = ""
    secret: str = ""
    left: bool = False

    @property
    def tab(self) -> tuple[str, str]:
        """What its rate is counted by."""
        return self.address, self.token


class Doors:
    """The rates of one process."""

    def __init__(self, hall: Hall, clock: Callable[[], float] = time.monotonic) -> None:
        self._hall = hall
        self.by_address = Rate(500, 3000, clock=clock)
        self.by_tab = Rate(2, 20, clock=clock)
        self.by_room = Rate(20, 40, clock=clock)
        self.by_remote = Rate(10, 40, clock=clock)
        self.tickets = Rate(10, 1000, clock=clock)
        self.commands = Rate(5, 20, clock=clock)
        self.offers = Rate(3 / 60, 3, clock=clock)
        self.opened = Rate(1, OPENINGS, clock=clock)
        self.opened_by_tab = Rate(1 / 60, OPENINGS_OF_TAB, clock=clock)
        self.guesses = Guesses(clock=clock)
        self._codes: OrderedDict[str, str] = OrderedDict()

    def admit(self, visitor: Visitor, code: str) -> None:
        """Count a request. Raise `Refusal` if there are too many.

        Only the right secret makes a teacher, whose room has a rate of its own, and only its right a remote, whose rate
        takes nothing of the teacher's; whatever else a request says, it counts for its tab.
        """
        live = self._hall.live.get(code)
        record = None if live is None else live.record
        secret = "" if record is None else record.secret
        if record is not None and visitor.secret:
            if codes.belongs(visitor.secret, secret):
                return _take(self.by_room, code)
            if record.remote.steers(visitor.secret):
                return _take(self.by_remote, code)
        known = live is not None and bool(secret and visitor.token) and live.has(codes.name_of(visitor.token, secret))
        if not known:
            _take(self.by_address, visitor.address)
        if code:
            _take(self.by_tab, visitor.tab)

    def open(self, visitor: Visitor, secret: str) -> str:
        """Count the opening of the room with this hash of its secret; return its code if it is known.

        A room that this process knows is opened again: that counts for the room alone.
        """
        code = self._codes.get(secret, "")
        if code:
            _take(self.by_room, code)
            return code
        _take(self.opened_by_tab, visitor.tab)
        try:
            _take(self.opened, visitor.address)
        except Refusal:
            self.opened_by_tab.give_back(visitor.tab)
            raise
        return ""

    def was_open(self, visitor: Visitor) -> None:
        """Note that what `open` has counted was a room already."""
        self.opened_by_tab.give_back(visitor.tab)
        self.opened.give_back(visitor.address)

    def knows(self, visitor: Visitor, secret: str, code: str) -> None:
        """Remember the code of a secret, and that this visitor does not guess it."""
        self.guesses.knows(visitor.address, code)
        self._codes[secret] = code
        self._codes.move_to_end(secret)
        if len(self._codes) > _SECRETS:
            self._codes.popitem(last=False)

    def offer(self, code: str, name: str) -> None:
        """Count an offer of a tab."""
        _take(self.offers, (code, name))

    def ticket(self, code: str) -> None:
        """Count a try of a ticket, right or wrong."""
        _take(self.tickets, code)

    def command(self, code: str) -> None:
        """Count a command of a remote."""
        _take(self.commands, code)

    @property
    def held(self) -> int:
        """Bytes of memory."""
        rates = (self.by_address, self.by_tab, self.by_room, self.by_remote, self.opened, self.opened_by_tab)
        others = (self.tickets, self.commands, self.offers, self.guesses)
        return sum(rate.held for rate in (*rates, *others)) + _SECRET * len(self._codes)


def _take(rate: Rate, key: object) -> None:
    if not rate.take(key):
        raise Refusal("error.room_slow", 429, max(0.1, round(rate.seconds(key), 1)))
