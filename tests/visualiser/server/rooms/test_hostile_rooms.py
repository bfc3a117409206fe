"""Hostile requests: a clear sentence in the visitor's language, no 5xx, no work, and nothing for anybody else."""

import json
from typing import Any

import pytest

from tests.visualiser.server.rooms.classroom import Classroom, classroom, tab
from visualiser.server.http.room_code import ALPHABET
from visualiser.server.rooms import codes, kept_room, memory_store, rates
from visualiser.server.rooms.memory_store import MemoryStore

CHOICE = {"kind": "choice", "text": "?", "answers": ["a", "b"]}
JUNK = (None, True, 3, -1, 1e300, "x", "\ud800", [], [[]], {}, {"a": 1}, "y" * 3000)
WRONG_STATES = (
    *({"link": junk} for junk in JUNK if not isinstance(junk, str)),
    *({"hovered": junk} for junk in JUNK if junk not in (None, {})),
    {"hovered": {"figure": "<b>"}},
    {"hovered": {"row": True}},
    {"hovered": {"row": -1}},
    {"hovered": {"row": "x"}},
    *({"lesson": junk} for junk in JUNK if junk is not None),
    {"lesson": {"name": "a b", "step": 1}},
    {"lesson": {"name": "a", "step": 1.5}},
    *({"locked": junk} for junk in JUNK if not isinstance(junk, bool)),
    *({"call": junk} for junk in JUNK if not isinstance(junk, bool)),
)
WRONG_QUESTIONS = (
    *({**CHOICE, name: junk} for name in ("kind", "answers") for junk in JUNK),
    *({**CHOICE, "text": junk} for junk in JUNK if junk not in ("x", "\ud800")),
    {**CHOICE, "text": "\u202e\x00 "},
    {**CHOICE, "answers": ["a"]},
    {**CHOICE, "answers": ["a"] * 7},
    {**CHOICE, "answers": ["a", "b" * 161]},
    {**CHOICE, "answers": ["a", " "]},
    *({"kind": "curve", "text": "?", "x": junk} for junk in JUNK),
    *({"kind": "curve", "text": "?", "x": x} for x in ([0], [1, 0], [0, 0], [0, 2], [0, True], [0, "1"], [0.1] * 65)),
    {"kind": "curve", "text": "?", "x": [0, 1], "x_label": "a" * 161},
)


async def test_wrong_fields_are_named_in_the_visitors_language() -> None:
    async with classroom(MemoryStore) as taught:
        taught.rooms.limits.by_room.burst = taught.rooms.limits.by_room.each = 1e9
        await taught.open()
        for act, wrong in (("state", WRONG_STATES), ("ask", WRONG_QUESTIONS)):
            for payload in wrong:
                answer = await taught.teach(act, payload)
                assert (answer.status, answer.json["message"][0]) == (422, "“"), payload
        answer = await taught.ask("POST", f"/{taught.code}/ask", {}, secret=taught.secret, lang="ko")
        assert answer.json["message"] == "요청에 “kind” 항목이 없거나 수업방이 받을 수 없는 값입니다."


@pytest.mark.parametrize("body", [b"[", b"[]", b"\xff", b'"x"', b"[" * 3000, b"{" * 3000, b"nan", b"1" * 3999])
@pytest.mark.parametrize("act", ["", "state", "ask", "phase", "drop", "qr", "answer", "offer"])
async def test_what_is_no_object_is_not_understood(act: str, body: bytes) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        path = f"/{taught.code}/{act}" if act else ""
        secret = "" if act in ("answer", "offer") else taught.secret
        answer = await taught.ask("POST", path, body, secret=secret, tab=tab(1))
        assert (answer.status, answer.json) == (400, {"message": "The server did not understand this request."})


@pytest.mark.parametrize(("act", "most"), [("state", 24_000), ("offer", 24_000), ("answer", 4000), ("drop", 4000)])
async def test_a_long_body_is_not_read(act: str, most: int) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        secret = "" if act in ("answer", "offer") else taught.secret
        answer = await taught.ask("POST", f"/{taught.code}/{act}", b" " * (most + 1), secret=secret, tab=tab(1))
        assert (answer.status, f"at most {most} bytes" in answer.json["message"]) == (413, True)


async def test_long_links_are_refused_with_their_length() -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        answer = await taught.teach("state", {"link": "text=" + "a" * 8000})
        expected = "The link of this state has 8005 characters; a room takes at most 8000."
        assert (answer.status, answer.json["message"]) == (422, expected)
        answer = await taught.teach("state", {"link": "source=text&text=" + "고양이+" * 300})
        assert answer.status == 422, "written anew it is longer"
        answer = await taught.student("offer", tab(1), {"link": "text=" + "a" * 4000})
        assert (answer.status, "at most 4000" in answer.json["message"]) == (422, True)


@pytest.mark.parametrize("answer", [None, True, -1, 2, 0.5, "0", [], [0], {}, 10**400])
async def test_a_wrong_answer_is_refused(answer: Any) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        question = (await taught.teach("ask", CHOICE)).json["question"]
        payload = {"question": question, "round": 1, "answer": answer}
        assert (await taught.student("answer", tab(1), payload)).status == 422
        for wrong in ({"round": 3}, {"round": True}, {"question": "é"}, {"question": None}):
            assert (await taught.student("answer", tab(1), {**payload, "answer": 0, **wrong})).status == 422
        curve = (await taught.teach("ask", {"kind": "curve", "text": "?", "x": [0, 1]})).json["question"]
        for drawn in (answer, [0], [0, 2], [0, None], [0, float("nan")], [0, True], [[0], 1], [0, 10**400]):
            payload = {"question": curve, "round": 1, "answer": drawn}
            assert (await taught.student("answer", tab(2), json.dumps(payload).encode())).status == 422


