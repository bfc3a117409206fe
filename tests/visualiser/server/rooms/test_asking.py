"""Questions: everybody answers once a round, nobody sees an answer before the reveal, and then everybody the same."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.visualiser.server.rooms.classroom import Classroom, MakeStore, classroom, tab

CHOICE = {"kind": "choice", "text": "What does √d_k do?", "answers": ["=1+1", "narrows", "nothing"]}
CURVE = {"kind": "curve", "text": "Draw it", "x": [0, 0.5, 1], "x_label": "d_k", "y_label": "entropy"}


async def asked(taught: Classroom, payload: dict[str, Any]) -> str:
    """Put a question to the class; return its name."""
    answer = await taught.teach("ask", payload)
    assert answer.status == 201, answer
    return answer.json["question"]


async def vote(taught: Classroom, number: int, question: str, answer: Any, turn: int = 1) -> int:
    payload = {"question": question, "round": turn, "answer": answer}
    return (await taught.student("answer", tab(number), payload)).status


async def phase(taught: Classroom, question: str, name: str, **fields: Any) -> int:
    return (await taught.teach("phase", {"question": question, "phase": name, **fields})).status


async def test_a_question_from_its_opening_to_the_file(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        teacher, student = taught.follow(teacher=True), taught.follow(tab(1))
        question = await asked(taught, CHOICE)
        received = await student.until(lambda message: message["question"] is not None)
        assert received["question"] == {"id": question, **CHOICE, "phase": "open", "round": 1}
        assert [await vote(taught, number, question, number % 2) for number in range(5)] == [204] * 5
        assert await vote(taught, 1, question, 2) == 204
        received = await teacher.until(lambda message: message["answered"] == [5, 0])
        assert "results" not in received["question"]
        assert await phase(taught, question, "closed") == 204
        await student.until(lambda message: message["question"]["phase"] == "closed")
        assert await vote(taught, 1, question, 0) == 409
        assert await phase(taught, question, "discuss") == 204
        await student.until(lambda message: message["question"]["round"] == 2)
        assert await vote(taught, 7, question, 0, 1) == 409, "the first round is over"
        assert [await vote(taught, number, question, 1, 2) for number in range(4)] == [204] * 4
        await teacher.until(lambda message: message["answered"] == [5, 4])
        assert b"counts" not in student.bytes
        assert await phase(taught, question, "reveal", truth=1) == 204
        received = await student.until(lambda message: message["question"]["phase"] == "reveal")
        first, second = {"answers": 5, "counts": [3, 1, 1]}, {"answers": 4, "counts": [0, 4, 0]}
        flow = {"wrong_wrong": 0, "wrong_right": 3, "right_wrong": 0, "right_right": 1}
        assert received["question"]["results"] == {"first": first, "second": second, "truth": 1, "flow": flow}
        assert await phase(taught, question, "discuss") == 409
        assert await vote(taught, 1, question, 0, 2) == 409
        assert await phase(taught, question, "over") == 204
        await student.until(lambda message: message["question"] is None)
        file = await taught.teach("results", method="GET")
        assert file.headers["content-type"].startswith("text/csv")
        lines = list(csv.DictReader(io.StringIO(file.body.decode("utf-8-sig"))))
        assert [line["value"] for line in lines] == ["3", "1", "1", "0", "4", "0", "0", "3", "0", "1"]
        assert [line["true"] for line in lines] == ["0", "1", "0"] * 2 + [""] * 4
        assert [line["label"] for line in lines[6:]] == [
            f"{before} to {after}" for before in ("wrong", "right") for after in ("wrong", "right")
        ]
        assert {(line["room"], line["lesson"], line["step"]) for line in lines} == {(taught.code, "", "")}
        revealed = datetime.fromtimestamp(received["question"]["revealed"] / 1000, UTC)
        assert {datetime.fromisoformat(line["time"]) for line in lines} == {revealed.replace(microsecond=0)}
        assert lines[0]["label"] == "'=1+1", "no spreadsheet takes it for a formula"
        assert not any(tab(number) in file.body.decode() for number in range(8))


@pytest.mark.parametrize(("asking", "kept", "other"), [(CHOICE, 1, 2), (CURVE, [0, 0.5, 1], [0, 0.5, 0.9])])
async def test_an_answer_that_is_kept_is_answered_as_such_also_when_its_vote_is_closed(
    make: MakeStore, asking: dict[str, Any], kept: Any, other: Any
) -> None:
    """A page that lost the first reply may say that the answer is in; any other is refused with the one that counts."""
    async with classroom(make) as taught:
        await taught.open()
        former = await asked(taught, asking)
        assert await vote(taught, 1, former, kept) == 204
        question = await asked(taught, asking)
        assert await vote(taught, 1, former, kept) == 409, "of another question"
        assert await vote(taught, 1, question, kept) == 204

        async def repeats(turn: int = 1) -> list[tuple[int, Any]]:
            payload = {"question": question, "round": turn}
            given = ((tab(1), kept), (tab(1), other), (tab(2), kept))
            sent = [await taught.student("answer", one, payload | {"answer": each}, here=False) for one, each in given]
            return [(answer.status, answer.json["counted"] if answer.body else ...) for answer in sent]

        first, second = [(204, ...), (409, kept), (409, None)], [(409, other), (204, ...), (409, None)]
        assert await phase(taught, question, "closed") == 204
        assert await repeats() == first
        assert await vote(taught, 2, question, kept, 2) == 409, "it has not begun"
        assert await phase(taught, question, "discuss") == 204
        assert await repeats() == first
        assert await vote(taught, 1, question, other, 2) == 204
        assert await phase(taught, question, "reveal") == 204
        assert await repeats() == first
        assert await repeats(2) == second
        message = (await taught.open()).json["message"]
        assert message["answered"] == [1, 1]
        assert await phase(taught, question, "over") == 204
        assert await repeats() == [(409, None)] * 3


async def test_an_answer_that_was_given_back_is_answered_as_such(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open(question={**CHOICE, "id": "q", "phase": "discuss", "round": 2, "first": 1})
        assert [await vote(taught, 1, "q", answer) for answer in (1, 1, 0)] == [204, 204, 409]


async def test_a_curve_becomes_a_band_beside_the_true_one(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        student = taught.follow(tab(1))
        question = await asked(taught, CURVE)
        for number in range(5):
            assert await vote(taught, number, question, [number / 4, 0.5, 1 - number / 4]) == 204
        assert await phase(taught, question, "reveal", truth=[0, 0.25, 1]) == 204
        received = await student.until(lambda message: message["question"]["phase"] == "reveal")
        found = received["question"]["results"]
        assert found["first"]["band"]["50"] == [0.5, 0.5, 0.5]
        assert found["first"]["band"]["10"] == [0.1, 0.5, 0.1]
        assert found["first"]["band"]["90"] == [0.9, 0.5, 0.9]
        assert (found["second"], found["truth"]) == (None, [0.0, 0.25, 1.0])
        file = await taught.teach("results", method="GET")
        lines = list(csv.DictReader(io.StringIO(file.body.decode("utf-8-sig"))))
        assert len(lines) == 3 * 5
        assert {line["label"] for line in lines} == {"10 %", "25 %", "50 %", "75 %", "90 %"}


@pytest.mark.parametrize(("asking", "fewest"), [(CHOICE, 3), (CURVE, 5)])
async def test_so_few_answers_that_they_tell_who_gave_them_are_not_shown(
    make: MakeStore, at_once: None, asking: dict[str, Any], fewest: int
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        teacher = taught.follow(teacher=True)
        for many in (fewest - 1, fewest):
            question = await asked(taught, asking)
            for number in range(many):
                assert await vote(taught, number, question, 1 if asking is CHOICE else [0, 0.5, 1]) == 204
            assert await phase(taught, question, "reveal") == 204
            found = await teacher.until(
                lambda message, question=question: (
                    (message["question"]["id"], message["question"]["phase"]) == (question, "reveal")
                )
            )
            first = found["question"]["results"]["first"]
            shown = first["counts"] if asking is CHOICE else first["band"]
            assert first["answers"] == many
            assert (shown is None) == (many < fewest)


async def test_a_new_question_begins_without_answers(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        former = await asked(taught, CHOICE)
        assert await vote(taught, 1, former, 0) == 204
        newer = await asked(taught, CHOICE)
        assert await vote(taught, 2, former, 0) == 409
        assert await phase(taught, former, "reveal") == 409
        assert await phase(taught, former, "over") == 204, "it is"
        teacher = taught.follow(teacher=True)
        received = await teacher.until(lambda message: (message["question"] or {}).get("id") == newer)
        assert received["answered"] == [0, 0]


async def test_a_pages_prediction_may_have_more_answers_and_no_text(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        page = {"page": "why", "name": "why_falls"}
        answers = [str(number) for number in range(12)]
        assert await asked(taught, {"kind": "choice", "answers": answers, "prediction": page})
        for wrong in ({"page": "nowhere", "name": "why_falls"}, {"page": "why", "name": "nothing"}, "why", {}):
            answer = await taught.teach("ask", {"kind": "choice", "answers": answers, "prediction": wrong})
            assert (answer.status, "prediction" in answer.json["message"]) == (422, True)
        assert (await taught.teach("ask", {"kind": "choice", "text": "?", "answers": answers})).status == 422


async def test_a_question_that_holds_tells_every_page_so(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        assert await asked(taught, CHOICE | {"holds": True})
        pages = [taught.follow(teacher=True), taught.follow("a-student-of-it")]
        for page in pages:
            await page.until(lambda message: (message["question"] or {}).get("holds") is True)
        assert await asked(taught, CHOICE)
        for page in pages:
            await page.until(lambda message: message["question"] and "holds" not in message["question"])
        assert (await taught.teach("ask", CHOICE | {"holds": 1})).status == 422


async def test_a_lessons_question_tells_from_which_step_it_comes(make: MakeStore, at_once: None) -> None:
    source = {"lesson": "why-sqrt-d-k", "step": 2}
    async with classroom(make) as taught:
        await taught.open()
        page = taught.follow(tab(1))
        assert await asked(taught, CHOICE | {"from": source})
        received = await page.until(lambda message: message["question"] is not None)
        assert received["question"]["from"] == source
        for wrong in ({}, {"lesson": "why"}, {**source, "more": 1}, {"lesson": "<b>", "step": 1}, "why", 3):
            assert (await taught.teach("ask", CHOICE | {"from": wrong})).status == 422
        for step in (-1, 201, True, "2", 1.5, None):
            assert (await taught.teach("ask", CHOICE | {"from": {**source, "step": step}})).status == 422
        await taught.teach("end")
        lost = {**CHOICE, "from": source, "id": "q", "phase": "open", "round": 1}
        assert (await taught.open(question=lost)).json["message"]["question"] == lost


HEADS = {"name": "heads", "step": 3}


@pytest.mark.parametrize(
    ("before", "after"),
    [(HEADS, {"name": "heads", "step": 4}), (HEADS, None), (None, HEADS), (HEADS, {"name": "why", "step": 3})],
)
async def test_a_result_goes_with_its_step_in_the_message_that_has_the_next(
    make: MakeStore, at_once: None, before: Any, after: Any
) -> None:
    async with classroom(make) as taught:
        await taught.open(state={"link": "n=9", "lesson": before})
        page = taught.follow(tab(1))
        question = await asked(taught, CHOICE)
        assert await vote(taught, 1, question, 0) == 204
        assert await phase(taught, question, "reveal", truth=1) == 204
        assert (await taught.teach("state", {"link": "n=10", "lesson": before})).status == 204
        received = await page.until(lambda message: message["link"] == "n=10")
        assert received["question"]["phase"] == "reveal", "only a step takes it away"
        assert (await taught.teach("state", {"link": "n=11", "lesson": after})).status == 204
        received = await page.until(lambda message: message["link"] == "n=11")
        assert (received["lesson"], received["question"]) == (after, None)
        assert all(message["question"] for message in page.messages if message["link"] == "n=10")
        file = await taught.teach("results", method="GET")
        assert "narrows" in file.body.decode(), "the file keeps it"


@pytest.mark.parametrize("before", ["open", "closed", "discuss"])
async def test_an_open_question_stays_when_the_lesson_moves(make: MakeStore, at_once: None, before: str) -> None:
    async with classroom(make) as taught:
        await taught.open(state={"link": "n=9", "lesson": HEADS})
        page = taught.follow(tab(1))
        question = await asked(taught, CHOICE)
        for name in {"open": (), "closed": ("closed",), "discuss": ("closed", "discuss")}[before]:
            assert await phase(taught, question, name) == 204
        assert (await taught.teach("state", {"link": "n=11", "lesson": {"name": "heads", "step": 4}})).status == 204
        received = await page.until(lambda message: message["link"] == "n=11")
        assert (received["question"]["id"], received["question"]["phase"]) == (question, before)


async def test_a_room_is_made_again_with_its_open_question(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        await taught.teach("end")
        lesson = {"name": "why", "step": 2}
        state = {"link": "n=9", "lesson": lesson, "locked": True}
        opened = await taught.open(state=state, question={**CHOICE, "id": "q", "phase": "discuss", "round": 2})
        assert opened.json["message"]["question"] == {**CHOICE, "id": "q", "phase": "discuss", "round": 2}
        assert opened.json["message"]["lesson"] == lesson
        assert await vote(taught, 1, "q", 0, 1) == 409
        assert await vote(taught, 1, "q", 0, 2) == 204


async def test_a_room_lost_in_the_second_vote_takes_so_many_first_answers_back_and_changes_none(
    make: MakeStore, at_once: None
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        await taught.teach("end")
        lost = {**CHOICE, "id": "q", "phase": "discuss", "round": 2}
        opened = await taught.open(question={**lost, "first": 3})
        assert opened.json["message"]["question"] == lost, "only the teacher is told how many had answered"
        teacher = taught.follow(teacher=True)
        assert await vote(taught, 1, "q", 3) == 422
        assert [await vote(taught, number, "q", number) for number in range(3)] == [204] * 3
        assert await vote(taught, 1, "q", 2) == 409, "an answer of the first round stays what it was"
        assert await vote(taught, 3, "q", 2) == 409, "no more than were lost"
        assert [await vote(taught, number, "q", 1, 2) for number in range(4)] == [204] * 4
        await teacher.until(lambda message: message["answered"] == [3, 4])
        assert await phase(taught, "q", "reveal") == 204
        assert await vote(taught, 4, "q", 0) == 409
        received = await teacher.until(lambda message: message["question"]["phase"] == "reveal")
        assert received["question"]["results"]["first"] == {"answers": 3, "counts": [1, 1, 1]}
        assert received["question"]["results"]["second"] == {"answers": 4, "counts": [0, 4, 0]}
        newer = await asked(taught, {**CHOICE, "first": 3})
        for next_phase in ("closed", "discuss"):
            assert await phase(taught, newer, next_phase) == 204
        assert await vote(taught, 1, newer, 0) == 409, "nothing was lost of a question that is asked"


@pytest.mark.parametrize("first", [-1, 1001, True, "3", None, 1.5])
async def test_a_number_of_lost_answers_that_no_room_can_have_had_is_refused(make: MakeStore, first: Any) -> None:
    async with classroom(make) as taught:
        lost = {**CHOICE, "id": "q", "phase": "discuss", "round": 2, "first": first}
        answer = await taught.open(question=lost)
        assert (answer.status, "first" in answer.json["message"]) == (422, True)


FIRST = {"answers": 5, "counts": [3, 1, 1]}
FLOW = {"wrong_wrong": 2, "wrong_right": 1, "right_wrong": 0, "right_right": 1}
BAND = {str(share): [0.0, 0.5, 1.0] for share in (10, 25, 50, 75, 90)}


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ({**CHOICE, "round": 1}, {"first": FIRST, "second": None, "truth": 1}),
        ({**CHOICE, "round": 2}, {"first": FIRST, "second": {"answers": 2, "counts": None}, "truth": None}),
        ({**CHOICE, "round": 2}, {"first": FIRST, "second": FIRST, "truth": 1, "flow": FLOW}),
        (
            {**CHOICE, "round": 1, "because": {"en": "So *it* is.", "ko": "그래서"}},
            {"first": FIRST, "second": None, "truth": 1},
        ),
        ({**CURVE, "round": 1}, {"first": {"answers": 5, "band": BAND}, "second": None, "truth": [0.0, 0.5, 1.0]}),
    ],
)
async def test_a_room_is_made_again_with_what_it_had_revealed(
    make: MakeStore, question: dict[str, Any], given: dict[str, Any]
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        await taught.teach("end")
        asked = {**question, "id": "q", "phase": "reveal", "results": given, "revealed": 1763858000123}
        opened = await taught.open(question=asked)
        assert opened.status == 201
        assert opened.json["message"]["question"] == asked
        assert await vote(taught, 1, "q", 0) == 409
        assert await phase(taught, "q", "reveal") == 409
        other = {name: None if name == "truth" else value for name, value in given.items() if name != "flow"}
        again = await taught.open(question={**asked, "results": other})
        assert again.status == 200
        assert again.json["message"]["question"] == asked, "a room that is there stays as it is"
        file = await taught.teach("results", method="GET")
        lines = list(csv.DictReader(io.StringIO(file.body.decode("utf-8-sig"))))
        assert {line["question"] for line in lines} == {"1"}
        assert await phase(taught, "q", "over") == 204


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        {"first": FIRST, "truth": None},
        {"first": FIRST, "second": FIRST, "truth": None},
        {"first": FIRST, "second": None, "truth": 3},
        {"first": FIRST, "second": None, "truth": "<b>"},
        {"first": FIRST, "second": None, "truth": 1, "flow": FLOW},
        {"first": {**FIRST, "more": 1}, "second": None, "truth": 0},
        {"first": {"answers": 5, "band": BAND}, "second": None, "truth": 0},
        {"first": {"answers": 2, "counts": [1, 1, 0]}, "second": None, "truth": 0},
        {"first": {"answers": 5, "counts": None}, "second": None, "truth": 0},
        {"first": {"answers": 5, "counts": [5, 0]}, "second": None, "truth": 0},
        {"first": {"answers": 5, "counts": [5, 1, 0]}, "second": None, "truth": 0},
        {"first": {"answers": 5, "counts": [6, -1, 0]}, "second": None, "truth": 0},
        {"first": {"answers": True, "counts": [1, 0, 0]}, "second": None, "truth": 0},
        {"first": {"answers": 10**9, "counts": [10**9, 0, 0]}, "second": None, "truth": 0},
    ],
)
async def test_results_that_no_room_can_have_revealed_are_refused(make: MakeStore, given: Any) -> None:
    async with classroom(make) as taught:
        asked = {**CHOICE, "id": "q", "phase": "reveal", "round": 1, "results": given}
        answer = await taught.open(question=asked)
        assert (answer.status, "results" in answer.json["message"]) == (422, True)


@pytest.mark.parametrize(
    "band", [None, {**BAND, "10": [0.0, 2.0, 1.0]}, {**BAND, "10": [0.0, 1.0]}, {"10": BAND["10"]}, [BAND["10"]] * 5]
)
async def test_a_band_that_no_room_can_have_revealed_is_refused(make: MakeStore, band: Any) -> None:
    async with classroom(make) as taught:
        given = {"first": {"answers": 5, "band": band}, "second": None, "truth": None}
        answer = await taught.open(question={**CURVE, "id": "q", "phase": "reveal", "round": 1, "results": given})
        assert answer.status == 422


@pytest.mark.parametrize(
    ("flow", "truth"),
    [({**FLOW, "right_right": 3}, 1), ({**FLOW, "wrong_wrong": 0}, 1), (None, 1), ({}, 1), (FLOW, None)],
)
async def test_moves_that_no_room_can_have_counted_are_refused(make: MakeStore, flow: Any, truth: Any) -> None:
    async with classroom(make) as taught:
        given = {"first": FIRST, "second": FIRST, "truth": truth, "flow": flow}
        answer = await taught.open(question={**CHOICE, "id": "q", "phase": "reveal", "round": 2, "results": given})
        assert (answer.status, "results" in answer.json["message"]) == (422, True)
