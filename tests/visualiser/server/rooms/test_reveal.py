"""A reveal tells who moved, why it is so, and values on axes; before it there are a clock and advice."""

import csv
import io
import json
import time
from typing import Any

import pytest

from tests.visualiser.server.rooms.classroom import Classroom, MakeStore, classroom, tab
from tests.visualiser.server.rooms.test_asking import CHOICE, CURVE, asked, phase, vote

AXES = {"x": [0.001, 0.1, 10.0], "low": 0.0, "high": 0.4, "log_x": True, "log_y": False}
ACROSS = {"x": [1.0, 8.5, 16.0], "log_x": False}
UP = {"low": -4.0, "high": 4.0, "log_y": False}
BARE = "0 = lowest place of the axis, 1 = highest"
BECAUSE = {"en": "Large scores make it *narrow*.", "ko": "점수가 크기 때문입니다."}


async def revealed(taught: Classroom, question: str, **fields: Any) -> dict[str, Any]:
    """Reveal; return what is told then."""
    assert await phase(taught, question, "reveal", **fields) == 204
    return await present(taught)


async def present(taught: Classroom) -> dict[str, Any]:
    """Return the question as the room has it now."""
    return (await taught.open()).json["message"]["question"]


async def filed(taught: Classroom) -> list[dict[str, str]]:
    """Return the lines of the file of results."""
    file = (await taught.teach("results", method="GET")).body.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(file)))


async def voted_twice(taught: Classroom, first: list[int], second: list[int]) -> str:
    """Let the class answer twice; -1 does not answer."""
    question = await asked(taught, CHOICE)
    for turn, answers in ((1, first), (2, second)):
        for number, answer in enumerate(answers):
            assert answer < 0 or await vote(taught, number, question, answer, turn) == 204
        if turn == 1:
            assert [await phase(taught, question, name) for name in ("closed", "discuss")] == [204, 204]
    return question


