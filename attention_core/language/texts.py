"""The texts that the language model learns from: a small grammar, pairs that recur, and lists that repeat.

sentences   the keys to the cabinet are old . ( Anna Miller sees the dogs . ) Anna Miller waits .
pairs       seven words, each always followed by the same other word, between words that follow no rule
repeats     a list of 4 words or more, all different, said again and again after a beginning that follows no rule

Some tokens can be known from what stands before them. A document lists these places: the verb's form (`agreement`), the
closing bracket (`bracket`), the second half of a pair or of a name (`pair`), the next word of a repeat (`repeat`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeVar

import torch

from attention_core.inputs.random_streams import stream
from attention_core.language.words import (
    ADJECTIVES,
    BEGINNING,
    BRACKETS,
    COPULAS,
    FIRST_NAMES,
    IDS,
    INTRANSITIVE,
    LAST_NAMES,
    LISTED,
    NOUNS,
    NUMBERED,
    PREPOSITIONS,
    TRANSITIVE,
    WORDS,
)

__all__ = ["KINDS", "PLACES", "Document", "Place", "documents"]

PLACES: Final = ("repeat", "pair", "agreement", "bracket")
"""The kinds of places that can be known."""

Value = TypeVar("Value")

_CLOSING: Final = tuple(closing for _, closing in BRACKETS)
_FORMS: Final = {form: verb for verb in (*COPULAS, *INTRANSITIVE, *TRANSITIVE) for form in verb}

_PAIRS = 7
_PAIR_SHARE = 0.6  # of what is drawn in a document of pairs; the rest are single words
_SHORTEST_PERIOD = 4  # short lists are the curriculum: with periods from 20 on no head learns to look for repeats
_LONGEST_LEAD = 30  # words before the first list, so that no head can go by the position alone
_DRAWN = 4096  # numbers drawn at once


@dataclass(frozen=True)
class Place:
    """A token that can be known.

    kind    one of `PLACES`
    query   the position that predicts it: the token itself is at query + 1
    key     the position that tells it: the subject's noun, the opening bracket, the last mention after the same word
    """

    kind: str
    query: int
    key: int


@dataclass(frozen=True)
class Document:
    """Words, `BEGINNING` first, and the places among them that can be known."""

    kind: str
    words: tuple[str, ...]
    places: tuple[Place, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The words as numbers."""
        return tuple(IDS[word] for word in self.words)

    def known(self, kind: str) -> tuple[Place, ...]:
        """Return the places of a kind; of agreement those with another noun between the subject and its verb."""
        return tuple(
            place for place in self.places if place.kind == kind and (kind != "agreement" or place.key < place.query)
        )

    def choices(self, place: Place) -> tuple[str, ...]:
        """Return the words among which the right one must be the likeliest.

        They are both forms of the verb, the closing brackets, or else all words.
        """
        if place.kind == "agreement":
            return _FORMS[self.words[place.query + 1]]
        return _CLOSING if place.kind == "bracket" else WORDS


def documents(seed: int, name: str, kind: str, length: int) -> Iterator[Document]:
    """Yield endless documents of one of `KINDS` and of `length` tokens, equal for equal seed and name."""
    choices = _Choices(stream(seed, f"language/{kind}/{name}"))
    while True:
        draft = KINDS[kind](choices, length)
        places = tuple(place for place in draft.places if place.query + 1 < length)
        yield Document(kind, tuple(draft.words[:length]), places)


