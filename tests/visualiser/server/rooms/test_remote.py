"""The remote: one ticket, one right; students, replays, other rooms' tickets and guesses get nothing."""

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.alone import alone, until
from tests.draws import cases
from tests.visualiser.server.rooms.classroom import Classroom, MakeStore, Reply, classroom, tab
from visualiser.server.rooms import remote as module
from visualiser.server.rooms.codes import hash_of
from visualiser.server.rooms.memory_store import MemoryStore
from visualiser.server.rooms.remote import KEPT, Remote

RIGHT, OTHER = "r" * 22, "o" * 22
SHOWN: dict[str, Any] = {
    "done": 0,
    "lesson": {"title": {"en": "Why", "ko": "왜"}, "step": 2, "steps": 8},
    "note": {"en": "Let them talk."},
    "can": ["next", "back"],
    "blank": False,
    "said": "",
}


async def ticket(taught: Classroom) -> str:
    """Return a new ticket."""
    address = f"https://school.example/?room={taught.code}&remote=1"
    received = await taught.teach("ticket", {"address": address})
    assert received.status == 201
    assert set(received.json) == {"ticket", "seconds", "picture"}
    assert received.json["picture"].startswith("<svg")
    return received.json["ticket"]


async def exchange(taught: Classroom, ticket: str, right: str = RIGHT, number: int = 90, replica: int = 0) -> int:
    """Exchange a ticket on a phone; return the status."""
    received = await taught.student("exchange", tab(number), {"ticket": ticket, "right": right}, replica=replica)
    return received.status


async def command(taught: Classroom, do: str, right: str = RIGHT, name: str = "", replica: int = 0) -> Reply:
    """Send a command."""
    payload = {"do": do, "id": name or f"c{time.monotonic_ns()}"}
    return await taught.ask("POST", f"/{taught.code}/command", payload, secret=right, tab=tab(90), replica=replica)


async def test_a_phone_steers_and_the_class_hears_nothing_of_it(make: MakeStore, at_once: None) -> None:
    async with classroom(make, replicas=1 if make is MemoryStore else 2) as taught:
        await taught.open()
        last = len(taught.replicas) - 1
        teacher, student = taught.follow(teacher=True), taught.follow(tab(1), replica=last)
        await student.until(lambda message: message["count"] == 1)
        assert teacher.messages[0]["remote"] is None
        once = await ticket(taught)
        assert await exchange(taught, once, replica=last) == 204
        phone = taught.follow(tab(90), secret=RIGHT, replica=last)
        first_message = await phone.until(lambda message: message["count"] == 1)
        assert set(first_message) == {"revision", "you", "life", "count", "follow", "answered", "question", "shown"}
        assert first_message["you"] == "remote"
        received = await teacher.until(lambda message: message["remote"] is not None)
        assert received["remote"] == {"right": hash_of(RIGHT), "commands": []}
        heard = len(student.messages)
        assert (await taught.teach("shown", SHOWN)).status == 204
        assert (await phone.until(lambda message: message["shown"] is not None))["shown"] == SHOWN
        for number, do in enumerate(("next", "blank"), 1):
            answer = await command(taught, do, replica=last)
            assert (answer.status, answer.json) == (201, {"number": number})
        received = await teacher.until(lambda message: len(message["remote"]["commands"]) == 2)
        assert received["remote"]["commands"] == [{"number": 1, "do": "next"}, {"number": 2, "do": "blank"}]
        assert len(student.messages) == heard
        assert all(not {"remote", "shown", "follow", "commands"} & set(message) for message in student.messages)
        assert (await taught.teach("revoke")).status == 204
        await until(lambda: phone.ended)
        assert not phone.over, "the room goes on"
        await teacher.until(lambda message: message["remote"] is None)
        assert (await taught.ask("GET", f"/{taught.code}", secret=RIGHT, tab=tab(90))).status == 403
        assert (await command(taught, "next")).status == 403


