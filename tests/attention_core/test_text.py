"""Tokens in many writing systems, and hostile text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput, tokens
from attention_core.text import MAXIMUM_TOKENS, beginning

FAMILY = "👩\u200d👩\u200d👧"
WAVE = "👋🏽"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat and the cat", ("the", "cat", "and", "the", "cat")),
        ("Don't stop, it’s 3.5!", ("Don't", "stop", ",", "it’s", "3", ".", "5", "!")),
        ("나는 고양이를 봤다.", ("나는", "고양이를", "봤다", ".")),
        (f"{FAMILY}{WAVE} hi", (FAMILY, WAVE, "hi")),
        ("🇰🇷🇯🇵", ("🇰🇷", "🇯🇵")),
        (f"{ENGLAND}1️⃣❤️", (ENGLAND, "1️⃣", "❤️")),
        ("مرحبا بالعالم", ("مرحبا", "بالعالم")),
        ("שָׁלוֹם עולם", ("שָׁלוֹם", "עולם")),
        ("می\u200cخواهم", ("می\u200cخواهم",)),
        ("हिन्दी में", ("हिन्दी", "में")),
        ("我爱你 テスト です", ("我", "爱", "你", "テスト", "で", "す")),
        ("<b>x</b>", ("<", "b", ">", "x", "<", "/", "b", ">")),
        ("a\u200b \u200fb\ufeff\x00c", ("a", "b", "c")),
        ("cafe\u0301 caf\u00e9", ("caf\u00e9", "caf\u00e9")),
        ("a\ud800b", ("a", "\ufffd", "b")),
    ],
)
def test_words(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab a", ("a", "b", "a")),
        ("한\u1112\u1161\u11ab글", ("한", "한", "글")),
        (f"x{FAMILY}🇰🇷{WAVE}", ("x", FAMILY, "🇰🇷", WAVE)),
        ("q\u0301\u0327z", ("q\u0327\u0301", "z")),
        ("a\r\nb", ("a", "b")),
    ],
)
def test_characters(text, expected):
    assert tokens(text, "characters") == expected


@pytest.mark.parametrize("text", ["", " \t\n", "\u200b\u200f\ufeff"])
def test_a_text_without_a_token_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        tokens(text)
    assert caught.value.code == "text_empty"


def test_an_unknown_split_is_refused():
    with pytest.raises(InvalidInput, match=r"^split must be one of words, characters; got 'lines'\.$"):
        tokens("a", "lines")


def test_the_largest_text_is_taken_and_one_token_more_refused():
    assert len(tokens("w " * MAXIMUM_TOKENS)) == MAXIMUM_TOKENS
    with pytest.raises(InvalidInput, match=r"^text must have at most 512 tokens; got 513\.$"):
        tokens("w " * (MAXIMUM_TOKENS + 1))


@pytest.mark.parametrize(
    "text",
    [
        "word " * 10_000,
        "a" + "\u0301" * 65_000,
        "\u200d" * 65_000,
        "'" * 65_000,
        "a'" * 32_000,
        "👩\u200d" * 32_000,
        "🇰" * 65_000,
    ],
    ids=["ten thousand words", "marks", "joiners", "quotes", "letters with quotes", "one endless emoji", "half flags"],
)
@pytest.mark.parametrize("split", ["words", "characters"])
def test_hostile_text_costs_bounded_time(text, split):
    """Quadratic splitting of 65,000 characters would take minutes of the processor."""
    start = time.process_time()
    try:
        assert len(tokens(text, split)) <= MAXIMUM_TOKENS
    except InvalidInput as error:
        assert error.code in {"text_too_long", "text_empty"}  # noqa: PT017 (which of both depends on the case)
    # time of this process alone; hundreds of times that of linear splitting
    assert time.process_time() - start < 5


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["words", "characters"]))
def test_tokens_are_never_blank_and_keep_what_is_visible(text, split):
    try:
        found = tokens(text, split)
    except InvalidInput as error:
        assert error.code == "text_empty"  # noqa: PT017
        return
    assert all(token.strip() for token in found)
    "".join(found).encode()  # every token must be encodable: it names a draw
    assert tokens(" ".join(found), "words") is not None


def test_the_beginning_of_a_long_text_are_its_first_tokens() -> None:
    words = [f"word{i}" for i in range(3001)]
    found = beginning(" ".join(words), "words", 2003)
    assert found == tuple(words[:2003])
    assert beginning("고양이, cat", "characters", 4) == ("고", "양", "이", ",")
    assert beginning(" \u200b ", "words", 5) == ()
    with pytest.raises(InvalidInput, match="split must be one of words, characters"):
        beginning("cat", "lines", 5)
