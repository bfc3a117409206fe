"""Sequences of a teacher's and students' acts against a small model of a room."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.alone import alone, until
from tests.visualiser.server.rooms.classroom import Classroom, MakeStore, Stream, classroom, tab

STUDENTS, ANSWERS = 5, 3
NEXT = {"open": ("closed", "reveal"), "closed": ("discuss", "reveal"), "discuss": ("reveal",), "reveal": ()}
ACTS = st.one_of(
    st.tuples(st.just("ask")),
    st.tuples(st.just("phase"), st.sampled_from(("closed", "discuss", "reveal", "over"))),
    st.tuples(
        st.just("vote"),
        st.integers(0, STUDENTS - 1),
        st.integers(0, ANSWERS),
        st.sampled_from((1, 2)),
        st.booleans(),
    ),
    st.tuples(st.just("vote"), st.integers(0, STUDENTS - 1), st.integers(0, ANSWERS - 1), st.just(0), st.just(False)),
    st.tuples(st.just("state"), st.integers(2, 40)),
    st.tuples(st.just("follow"), st.integers(0, STUDENTS - 1)),
    st.tuples(st.just("leave"), st.integers(0, STUDENTS - 1)),
    st.tuples(st.just("place"), st.integers(0, STUDENTS - 1), st.booleans()),
    st.tuples(st.just("again")),
)
"""Round 0 of a vote means the round that is open."""


class Model:
    """The room as it must be."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin a room's life."""
        self.n, self.question, self.former = 32, "", "none"
        self.phase, self.round = "", 1
        self.votes: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.came = set[int]()
        self.away = set[int]()

    @property
    def open_round(self) -> int:
        return {"open": 1, "discuss": 2}.get(self.phase, 0) if self.question else 0

    def answered(self) -> list[int]:
        return [len(self.votes[0]), len(self.votes[1])]

    def results(self) -> dict[str, Any]:
        found = []
        for votes in self.votes[: self.round]:
            counts = [list(votes.values()).count(answer) for answer in range(ANSWERS)]
            found.append({"answers": len(votes), "counts": counts if len(votes) >= 3 else None})
        shown = {"first": found[0], "second": found[1] if self.round == 2 else None, "truth": 1}
        first, second = self.votes
        moves = [(first[tab] == 1, second[tab] == 1) for tab in second if tab in first]
        if self.round == 1 or len(moves) < 3:
            return shown
        outcomes = ("wrong", "right")
        names = {(a, b): f"{outcomes[a]}_{outcomes[b]}" for a in (False, True) for b in (False, True)}
        return shown | {"flow": {name: moves.count(move) for move, name in names.items()}}


