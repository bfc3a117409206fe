"""The quick update: the link as it was read, and the plan in both languages."""

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.visualiser.pieces import plainly
from visualiser import locale
from visualiser.gpu import device_name
from visualiser.pages.map import calibration
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.live import runs
from visualiser.state import share

Asking = Callable[..., list[Any]]


def test_the_default_link_names_the_page_alone_and_the_controls_show_its_defaults(ask: Asking) -> None:
    state, plan = ask("page/map", "page=map")
    assert (state.kind, state.header["query"], state.header["notices"]) == ("state", "page=map", [])
    shown = state.header["controls"]
    expected = {"n": 4096, "h": 8, "d_k": 64, "source": "structured", "window": 256, "head": 1, "colour": "log"}
    expected |= {"pooling": "average", "left": 0.0, "top": 0.0, "across": 0.0, "row": None}
    assert {name: shown[name] for name in expected} == expected
    assert plan.kind == "plan"


@pytest.mark.parametrize(
    "query",
    [
        "n=16384&page=map",
        "page=map&head=3&row=4095&colour=linear&pooling=maximum&left=12.5&top=100&across=0.25",
        "mask=window&window=5000&page=map",
        "source=text&page=map&row=9000",
        "source=gaussian&page=map",
        "n=512&page=map&lang=ko",
    ],
)
def test_a_link_comes_back_unchanged(query: str, ask: Asking) -> None:
    state, _ = ask("page/map", query)
    assert dict(parse_qsl(state.header["query"])) == dict(parse_qsl(query))
    assert state.header["notices"] == []


def test_a_link_out_of_range_shows_the_nearest() -> None:
    found = share.read("page=map&n=1e9&head=12&row=99999&left=-3&across=1e7&pooling=median")
    most = int(share.parameters.bounds("map")["n"].maximum)
    assert (found.state.config.n, found.state.view.head, found.state.view.row) == (most, 8, most - 1)
    window = {"pooling": "average", "left": 0.0, "top": 0.0, "across": float(most)}
    assert found.state.own == {**window, "predict": False, "question": "any"}
    assert len(found.notices) == 6
    assert share.read("page=map&head=0").state.view.head == 1


def test_other_pages_keep_their_first_view() -> None:
    assert share.canonical(share.read("page=explore").state) == ""
    assert share.canonical(share.read("colour=log&head=1").state) == "head=1&colour=log"
    assert share.read("head=0").state.view.head == 0


def plain(sentences: list[str | list[str | list[str]]]) -> str:
    """Return sentences without the reasons of their numbers."""
    return " ".join(plainly(sentences))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_plan_states_time_and_limit(
    lang: str, ask: Asking, known_speed: calibration.Speed, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Admission(2**30, 2)
    monkeypatch.setattr(runs, "admission", lambda: own)
    _, plan = ask("page/map", f"page=map&lang={lang}&n=4096")
    header = plan.header
    assert header["expected_seconds"] == pytest.approx(8 * 4096**2 * 1e-8)
    assert (header["n"], header["too_large"], header["before"]) == (4096, False, 0)
    said = {"n": 4096, "limit": header["limit"], "longest": 60, "seconds": 1.0}
    assert plain(header["sentences"]) == locale.text(lang, "map.plan", **said)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_plan_says_when_it_is_too_much(lang: str, ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calibration._known, device_name(), (calibration.Speed((1e-6, 1e-6), 1.0), math.inf))
    _, plan = ask("page/map", f"page=map&lang={lang}&n=9000")
    limit = math.isqrt(int(60 / 8e-6))
    assert (plan.header["limit"], plan.header["too_large"]) == (limit, True)
    said = {"n": 9000, "limit": limit, "longest": 60, "seconds": 600.0}
    assert plain(plan.header["sentences"]) == locale.text(lang, "map.plan_too_slow", **said)
    assert plan.header["fits"] == 2700  # of 2738


def test_the_plan_names_memory_where_time_is_not_what_lacks(
    ask: Asking, known_speed: calibration.Speed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "has_room", lambda sized: sized.shape.n_q <= 3134)
    for n in (4096, 16384):  # the larger would take too long as well
        _, plan = ask("page/map", f"page=map&n={n}&d_k=512&h=16&tie=false")
        header = plan.header
        assert (header["too_large"], header["limit"], header["fits"]) == (True, 3134, 3100)
        assert (header["expected_seconds"] > 60) is (n == 16384)
        assert plain(header["sentences"]) == locale.text("en", "map.plan_too_large", n=n, limit=3134)


def test_no_number_of_tokens_is_offered_where_a_text_has_its_own(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calibration._known, device_name(), (calibration.Speed((1.0, 1.0), 1.0), math.inf))
    _, plan = ask("page/map", "page=map&source=text&text=one+two+three+four+five+six+seven+eight+nine+ten")
    assert (plan.header["too_large"], plan.header["fits"]) == (True, None)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_plan_says_who_is_before(lang: str, ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Admission(2**30, 2)
    monkeypatch.setattr(runs, "admission", lambda: own)
    for tab in "abcd":
        own.run(Client("192.0.2.1", tab), Cost(1.0, 1))
    _, plan = ask("page/map", f"page=map&lang={lang}")
    assert plan.header["before"] == 3
    assert plain(plan.header["sentences"]).endswith(locale.text(lang, "map.plan_before", before=3, at_once=2))


def test_a_text_shows_its_own_size_in_the_controls(ask: Asking) -> None:
    state, plan = ask("page/map", "page=map&source=text", b"one two three four five")
    assert (state.header["controls"]["n"], plan.header["n"]) == (5, 5)
    assert "n=" not in state.header["query"]


def test_a_file_or_text_that_cannot_be_read_is_an_answer_in_words(ask: Asking) -> None:
    for query, body in (("page=map&source=upload", b"garbage"), ("page=map&source=text", b"x")):
        (part,) = ask("page/map", query, body)
        assert part.kind == "error"
        assert len(part.header["message"]) > 20