async def test_a_command_asked_twice_is_one_and_a_few_are_kept(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        assert await exchange(taught, await ticket(taught)) == 204
        for _ in range(2):
            assert (await command(taught, "next", name="same")).json == {"number": 1}
        for number in range(2, KEPT + 4):
            assert (await command(taught, "back")).json == {"number": number}
        teacher = taught.follow(teacher=True)
        received = await teacher.until(lambda message: len((message["remote"] or {}).get("commands", ())) == KEPT)
        numbers = [one["number"] for one in received["remote"]["commands"]]
        assert numbers == list(range(4, KEPT + 4))


async def test_a_ticket_is_used_once_and_by_whoever_was_first(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        once = await ticket(taught)
        assert await exchange(taught, once) == 204
        assert await exchange(taught, once) == 204, "its answer may have been lost"
        refused = await taught.student("exchange", tab(3), {"ticket": once, "right": OTHER})
        assert refused.status == 403
        assert "two minutes" in refused.json["message"]
        assert (await command(taught, "next", OTHER)).status == 403
        assert (await command(taught, "next")).status == 201
        second = await ticket(taught)
        assert (await command(taught, "next")).status == 201, "until the new ticket is used"
        assert await exchange(taught, second, OTHER) == 204
        assert (await command(taught, "next")).status == 403
        assert (await command(taught, "next", OTHER)).status == 201


async def test_a_ticket_of_another_room_and_a_former_one_open_nothing(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        first = await ticket(taught)
        await ticket(taught)
        assert await exchange(taught, first) == 403
        code, secret = taught.code, taught.secret
        taught.secret = "another-" + "x" * 22
        await taught.open()
        assert taught.code != code
        theirs = await ticket(taught)
        taught.code, taught.secret = code, secret
        assert await exchange(taught, theirs) == 403
        assert await exchange(taught, secret) == 403
        assert await exchange(taught, hash_of(theirs)[:22]) == 403


async def test_a_room_that_was_lost_keeps_its_remote_and_one_that_ends_does_not() -> None:
    async with classroom(MemoryStore) as taught:
        opened = await taught.open(remote=hash_of(RIGHT))
        assert opened.json["message"]["remote"] == {"right": hash_of(RIGHT), "commands": []}
        assert (await command(taught, "next")).status == 201
        phone = taught.follow(tab(90), secret=RIGHT)
        await until(lambda: bool(phone.messages))
        assert (await taught.teach("end")).status == 204
        await until(lambda: phone.over)
        assert (await command(taught, "next")).status == 410
        assert (await taught.open()).status == 201
        assert (await command(taught, "next")).status == 403


async def test_guesses_are_counted_before_they_are_looked_at() -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        doors = taught.rooms.limits
        doors.by_tab.burst = 1e9
        doors.tickets.burst, doors.tickets.each = 3, 1e-9
        right = await ticket(taught)
        for number in range(3):
            assert await exchange(taught, f"guess-{number}-" + "x" * 20) == 403
        assert await exchange(taught, right) == 429


async def test_an_old_ticket_opens_nothing_and_an_old_command_is_done_by_nobody() -> None:
    now = 1000.0
    remote = Remote().invited("t" * 22, now)
    assert remote.exchanged("t" * 22, RIGHT, now + module.TICKET + 1) is None
    found = remote.exchanged("t" * 22, RIGHT, now + module.TICKET - 1)
    assert found is not None
    assert found.ticket == ""
    found = found.commanded("a", "next", now)
    assert found.fresh(now + module.FRESH) == [{"number": 1, "do": "next"}]
    assert found.fresh(now + module.FRESH + 1) == []


@pytest.mark.parametrize("act", ["state", "ask", "phase", "drop", "end", "qr", "ticket", "shown", "revoke"])
async def test_a_remote_may_send_commands_and_nothing_else(act: str) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        assert await exchange(taught, await ticket(taught)) == 204
        payload = {**SHOWN, "address": f"https://a.example/?room={taught.code}", "question": "q", "phase": "over"}
        assert (await taught.ask("POST", f"/{taught.code}/{act}", payload, secret=RIGHT, tab=tab(90))).status == 403
        for read in ("results", "reach"):
            assert (await taught.ask("GET", f"/{taught.code}/{read}", secret=RIGHT, tab=tab(90))).status == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {**SHOWN, "can": ["end"]},
        {**SHOWN, "can": "next"},
        {**SHOWN, "can": ["next"] * 9},
        {**SHOWN, "done": -1},
        {**SHOWN, "done": True},
        {**SHOWN, "done": 10**12},
        {**SHOWN, "blank": 1},
        {**SHOWN, "said": "x" * 301},
        {**SHOWN, "note": {"xx": "y"}},
        {**SHOWN, "note": {"en": "y" * 4001}},
        {**SHOWN, "note": {"en": "가" * 4000, "ko": "가" * 3000}},
        {**SHOWN, "note": {}},
        {**SHOWN, "lesson": {}},
        {**SHOWN, "lesson": {"title": {"en": "t"}, "step": -1, "steps": 8}},
        {**SHOWN, "more": 1},
        {},
    ],
)
async def test_what_a_remote_shows_is_bounded(wrong: dict[str, Any]) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        assert await exchange(taught, await ticket(taught)) == 204
        assert (await taught.teach("shown", wrong)).status in (413, 422)


@pytest.mark.parametrize("junk", [None, 3, "", "x" * 21, "x" * 65, "a b" * 10, ["x"]])
async def test_hostile_tickets_and_commands_are_refused(junk: Any) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        for payload in ({"ticket": junk, "right": RIGHT}, {"ticket": RIGHT, "right": junk}):
            assert (await taught.student("exchange", tab(1), payload)).status == 422
        assert await exchange(taught, await ticket(taught)) == 204
        for payload in ({"do": junk, "id": "a"}, {"do": "end", "id": "a"}, {"do": "next", "id": [junk]}):
            refused = await taught.ask("POST", f"/{taught.code}/command", payload, secret=RIGHT, tab=tab(90))
            assert refused.status == 422
        assert (await taught.ask("POST", "", {"remote": [junk]}, secret=taught.secret)).status == 422


ACTS = st.one_of(
    st.tuples(st.just("ticket")),
    st.tuples(st.just("revoke")),
    st.tuples(st.just("exchange"), st.integers(0, 2), st.integers(0, 6)),
    st.tuples(st.just("command"), st.integers(0, 2)),
    st.tuples(st.just("again")),
)
"""Of three phones, each with a right of its own; the tickets are those made so far, and one that never was."""


@settings(max_examples=cases(40), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(acts=st.lists(ACTS, max_size=20))
@pytest.mark.usefixtures("at_once")
def test_only_the_last_who_came_with_the_present_ticket_steers(make: MakeStore, acts: list[tuple[Any, ...]]) -> None:
    async def played() -> None:
        async with classroom(make) as taught:
            doors = taught.rooms.limits
            for rate in (doors.by_tab, doors.by_room, doors.by_remote, doors.commands):
                rate.burst = rate.each = 1e9
            await taught.open()
            made, present, steers = ["n" * 22], "", -1
            for name, *arguments in acts:
                if name == "ticket":
                    present = await ticket(taught)
                    made.append(present)
                elif name == "revoke":
                    assert (await taught.teach("revoke")).status == 204
                    present, steers = "", -1
                elif name == "exchange":
                    phone, which = arguments
                    one = made[which % len(made)]
                    may = phone == steers or (one == present and one != "")
                    assert await exchange(taught, one, f"{phone}" * 22, phone) == (204 if may else 403)
                    if may and phone != steers:
                        present, steers = "", phone
                elif name == "command":
                    (phone,) = arguments
                    assert (await command(taught, "next", f"{phone}" * 22)).status == (201 if phone == steers else 403)
                else:
                    assert (await taught.teach("end")).status == 204
                    assert (await taught.open()).status == 201
                    present, steers = "", -1

    alone(played(), seconds=120)
