"""Rooms whose class is asked: questions, their phases and clocks, answers, and the file of results."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import questions, reading, results
from visualiser.server.rooms.doors import Visitor
from visualiser.server.rooms.record import CLOSED, DISCUSS, NEXT, OVER, REVEAL, Question, Record, read
from visualiser.server.rooms.rooms import Rooms, always, now, present, refusal
from visualiser.server.rooms.store import Away, NoPlace, NoRoom, NotHere, NotOpen


class Voting(Rooms):
    """The rooms of one process, with their questions."""

    async def ask(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> str:
        """Put a question in place of the former one; return its name."""
        await self._steers(visitor, code)
        asked = questions.question(said)
        if given := questions.seconds(said.get("seconds", 0)):
            asked = replace(asked, clock=now() + 1000 * given)
        await self._change(code, always(lambda record: replace(record, question=asked)), anew=True)
        return asked.id

    async def phase(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Take the question to its next phase."""
        await self._steers(visitor, code)
        phase, name = said.get("phase"), reading.a_name(said, "question")
        if phase not in (CLOSED, DISCUSS, REVEAL, OVER):
            raise reading.wrong("phase")
        if phase == OVER:
            await self._change(code, always(lambda room: replace(_at(room, name, OVER)[0], question=None)))
        elif phase == REVEAL:
            await self._reveal(code, name, said.get("truth"), questions.because(said.get("because")))
        else:
            turn = {"round": 2} if phase == DISCUSS else {}

            def next_phase(room: Record) -> Record:
                room, asked = _at(room, name, phase)
                return replace(room, question=replace(asked, phase=phase, clock=0, **turn))

            await self._change(code, always(next_phase))

    async def _reveal(self, code: str, name: str, truth: Any, because: dict[str, str] | None) -> None:
        """Close the round, so that no answer comes any more, then show the distributions to all."""

        def closed(room: Record) -> Record:
            room, asked = _at(room, name, REVEAL)
            if truth is not None:
                questions.answer(asked, truth, "truth")
            return replace(room, question=replace(asked, phase=CLOSED, clock=0))

        await self._change(code, always(closed))
        first, second = await self._asked(self.hall.store.answers(code))
        both = await self._asked(self.hall.store.answered_both(code))

        def shown(room: Record) -> Record:
            room, asked = _at(room, name, REVEAL)
            true = None if truth is None else questions.answer(asked, truth, "truth")
            found = results.results(asked, first, second, both, true)
            told = {"results": found, "because": because, "revealed": now()}
            return replace(room, question=replace(asked, phase=REVEAL, **told))

        await self._change(code, always(shown), keeps=True)

    async def clock(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Give those who vote or talk so many seconds from now; `more` adds to what is left."""
        await self._steers(visitor, code)
        name, given = reading.a_name(said, "question"), questions.seconds(said.get("seconds"))
        more = "more" in said and reading.flag(said, "more")

        def timed(room: Record) -> Record:
            asked = room.question
            if asked is None or asked.id != name or asked.phase == REVEAL:
                raise Refusal("error.room_phase", 409)
            begins = max(asked.clock, now()) if more else now()
            ends = min(begins + 1000 * given, now() + 1000 * questions.CLOCK)
            return replace(room, question=replace(asked, clock=ends if given else 0))

        await self._change(code, always(timed))

    async def advice(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is usual after this first vote, by the share of right answers; None if that cannot be said.

        It cannot be said in another phase: a reveal closes the vote first, and a lost room is open again. The teacher's
        page may ask at either moment.
        """
        await self._steers(visitor, code)
        room = read((await self._snapshot(code)).document)
        asked = room.question
        if asked is None or asked.id != reading.a_name(said, "question"):
            raise Refusal("error.room_phase", 409)
        truth = questions.answer(asked, said.get("truth"), "truth")
        if (asked.phase, asked.round) != (CLOSED, 1):
            return {"advice": None}
        first, _ = await self._asked(self.hall.store.answers(code))
        return {"advice": results.advice(results.share_right(asked, first, truth))}

    async def file(self, visitor: Visitor, code: str) -> bytes:
        """Return the revealed distributions as CSV."""
        await self._steers(visitor, code)
        return results.csv(code, await self._asked(self.hall.store.revealed(code)))

    async def answer(self, visitor: Visitor, code: str, said: Mapping[str, Any]) -> None:
        """Take a student's answer, in place of their former one in this round.

        A room that was lost in its second round takes back what was answered in the first. What comes too late is
        refused with the answer that counts; that very answer is taken again: the page may have lost the first reply.
        """
        live, name = await self._student(visitor, code)
        takes, asked = reading.a_round(said), present(live).question
        if asked is None or takes not in (asked.takes, asked.takes_back):
            asked = read((await self._snapshot(code)).document).question  # it may be newer than the last message
        try:
            if asked is None or takes not in (asked.takes, asked.takes_back):
                raise NotOpen
            given = orjson.dumps(questions.answer(asked, said.get("answer")))
            store, group = self.hall.store, self._group(visitor, live)
            if takes == asked.takes:
                await store.answer(code, takes, name, given, group)
            else:
                await store.give_back(code, asked.takes, name, given, asked.first, group)
        except NotOpen:
            counted = await self._counted(code, takes, name)
            if counted is None or counted != _dumped(asked, said.get("answer")):
                raise TooLate(counted) from None
        except (Away, NoPlace, NoRoom, NotHere) as problem:
            raise refusal(problem) from None

    async def _counted(self, code: str, takes: str, name: str) -> bytes | None:
        """Return the answer that a tab has in a round of the present question."""
        snapshot = await self._snapshot(code)
        asked, (question, turn) = read(snapshot.document).question, takes.rsplit(" ", 1)
        if asked is None or asked.id != question:
            return None
        return await self._asked(self.hall.store.kept_answer(code, snapshot.version, int(turn), name))


class TooLate(Refusal):
    """An answer to a vote that is closed; `counted` is the JSON of the one that its tab has there."""

    def __init__(self, counted: bytes | None) -> None:
        super().__init__("error.room_closed", 409)
        self.beside = {"counted": None if counted is None else orjson.loads(counted)}


def _dumped(asked: Question | None, answer: Any) -> bytes | None:
    """Return an answer as it is kept; None if it is none to this question."""
    try:
        return None if asked is None else orjson.dumps(questions.answer(asked, answer))
    except Refusal:
        return None


def _at(room: Record, name: str, phase: str) -> tuple[Record, Question]:
    """Return the room and its question if that is `name` and `phase` may follow. Raise `Refusal`."""
    asked = room.question
    if asked is None or asked.id != name or phase not in NEXT[asked.phase]:
        raise Refusal("error.room_phase", 409)
    return room, asked
