"""Links: reading, writing, and that a link can carry only validated values."""

import dataclasses
from types import SimpleNamespace
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import BOUNDS, AttentionConfig, tokens
from tests.draws import cases
from visualiser.state import parameters, share
from visualiser.state.link_values import Reader
from visualiser.state.view import View


def test_the_default_state_has_an_empty_link() -> None:
    assert share.canonical(share.read("").state) == ""


@pytest.mark.parametrize(
    "query",
    [
        "n=64",
        "d_k=512&scaling=none",
        "d_model=256&tie=false",  # d_k stays 64, not 256 / 8: only `tie` can say so
        "d_model=1024&h=16&mask=window&window=3",
        "scaling=custom&scale=0.25&seed=7",
        "mask=causal&stage=masked&head=3&row=5&colour=log&colour_range=per_head&columns=2",
        "colour_range=full",
        "source=text&text=the+cat+the+cat&split=characters&positions=true",
        "scale=2&source=model&lang=en&text=Ben+sees+Anna+.+Ben&model=headlight-one-layer&head=3&row=4",
        "source=model&layer=2",
        "pin=source%3Dmodel%26layer%3D2",
        "mechanism=additive&lang=ko",
        "d_k=128&pin=d_k%3D128%26scaling%3Dnone",
        "pin=%3F",
    ],
)
def test_a_canonical_link_is_read_and_written_unchanged(query: str) -> None:
    assert share.canonical(share.read(query).state) == query
    assert share.read(query).notices == ()


def test_links_of_a_shared_colour_range_show_what_they_did() -> None:
    """One scale for all heads, up to the largest cell: its name is `full`."""
    reading = share.read("n=64&colour_range=shared")
    assert (reading.state.view.colour_range, reading.notices) == ("full", ())
    assert share.canonical(reading.state) == "n=64&colour_range=full"
    assert share.read(f"pin={quote('n=3&colour_range=shared')}").state.pinned == "n=3&colour_range=full"
    assert share.canonical(share.read("colour_range=quantile").state) == ""


def test_a_link_names_only_what_differs_in_the_order_of_the_fields() -> None:
    read = share.read("seed=0&mask=causal&h=8&n=16&d_model=512&lang=en&colour=linear")
    assert share.canonical(read.state) == "n=16&mask=causal&lang=en"


def test_d_k_alone_unties_and_a_tied_width_follows() -> None:
    assert (share.read("d_k=128").state.config.tie, share.read("d_k=128").state.config.d_k) == (False, 128)
    assert (share.read("h=3").state.config.tie, share.read("h=3").state.config.d_k) == (True, 170)
    assert share.canonical(share.read("d_k=64&h=8").state) == ""


def unknown(name: str, value: str, used: str) -> str:
    return f"The link says {name} = “{value}”, which is not one of its choices; {used} is shown."


@pytest.mark.parametrize(
    ("query", "name", "value", "notice"),
    [
        ("n=100000", "n", 512, "n = 100000 is outside 2 … 512; 512 is shown."),
        ("n=-3", "n", 2, "n = -3 is outside 2 … 512; 2 is shown."),
        ("h=2.4", "h", 2, "h = 2.4 is outside 1 … 16; 2 is shown."),
        ("scale=1e400&scaling=custom", "scale", 16.0, "scale = 1e400 is outside 0 … 16; 16 is shown."),
        ("seed=nan", "seed", 0, "The link says seed = “nan”, which is not a number; 0 is shown."),
        ("d_model=abc", "d_model", 512, "The link says d_model = “abc”, which is not a number; 512 is shown."),
        ("mask=triangle", "mask", "none", unknown("mask", "triangle", "none")),
        ("page=map&source=magic", "source", "structured", unknown("source", "magic", "structured")),
        (
            "source=model&model=../../etc/passwd",
            "model",
            "headlight",
            unknown("model", "../../etc/passwd", "headlight"),
        ),
        (f"source=model&model={'a' * 200}", "model", "headlight", unknown("model", "a" * 39 + "…", "headlight")),
        ("source=model&layer=0", "layer", 1, "layer = 0 is outside 1 … 2; 1 is shown."),
        ("source=model&layer=999", "layer", 2, "layer = 999 is outside 1 … 2; 2 is shown."),
        ("source=model&layer=NaN", "layer", 1, "The link says layer = “NaN”, which is not a number; 1 is shown."),
        (
            "source=model&model=headlight-one-layer&layer=2",
            "layer",
            1,
            "layer = 2 is outside 1 … 1; 1 is shown.",
        ),
        ("source=model&head=5", "head", 4, "head = 5 is outside 0 … 4; 4 is shown."),
        ("source=model&row=64", "row", 63, "row = 64 is outside 0 … 63; 63 is shown."),
        ("page=lamp", "page", "explore", unknown("page", "lamp", "explore")),
        ("tie=maybe", "tie", True, unknown("tie", "maybe", "true")),
        (f"split={'x' * 40}", "split", "words", unknown("split", "x" * 40, "words")),
        (f"split={'x' * 41}", "split", "words", unknown("split", "x" * 39 + "…", "words")),
    ],
)
def test_what_is_invalid_becomes_the_nearest_valid_value_and_a_notice(
    query: str, name: str, value: object, notice: str
) -> None:
    read = share.read(query)
    assert share.as_values(read.state)[name] == value
    assert read.notices == (notice,)


