"""What stands first above the figures is one short sentence, in random states and in every language."""

import pytest

from tests import draws
from tests.checker.checking import LONGEST, MOST_NUMBERS, short_enough
from tests.checker.pages import PAGES
from visualiser.locale import LANGUAGES, texts
from visualiser.locale.message import SHORT, Message, message
from visualiser.locale.message_format import fields

STATES = {
    "cost": 250,
    "train": 600,
    "anatomy": 120,
    "map": 10,
    "explore": 20,
    "why": 6,
    "model": 20,
    "folder": 20,
    "pictures": 20,
}
"""Random states of each page, as many as a few seconds hold; the checker holds thousands to the same lengths."""


@pytest.mark.night(but=2)
@pytest.mark.slow
@pytest.mark.parametrize("page", STATES)
def test_it_is_short(page: str) -> None:
    generator = draws.generator("first", page)
    for _ in range(draws.cases(STATES[page])):
        link = PAGES[page].link(generator)
        found = PAGES[page].first(link)
        assert found, "a sentence stands first"
        assert (link, [wrong for one in found for wrong in short_enough(one)]) == (link, [])


def test_every_page_with_sentences_of_its_own_says_what_stands_first() -> None:
    assert set(STATES) == {page for page in PAGES if not page.endswith("_predicted")}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_fixed_short_texts_are_short(lang: str) -> None:
    fixed = [key for key, text in texts(lang).items() if key.startswith(SHORT) and not fields(text)]
    assert "short.map.purpose" in fixed
    assert [wrong for key in fixed for wrong in short_enough(message(key))] == []


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        (message("short.train.several", least=0.1, most=-1.2e-7), 0),
        (message("insight.map_sinks", count=3, least=20, key=1, head=2, share=33.3), 3),
        (Message("train.curve", {"name": "x" * 90, "from": 0.1, "to": 0.2}), 2),
    ],
)
def test_characters_and_numbers_are_counted(sentence: Message, wrong: int) -> None:
    assert (LONGEST, MOST_NUMBERS) == (90, 2)
    assert len(short_enough(sentence)) == wrong


@pytest.mark.parametrize("token", ["1", "0.5", "”1", "1”2", "“1", "7 8 9", "x” 5 6 7", "” 1 “ 2 ” 3"])
def test_a_number_that_is_a_token_is_not_counted(token: str) -> None:
    about = message("says.about.next", place=f"1 “{token}”")
    assert short_enough(message("short.says.same", about=about)) == []
    assert short_enough(message("short.says.changed", name=token, before=0.25, now=0.5)) == []


def test_a_number_between_tokens_is_counted() -> None:
    text = message("model.reads", head="x", query="7 “1” 2”", key="8 “3 “4”", weight=0.5)
    assert [one.split()[0] for one in short_enough(text)] == ["3", "3"]
