"""Every text becomes ids, and two mentions of a word stay one word."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_core import InvalidInput
from attention_core.language import BEGINNING, SHOWN, WORDS, read


def test_the_words_are_pinned_because_shipped_models_hold_them_by_number():
    assert len(WORDS) == len(set(WORDS)) == 160
    assert WORDS[:2] == ("<bos>", "<word 1>")
    assert WORDS[SHOWN - 1] == "<word 63>"
    assert WORDS[-6:] == ("(", ")", "[", "]", "{", "}")
    assert {"Anna", "Weaver", "keys", "to", "the", ".", "are", "falls", "warm"} <= set(WORDS)


def test_known_words_are_read_in_any_case_and_others_by_their_first_appearance():
    reading = read("THE keys, 고양이 (cats) 고양이 zebra Anna's ZEBRA")
    assert reading.tokens == (
        "<bos>", "THE", "keys", ",", "고양이", "(", "cats", ")", "고양이", "zebra", "Anna's", "ZEBRA",
    )  # fmt: skip
    assert reading.words == (
        "<bos>", "the", "keys", ",", "<word 1>", "(", "cats", ")", "<word 1>", "<word 2>", "<word 3>", "<word 2>",
    )  # fmt: skip
    assert not reading.cut


@given(st.text(max_size=300))
@example("")
@example("<bos> <word 1>")
@example("\ud800")
def test_every_text_is_read(text: str):
    reading = read(text)
    assert reading.tokens[0] == BEGINNING
    assert 1 <= len(reading.tokens) == len(reading.ids) <= SHOWN
    assert reading.ids[0] == 0
    assert 0 not in reading.ids[1:]  # nobody types the beginning
    folded = [token.casefold() for token in reading.tokens[1:]]
    assert [folded.index(token) for token in folded] == [reading.ids[1:].index(number) for number in reading.ids[1:]]


@pytest.mark.parametrize(("words", "cut"), [(62, False), (63, False), (64, True), (500, True)])
def test_a_long_text_is_cut_and_says_so(words: int, cut: bool):
    reading = read(" ".join(f"w{number}" for number in range(words)))
    assert (len(reading.tokens), reading.cut) == (min(words, 63) + 1, cut)
    assert reading.words[-1] == f"<word {min(words, 63)}>"


def test_a_text_that_is_too_long_to_be_one_is_refused():
    with pytest.raises(InvalidInput, match=r"^text must have at most 65536 characters; got 65537\.$"):
        read("a" * 65537)