def test_a_head_or_row_that_is_not_there_becomes_the_last_one() -> None:
    read = share.read("h=2&n=8&head=5&row=400")
    assert (read.state.view.head, read.state.view.row) == (2, 7)
    assert read.notices == ("head = 5 is outside 0 … 2; 2 is shown.", "row = 400 is outside 0 … 7; 7 is shown.")


def test_notices_speak_the_links_language_else_the_browsers() -> None:
    assert "벗어나" in share.read("n=1&lang=ko").notices[0]
    assert "벗어나" in share.read("n=1", "ko-KR,ko;q=0.9,en;q=0.8").notices[0]
    assert share.read("", "xx-XX, ko;q=0.5").state.lang == "ko"
    assert share.read("", "xx-XX").state.lang == "en"
    assert share.canonical(share.read("", "ko").state) == ""  # the browser's choice is not part of the link


def test_an_unknown_parameter_is_ignored_and_dropped() -> None:
    read = share.read("evil=<script>alert(1)</script>&n=16&__proto__=1&theme=dark")
    assert share.canonical(read.state) == "n=16"
    assert read.notices == ()


def test_a_text_too_long_is_cut_to_the_longest_beginning_that_fits() -> None:
    written = "+".join(f"word{i}" for i in range(2000))
    read = share.read(f"source=text&text={written}")
    assert read.state.config.n == 512
    assert tokens(read.state.config.text, "words")[-1] == "word511"
    assert len(read.notices) == 1
    assert "512" in read.notices[0]


def test_an_empty_text_shows_the_example_and_says_so() -> None:
    read = share.read("source=text&text=+++")
    assert read.state.config.text == AttentionConfig().text
    assert len(read.notices) == 1


def test_a_pin_inside_a_pin_is_dropped() -> None:
    read = share.read("pin=n%3D16%26pin%3Dn%253D8")
    assert read.state.pinned == "n=16"


@pytest.mark.parametrize("query", ["n=16", "source=text&text=pin", "d_k=16&lang=ko&row=3", ""])
def test_what_is_pinned_is_read_like_a_link_of_its_own(query: str) -> None:
    read = share.read(f"n=8&pin={quote(query or '?', safe='')}")
    assert read.state.pinned == (query or "?") == (share.canonical(share.read(query).state) or "?")


def test_the_pinned_state_is_drawn_at_the_present_stage_and_language() -> None:
    state = share.read("stage=scaled&lang=ko&pin=d_k%3D16%26stage%3Dscores").state
    pinned = share.pinned_state(state)
    assert pinned is not None
    assert (pinned.config.d_k, pinned.config.tie, pinned.view.stage, pinned.lang) == (16, False, "scaled", "ko")
    assert share.pinned_state(share.read("").state) is None


def test_every_control_has_a_value() -> None:
    values = share.as_values(share.read("n=16&head=2").state)
    expected = {*AttentionConfig().chosen, *(field.name for field in dataclasses.fields(View))} - {"theme"}
    expected |= {"page", "pin", "predict", "question"}
    assert values.keys() == expected
    assert (values["n"], values["head"], values["pin"]) == (16, 2, "")


NAMES = st.sampled_from([*share.as_values(share.read("").state), "unknown"])
WRITTEN = st.one_of(
    st.text(max_size=20), st.integers().map(str), st.floats().map(str), st.sampled_from(["true", "none"])
)


@settings(max_examples=cases(150), deadline=None)
@given(st.lists(st.tuples(NAMES, WRITTEN), max_size=6))
def test_whatever_is_written_is_read_and_settles(pairs: list[tuple[str, str]]) -> None:
    state = share.read(urlencode(pairs)).state
    assert BOUNDS["n"].minimum <= state.config.n <= BOUNDS["n"].maximum or state.config.source == "text"
    again = share.read(share.canonical(state))
    assert share.canonical(again.state) == share.canonical(state)
    assert again == share.Reading(state)


