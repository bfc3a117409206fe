"""Acts of a teacher in a room, and the states that students offer to it."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import orjson
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.types import Scope

from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.reach import Reach, reach
from visualiser.server.rooms import body_fields, codes, qr, question_parser, results, room_messages
from visualiser.server.rooms.channel import TEACHER
from visualiser.server.rooms.record import REVEAL, Record, read_record
from visualiser.server.rooms.remote import Remote
from visualiser.server.rooms.request_limits import Visitor
from visualiser.server.rooms.room_access import PICTURES, RoomAccess, store_refusal
from visualiser.server.rooms.room_changes import change_room, require_short_message
from visualiser.server.rooms.room_limits import ENDED, OFFERED
from visualiser.server.rooms.server_time import milliseconds
from visualiser.server.rooms.store import Away, NoPlace
from visualiser.state import share

_CODES: Final = CapacityLimiter(1)
"""Codes computed at the same time, each in a thread."""


class Teaching:
    """The rooms of one process: opened, led and ended by their teachers."""

    def __init__(self, access: RoomAccess, hours: float) -> None:
        self._access, self._hours = access, hours

    async def open(self, visitor: Visitor, payload: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
        """Make the room of this secret, or find it. Return True if it is new, and the answer to its teacher."""
        if not codes.is_secret(visitor.secret):
            raise Refusal("error.room_secret", 403)
        secret = codes.hash_of(visitor.secret)
        code = self._access.limits.open(visitor, secret)
        known = bool(code)
        state = payload.get("state", {})
        if not isinstance(state, dict):
            raise body_fields.wrong_field("state")
        record = Record(
            life=codes.new_name(),
            secret=secret,
            until=time.time() + self._hours * 3600,
            remote=Remote(right=body_fields.parse_right(payload)),
        )
        record = await body_fields.with_state(record, {"link": "", **state})
        if (question := payload.get("question")) is not None:
            if not isinstance(question, dict):
                raise body_fields.wrong_field("question")
            found = question_parser.parse_question(question, again="id" in question)
            record = replace(record, question=replace(found, revealed=found.revealed or milliseconds()))
        require_short_message(record)
        code = code or await run_sync(codes.code_of, visitor.secret, limiter=_CODES)
        group = codes.group_of(visitor.address)
        try:
            there = await self._access.store.create(code, record.to_json(), record.until, record.takes, group)
        except NoPlace:
            raise Refusal("error.rooms_full", 503, 60.0) from None
        except Away as problem:
            raise store_refusal(problem) from None
        if there is not None and not codes.belongs(visitor.secret, read_record(there).secret):
            raise Refusal("error.room_taken", 409)
        self._access.limits.remember(visitor, secret, code)
        if there is not None and not known:
            self._access.limits.was_open(visitor)
        snapshot = await self._access.snapshot(code)
        record = read_record(snapshot.document)
        if there is None and (question := record.question) is not None and question.phase == REVEAL:
            again = self._access.store.change(
                code, snapshot.version, snapshot.document, record.takes, revealed=results.to_stored(question)
            )
            await self._access.call_store(again)
        message = room_messages.encoded(snapshot.revision, TEACHER, room_messages.for_teacher(record, snapshot))
        return there is None, {"code": code, "until": record.until, "message": orjson.Fragment(message)}

    async def state(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Move the class. A revealed question is dropped when the step of the lesson changes."""
        await self._access.require_teacher(visitor, code)

        async def moved(record: Record) -> Record:
            changed = await body_fields.with_state(record, payload)
            question = record.question
            if question is None or question.phase != REVEAL or changed.step == record.step:
                return changed
            return replace(changed, question=None)

        await change_room(self._access, code, moved)

    async def drop(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Forget an offer, or all."""
        await self._access.require_teacher(visitor, code)
        await self._access.call_store(
            self._access.store.drop(code, body_fields.parse_name(payload, "offer") if "offer" in payload else None)
        )

    async def end(self, visitor: Visitor, code: str) -> None:
        """End the room."""
        record = await self._access.require_teacher(visitor, code)
        await self._access.call_store(self._access.store.end(code, record.over(time.time() + ENDED).to_json()))

    async def picture(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> bytes:
        """Return the QR code of the address for students."""
        await self._access.require_teacher(visitor, code)
        return await run_sync(qr.svg, body_fields.parse_address(payload, code), limiter=PICTURES)

    async def reach(self, visitor: Visitor, code: str, scope: Scope) -> Reach:
        """Return the server's reach, for a teacher on its own machine."""
        await self._access.require_teacher(visitor, code)
        return await run_sync(reach, scope, limiter=PICTURES)

    async def offer(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Take the state that a student offers."""
        _, name = await self._access.require_student(visitor, code)
        self._access.limits.offer(code, name)
        written = share.canonical(await body_fields.parse_link(payload, OFFERED))
        await self._access.call_store(self._access.store.offer(code, name, written))
