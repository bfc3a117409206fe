"""The quick update: the link as it was read, and the plan in both languages."""

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
import torch

from attention_core import AttentionInputs
from tests.visualiser.pieces import plainly
from visualiser import locale
from visualiser.gpu import device_name
from visualiser.pages.map import calibration
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.live import runs
from visualiser.state import share
from visualiser.upload import canonical

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
    assert (header["n"], header["cut"], header["before"]) == (4096, [], 0)
    time, limit = header["sentences"]
    assert plain([time]) == locale.text(lang, "map.plan", n=4096, seconds=1.0)
    assert plain([limit]) == locale.text(lang, "map.plan_limit", limit=header["limit"])


def test_the_plan_names_time_as_the_limit_only_where_it_is_one(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calibration._known, device_name(), (calibration.Speed((1e-6, 1e-6), 1.0), math.inf))
    _, plan = ask("page/map", "page=map&n=900")
    assert plan.header["limit"] == math.isqrt(int(60 / 8e-6))
    expected = locale.text("en", "map.plan_limit_time", limit=plan.header["limit"], longest=60)
    assert plain(plan.header["sentences"][1:]) == expected


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_what_takes_too_long_is_planned_as_far_as_it_fits(
    lang: str, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(calibration._known, device_name(), (calibration.Speed((1e-6, 1e-6), 1.0), math.inf))
    state, plan = ask("page/map", f"page=map&lang={lang}&n=9000")
    limit = math.isqrt(int(60 / 8e-6))
    assert (plan.header["limit"], plan.header["n"]) == (limit, limit)
    assert plan.header["expected_seconds"] <= 60
    assert (state.header["controls"]["n"], "n=9000" in state.header["query"]) == (9000, True), "the wish stays"
    why, remedy = plan.header["cut"]
    assert plain([why]) == locale.text(lang, "map.cut_time", n=limit, asked=9000, longest=60)
    assert plain([remedy]) == locale.text(lang, "map.cut_more")
    assert plain(plan.header["sentences"]) == locale.text(lang, "map.plan", n=limit, seconds=60.0)


def test_what_takes_too_much_memory_is_planned_as_far_as_it_fits(
    ask: Asking, known_speed: calibration.Speed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "has_room", lambda sized: sized.shape.n_q <= 3134)
    for n in (4096, 16384):  # the larger would take too long as well
        _, plan = ask("page/map", f"page=map&n={n}&d_k=512&h=16&tie=false")
        header = plan.header
        assert (header["n"], header["limit"]) == (3134, 3134)
        assert plain(header["cut"][:1]) == locale.text("en", "map.cut_memory", n=3134, asked=n)
    _, plan = ask("page/map", "page=map&n=3134&d_k=512&h=16&tie=false")
    assert plan.header["cut"] == []


def test_of_a_text_and_of_a_file_the_first_tokens_are_named(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "has_room", lambda sized: sized.shape.n_q <= 4)
    state, plan = ask("page/map", "page=map&source=text&text=one+two+three+four+five+six+seven+eight+nine+ten")
    assert (state.header["controls"]["n"], plan.header["n"]) == (10, 4)
    assert plain(plan.header["cut"]).startswith(locale.text("en", "map.cut_first_memory", n=4, asked=10))
    Q = torch.zeros(1, 7, 3)
    _, plan = ask("page/map", "page=map&source=upload", canonical(AttentionInputs(Q, Q, Q)))
    first, remedy = plan.header["cut"]
    assert plain([first]) == locale.text("en", "map.cut_first_memory", n=4, asked=7)
    assert plain([remedy]) == locale.text("en", "map.cut_more_file")


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