async def test_without_a_token_nobody_is_counted_or_answers() -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        for token in ("", "short", "a" * 65, "with space or é"):
            answer = await taught.ask("GET", f"/{taught.code}", tab=token)
            assert (answer.status, answer.json["message"]) == (400, "The request does not name its tab.")


@pytest.mark.parametrize(
    "address", [None, "javascript:alert(1)", "https://x.example/", "x" * 301, "http://[::1", "https://é/"]
)
async def test_the_picture_is_of_an_address_of_this_room_alone(address: Any) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        assert (await taught.teach("qr", {"address": address})).status == 422
        assert (await taught.teach("qr", {"address": "https://x.example/?room=CCCCCC"})).status == 422
        picture = await taught.teach("qr", {"address": f"https://x.example/a?lang=ko&room={taught.code}"})
        assert (picture.status, picture.headers["content-type"]) == (200, "image/svg+xml")
        assert picture.body.startswith(b"<svg ")
        assert b"<script" not in picture.body


async def test_guessed_codes_run_out_but_not_for_rooms_that_are_followed() -> None:
    async with classroom(MemoryStore) as taught:
        taught.rooms.limits.guesses = rates.Guesses(each=1e-9)
        await taught.open()
        other = Classroom(taught.replicas)
        await other.open()
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(1), address="192.0.2.9")).status == 200
        guesses = [f"{ALPHABET[n // 22]}CCCC{ALPHABET[n % 22]}" for n in range(65)]
        found = [
            (await taught.ask("GET", f"/{code}", tab=tab(number), address="192.0.2.9")).status
            for number, code in enumerate(guesses)
        ]
        assert found == [404] * 64 + [429]
        assert (await taught.ask("GET", f"/{guesses[0]}", tab=tab(90), address="192.0.2.9")).status == 404, "no news"
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(91), address="192.0.2.9")).status == 200
        hidden = await taught.ask("GET", f"/{other.code}", tab=tab(92), address="192.0.2.9")
        assert hidden.status == 429, "nobody learns if there is such a room"
        assert (await taught.ask("GET", f"/{other.code}", tab=tab(92), address="192.0.2.8")).status == 200


async def test_a_tab_that_floods_is_slowed_and_no_other() -> None:
    async with classroom(MemoryStore) as taught:
        taught.rooms.limits.by_tab.each = 1e-9
        await taught.open()
        found = [(await taught.ask("GET", f"/{taught.code}", tab=tab(1))).status for _ in range(21)]
        assert found == [200] * 20 + [429]
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(2))).status == 200
        assert (await taught.teach("state", {"link": "n=3"})).status == 204


async def test_invented_tabs_slow_neither_those_who_are_here_nor_the_teacher() -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(1))).status == 200
        taught.rooms.limits.by_address.each = 1e-9
        taught.rooms.limits.by_address.burst = 3
        found = [(await taught.ask("GET", f"/{taught.code}", tab=tab(10 + number))).status for number in range(4)]
        assert found == [200, 200, 200, 429]
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(1))).status == 200
        assert (await taught.teach("state", {"link": "n=3"})).status == 204
        assert (await taught.ask("GET", f"/{taught.code}", tab=tab(30), address="192.0.2.8")).status == 200


async def test_five_hundred_behind_one_address_join_and_answer_at_once() -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        question = (await taught.teach("ask", CHOICE)).json["question"]
        for number in range(500):
            assert (await taught.ask("GET", f"/{taught.code}", tab=tab(number))).status == 200
            payload = {"question": question, "round": 1, "answer": number % 2}
            assert (await taught.student("answer", tab(number), payload)).status == 204


async def test_a_full_room_a_full_server_and_full_memory_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_room, "TABS", 2)
    monkeypatch.setattr(memory_store, "ROOMS", 1)
    async with classroom(MemoryStore) as taught:
        await taught.open()
        found = [(await taught.ask("GET", f"/{taught.code}", tab=tab(number))).status for number in range(3)]
        assert found == [200, 200, 503]
        second = Classroom(taught.replicas)
        assert ((answer := await second.open()).status, answer.json["retry"]) == (503, 60.0)
        question = (await taught.teach("ask", CHOICE)).json["question"]
        payload = {"question": question, "round": 1, "answer": 0}
        assert [(await taught.student("answer", tab(number), payload)).status for number in range(3)] == [204, 204, 425]
    async with classroom(lambda: MemoryStore(4000)) as taught:
        await taught.open()
        answer = await taught.teach("state", {"link": "text=" + "a" * 4000})
        assert (answer.status, answer.json["message"]) == (503, "This room takes no more: it is full.")
        assert (await taught.teach("state", {"link": "n=4"})).status == 204


async def test_who_opens_a_room_brings_a_secret_and_takes_no_other_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "code_of", lambda _: "CCCCCC")
    async with classroom(MemoryStore) as taught:
        await taught.open()
        stranger = Classroom(taught.replicas)
        assert (await stranger.ask("POST", "", {}, secret=stranger.secret, address="192.0.2.8")).status == 409
        for secret in ("", "x", "a" * 65, "A" * 21):
            assert (await taught.ask("POST", "", {}, secret=secret)).status == 403
