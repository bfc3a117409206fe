"""Each reason in the tables of pages is that of a number in a sentence that there is."""

import importlib
import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

from visualiser.locale import texts

PAGES: Final = (
    "anatomy.reasons",
    "cost.reasons",
    "explore.reasons",
    "map.reasons",
    "map.verdict_reasons",
    "model.over_texts",
    "model.reasons",
    "train.reasons",
    "why.reasons",
)
Table = Mapping[str, Mapping[str, Any]]


def table(page: str) -> Table:
    return importlib.import_module(f"visualiser.pages.{page}").TABLE


def said(key: str) -> list[str]:
    """Return the sentences of a key: its own, or all whose keys begin so and have no further point."""
    return [text for name, text in texts("en").items() if key in (name, name[: name.rfind(".") + 1])]


@pytest.mark.parametrize("page", PAGES)
def test_every_key_is_that_of_a_sentence(page: str) -> None:
    assert [key for key in table(page) if not said(key)] == []


def test_every_fact_is_in_a_sentence() -> None:
    tables = [table(page) for page in PAGES]
    sentences = " ".join(sentence for one in tables for key in one for sentence in said(key))
    named = {fact for one in tables for facts in one.values() for fact in facts}
    assert {fact for fact in named if not re.search(rf"\{{{fact}\b", sentences)} == set()
