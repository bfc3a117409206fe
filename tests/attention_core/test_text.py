"""Tokens in many writing systems, and hostile text."""

import time
from bisect import bisect_left
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput, tokens
from attention_core.text import MAXIMUM_CHARACTERS, MAXIMUM_TOKENS, beginning, shortened
from tests.draws import cases

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


@settings(max_examples=cases(200), deadline=None)
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


SCRIPTS = (
    *("a", "é", "e\u0301", "q\u0301\u0327", "1", "!", "=\u0338", "'", "’", "don't", " ", "\n", "\x00", "\ud800"),
    *("한", "\u1112\u1161\u11ab", "\u1112", "\u11ab", "我", "で", "か\u3099", "テ", "\uf900", "\u212b", "ا", "\u0600"),
    *("क", "\u094d", "ष", "\u0958", "\u0d4e", "\u09c7\u09be", "\u0dd9\u0dcf", "\u0dca", "\u1b05\u1b35", "\ufb1f"),
    *(FAMILY, WAVE, ENGLAND, "👩", "\u200d", "\u200c", "🇰", "🇷", "1️⃣", "\ufe0f", "\U0001d15e", "\u0344", "\u0f73"),
)
"""Pieces that compose, join, split or hide when they stand side by side."""


def count(text: str, split: str) -> int:
    """Return the number of tokens; 0 if there is none."""
    try:
        return len(tokens(text, split))
    except InvalidInput as error:
        assert error.code == "text_empty"  # noqa: PT017
        return 0


@settings(max_examples=cases(400), deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(SCRIPTS), st.characters()), max_size=13).map("".join),
    st.sampled_from(["words", "characters"]),
    st.integers(1, 5),
)
def test_a_text_is_shortened_to_its_longest_beginning_that_fits(text: str, split: str, most: int) -> None:
    fits = [count(text[:length], split) <= most for length in range(len(text) + 1)]
    assert shortened(text, split, most) == text[: max(length for length, fit in enumerate(fits) if fit)]
    rising = not any(later and not earlier for earlier, later in pairwise(fits))  # not so within "don't"
    assert not rising or len(shortened(text, split, most)) == bisect_left(fits, True, key=lambda fit: not fit) - 1


@pytest.mark.parametrize(
    ("text", "split", "most", "expected"),
    [
        ("one two  three", "words", 2, "one two  "),
        ("hello don't stop", "words", 2, "hello don't "),
        ("a'で", "words", 1, "a"),
        ("고양이", "characters", 2, "고양"),
        (f"{FAMILY}{WAVE}x", "characters", 1, FAMILY),
        (" \u200b", "words", 1, " \u200b"),
        ("w " * 600, "words", 16384, "w " * MAXIMUM_TOKENS),
        ("w" * (MAXIMUM_CHARACTERS + 1), "words", 1, "w" * MAXIMUM_CHARACTERS),
    ],
)
def test_a_shortened_text(text: str, split: str, most: int, expected: str) -> None:
    assert shortened(text, split, most) == expected