@pytest.mark.parametrize(
    ("first", "second", "flow"),
    [
        ([1, 1, 0, 0, 2], [1, 0, 1, 2, 1], (1, 2, 1, 1)),
        ([1, 1, 1, -1], [1, 1, -1, 0], None),  # two have answered both
        ([1, 0, 0], [1, 1, 1], (0, 2, 0, 1)),
    ],
)
async def test_who_moved_is_told_from_three_on_who_answered_both(
    make: MakeStore, first: list[int], second: list[int], flow: tuple[int, ...] | None
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        found = (await revealed(taught, await voted_twice(taught, first, second), truth=1))["results"]
        assert tuple(found["flow"].values()) == flow if flow else "flow" not in found


async def test_nobody_moves_without_a_truth_or_a_second_vote(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = await voted_twice(taught, [0, 1, 2], [1, 1, 1])
        assert "flow" not in (await revealed(taught, question))["results"]
        question = await asked(taught, CHOICE)
        assert [await vote(taught, number, question, number) for number in range(3)] == [204] * 3
        assert "flow" not in (await revealed(taught, question, truth=1))["results"]


async def test_the_explanation_comes_with_the_result_to_everybody(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = await asked(taught, CHOICE)
        for wrong in ({}, {"fr": "?"}, {"en": ""}, {"en": "x" * 601}, "so", [BECAUSE]):
            assert await phase(taught, question, "reveal", because=wrong) == 422
        assert (await revealed(taught, question, because=BECAUSE))["because"] == BECAUSE


async def test_a_curve_has_the_numbers_of_its_axes_and_the_file_its_values(make: MakeStore) -> None:
    payload = {**CURVE, "axes": AXES, "from": {"lesson": "saturation", "step": 2}}
    async with classroom(make) as taught:
        await taught.open()
        question = await asked(taught, payload)
        for number in range(5):
            assert await vote(taught, number, question, [0, 0.5, 1]) == 204
        found = await revealed(taught, question, truth=[0, 0.25, 0.5])
        assert found["axes"] == AXES
        lines = await filed(taught)
        assert [line["place"] for line in lines[::5]] == ["0.001", "0.1", "10.0"]
        assert [line["value"] for line in lines[::5]] == ["0.0", "0.2", "0.4"]
        assert [line["true"] for line in lines[::5]] == ["0.0", "0.1", "0.2"]
        assert {(line["lesson"], line["step"]) for line in lines} == {("saturation", "2")}
        assert {(line["place_is"], line["value_is"]) for line in lines} == {("d_k", "entropy")}


@pytest.mark.parametrize(
    ("axes", "places", "values", "meant"),
    [
        ({}, ["0.0", "0.5", "1.0"], ["0.0", "0.5", "1.0"], (f"d_k: {BARE}", f"entropy: {BARE}")),
        ({"axes": ACROSS}, ["1.0", "8.5", "16.0"], ["0.0", "0.5", "1.0"], ("d_k", f"entropy: {BARE}")),
        ({"axes": UP}, ["0.0", "0.5", "1.0"], ["-4.0", "0.0", "4.0"], (f"d_k: {BARE}", "entropy")),
        ({"axes": ACROSS | UP}, ["1.0", "8.5", "16.0"], ["-4.0", "0.0", "4.0"], ("d_k", "entropy")),
    ],
)
async def test_each_axis_of_a_curve_may_have_numbers_and_the_file_says_what_they_are(
    make: MakeStore, axes: dict[str, Any], places: list[str], values: list[str], meant: tuple[str, str]
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = await asked(taught, {**CURVE, **axes})
        for number in range(5):
            assert await vote(taught, number, question, [0, 0.5, 1]) == 204
        found = await revealed(taught, question, truth=[0, 0.5, 1])
        assert found.get("axes") == axes.get("axes")
        lines = await filed(taught)
        assert [line["place"] for line in lines[::5]] == places
        assert [line["value"] for line in lines[::5]] == values
        assert [line["true"] for line in lines[::5]] == values
        assert {(line["place_is"], line["value_is"]) for line in lines} == {meant}


@pytest.mark.parametrize(
    ("ends", "value"),
    [
        ({"low": 1e6, "high": 1e6 + 1, "log_y": False}, "1000000.1234"),
        ({"low": -1e300, "high": 1e300, "log_y": False}, "-7.532e+299"),
        ({"low": 1e-300, "high": 1e300, "log_y": True}, "1.0965e-226"),
        ({"low": 0, "high": 5e-324, "log_y": False}, "0.0"),
    ],
)
async def test_the_file_tells_places_apart_between_any_ends(make: MakeStore, ends: dict[str, Any], value: str) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = await asked(taught, {**CURVE, "axes": ends})
        for number in range(5):
            assert await vote(taught, number, question, [0.1234, 0.1234, 0.1234]) == 204
        await revealed(taught, question)
        assert {line["value"] for line in await filed(taught)} == {value}


async def test_the_file_says_what_the_numbers_of_votes_are(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        await revealed(taught, await voted_twice(taught, [1, 0, 0], [1, 1, 1]), truth=1)
        meant = {(line["kind"], line["place_is"], line["value_is"]) for line in await filed(taught)}
        assert meant == {("choice", "answer", "votes"), ("flow", "", "votes")}


async def test_the_file_has_texts_without_the_signs_of_emphasis(make: MakeStore) -> None:
    payload = {**CHOICE, "text": "Does it *spread*?", "answers": ["by `d_k`", "**no**", "*=1+1*"]}
    async with classroom(make) as taught:
        await taught.open()
        await revealed(taught, await asked(taught, payload))
        lines = await filed(taught)
        assert {line["text"] for line in lines} == {"Does it spread?"}
        assert [line["label"] for line in lines] == ["by d_k", "no", "'=1+1"]


@pytest.mark.parametrize(
    "axes",
    [
        {},
        "x",
        {**AXES, "x": [1, 2]},
        {**AXES, "x": [1, 1, 2]},
        {**AXES, "x": [0, 1, 2]},  # on a logarithmic axis
        {**AXES, "x": [1, 2, True]},
        {**AXES, "x": [1, 2, 10**400]},
        {**AXES, "low": 0.4},
        {**AXES, "log_y": True},
        {**AXES, "log_y": 1},
        {**AXES, "more": 1},
        {"x": [1, 2, 3]},
        {"low": 0, "high": 1},
        {"low": 0, "log_y": False},
        {"low": 0, "high": 0, "log_y": False},
        {"low": 0, "high": "1", "log_y": False},
        {"low": 0, "high": 1.1e300, "log_y": False},
        {"low": 0, "high": 1, "log_y": False, "log_x": False},
        {"x": [3, 2, 1], "log_x": False},
        {"x": None, "log_x": False},
        {"x": [1] * 64, "log_x": False},
    ],
)
async def test_axes_that_hold_no_curve_are_refused(make: MakeStore, axes: Any) -> None:
    async with classroom(make) as taught:
        await taught.open()
        assert (await taught.teach("ask", {**CURVE, "axes": axes})).status == 422


@pytest.mark.parametrize("end", ["NaN", "Infinity", "-Infinity", "1e999"])
async def test_no_end_of_an_axis_is_beyond_numbers(make: MakeStore, end: str) -> None:
    async with classroom(make) as taught:
        await taught.open()
        body = json.dumps({**CURVE, "axes": UP}).replace('4.0, "log_y"', f'{end}, "log_y"').encode()
        assert end.encode() in body
        assert (await taught.teach("ask", body)).status in (400, 422)


async def test_a_clock_counts_by_the_servers_time_and_ends_with_its_phase(
    make: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = 1763858000.0
    async with classroom(make) as taught:
        await taught.open()

        async def left() -> int:
            return (await present(taught)).get("clock", 0) - int(at * 1000)

        monkeypatch.setattr(time, "time", lambda: at)
        question = await asked(taught, {**CHOICE, "seconds": 60})
        assert await left() == 60_000
        answer = await taught.ask("GET", f"/{taught.code}", tab=tab(1))
        stream = taught.follow(tab(1))
        await stream.until(lambda _: True)
        for headers in (answer.headers, stream.headers):
            assert int(headers["x-headlight-now"]) == int(at * 1000)
        at += 20
        clock = {"question": question, "seconds": 30}
        assert (await taught.teach("clock", {**clock, "more": True})).status == 204
        assert await left() == 70_000
        assert (await taught.teach("clock", clock)).status == 204
        assert await left() == 30_000
        at += 40
        assert await left() == -10_000, "nothing happens by itself"
        assert await vote(taught, 1, question, 0) == 204
        assert (await taught.teach("clock", {**clock, "more": True})).status == 204
        assert await left() == 30_000
        for wrong in (-1, 901, True, "30", None, 1.5):
            assert (await taught.teach("clock", {**clock, "seconds": wrong})).status == 422
        assert (await taught.teach("clock", {**clock, "question": "other"})).status == 409
        assert (await taught.student("clock", tab(1), clock)).status == 403
        assert await phase(taught, question, "closed") == 204
        assert await left() < -(10**9), "the next phase has none"
        assert (await taught.teach("clock", clock)).status == 204
        assert (await revealed(taught, question)).get("clock") is None
        assert (await taught.teach("clock", clock)).status == 409


@pytest.mark.parametrize(
    ("answers", "advice"),
    [
        ([1, 1], None),
        ([0, 0, 0, 1], "explain"),
        ([1, 0, 0], "discuss"),
        ([1] * 7 + [0] * 3, "discuss"),
        ([1, 1, 1, 0], "go_on"),
    ],
)
async def test_only_the_teacher_is_advised_and_only_after_the_first_vote(
    make: MakeStore, answers: list[int], advice: str | None
) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = await asked(taught, CHOICE)
        for number, answer in enumerate(answers):
            assert await vote(taught, number, question, answer) == 204
        payload = {"question": question, "truth": 1}
        nothing = (200, {"advice": None})  # a page that hears a phase late has asked for nothing wrong
        other = await taught.teach("advice", payload)
        assert (other.status, other.json) == nothing
        assert await phase(taught, question, "closed") == 204
        assert (await taught.teach("advice", payload)).json == {"advice": advice}
        assert (await taught.teach("advice", {**payload, "truth": 3})).status == 422
        assert (await taught.student("advice", tab(1), payload)).status == 403
        assert (await taught.teach("advice", {**payload, "question": "other"})).status == 409
        for name in ("discuss", "reveal"):
            assert await phase(taught, question, name) == 204
            other = await taught.teach("advice", payload)
            assert (other.status, other.json) == nothing


async def test_a_room_is_made_again_with_axes_picture_and_clock(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        await taught.teach("end")
        lost = {**CURVE, "axes": AXES, "figure": "heat-maps", "clock": 1763858000123}
        lost |= {"id": "q", "phase": "open", "round": 1}
        assert (await taught.open(question=lost)).json["message"]["question"] == lost
        for wrong in ({"clock": -1}, {"clock": "soon"}, {"figure": "<b>"}, {"figure": 3}):
            await taught.teach("end")
            assert (await taught.open(question=lost | wrong)).status == 422