def test_a_link_has_its_parameters_in_one_order_whatever_order_they_came_in() -> None:
    """Links that are out in the world stay the links of their states."""
    written = (
        "n=9&d_model=64&h=2&d_k=5&mechanism=additive&scaling=custom&scale=0.5&mask=window&window=3&source=text"
        "&seed=7&stage=masked&lang=ko&text=a+b+c+d&split=characters&positions=true&dtype=float16&head=2&row=1"
        "&colour=log&colour_range=per_head&columns=2&pin=n%3D5"
    )
    pairs = written.split("&")
    for order in (pairs, pairs[::-1], sorted(pairs)):
        assert share.canonical(share.read("&".join(order)).state) == written.removeprefix("n=9&")
    own = "h=2&page=anatomy&stage=scores&layer=2&head=2&step=weights&rows=all&predict=true"
    assert share.canonical(share.read("&".join(reversed(own.split("&")))).state) == own.removeprefix("h=2&")


@pytest.mark.parametrize(
    ("written", "taken", "noticed"),
    [
        ("scaled,unscaled,additive", ("scaled", "unscaled", "additive"), False),
        ("additive,scaled", ("scaled", "additive"), False),
        ("additive,sparse", ("additive",), True),
        ("sparse", ("scaled", "unscaled", "additive", "qk_norm_unscaled"), True),
    ],
)
def test_of_a_list_the_known_parts_are_taken_and_others_are_told(
    written: str, taken: tuple[str, ...], noticed: bool
) -> None:
    reading = share.read(f"page=train&mechanisms={written}")
    assert reading.state.own["mechanisms"] == taken
    assert bool(reading.notices) is noticed


def test_a_setting_whose_default_is_a_bool_is_read_as_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    reader = Reader("explore", "en", notices)
    monkeypatch.setattr(parameters, "beginning", lambda _: SimpleNamespace(new=False))
    assert reader.values({"new": "true"}, {}) == {"new": True}
    assert reader.values({"new": "maybe"}, {}) == {}
    assert notices == [unknown("new", "maybe", "false")]


def test_a_link_to_a_model_leaves_out_what_the_model_decides() -> None:
    decided = (
        "n=64&d_model=256&h=4&d_k=32&tie=false&mechanism=additive&scaling=none&seed=9&split=characters&positions=true"
    )
    read = share.read(f"{decided}&source=model&layer=2&qk_norm=true&softcap=8&text=Ben+.+Ben")
    assert share.canonical(read.state) == "source=model&text=Ben+.+Ben&qk_norm=true&softcap=8&layer=2"
    assert (read.state.config.scaling, read.state.config.mechanism, read.notices) == ("custom", "dot_product", ())


def test_a_link_without_a_model_leaves_out_its_name_and_its_layer() -> None:
    assert share.canonical(share.read("model=headlight-one-layer&layer=7&n=16").state) == "n=16"
    assert share.canonical(share.read("page=anatomy&layer=2&model=headlight-one-layer").state) == "page=anatomy&layer=2"


@pytest.mark.parametrize("text", ["", "+++", "%E2%80%8B%0A"])
def test_a_model_reads_the_example_instead_of_an_empty_text(text: str) -> None:
    read = share.read(f"source=model&text={text}")
    assert read.state.config.text == AttentionConfig().text
    assert read.notices == (
        "Nothing in the text can be read: it is empty, or has only blanks and signs that the tokenizer drops. "
        "Write at least one word.",
    )


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "word+" * 13_000, "한국어", "<script>alert(1)</script>"])
def test_a_model_s_text_is_kept_as_it_is(text: str) -> None:
    """The model takes as many tokens as it reads, and no rule of the drawn texts cuts it before."""
    read = share.read(f"source=model&text={text}")
    assert read.state.config.text == text.replace("+", " ")
    assert read.notices == ()


@settings(max_examples=cases(60), deadline=None)
@given(st.lists(st.tuples(NAMES, WRITTEN), max_size=6))
def test_whatever_stands_beside_a_model_settles(pairs: list[tuple[str, str]]) -> None:
    state = share.read(urlencode([*pairs, ("source", "model"), ("page", "explore")])).state
    assert state.config.source == "model"
    assert share.read(share.canonical(state)) == share.Reading(state)