class _Choices:
    """Uniform choices from a stream."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator
        self._numbers: list[float] = []

    def uniform(self) -> float:
        """Return a number from 0 up to 1."""
        if not self._numbers:
            self._numbers = torch.rand(_DRAWN, generator=self._generator, dtype=torch.float64).tolist()
        return self._numbers.pop()

    def below(self, count: int) -> int:
        """Return a whole number from 0 to count − 1."""
        return int(self.uniform() * count)

    def one(self, values: Sequence[Value]) -> Value:
        """Return one of the values."""
        return values[self.below(len(values))]

    def shuffled(self, values: Sequence[Value], count: int) -> list[Value]:
        """Return `count` of the values and then the rest; those first are in random order."""
        found = list(values)
        for i in range(count):
            j = i + self.below(len(found) - i)
            found[i], found[j] = found[j], found[i]
        return found


@dataclass
class _Draft:
    """A document while it is written."""

    words: list[str] = field(default_factory=lambda: [BEGINNING])
    places: list[Place] = field(default_factory=list)
    mentions: dict[str, int] = field(default_factory=dict)  # where the word after this one stood last

    def add(self, *words: str) -> int:
        """Write words and return the position of the last."""
        self.words.extend(words)
        return len(self.words) - 1

    def know(self, kind: str, key: int) -> None:
        """Note that the next token can be known."""
        self.places.append(Place(kind, len(self.words) - 1, key))

    def pair(self, first: str, second: str) -> None:
        """Write two words that always stand together; after their first mention the second can be known."""
        self.add(first)
        if first in self.mentions:
            self.know("pair", self.mentions[first])
        self.mentions[first] = self.add(second)


def _repeats(choices: _Choices, length: int) -> _Draft:
    draft = _Draft()
    lead = choices.below(min(_LONGEST_LEAD, length // 2) + 1)
    left = length - 1 - lead
    period = _SHORTEST_PERIOD + choices.below(max(1, left // 2 - _SHORTEST_PERIOD + 1))
    words = choices.shuffled(_pool(choices), period)
    listed, others = words[:period], words[period:]
    draft.add(*(choices.one(others) for _ in range(lead)))
    for i in range(left):
        if i > period:  # the first word said again could be any
            draft.know("repeat", len(draft.words) - period)
        draft.add(listed[i % period])
    return draft


def _pairs(choices: _Choices, length: int) -> _Draft:
    draft = _Draft()
    words = choices.shuffled(_pool(choices), 2 * _PAIRS)
    firsts, seconds, others = words[:_PAIRS], words[_PAIRS : 2 * _PAIRS], words[2 * _PAIRS :]
    while len(draft.words) < length:
        if choices.uniform() < _PAIR_SHARE:
            which = choices.below(_PAIRS)
            draft.pair(firsts[which], seconds[which])
        else:
            draft.add(choices.one(others))
    return draft


def _pool(choices: _Choices) -> tuple[str, ...]:
    """Return the words of a document without a grammar: every other one has only words that a reader knows."""
    return (*NUMBERED, *LISTED) if choices.uniform() < 0.5 else LISTED


def _sentences(choices: _Choices, length: int) -> _Draft:
    draft = _Draft()
    people = _people(choices)
    while len(draft.words) < length:
        if choices.uniform() < 0.35:
            opening, closing = choices.one(BRACKETS)
            key = draft.add(opening)
            _sentence(choices, draft, people)
            draft.know("bracket", key)
            draft.add(closing)
        else:
            _sentence(choices, draft, people)
    return draft


def _people(choices: _Choices) -> list[tuple[str, str]]:
    """Return three to five names of the document: who is called what differs from one document to the next.

    Three names in ten are words outside the vocabulary, as a typed name often is.
    """
    count = 3 + choices.below(3)
    half = len(NUMBERED) // 2
    firsts = FIRST_NAMES if choices.uniform() < 0.7 else NUMBERED[:half]
    lasts = LAST_NAMES if choices.uniform() < 0.7 else NUMBERED[half:]
    chosen = (choices.shuffled(names, count)[:count] for names in (firsts, lasts))
    return list(zip(*chosen, strict=True))


def _sentence(choices: _Choices, draft: _Draft, people: list[tuple[str, str]]) -> None:
    """Write a subject, a verb that agrees with it and a full stop."""
    if choices.uniform() < 0.6:
        plural, key = _noun_phrase(choices, draft)
        for _ in range(choices.one((0, 1, 1, 2))):  # between the subject and its verb, of either number
            draft.add(choices.one(PREPOSITIONS))
            _noun_phrase(choices, draft)
        _predicate(choices, draft, people, plural, key)
    else:
        draft.pair(*choices.one(people))
        _predicate(choices, draft, people, False, None)
    draft.add(".")


def _noun_phrase(choices: _Choices, draft: _Draft) -> tuple[bool, int]:
    plural = choices.uniform() < 0.5
    return plural, draft.add("the", choices.one(NOUNS)[plural])


def _predicate(choices: _Choices, draft: _Draft, people: list[tuple[str, str]], plural: bool, key: int | None) -> None:
    forms, then = choices.one(_VERBS)
    verb = choices.one(forms)
    if key is not None:
        draft.know("agreement", key)
    draft.add(verb[plural])
    if then == "adjective":
        draft.add(choices.one(ADJECTIVES))
    elif then == "object" and choices.uniform() < 0.5:
        draft.pair(*choices.one(people))
    elif then == "object":
        _noun_phrase(choices, draft)


_VERBS: Final = (
    (COPULAS, "adjective"),
    (COPULAS, "adjective"),
    (INTRANSITIVE, "nothing"),
    (TRANSITIVE, "object"),
)

KINDS: Final[Mapping[str, Callable[[_Choices, int], _Draft]]] = MappingProxyType(
    {"repeats": _repeats, "pairs": _pairs, "sentences": _sentences}
)
"""How each kind of document is written."""
