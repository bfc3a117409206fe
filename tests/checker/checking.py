"""Hold every sentence of a page against its result, in random states.

A page's module here offers a `Page`: random links with many corner cases, what the page says there, the truth
recomputed from Q, K and V alone (numpy, float64, none of the page's functions), and for each key of a sentence the
check of its claim. A key without a check is a failure: nothing is said unchecked; the gist of a sentence has its facts
and its check, unless it has a check of its own. What stands first is short in every language. Both languages are
written from the same facts, so their numbers must be equal, and no plural may follow 1.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from tests.checker import equations
from visualiser.locale import LANGUAGES, number, texts
from visualiser.locale.message import SHORT, Message
from visualiser.reasons.explained import How, Reason
from visualiser.tables import Column, Table

Truth = TypeVar("Truth")


@dataclass(frozen=True)
class Cell:
    """A number of a table that can be asked, and its arithmetic."""

    table: str
    shown: Table
    column: Column
    line: int
    made: Message

    def beside(self, label: str) -> Any:
        """Return the value in the same line of the column of this English heading."""
        return next(column.values[self.line] for column in self.shown.columns if column.label == label)


Claim = Callable[[Truth, Mapping[str, Any]], Iterable[str]]
"""Yield what is false in a sentence with these facts, in words for a programmer; nothing if all is true."""


@dataclass(frozen=True)
class Page(Generic[Truth]):
    """The random states of a page, its sentences and the checks of their claims."""

    link: Callable[[random.Random], str]
    sentences: Callable[[str], Sequence[Message]]
    truth: Callable[[str], Truth]
    claims: Mapping[str, Claim[Truth]]
    whole: Callable[[Truth, Sequence[Message]], Iterable[str]] = lambda _truth, _sentences: ()
    """Yield what is false in the sentences together: one that had to be said, two that contradict each other."""
    asked: Callable[[str], tuple[Sequence[Message], How]] | None = None
    """Return the sentences whose numbers can be asked, and where these come from."""
    names: frozenset[str] = frozenset()
    """The facts that name a thing and cannot be asked."""
    reason: Callable[[Truth, Message, str, Reason], Iterable[str]] = lambda _truth, _sentence, _name, _reason: ()
    """Yield what is false in the arithmetic of a fact."""
    tables: Callable[[str], Mapping[str, Table]] = lambda _link: {}
    """Return the tables behind the figures, in English."""
    cell: Callable[[Truth, Cell], Iterable[str]] = lambda _truth, _cell: ()
    """Yield what is false in the arithmetic of a number of a table."""
    first: Callable[[str], Sequence[Message]] = lambda _link: ()
    """Return the sentences that stand first, alone, at one time or another in this state."""


def problems(page: Page[Any], link: str) -> list[str]:
    """Return what is false in the sentences of one state, each with the sentence."""
    truth, sentences = page.truth(link), page.sentences(link)
    found = [*page.whole(truth, sentences)]
    for sentence in sentences:
        check = page.claims.get(sentence.key) or page.claims.get(sentence.key.removeprefix(SHORT))
        wrong = [f"nobody checks {sentence.key}"] if check is None else [*check(truth, sentence.facts)]
        wrong += in_words(sentence)
        found += [f"{problem}: {sentence.written(LANGUAGES[0])}" for problem in wrong]
    found += [problem for sentence in page.first(link) for problem in short_enough(sentence)]
    return [*found, *_reasons(page, truth, link), *_cells(page, truth, link)]


def _reasons(page: Page[Any], truth: Any, link: str) -> list[str]:
    """Return what is false in the arithmetic of the numbers that can be asked, and the numbers that cannot."""
    found: list[str] = []
    if page.asked is None:
        return found
    sentences, how = page.asked(link)
    for sentence, name, place, fact in _facts(sentences):
        reason = how(sentence, name, place)
        where = f"{name} of {sentence.key}"
        if reason is None:
            if name not in page.names:
                found.append(f"nobody says where {where} comes from")
            continue
        wrong = [*page.reason(truth, sentence, name, reason), *in_words(reason.made)]
        for lang in LANGUAGES:
            wrong += equations.wrong(reason.made.written(lang))
        if "value" in reason.made.facts and written(reason.made.facts["value"]) != written(fact):
            wrong.append(f"the sentence says {written(fact)}")
        found += [f"{problem}: {where}, {reason.made.written(LANGUAGES[0])}" for problem in wrong]
    return found


def _cells(page: Page[Any], truth: Any, link: str) -> list[str]:
    """Return what is false in the arithmetic of some lines of each table, and the numbers without any."""
    found: list[str] = []
    draws = random.Random(link)
    for name, shown in page.tables(link).items():
        for column in shown.columns:
            if not column.kind:
                continue
            lines = range(len(column.values))
            for line in sorted({*lines[:1], *lines[-1:], *draws.sample(lines, min(2, len(lines)))}):
                where = f"{column.label}, line {line} of {name}"
                found += [f"{problem}: {where}" for problem in _of_cell(page, truth, name, shown, column, line)]
    return found


def _of_cell(page: Page[Any], truth: Any, name: str, shown: Table, column: Column, line: int) -> Iterator[str]:
    value = np.asarray(column.values)[line].item()
    made = column.made(line) if column.made else None
    if made is None:
        if not isinstance(value, float) or math.isfinite(value):
            yield "nobody says where it comes from"
        return
    text = made.written(LANGUAGES[0])
    wrong = [*page.cell(truth, Cell(name, shown, column, line, made)), *in_words(made)]
    for lang in LANGUAGES:
        wrong += equations.wrong(made.written(lang))
    if "value" in made.facts and number(float(made.facts["value"])) != number(float(value) + 0.0):
        wrong.append(f"the table says {number(float(value))}")
    yield from (f"{problem}, {text}" for problem in wrong)


def written(fact: Any) -> str:
    """Return a fact as every language writes it."""
    return number(fact) if isinstance(fact, float) else str(fact)


def _facts(sentences: Sequence[Message]) -> Iterator[tuple[Message, str, int, Any]]:
    """Yield the facts of sentences and of those inside them, by name and place."""
    for sentence in sentences:
        for name, fact in sentence.facts.items():
            for place, one in enumerate(fact if isinstance(fact, list | tuple) else [fact]):
                if isinstance(one, Message):
                    yield from _facts([one])
                elif f"{{{name}" in texts(LANGUAGES[0])[sentence.key]:
                    yield sentence, name, place, one


_NUMBER = re.compile(r"−?\d+(?:\.\d+)?(?:×10[⁻⁰¹²³⁴-⁹]+)?|∞")
_VERBS = (
    r"(?:s|is|its|has|as|less|does|gets|sees|enters|offers|gives|hands|looks|multiplies|goes|lies|reads|attends|"
    r"compares)\b"
)
_ONE_MANY = re.compile(
    rf"(?<![\d.,×–-])\b1 (?!ms\b|{_VERBS})[a-z]+(?<!s)s\b"
    r"|\b(?:heads|keys|queries|tokens|rows|positions|seeds|points|components) 1\b(?!\.\d| and|,| to)"
)


LONGEST, MOST_NUMBERS = 90, 2
"""Characters and numbers of a sentence that stands first, alone."""

_COUNTED = re.compile(rf"(?<![A-Za-z_␣\d.])(?:{_NUMBER.pattern})")
_QUOTED = re.compile("“.*”", re.DOTALL)
"""A token's name in a fact, which may itself have such marks."""


