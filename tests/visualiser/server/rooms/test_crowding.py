"""Places that run out: who invents tabs, rooms, codes or headers takes nothing from those who are here."""

import asyncio
from collections import Counter

import pytest

from tests.alone import until
from tests.visualiser.server.rooms.classroom import Classroom, MakeStore, classroom, tab
from visualiser.server.http.room_code import ALPHABET
from visualiser.server.rooms import codes, rates
from visualiser.server.rooms.memory_store import MemoryStore
from visualiser.server.rooms.redis_store import RedisStore
from visualiser.server.rooms.room_limits import HERE, LEFT, OPENINGS_OF_TAB, ROOMS, STALE, TABS, UNUSED
from visualiser.server.rooms.store import NoPlace, NoRoom, NotHere

CHOICE = {"kind": "choice", "text": "?", "answers": ["a", "b"]}
LATE = 4e12
RUDE, POLITE = 7, 9
"""Two groups of addresses."""


def code(number: int) -> str:
    """Return another code for each number."""
    return "CCCC" + ALPHABET[number // 22] + ALPHABET[number % 22]


async def test_a_vote_is_taken_only_from_a_tab_that_is_here(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = (await taught.teach("ask", CHOICE)).json["question"]
        payload = {"question": question, "round": 1, "answer": 0}
        refused = await taught.student("answer", tab(1), payload, here=False)
        assert (refused.status, refused.json["retry"]) == (425, 2.0)
        assert refused.json["message"] == "Your page is just coming back to the room; it sends this again by itself."
        stream, teacher = taught.follow(tab(1)), taught.follow(teacher=True)
        await stream.until(lambda message: message["count"] == 1)
        assert (await taught.student("answer", tab(1), payload, here=False)).status == 204
        received = await teacher.until(lambda message: message["answered"] == [1, 0])
        assert received["gone"] == [0, 0]
        await stream.leave()
        await teacher.until(lambda message: (message["count"], message["gone"]) == (0, [1, 0]))
        assert (await taught.student("answer", tab(1), payload, here=False)).status == 204, "the phone was put away"


@pytest.mark.slow
async def test_a_class_behind_one_address_votes_right_after_a_restart(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        await taught.teach("end")
        asked = {**CHOICE, "id": "q", "phase": "open", "round": 1}
        assert (await taught.open(question=asked)).status == 201
        payload = {"question": "q", "round": 1, "answer": 0}

        async def student(number: int) -> int:
            """Vote as a page does: again when it is asked to, while its stream comes back."""
            first = await taught.student("answer", tab(number), payload, here=False)
            assert (first.status, first.json["retry"]) == (425, 2.0)
            assert (await taught.ask("GET", f"/{taught.code}", tab=tab(number))).status == 200
            return (await taught.student("answer", tab(number), payload, here=False)).status

        found = Counter[int]()
        for first in range(0, 500, 20):
            found.update(await asyncio.gather(*map(student, range(first, first + 20))))
        assert found == {204: 500}


async def test_a_program_that_fills_a_room_and_its_vote_takes_no_place_of_others(make: MakeStore) -> None:
    store = make()
    try:
        await store.create("CCCCCC", b"{}", LATE, "q 1")
        assert await store.here("CCCCCC", dict.fromkeys(map(tab, range(TABS)), RUDE))
        for number in range(TABS):
            await store.answer("CCCCCC", "q 1", tab(number), b"1", RUDE)
        assert await store.here("CCCCCC", {"polite": POLITE})
        await store.answer("CCCCCC", "q 1", "polite", b"2", POLITE)
        first, _ = await store.answers("CCCCCC")
        assert (len(first), first.count(b"2")) == (TABS, 1)
        assert not await store.here("CCCCCC", {"another": RUDE}), "nobody at that address gives way"
        with pytest.raises(NotHere):
            await store.answer("CCCCCC", "q 1", "another", b"1", RUDE)
        found = await store.snapshot("CCCCCC")
        assert found is not None
        assert (found.count, found.answered, found.gone) == (TABS, (TABS, 0), (0, 0))
    finally:
        await store.close()


async def test_tabs_that_come_only_to_vote_give_way_to_those_who_stay(make: MakeStore) -> None:
    store = make()
    try:
        await store.create("CCCCCC", b"{}", LATE, "q 1")
        names = list(map(tab, range(TABS)))
        await store.here("CCCCCC", dict.fromkeys(names, RUDE))
        for name in names:
            await store.answer("CCCCCC", "q 1", name, b"1", RUDE)
        await store.left("CCCCCC", names[:100])
        assert await store.here("CCCCCC", {"polite": RUDE}), "behind the same address"
        await store.answer("CCCCCC", "q 1", "polite", b"2", RUDE)
        found = await store.snapshot("CCCCCC")
        assert found is not None
        assert (found.answered, found.gone) == ((TABS, 0), (99, 0)), "an answer of a tab that has gone gave way"
    finally:
        await store.close()


async def test_a_tab_that_asks_no_more_gives_its_place_to_one_of_the_same_address() -> None:
    now = 1e9
    store = MemoryStore(clock=lambda: now)
    await store.create("CCCCCC", b"{}", LATE, "q 1")
    await store.here("CCCCCC", dict.fromkeys(map(tab, range(TABS)), RUDE))
    assert not await store.here("CCCCCC", {"polite": RUDE})
    now += STALE
    await store.here("CCCCCC", dict.fromkeys(map(tab, range(1, TABS)), RUDE))
    assert await store.here("CCCCCC", {"polite": RUDE})
    await store.answer("CCCCCC", "q 1", tab(0), b"1", RUDE)
    now += HERE
    with pytest.raises(NotHere):
        await store.answer("CCCCCC", "q 1", tab(0), b"1", RUDE)


async def test_no_header_lifts_a_tab_s_limit(make: MakeStore) -> None:
    async with classroom(make) as taught:
        taught.rooms.limits.by_tab.each = 1e-9
        await taught.open()
        question = (await taught.teach("ask", CHOICE)).json["question"]
        payload = {"question": question, "round": 1, "answer": 0}
        await taught.ask("GET", f"/{taught.code}", tab=tab(1))
        for secret in ("x", "a" * 22, "é"):
            asked = [
                taught.ask("POST", f"/{taught.code}/answer", payload, tab=tab(1), secret=secret) for _ in range(15)
            ]
            assert {(await one).status for one in asked} <= {204, 429}
        assert taught.statuses.count(204) - 1 <= 20, "one for the teacher's question is not among them"
        assert (await taught.teach("state", {"link": "n=3"})).status == 204


async def test_many_guesses_at_once_are_no_more_than_many_in_a_row(make: MakeStore) -> None:
    async with classroom(make) as taught:
        taught.rooms.limits.guesses = rates.Guesses(each=1e-9)
        await taught.open()
        guesses = [
            taught.ask("GET", f"/{code(number % 484)[::-1]}", tab=tab(number), address="192.0.2.9")
            for number in range(300)
        ]
        found = Counter(answer.status for answer in await asyncio.gather(*guesses))
        assert found == {404: 64, 429: 236}
        await asyncio.gather(
            *(taught.ask("GET", f"/{taught.code}", tab=tab(number), address="192.0.2.8") for number in range(80))
        )
        assert taught.rooms.limits.guesses._rate.remaining("192.0.2.8") == 64, "who finds has not guessed"


async def test_one_student_s_openings_stop_no_teacher(make: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    of_secret = {str(number) * 22: code(number) for number in range(10)}
    monkeypatch.setattr(codes, "code_of", of_secret.__getitem__)
    async with classroom(make) as taught:
        taught.rooms.limits.opened_by_tab.each = 1e-9

        async def opens(number: int, owner: str) -> int:
            return (await taught.ask("POST", "", {}, secret=str(number) * 22, tab=owner)).status

        found = [await opens(number, tab(1)) for number in range(OPENINGS_OF_TAB + 2)]
        assert found == [201] * OPENINGS_OF_TAB + [429] * 2
        assert await opens(9, tab(2)) == 201, "a teacher behind the same address"
        assert [await opens(0, tab(1)) for _ in range(8)] == [200] * 8, "opening again is no opening"
        monkeypatch.setattr(taught.rooms.limits, "_codes", type(taught.rooms.limits._codes)())
        assert [await opens(9, tab(2)) for _ in range(8)] == [200] * 8, "nor in a process that has never seen it"


async def test_who_fills_all_rooms_gives_one_to_each_newcomer(make: MakeStore) -> None:
    store = make()
    try:
        for number in range(ROOMS):
            assert await store.create(code(number), b"{}", LATE, "", RUDE) is None
            await store.here(code(number), {"somebody": RUDE})
        await store.here(code(0), {"a": RUDE, "b": RUDE})
        with pytest.raises(NoPlace):
            await store.create("KKKKKK", b"{}", LATE, "", RUDE)
        assert await store.create("KKKKKK", b"{}", LATE, "", POLITE) is None
        assert await store.snapshot(code(0)) is not None, "a room in which more are"
        rooms = [await store.snapshot(code(number)) for number in range(ROOMS)]
        assert rooms.count(None) == 1
    finally:
        await store.close()


async def test_a_room_that_nobody_uses_ends_soon_and_one_with_a_class_later(make: MakeStore) -> None:
    store = make()
    try:
        await store.create("CCCCCC", b"{}", LATE, "")
        await store.create("DDDDDD", b"{}", LATE, "")
        await store.here("DDDDDD", {"student": 1})
        if isinstance(store, RedisStore):
            left = [await store._redis.pttl(f"headlight:{{{name}}}:room") / 1000 for name in ("CCCCCC", "DDDDDD")]
            assert UNUSED - 60 < left[0] <= UNUSED
            assert LEFT - 60 < left[1] <= LEFT
            return
        assert isinstance(store, MemoryStore)
        now = store._clock() + UNUSED
        store._clock = lambda: now
        with pytest.raises(NoRoom):
            await store.here("CCCCCC", {})
        await store.here("DDDDDD", {})
        now += LEFT - 1
        assert await store.snapshot("DDDDDD") is not None
        now += 2
        assert await store.snapshot("DDDDDD") is None
    finally:
        await store.close()


async def test_streams_of_one_address_leave_places_for_others(at_once: None) -> None:
    async with classroom(MemoryStore, streams=4) as taught:
        await taught.open()
        rude = [taught.follow(tab(number)) for number in range(4)]
        await until(lambda: all(stream.messages for stream in rude))
        late = taught.follow(tab(9))
        await late.task
        assert late.status == 503, "of the same address nobody gives way"
        polite = taught.follow(tab(10), address="192.0.2.8")
        await until(lambda: bool(polite.messages) and sum(stream.ended for stream in rude) == 1)
        assert not any(stream.over for stream in rude)


async def test_a_teacher_who_looks_on_alone_keeps_the_room(at_once: None) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        teacher = taught.follow(teacher=True)
        await until(lambda: bool(teacher.messages))
        store = taught.rooms.registry.store
        assert isinstance(store, MemoryStore)
        later = store._clock() + UNUSED - 1
        store._clock = lambda: later
        await taught.live.report_presence()
        later += UNUSED - 1
        assert await store.snapshot(taught.code) is not None


async def test_every_refused_vote_has_a_sentence_and_says_if_it_is_sent_again(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        question = (await taught.teach("ask", CHOICE)).json["question"]
        payload = {"question": question, "round": 1, "answer": 0}
        taught.rooms.limits.by_tab.burst = 3
        taught.rooms.limits.by_tab.each = 1e-9
        found = [await taught.student("answer", tab(1), payload, here=False) for _ in range(4)]
        found.append(await taught.student("answer", tab(2), {**payload, "round": 2}))
        assert [(one.status, "retry" in one.json) for one in found] == [(425, True)] * 3 + [(429, True), (409, False)]
        assert all(one.json["message"] for one in found)


def test_a_different_room_has_other_groups() -> None:
    first, second = (codes.hash_of(secret * 22) for secret in "ab")
    groups = [[codes.group_of(f"192.0.2.{number}", room) for number in range(40)] for room in (first, second, "")]
    assert groups[0] != groups[1] != groups[2]
    assert all(0 <= group < 256 for each in groups for group in each)


async def test_a_classroom_of_two_rooms_is_one_of_each(make: MakeStore) -> None:
    """A vote belongs to the room in which its tab is."""
    async with classroom(make) as taught:
        await taught.open()
        other = Classroom(taught.replicas)
        await other.open()
        question = (await other.teach("ask", CHOICE)).json["question"]
        await taught.ask("GET", f"/{taught.code}", tab=tab(1))
        payload = {"question": question, "round": 1, "answer": 0}
        assert (await other.student("answer", tab(1), payload, here=False)).status == 425