class Played:
    """A class that does what the model does."""

    def __init__(self, taught: Classroom) -> None:
        self.taught, self.model = taught, Model()
        self.students: dict[int, Stream] = {}
        self.all: list[Stream] = []

    async def play(self, acts: Sequence[tuple[Any, ...]]) -> None:
        """Do all acts, and look at every message."""
        for rate in (
            self.taught.rooms.limits.by_tab,
            self.taught.rooms.limits.by_room,
            self.taught.rooms.limits.opened,
        ):
            rate.burst = rate.each = 1e9
        await self.again()
        for name, *arguments in acts:
            await getattr(self, name)(*arguments)
            await self.settled()
        for stream in self.all:
            self.look(stream)

    async def again(self) -> None:
        """Begin the room anew."""
        if self.taught.code:
            assert (await self.taught.teach("end")).status == 204
            for stream in (self.teacher, *self.students.values()):
                await until(lambda stream=stream: stream.over and stream.ended)
        self.model.begin()
        self.students = {}
        assert (await self.taught.open(state={"link": "n=32"})).status == 201
        self.teacher = self.taught.follow(teacher=True)
        await until(lambda: bool(self.teacher.messages))

    async def ask(self) -> None:
        answers = [str(answer) for answer in range(ANSWERS)]
        answer = await self.taught.teach("ask", {"kind": "choice", "text": "?", "answers": answers})
        assert answer.status == 201
        model = self.model
        model.former, model.question = model.question or model.former, answer.json["question"]
        model.phase, model.round, model.votes = "open", 1, ({}, {})

    async def phase(self, phase: str) -> None:
        model = self.model
        payload = {"question": model.question or "none", "phase": phase, "truth": 1}
        status = (await self.taught.teach("phase", payload)).status
        if phase == "over":
            assert status == 204
            model.question, model.former = "", model.question or model.former
            return
        if not model.question or phase not in NEXT[model.phase]:
            assert status == 409
            return
        assert status == 204
        model.phase = phase
        model.round = 2 if phase == "discuss" else model.round

    async def vote(self, student: int, answer: int, turn: int, late: bool) -> None:
        model = self.model
        before = {number: len(stream.messages) for number, stream in self.students.items()}
        named = model.former if late else model.question or "none"
        turn = turn or model.open_round or 1
        payload = {"question": named, "round": turn, "answer": answer}
        response = await self.taught.student("answer", tab(student), payload, here=False)
        status = response.status
        if named != model.question or turn != model.open_round:
            counted = model.votes[turn - 1].get(student) if named == model.question else None
            assert status == (409 if counted is None or counted != answer else 204)
            assert status == 204 or response.json["counted"] == counted
        elif answer == ANSWERS:
            assert status == 422
        elif student not in model.came:
            assert status == 425
        else:
            assert status == 204
            model.votes[turn - 1][student] = answer
        await self.settled()
        assert {number: len(stream.messages) for number, stream in self.students.items()} == before

    async def state(self, n: int) -> None:
        assert (await self.taught.teach("state", {"link": f"n={n}"})).status == 204
        self.model.n = n

    async def follow(self, student: int) -> None:
        former = self.students.get(student)
        self.model.came.add(student)
        self.students[student] = self.taught.follow(tab(student))
        self.model.away.discard(student)  # its stream says so
        self.all.append(self.students[student])
        if former is not None:
            await until(lambda: former.ended)

    async def leave(self, student: int) -> None:
        if student in self.students:
            await self.students.pop(student).leave()
            self.model.away.discard(student)

    async def place(self, student: int, left: bool) -> None:
        if student not in self.students:
            return
        before = {number: len(stream.messages) for number, stream in self.students.items()}
        assert (await self.taught.student("place", tab(student), {"left": left})).status == 204
        (self.model.away.add if left else self.model.away.discard)(student)
        await self.settled()
        assert {number: len(stream.messages) for number, stream in self.students.items()} == before

    async def settled(self) -> None:
        """Wait until every page shows what the model says."""

        def shows(message: dict[str, Any]) -> bool:
            model, question = self.model, message["question"]
            if message["link"] != ("" if model.n == 32 else f"n={model.n}") or message["count"] != len(self.students):
                return False
            if not model.question:
                return question is None
            if question is None:
                return False
            if (question["id"], question["phase"], question["round"]) != (model.question, model.phase, model.round):
                return False
            return model.phase != "reveal" or question["results"] == model.results()

        for stream in self.students.values():
            await stream.until(shows)
        following = len(self.students) - len(self.model.away)
        received = await self.teacher.until(lambda message: shows(message) and message["follow"] == following)
        if self.model.question:
            await self.teacher.until(lambda message: message["answered"] == self.model.answered())
        assert received["you"] == "teacher"

    @staticmethod
    def look(stream: Stream) -> None:
        """No student is ever told anything of an answer before the reveal, and revisions only grow."""
        assert stream.ids == sorted(set(stream.ids))
        for message in stream.messages:
            assert not {"answered", "follow", "offers"} & set(message)
            if message["question"] is not None:
                assert ("results" in message["question"]) == (message["question"]["phase"] == "reveal")


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(acts=st.lists(ACTS, max_size=25))
@pytest.mark.usefixtures("at_once")
def test_a_room_does_what_the_model_does(make: MakeStore, acts: list[tuple[Any, ...]]) -> None:
    async def played() -> None:
        async with classroom(make) as taught:
            await Played(taught).play(acts)

    alone(played(), seconds=120)
