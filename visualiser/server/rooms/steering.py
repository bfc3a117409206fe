"""Remotes: tickets, commands, and what the teacher's tab shows on its second device."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import body_fields, codes, qr
from visualiser.server.rooms.record import Record
from visualiser.server.rooms.remote import COMMANDS, TICKET, Remote
from visualiser.server.rooms.request_limits import Visitor
from visualiser.server.rooms.room_access import PICTURES, RoomAccess
from visualiser.server.rooms.room_changes import at_once, change_room

NOTE, SAID, SHOWN = 4000, 300, 20_000
"""Characters of a note in each language and of a sentence, and bytes of all that a remote shows."""

_TITLE: Final = 160
_NUMBER: Final = 10**9
_FIELDS: Final = {"done", "lesson", "note", "can", "blank", "said"}


class Steering:
    """The remotes of the rooms of one process."""

    def __init__(self, access: RoomAccess) -> None:
        self._access = access

    async def ticket(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return a new ticket in place of the former one, and the QR code of the remote's address with it."""
        await self._access.require_teacher(visitor, code)
        address, ticket = body_fields.parse_address(payload, code), codes.new_secret()
        await self._change_remote(code, lambda remote: remote.invited(ticket, time.time()))
        # behind the #: browsers send it to nobody, and no log has it
        picture = await run_sync(qr.svg, f"{address}#{ticket}", limiter=PICTURES)
        return {"ticket": ticket, "seconds": TICKET, "picture": picture.decode()}

    async def exchange(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Give the right to steer to whoever has the ticket. Every try is counted, before the ticket is looked at."""
        await self._access.require_student(visitor, code)
        self._access.limits.ticket(code)
        ticket, right = _secret(payload, "ticket"), _secret(payload, "right")

        def exchanged(remote: Remote) -> Remote:
            found = remote.exchanged(ticket, right, time.time())
            if found is None:
                raise Refusal("error.room_ticket", 403)
            return found

        await self._change_remote(code, exchanged)

    async def command(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> int:
        """Take a command for the teacher's tab; return its number."""
        await self._access.find(visitor, code)
        do, name = payload.get("do"), body_fields.parse_name(payload, "id")
        if do not in COMMANDS:
            raise body_fields.wrong_field("do")
        number = 0

        def commanded(remote: Remote) -> Remote:
            nonlocal number
            if not remote.steers(visitor.secret):
                raise Refusal("error.room_remote", 403)
            self._access.limits.command(code)
            found = remote.commanded(name, do, time.time())
            number = next(one["number"] for one in found.commands if one["id"] == name)
            return found

        await self._change_remote(code, commanded)
        return number

    async def show(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Keep what the remote shows, if there is one."""
        await self._access.require_teacher(visitor, code)
        shown = read_shown(payload)
        await self._change_remote(code, lambda remote: replace(remote, shown=shown) if remote.right else remote)

    async def revoke(self, visitor: Visitor, code: str, _: Mapping[str, Any]) -> None:
        """Take the remote's right back, and its ticket."""
        await self._access.require_teacher(visitor, code)
        await self._change_remote(code, Remote.revoked)

    async def _change_remote(self, code: str, change: Callable[[Remote], Remote]) -> None:
        def changed(record: Record) -> Record:
            return replace(record, remote=change(record.remote))

        await change_room(self._access, code, at_once(changed))


def read_shown(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a remote is to show."""
    if set(payload) != _FIELDS:
        raise body_fields.wrong_field("shown")
    lesson, note, can, done = payload["lesson"], payload["note"], payload["can"], payload["done"]
    if lesson is not None and (not isinstance(lesson, dict) or set(lesson) != {"title", "step", "steps"}):
        raise body_fields.wrong_field("lesson")
    if not isinstance(can, list) or len(can) > len(COMMANDS) or not all(one in COMMANDS for one in can):
        raise body_fields.wrong_field("can")
    if type(done) is not int or not 0 <= done <= _NUMBER:
        raise body_fields.wrong_field("done")
    found = {
        "done": done,
        "lesson": lesson
        and {
            "title": body_fields.parse_translations(lesson["title"], _TITLE, "lesson"),
            "step": body_fields.parse_step(lesson["step"]),
            "steps": body_fields.parse_step(lesson["steps"]),
        },
        "note": None if note is None else body_fields.parse_translations(note, NOTE, "note"),
        "can": can,
        "blank": body_fields.parse_flag(payload, "blank"),
        "said": body_fields.parse_text(payload, "said", SAID),
    }
    if len(orjson.dumps(found)) > SHOWN:
        raise body_fields.wrong_field("shown")
    return found


def _secret(payload: Mapping[str, Any], field: str) -> str:
    written = payload.get(field)
    if not isinstance(written, str) or not codes.is_secret(written):
        raise body_fields.wrong_field(field)
    return written
