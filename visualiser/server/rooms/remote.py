"""A room's remote: its teacher's second device, which sends commands to the teacher's tab and shows what that tells.

A ticket of one use and two minutes is exchanged for the right to steer. Hashes of both are kept, never themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from visualiser.server.rooms import codes

COMMANDS: Final = ("next", "back", "ask", "close", "again", "reveal", "over", "blank")
"""Commands, each a button of the teacher's tab."""

TICKET: Final = 120.0
"""Seconds for which a ticket may be exchanged."""

FRESH: Final = 10.0
"""Seconds for which a command reaches the teacher's tab: one that was away does nothing late."""

KEPT: Final = 8
"""Commands that are kept."""


@dataclass(frozen=True, kw_only=True)
class Remote:
    """The remote of a room: the hash of a `ticket` until it is used, the hash of the `right` that it gave.

    `number` is that of the last command, `shown` what the teacher's tab last showed on the remote.
    """

    ticket: str = ""
    until: float = 0.0
    right: str = ""
    number: int = 0
    commands: tuple[Mapping[str, Any], ...] = ()
    shown: Mapping[str, Any] | None = None

    def invited(self, ticket: str, now: float) -> "Remote":
        """Return the remote with a ticket in place of its former one."""
        return replace(self, ticket=codes.hash_of(ticket), until=now + TICKET)

    def exchanged(self, ticket: str, right: str, now: float) -> "Remote | None":
        """Return the remote that has this right, in place of its former one; None if the ticket is not valid.

        Whoever has the right already may ask again: the first answer may have been lost.
        """
        if self.steers(right):
            return self
        if not self.ticket or now > self.until or not codes.belongs(ticket, self.ticket):
            return None
        return Remote(right=codes.hash_of(right), number=self.number)

    def steers(self, right: str) -> bool:
        """True if this is its right."""
        return bool(self.right) and bool(right) and codes.belongs(right, self.right)

    def commanded(self, name: str, do: str, now: float) -> "Remote":
        """Return the remote with one more command; as it is if a command of this name is kept."""
        if any(one["id"] == name for one in self.commands):
            return self
        one = {"id": name, "number": self.number + 1, "do": do, "at": now}
        return replace(self, number=self.number + 1, commands=(*self.commands, one)[-KEPT:])

    def fresh(self, now: float) -> list[dict[str, Any]]:
        """Return the commands that the teacher's tab may still do."""
        return [{"number": one["number"], "do": one["do"]} for one in self.commands if now - one["at"] <= FRESH]

    def revoked(self) -> "Remote":
        """Return the remote without a right and a ticket. Numbers go on: a tab does none of them twice."""
        return Remote(number=self.number)


def read(fields: Mapping[str, Any]) -> Remote:
    """Return the remote of a stored record."""
    return Remote(**{**fields, "commands": tuple(fields.get("commands", ()))})
