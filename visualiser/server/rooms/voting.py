"""Votes of a class: questions, their phases and clocks, answers, and the file of results."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import body_fields, question_parser, results
from visualiser.server.rooms.record import CLOSED, DISCUSS, NEXT, OVER, REVEAL, Question, Record, read_record
from visualiser.server.rooms.request_limits import Visitor
from visualiser.server.rooms.room_access import RoomAccess, last_record, store_refusal
from visualiser.server.rooms.room_changes import at_once, change_room
from visualiser.server.rooms.server_time import milliseconds
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, NotHere, NotOpen


class Voting:
    """The questions of the rooms of one process."""

    def __init__(self, access: RoomAccess) -> None:
        self._access = access

    async def ask(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> str:
        """Put a question in place of the former one; return its name."""
        await self._access.require_teacher(visitor, code)
        question = question_parser.parse_question(payload)
        if given := question_parser.parse_seconds(payload.get("seconds", 0)):
            question = replace(question, clock=milliseconds() + 1000 * given)
        await change_room(self._access, code, at_once(lambda record: replace(record, question=question)), anew=True)
        return question.id

    async def phase(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Take the question to its next phase."""
        await self._access.require_teacher(visitor, code)
        phase, name = payload.get("phase"), body_fields.parse_name(payload, "question")
        if phase not in (CLOSED, DISCUSS, REVEAL, OVER):
            raise body_fields.wrong_field("phase")
        if phase == OVER:
            await change_room(self._access, code, at_once(lambda room: _without(room, name)))
        elif phase == REVEAL:
            await self._reveal(code, name, payload.get("truth"), question_parser.parse_because(payload.get("because")))
        else:
            turn = {"round": 2} if phase == DISCUSS else {}

            def next_phase(room: Record) -> Record:
                room, question = _require_question(room, name, phase)
                return replace(room, question=replace(question, phase=phase, clock=0, **turn))

            await change_room(self._access, code, at_once(next_phase))

    async def _reveal(self, code: str, name: str, truth: Any, because: dict[str, str] | None) -> None:
        """Close the round, so that no answer comes any more, then show the distributions to all."""

        def closed(room: Record) -> Record:
            room, question = _require_question(room, name, REVEAL)
            if truth is not None:
                question_parser.parse_answer(question, truth, "truth")
            return replace(room, question=replace(question, phase=CLOSED, clock=0))

        await change_room(self._access, code, at_once(closed))
        first, second = await self._access.call_store(self._access.store.answers(code))
        both = await self._access.call_store(self._access.store.answered_both(code))

        def shown(room: Record) -> Record:
            room, question = _require_question(room, name, REVEAL)
            true = None if truth is None else question_parser.parse_answer(question, truth, "truth")
            found = results.results(question, first, second, both, true)
            reveal = {"results": found, "because": because, "revealed": milliseconds()}
            return replace(room, question=replace(question, phase=REVEAL, **reveal))

        await change_room(self._access, code, at_once(shown), keeps=True)

    async def clock(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Set the clock of a vote or a talk to so many seconds from now; `more` adds to what is left."""
        await self._access.require_teacher(visitor, code)
        name, given = body_fields.parse_name(payload, "question"), question_parser.parse_seconds(payload.get("seconds"))
        more = "more" in payload and body_fields.parse_flag(payload, "more")

        def timed(room: Record) -> Record:
            question = room.question
            if question is None or question.id != name or question.phase == REVEAL:
                raise Refusal("error.room_phase", 409)
            begins = max(question.clock, milliseconds()) if more else milliseconds()
            ends = min(begins + 1000 * given, milliseconds() + 1000 * question_parser.CLOCK)
            return replace(room, question=replace(question, clock=ends if given else 0))

        await change_room(self._access, code, at_once(timed))

    async def advice(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is usual after a first vote, by its share of right answers; None in any other phase.

        The teacher's page may ask in another phase: a reveal closes the vote first, and a lost room opens again.
        """
        await self._access.require_teacher(visitor, code)
        room = read_record((await self._access.snapshot(code)).document)
        question = room.question
        if question is None or question.id != body_fields.parse_name(payload, "question"):
            raise Refusal("error.room_phase", 409)
        truth = question_parser.parse_answer(question, payload.get("truth"), "truth")
        if (question.phase, question.round) != (CLOSED, 1):
            return {"advice": None}
        first, _ = await self._access.call_store(self._access.store.answers(code))
        return {"advice": results.advice(results.share_right(question, first, truth))}

    async def file(self, visitor: Visitor, code: str) -> bytes:
        """Return the revealed distributions as CSV."""
        await self._access.require_teacher(visitor, code)
        return results.csv(code, await self._access.call_store(self._access.store.revealed(code)))

    async def answer(self, visitor: Visitor, code: str, payload: Mapping[str, Any]) -> None:
        """Take a student's answer, in place of their former one in this round.

        A room that was lost in its second round takes back what was answered in the first. A late answer is
        refused, with the answer that counts, unless it is that very answer: the page may have lost the first reply.
        """
        live, name = await self._access.require_student(visitor, code)
        takes, question = body_fields.parse_round(payload), last_record(live).question
        if question is None or takes not in (question.takes, question.takes_back):
            question = read_record(
                (await self._access.snapshot(code)).document
            ).question  # it may be newer than the last message
        try:
            if question is None or takes not in (question.takes, question.takes_back):
                raise NotOpen
            given = orjson.dumps(question_parser.parse_answer(question, payload.get("answer")))
            store, group = self._access.store, self._access.group_of(visitor, live)
            if takes == question.takes:
                await store.answer(code, takes, name, given, group)
            else:
                await store.give_back(code, question.takes, name, given, question.first, group)
        except NotOpen:
            counted = await self._counted(code, takes, name)
            if counted is None or counted != _answer_json(question, payload.get("answer")):
                raise TooLate(counted) from None
        except (Away, NoPlace, NoRoom, NotHere) as problem:
            raise store_refusal(problem) from None

    async def _counted(self, code: str, takes: str, name: str) -> bytes | None:
        """Return the answer that a tab has in a round of the present question."""
        snapshot = await self._access.snapshot(code)
        question, (asked_id, turn) = read_record(snapshot.document).question, takes.rsplit(" ", 1)
        if question is None or question.id != asked_id:
            return None
        return await self._access.call_store(self._access.store.kept_answer(code, snapshot.version, int(turn), name))


class TooLate(Refusal):
    """An answer to a vote that is closed; `counted` is the JSON of the one that its tab has there."""

    def __init__(self, counted: bytes | None) -> None:
        super().__init__("error.room_closed", 409)
        self.beside = {"counted": None if counted is None else orjson.loads(counted)}


def _answer_json(question: Question | None, answer: Any) -> bytes | None:
    """Return an answer as it is kept; None if it is none to this question."""
    try:
        return None if question is None else orjson.dumps(question_parser.parse_answer(question, answer))
    except Refusal:
        return None


def _without(room: Record, name: str) -> Record:
    """Return the room without this question, which may have gone before: with its step, or by another tab."""
    return replace(room, question=None) if room.question is not None and room.question.id == name else room


def _require_question(room: Record, name: str, phase: str) -> tuple[Record, Question]:
    """Return the room and its question if that is `name` and `phase` may follow. Raise `Refusal`."""
    question = room.question
    if question is None or question.id != name or phase not in NEXT[question.phase]:
        raise Refusal("error.room_phase", 409)
    return room, question
