"""Rate limits of rooms: each request is counted here before anything of it is read.

Tabs that are in a room, and its teacher, have rates of their own; only strangers share their address's rate. So no
student and no program keeps the others out, even if a whole school has one address.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import codes
from visualiser.server.rooms.rates import Guesses, RateLimit
from visualiser.server.rooms.room_limits import OPENINGS, OPENINGS_OF_TAB
from visualiser.server.rooms.room_registry import RoomRegistry

_SECRETS: Final = 1000
"""The most secrets whose codes are remembered."""

_SECRET: Final = 400
"""Bytes of one of them."""


@dataclass(frozen=True)
class Visitor:
    """The sender of a request: its address, its tab's token and its secret; each empty if none of its form came.

    `left` is True if the tab's page shows a state of its own.
    """

    address: str
    token: str = ""
    secret: str = ""
    left: bool = False

    @property
    def tab(self) -> tuple[str, str]:
        """The key of its rate."""
        return self.address, self.token


class RequestLimits:
    """The rate limits of one process."""

    def __init__(self, registry: RoomRegistry, clock: Callable[[], float] = time.monotonic) -> None:
        self._registry = registry
        self.by_address = RateLimit(500, 3000, clock=clock)
        self.by_tab = RateLimit(2, 20, clock=clock)
        self.by_room = RateLimit(20, 40, clock=clock)
        self.by_remote = RateLimit(10, 40, clock=clock)
        self.tickets = RateLimit(10, 1000, clock=clock)
        self.commands = RateLimit(5, 20, clock=clock)
        self.offers = RateLimit(3 / 60, 3, clock=clock)
        self.opened = RateLimit(1, OPENINGS, clock=clock)
        self.opened_by_tab = RateLimit(1 / 60, OPENINGS_OF_TAB, clock=clock)
        self.guesses = Guesses(clock=clock)
        self._codes: OrderedDict[str, str] = OrderedDict()

    def admit(self, visitor: Visitor, code: str) -> None:
        """Count a request. Raise `Refusal` if there are too many.

        The right secret makes a teacher, whose room has a rate of its own. The remote's right makes a remote, with
        another rate. All other requests count for their tab.
        """
        live = self._registry.live.get(code)
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
        """Take back what `open` has counted: the room was open already."""
        self.opened_by_tab.give_back(visitor.tab)
        self.opened.give_back(visitor.address)

    def remember(self, visitor: Visitor, secret: str, code: str) -> None:
        """Remember the code of a secret, and that this visitor does not guess it."""
        self.guesses.remember(visitor.address, code)
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


def _take(rate: RateLimit, key: object) -> None:
    if not rate.take(key):
        raise Refusal("error.room_slow", 429, max(0.1, round(rate.seconds(key), 1)))
