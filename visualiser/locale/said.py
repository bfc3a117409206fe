"""Sentences before they have a language: which one, and the facts that fill it.

A page decides what is true and says it as `Said`; every language writes the same facts. So a test can hold the facts
of a sentence against the result without reading its words (tests/checker).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from visualiser.locale import text


@dataclass(frozen=True)
class Said:
    """A sentence: the key of its text, and its facts. A fact may be a sentence itself, or a list."""

    key: str
    facts: Mapping[str, Any]

    def written(self, lang: str) -> str:
        """Return the sentence in a language."""
        return text(lang, self.key, **{name: _in(lang, fact) for name, fact in self.facts.items()})


def say(key: str, /, **facts: Any) -> Said:
    """Return a sentence with these facts."""
    return Said(key, facts)


def written(sentences: Sequence[Said], lang: str) -> list[str]:
    """Return sentences in a language."""
    return [sentence.written(lang) for sentence in sentences]


def _in(lang: str, fact: Any) -> Any:
    if isinstance(fact, Said):
        return fact.written(lang)
    return [_in(lang, each) for each in fact] if isinstance(fact, list | tuple) else fact
