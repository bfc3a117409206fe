"""Single fields of a request's body, at the ends of what they may be."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from tests.alone import alone
from visualiser.server.admission.refusal import Refusal
from visualiser.server.rooms import body_fields
from visualiser.server.rooms.record import Record
from visualiser.server.rooms.request_limits import RequestLimits

CODE, OTHER = "CDFGHJ", "CDFGHK"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_address_of_the_web_that_opens_this_room_is_taken(scheme: str) -> None:
    written = f"{scheme}://school.example/?n=5&room={CODE}"
    assert body_fields.parse_address({"address": written}, CODE) == written


@pytest.mark.parametrize(
    "written",
    [
        f"ftp://school.example/?room={CODE}",
        f"httpx://school.example/?room={CODE}",
        f"/?room={CODE}",
        f"https://school.example/?room={OTHER}",
        f"https://school.example/?room={CODE}&room={OTHER}",
        "https://school.example/",
        f"https://school.example/\n?room={CODE}",
        None,
    ],
)
def test_any_other_address_is_refused(written: object) -> None:
    with pytest.raises(Refusal):
        body_fields.parse_address({"address": written}, CODE)


@pytest.mark.parametrize(("given", "taken"), [(0, True), (200, True), (201, False), (-1, False), (True, False)])
def test_a_lesson_has_two_hundred_steps_at_most(given: int, taken: bool) -> None:
    if taken:
        assert body_fields.parse_step(given) == given
    else:
        with pytest.raises(Refusal):
            body_fields.parse_step(given)


def test_commands_of_a_remote_are_counted_by_room() -> None:
    limits = RequestLimits(Mock(), lambda: 0.0)
    for _ in range(20):
        limits.command(CODE)
    with pytest.raises(Refusal):
        limits.command(CODE)
    limits.command(OTHER)


@pytest.mark.parametrize(("payload", "calls"), [({"call": True}, 3), ({"call": False}, 2), ({}, 2)])
def test_a_call_is_counted_if_the_teacher_calls(payload: dict[str, object], calls: int) -> None:
    room = Record(life="life", secret="secret", until=1.0, calls=2)
    assert alone(body_fields.with_state(room, payload)) == replace(room, calls=calls)
