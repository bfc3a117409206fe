"""Rooms that are steered from a second device: tickets, commands, and what the teacher's tab tells the remote."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import codes, qr, reading
from visualiser.server.rooms.doors import Visitor
from visualiser.server.rooms.record import Record
from visualiser.server.rooms.remote import COMMANDS, TICKET, Remote
from visualiser.server.rooms.rooms import PICTURES, always
from visualiser.server.rooms.voting import Voting

NOTE, SAID, SHOWN = 4000, 300, 20_000
"""Characters of a note in each language and of a sentence, and bytes of all that a remote shows."""

_TITLE: Final = 160
_NUMBER: Final = 10**9
_FIELDS: Final = {"done", "lesson", "note", "can", "blank", "said"}


class Steering(Voting):
    """The rooms of one process, with their remotes."""

    async def ticket(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return a new ticket in place of the former one, and the QR code of the remote's address with it."""
        await self._steers(visitor, code)
        address, ticket = reading.address(said, code), codes.new_secret()
        await self._change_remote(code, lambda remote: remote.invited(ticket, time.time()))
        # behind the #: browsers send it to nobody, and no log has it
        picture = await run_sync(qr.svg, f"{address}#{ticket}", limiter=PICTURES)
        return {"ticket": ticket, "seconds": TICKET, "picture": picture.decode()}

    async def exchange(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Give the right to steer to whoever has the ticket. Every try is counted, before the ticket is looked at."""
        await self._student(visitor, code)
        self.doors.ticket(code)
        ticket, right = _secret(said, "ticket"), _secret(said, "right")

        def exchanged(remote: Remote) -> Remote:
            found = remote.exchanged(ticket, right, time.time())
            if found is None:
                raise Refusal("error.room_ticket", 403)
            return found

        await self._change_remote(code, exchanged)

    async def command(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> int:
        """Take a command for the teacher's tab; return its number."""
        await self._found(visitor, code)
        do, name = said.get("do"), reading.a_name(said, "id")
        if do not in COMMANDS:
            raise reading.wrong("do")
        number = 0

        def commanded(remote: Remote) -> Remote:
            nonlocal number
            if not remote.steers(visitor.secret):
                raise Refusal("error.room_remote", 403)
            self.doors.command(code)
            found = remote.commanded(name, do, time.time())
            number = next(one["number"] for one in found.commands if one["id"] == name)
            return found

        await self._change_remote(code, commanded)
        return number

    async def show(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Keep what the remote shows, if there is one."""
        await self._steers(visitor, code)
        shown = read_shown(said)
        await self._change_remote(code, lambda remote: replace(remote, shown=shown) if remote.right else remote)

    async def revoke(self, visitor: Visitor, code: str, _: Mapping[str, Any]) -> None:
        """Take the remote's right back, and its ticket."""
        await self._steers(visitor, code)
        await self._change_remote(code, Remote.revoked)

    async def _change_remote(self, code: str, change: Callable[[Remote], Remote]) -> None:
        def changed(record: Record) -> Record:
            return replace(record, remote=change(record.remote))

        await self._change(code, always(changed))


def read_shown(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a remote is to show."""
    if set(said) != _FIELDS:
        raise reading.wrong("shown")
    lesson, note, can, done = said["lesson"], said["note"], said["can"], said["done"]
    if lesson is not None and (not isinstance(lesson, dict) or set(lesson) != {"title", "step", "steps"}):
        raise reading.wrong("lesson")
    if not isinstance(can, list) or len(can) > len(COMMANDS) or not all(one in COMMANDS for one in can):
        raise reading.wrong("can")
    if type(done) is not int or not 0 <= done <= _NUMBER:
        raise reading.wrong("done")
    found = {
        "done": done,
        "lesson": lesson
        and {
            "title": reading.spoken(lesson["title"], _TITLE, "lesson"),
            "step": reading.a_step(lesson["step"]),
            "steps": reading.a_step(lesson["steps"]),
        },
        "note": None if note is None else reading.spoken(note, NOTE, "note"),
        "can": can,
        "blank": reading.flag(said, "blank"),
        "said": reading.text(said, "said", SAID),
    }
    if len(orjson.dumps(found)) > SHOWN:
        raise reading.wrong("shown")
    return found


def _secret(said: Mapping[str, Any], field: str) -> str:
    written = said.get(field)
    if not isinstance(written, str) or not codes.is_secret(written):
        raise reading.wrong(field)
    return written
