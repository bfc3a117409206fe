"""Following: the newest state reaches everybody, once, and nobody but the teacher steers."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest

from tests.alone import until
from tests.visualiser.server.rooms.classroom import MakeStore, classroom, tab
from visualiser.server.rooms.memory_store import MemoryStore


async def test_a_room_opens_and_a_late_joiner_gets_the_present_state_first(make: MakeStore) -> None:
    async with classroom(make) as taught:
        opened = await taught.open(state={"link": "page=why&n=24"})
        assert opened.status == 201
        assert set(opened.json) == {"code", "until", "message"}
        assert opened.json["message"]["link"] == "n=24&page=why"
        assert (await taught.teach("state", {"link": "?page=explore&n=9&row=3&focus=entropy"})).status == 204
        await taught.follow(tab(1)).until(lambda message: message["page"] == "explore")
        late = taught.follow(tab(2))
        received = await late.until(lambda message: message["count"] == 2)
        assert late.bytes.startswith(b"retry: 2000\n\nid: ")
        assert late.messages[0]["link"] == "n=9&row=3&focus=entropy"
        assert (received["page"], received["row"], received["focus"], received["you"]) == (
            "explore",
            3,
            "entropy",
            "student",
        )
        assert late.headers["content-type"].startswith("text/event-stream")
        assert late.headers["x-accel-buffering"] == "no"
        assert late.headers["cache-control"] == "no-store"


async def test_language_theme_and_layout_stay_the_students(make: MakeStore) -> None:
    async with classroom(make) as taught:
        opened = await taught.open(state={"link": "lang=ko&columns=3&present=1&n=8&hide=insight&nonsense=1"})
        assert opened.json["message"]["link"] in ("n=8", "n=8&hide=insight")


async def test_the_newest_wins_and_the_last_always_arrives(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        stream = taught.follow(tab(1))
        await stream.until(lambda message: message["count"] == 1)
        for n in range(2, 32):
            assert (await taught.teach("state", {"link": f"n={n}"})).status == 204
        last = await stream.until(lambda message: message["link"] == "n=31")
        assert last["revision"] == stream.ids[-1]
        assert len(stream.messages) < 15, "thirty states in less than a second"
        assert stream.ids == sorted(set(stream.ids))


async def test_all_that_follows(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        stream = taught.follow(tab(1))
        hovered = {"figure": "heat-maps", "head": 1, "row": 2, "column": 5}
        lesson = {"name": "why-sqrt-d-k", "step": 3}
        await taught.teach("state", {"hovered": hovered, "lesson": lesson, "locked": True, "call": True})
        received = await stream.until(lambda message: message["calls"] == 1)
        assert (received["hovered"], received["lesson"], received["locked"]) == (hovered, lesson, True)
        await taught.teach("state", {"link": "n=7"})
        received = await stream.until(lambda message: message["link"] == "n=7")
        assert (received["hovered"], received["lesson"], received["locked"]) == (None, lesson, True)


async def test_a_poll_says_the_same_and_a_second_one_nothing(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open(state={"link": "n=5"})
        first = await taught.ask("GET", f"/{taught.code.lower()[:3]}-{taught.code[3:]}", tab=tab(1))
        assert (first.status, first.json["link"]) == (200, "n=5")
        await until(lambda: taught.live.students.message["count"] == 1)
        second = await taught.ask("GET", f"/{taught.code}", tab=tab(1))
        again = await taught.ask("GET", f"/{taught.code}", tab=tab(1), if_none_match=f"W/{second.headers['etag']}")
        assert (again.status, again.body) == (304, b"")
        stream = taught.follow(tab(1))
        await stream.until(lambda message: message["link"] == "n=5")
        assert stream.messages[-1] == second.json, "one tab counts once"


async def test_who_comes_back_with_the_newest_revision_gets_a_beat(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        stream = taught.follow(tab(1))
        await stream.until(lambda message: message["count"] == 1)
        newest = stream.ids[-1]
        again = taught.follow(tab(1), last_event_id=str(newest))
        await until(lambda: again.bytes == b"retry: 2000\n\n: beat\n\n")
        await until(lambda: stream.ended)
        assert not stream.over, "the tab has another stream now"
        assert taught.live.students.message["count"] == 1


async def test_the_count_follows_who_comes_and_goes(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        teacher = taught.follow(teacher=True)
        students = [taught.follow(tab(number)) for number in range(3)]
        await teacher.until(lambda message: message["count"] == 3)
        await students[0].leave()
        await teacher.until(lambda message: message["count"] == 2)


@pytest.mark.parametrize("act", ["state", "ask", "phase", "drop", "end", "qr", "results"])
async def test_only_the_secret_steers(make: MakeStore, act: str) -> None:
    async with classroom(make) as taught:
        await taught.open()
        method = "GET" if act == "results" else "POST"
        for secret in ("", "x", "A" * 22, taught.secret[:-1] + ("A" if taught.secret[-1] != "A" else "B")):
            answer = await taught.ask(method, f"/{taught.code}/{act}", {"link": "n=3"}, secret=secret, tab=tab(1))
            assert (answer.status, answer.json["message"]) == (403, "Only the tab that opened the room can steer it.")
        stranger = await taught.ask("GET", f"/{taught.code}", secret="A" * 22, tab=tab(1))
        assert stranger.status == 403
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(1))).json["link"] == ""


async def test_the_end_reaches_everybody_and_the_room_can_be_opened_again(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        first = (await taught.open()).json
        stream, teacher = taught.follow(tab(1)), taught.follow(teacher=True)
        await stream.until(lambda message: message["count"] == 1)
        await teacher.until(lambda message: message["count"] == 1)
        assert (await taught.teach("end")).status == 204
        await until(lambda: stream.over and stream.ended and teacher.over)
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(1))).status == 410
        assert (await taught.teach("state", {"link": "n=3"})).status == 410
        again = await taught.open(state={"link": "n=6"})
        assert (again.status, again.json["code"]) == (201, first["code"])
        assert again.json["message"]["life"] != first["message"]["life"]
        assert again.json["message"]["revision"] > first["message"]["revision"]
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(1))).json["link"] == "n=6"


@pytest.mark.parametrize("teacher", [True, False])
async def test_who_comes_while_the_room_ends_is_told_so(make: MakeStore, at_once: None, teacher: bool) -> None:
    async with classroom(make) as taught:
        await taught.open()
        first = taught.follow(tab(1))
        await first.until(lambda message: message["count"] == 1)
        arrives, go_on = asyncio.Event(), asyncio.Event()
        store = taught.rooms.registry.store
        here = store.here

        async def slow(code: str, names: Mapping[str, int], away: bool | None = None) -> bool:
            arrives.set()
            await go_on.wait()
            return await here(code, names, away)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "here", slow)
            late = taught.follow("" if teacher else tab(2), teacher=teacher)
            await arrives.wait()
            assert (await taught.teach("end")).status == 204
            await until(lambda: first.over)
            go_on.set()
            await late.task
        assert late.status == 410
        await until(lambda: taught.rooms.registry.streams == 0)


async def test_who_comes_while_the_process_drains_has_a_stream_that_lives(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        first = taught.follow(tab(1))
        await first.until(lambda message: message["count"] == 1)
        store = taught.rooms.registry.store
        here = store.here
        lost = taught.live

        async def slow(code: str, names: Mapping[str, int], away: bool | None = None) -> bool:
            if not lost.gone:
                lost.close()
            return await here(code, names, away)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "here", slow)
            late = taught.follow(tab(2))
            await late.until(lambda message: message["count"] >= 1)
        assert (await taught.teach("state", {"link": "n=9"})).status == 204
        await late.until(lambda message: message["link"] == "n=9")


async def test_opening_a_room_that_is_there_changes_nothing(make: MakeStore) -> None:
    async with classroom(make) as taught:
        first = (await taught.open(state={"link": "n=6"})).json
        again = await taught.open(state={"link": "n=7"})
        assert (again.status, again.json) == (200, first)


async def test_a_state_that_a_student_offers_is_seen_by_the_teacher_alone(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        teacher, student = taught.follow(teacher=True), taught.follow(tab(1))
        await student.until(lambda message: message["count"] == 1)
        assert (await taught.student("offer", tab(2), {"link": "page=why&n=31&lang=ko"})).status == 204
        assert (await taught.student("offer", tab(1), {"link": "n=12"})).status == 204
        received = await teacher.until(lambda message: len(message["offers"]) == 2)
        assert [offer["link"] for offer in received["offers"]] == ["n=31&page=why", "n=12"]
        assert (await taught.student("offer", tab(2), {"link": "n=13"})).status == 204
        received = await teacher.until(lambda message: [each["link"] for each in message["offers"]] == ["n=12", "n=13"])
        assert (await taught.teach("drop", {"offer": received["offers"][0]["id"]})).status == 204
        await teacher.until(lambda message: [each["link"] for each in message["offers"]] == ["n=13"])
        assert (await taught.student("offer", tab(2), {"link": "n=14"})).status == 204
        slow = await taught.student("offer", tab(2), {"link": "n=15"})
        assert slow.status == 429
        assert slow.json["retry"] > 0
        assert (await taught.teach("drop", {})).status == 204
        await teacher.until(lambda message: message["offers"] == [])
        await asyncio.sleep(0)
        assert b"n=1" not in student.bytes
        assert b"offers" not in student.bytes


async def test_after_a_restart_the_same_secret_has_the_same_room_and_nobody_else_can(at_once: None) -> None:
    async with classroom(MemoryStore) as taught:
        before = (await taught.open(state={"link": "n=7"})).json
        await taught.teach("state", {"link": "n=8"})
        secret = taught.secret
    # a room's first revision is the time in milliseconds, and no server starts again within one
    async with classroom(lambda: MemoryStore(clock=lambda: time.time() + 1)) as again:
        again.code = before["code"]
        assert (await again.ask("GET", f"/{again.code}", tab=tab(1))).status == 404
        faster = await again.ask("POST", "", {"state": {"link": "n=66"}}, secret="B" * 22, address="192.0.2.66")
        assert faster.json["code"] != before["code"]
        again.secret = secret
        after = (await again.open(state={"link": "n=8"})).json
        assert after["code"] == before["code"]
        assert after["message"]["life"] != before["message"]["life"]
        assert after["message"]["revision"] > before["message"]["revision"] + 1
        stream = again.follow(tab(1), last_event_id=str(before["message"]["revision"]))
        await stream.until(lambda message: message["link"] == "n=8" and message["count"] == 1)


WORDS = {
    "title": {"en": "Mine"},
    "text": {"en": "<b>Look</b>\n\nthere", "ko": "보세요"},
    "steps": 2,
    "focus": "entropy",
}


async def test_the_words_of_a_teacher_s_own_lesson_reach_the_class_as_text(make: MakeStore, at_once: None) -> None:
    async with classroom(make) as taught:
        await taught.open()
        student = taught.follow(tab(1))
        payload = {"name": "own", "step": 1, "words": WORDS}
        assert (await taught.teach("state", {"lesson": payload})).status == 204
        await student.until(lambda message: message["lesson"] == payload)
        turned = {**payload, "words": {**WORDS, "text": {"en": "left\u202eright\x00"}}}
        assert (await taught.teach("state", {"lesson": turned})).status == 204
        found = await student.until(lambda message: message["lesson"] != payload)
        assert found["lesson"]["words"]["text"] == {"en": "left right"}
        assert (await taught.teach("state", {"lesson": {**payload, "words": None}})).status == 204
        await student.until(lambda message: message["lesson"] == {"name": "own", "step": 1})


@pytest.mark.parametrize(
    "change",
    [
        {"text": {}},
        {"text": {"en": ""}},
        {"text": {"en": "a" * 601}},
        {"text": {"en": ["a"]}},
        {"text": {"fr": "a"}},
        {"text": "a"},
        {"title": {"en": "a" * 161}},
        {"title": None},
        {"steps": True},
        {"steps": 201},
        {"focus": "<b>"},
        {"more": 1},
    ],
)
async def test_words_beyond_their_bounds_are_refused(make: MakeStore, change: dict[str, Any]) -> None:
    async with classroom(make) as taught:
        await taught.open()
        payload = {"name": "own", "step": 1, "words": {**WORDS, **change}}
        assert (await taught.teach("state", {"lesson": payload})).status == 422


async def test_the_longest_words_fit_a_message_with_a_long_link(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        words = {
            "title": {"en": "가" * 160, "ko": "가" * 160},
            "text": {"en": "가" * 600, "ko": "가" * 600},
            "steps": 40,
        }
        payload = {"link": "text=" + "a" * 2000, "lesson": {"name": "own", "step": 1, "words": words}}
        assert (await taught.teach("state", payload)).status == 204


async def test_who_has_left_is_here_and_does_not_follow(make: MakeStore, at_once: None) -> None:
    async with classroom(make, replicas=1 if make is MemoryStore else 2) as taught:
        await taught.open()
        teacher = taught.follow(teacher=True)
        last = len(taught.replicas) - 1
        first, second = taught.follow(tab(1)), taught.follow(tab(2), replica=last)
        for stream in (first, second):
            await stream.until(lambda message: message["count"] == 2)
        await teacher.until(lambda message: (message["follow"], message["count"]) == (2, 2))
        heard = first.messages, second.messages
        assert (await taught.student("place", tab(1), {"left": True}, replica=last)).status == 204
        await teacher.until(lambda message: (message["follow"], message["count"]) == (1, 2))
        polled = await taught.ask("GET", f"/{taught.code}", tab=tab(3), query="left=1")
        assert "follow" not in polled.json
        await teacher.until(lambda message: (message["follow"], message["count"]) == (1, 3))
        assert (await taught.student("place", tab(1), {"left": False})).status == 204
        await teacher.until(lambda message: (message["follow"], message["count"]) == (2, 3))
        assert all("follow" not in message for stream in heard for message in stream)
        again = taught.follow(tab(2), query="left=1")  # it left while it was offline
        await teacher.until(lambda message: (message["follow"], message["count"]) == (1, 3))
        await again.leave()
        await teacher.until(lambda message: (message["follow"], message["count"]) == (1, 2))


async def test_a_tab_that_leaves_and_is_not_seen_any_more_is_forgotten() -> None:
    now = 1000.0
    store = MemoryStore(clock=lambda: now)
    await store.create("CCCCCC", b"{}", now + 1000, "")
    fresh = store.taken
    await store.here("CCCCCC", {"a": 1, "b": 2}, True)
    await store.here("CCCCCC", {"b": 2})
    found = await store.snapshot("CCCCCC")
    assert found is not None
    assert (found.count, found.away) == (2, 2)
    now += 41
    found = await store.snapshot("CCCCCC")
    assert found is not None
    assert (found.count, found.away, store.taken) == (0, 0, fresh)


async def test_a_place_is_true_or_false_and_of_a_tab(make: MakeStore) -> None:
    async with classroom(make) as taught:
        await taught.open()
        for payload in ({}, {"left": 1}, {"left": "true"}, {"left": None}):
            assert (await taught.student("place", tab(1), payload)).status == 422
        assert (await taught.ask("POST", f"/{taught.code}/place", {"left": True})).status == 400


async def test_the_teacher_alone_learns_who_reaches_the_server() -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        response = await taught.teach("reach", method="GET")
        assert (response.status, response.json) == (200, {"network": None, "origins": []})
        for secret, number in (("", 1), ("x" * 22, 0)):
            refused = await taught.ask("GET", f"/{taught.code}/reach", secret=secret, tab=tab(number))
            assert refused.status == 403
