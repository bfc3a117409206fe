"""Sentences before they have a language: which one, and the facts that fill it.

A page decides what is true and returns it as a `Message`; every language writes the same facts. So a test can check
the facts of a sentence against the result without reading its words (tests/checker).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from visualiser.locale import in_parts, text
from visualiser.locale.message_format import Inner, Value


@dataclass(frozen=True)
class Message:
    """A sentence: the key of its text, and its facts. A fact may be a sentence itself, or a list."""

    key: str
    facts: Mapping[str, Any]

    def written(self, lang: str) -> str:
        """Return the sentence in a language."""
        return text(lang, self.key, **{name: _in(lang, fact) for name, fact in self.facts.items()})

    def parts(self, lang: str) -> "list[str | Fact]":
        """Return the sentence in a language as texts and facts, those of the sentences inside it among them."""
        values = {name: _inner(lang, fact) for name, fact in self.facts.items()}
        found = in_parts(lang, self.key, values)
        return [Fact(self, *part) if isinstance(part, Value) else part for part in found]


class Fact(NamedTuple):
    """A fact of a sentence as it is written, with its name and its place in a list."""

    sentence: Message
    name: str
    place: int
    text: str


def message(key: str, /, **facts: Any) -> Message:
    """Return a sentence with these facts."""
    return Message(key, facts)


SHORT: Final = "short."
"""Before the key of a sentence that stands alone until the visitor asks for more: docs/decisions/sentences.md."""


def short(long: Message, /, **other: Any) -> Message:
    """Return the gist of a sentence: the same facts in one short text, `other` facts in place of its own."""
    return Message(SHORT + long.key, {**long.facts, **other})


def write_all(sentences: Sequence[Message], lang: str) -> list[str]:
    """Return sentences in a language."""
    return [sentence.written(lang) for sentence in sentences]


def _in(lang: str, fact: Any) -> Any:
    if isinstance(fact, Message):
        return fact.written(lang)
    return [_in(lang, each) for each in fact] if isinstance(fact, list | tuple) else fact


def _inner(lang: str, fact: Any) -> Any:
    if isinstance(fact, Message):
        return Inner(fact.parts(lang))
    return [_inner(lang, each) for each in fact] if isinstance(fact, list | tuple) else fact