def short_enough(sentence: Message) -> list[str]:
    """Return what makes a sentence too long to stand first: its characters or its numbers, in each language.

    A number that stands in a token's name is none of the sentence's.
    """
    wrong = []
    for lang in LANGUAGES:
        text = sentence.written(lang)
        if len(text) > LONGEST:
            wrong.append(f"{len(text)} characters stand first: {text}")
        if len(found := _COUNTED.findall(_nameless(sentence, lang).written(lang))) > MOST_NUMBERS:
            wrong.append(f"{len(found)} numbers stand first: {text}")
    return wrong


def _nameless(sentence: Message, lang: str) -> Message:
    """Return a sentence without the names of tokens: what its text or a fact has in quotation marks."""
    text = texts(lang)[sentence.key]

    def without(name: str, fact: Any) -> Any:
        if isinstance(fact, Message):
            return _nameless(fact, lang)
        if isinstance(fact, list | tuple):
            return [without(name, one) for one in fact]
        if not isinstance(fact, str):
            return fact
        return "x" if re.search(rf"“\{{{name}[|}}]", text) else _QUOTED.sub("“”", fact)

    return Message(sentence.key, {name: without(name, fact) for name, fact in sentence.facts.items()})


def in_words(sentence: Message) -> list[str]:
    """Return what is wrong in the words: numbers that differ between the languages, and plurals after 1."""
    texts = {lang: sentence.written(lang) for lang in LANGUAGES}
    numbers = {lang: Counter(_NUMBER.findall(text)) for lang, text in texts.items()}
    first = LANGUAGES[0]
    wrong = [f"other numbers in {lang} ({texts[lang]})" for lang in LANGUAGES if numbers[lang] != numbers[first]]
    if found := _ONE_MANY.search(texts[first]):
        wrong.append(f"plural of one, “{found[0]}”")
    return wrong


def checked(page: Page[Any], states: int, seed: int) -> dict[str, list[str]]:
    """Return the links among `states` random ones at which something false is said, with what is false."""
    draws = random.Random(seed)
    links = (page.link(draws) for _ in range(states))
    return {link: wrong for link in links if (wrong := problems(page, link))}


def over_all_rows(claim: Claim[Truth]) -> Claim[Truth]:
    """Check besides that a sentence which is silent about rows is of a measure over all of them."""

    def checked_too(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from claim(truth, facts)
        if facts["rows"] != facts["of"]:
            yield f"it is measured over {facts['rows']} rows alone"

    return checked_too


def near(claimed: float, true: float, digits: int = 3) -> bool:
    """Return True if the number that is written is that of `true` at this many digits, or its neighbour."""
    return abs(claimed - true) <= 1.5 * 10 ** (1 - digits) * max(abs(true), 1e-300) or claimed == true
