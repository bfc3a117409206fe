"""The fuzzer itself: it sends the request it names, the same for the same number, and detects every failure."""

import re
import traceback

import pytest

from tests.fuzz.cases import Case, case
from tests.fuzz.draws import MARK
from tests.fuzz.oracle import complaints, judged
from tests.raw_http import PREFIX, Answer
from tests.visualiser.server.test_log import captured
from visualiser.locale import text
from visualiser.server.live.routes import ROUTES as LIVE_ROUTES
from visualiser.server.log import withheld_prints
from visualiser.server.rooms.routes import ROUTES as ROOM_ROUTES

FRAME = Case("page/explore", b"")
ROUTES = [*LIVE_ROUTES, *ROOM_ROUTES]


def test_a_number_means_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [case(3, number) for number in range(300)]
    monkeypatch.setattr("time.time", lambda: 1e9)  # years earlier: an archive's entries may carry the time
    assert [case(3, number) for number in range(300)] == drawn
    assert case(3, 200) != case(4, 200)


def test_all_our_routes_are_asked() -> None:
    asked = {case(1, number).data.split(b" ")[1].decode("latin-1").split("?")[0] for number in range(1500)}
    for route in ROUTES:
        pattern = re.compile(re.sub(r"\{[^}]*\}", "[^?]+", route.path))
        assert any(pattern.fullmatch(path) for path in asked), route.path


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Answer(500, {}, b"Internal Server Error"), "status 500: b'Internal Server Error'"),
        (Answer(503, {}, b'{"detail": "x"}'), 'status 503: b\'{"detail": "x"}\''),
        (Answer(200, {}, text("ko", "error.server").encode()), "an apology inside an answer of status 200"),
        (Answer(200, {}, b"", 10**9), "1,000,000,000 bytes, at most 64,000,000"),
        (Answer(422, {}, b'{"message": "no"}', 10**6), "a refusal of 1,000,000 bytes"),
        (Answer(422, {}, b"{}"), "status 422 without a sentence: b'{}'"),
    ],
)
def test_an_answer_that_must_not_be_is_named(answer: Answer, verdict: str) -> None:
    assert judged(FRAME, answer) == verdict


@pytest.mark.parametrize(
    "answer", [Answer(200, {}, b"\0\0"), Answer(503, {}, b'{"message": "busy"}'), Answer(422, {}, b'{"message": "n"}')]
)
def test_a_picture_and_a_sentence_are_right(answer: Answer) -> None:
    assert judged(FRAME, answer) is None


def test_a_log_is_read_for_tracebacks_long_lines_and_visitors_texts() -> None:
    assert complaints(b"* Running on http://127.0.0.1\n") == []
    traceback = b'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nKeyError: 1\n'
    assert complaints(traceback) == ['a traceback: KeyError: 1 at File "a.py", line 3, in f']
    assert complaints(b"2026-11-21T23:09:35Z ERROR a: E at b.py:1 f\n") == ["a traceback: ERROR a: E at b.py:1 f"]
    assert complaints(b"2026-11-21T23:09:35Z WARNING a: slow at b.py:1 f\n") == []
    assert complaints(b"x" * 3000) == [f"a line of 3,000 bytes: {b'x' * 120!r}"]
    line = f"no update for {MARK}".encode()
    assert complaints(line) == [f"a visitor's text: {line!r}"]


def test_what_gradio_prints_of_a_failed_call_is_found() -> None:
    with captured() as stream, withheld_prints():
        print("ready")  # noqa: T201
        try:
            raise KeyError(1)
        except KeyError:
            traceback.print_exc()
    (found,) = complaints(stream.getvalue().encode())
    assert found.startswith("a traceback: ERROR printed: (withheld) at ")
    assert " | KeyError at tests/fuzz/test_oracle.py:" in found


def test_the_prefix_is_the_apps() -> None:
    assert all(route.path.startswith(PREFIX) for route in ROUTES)
