"""Messages: sentences without a language, each a key and the facts that fill its text.

A page decides what is true and returns a `Message`; every language writes the same facts. So a test can compare the
facts of a sentence with the result without reading its words (tests/checker).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from visualiser.locale import marked, text


@dataclass(frozen=True)
class Message:
    """A sentence: the key of its text, and its facts. A fact may be a sentence itself, or a list."""

    key: str
    facts: Mapping[str, Any]

    def written(self, lang: str) -> str:
        """Return the sentence in a language."""
        return text(lang, self.key, **{name: _in(lang, fact) for name, fact in self.facts.items()})

    def marked(self, lang: str, mark: "Mark") -> str:
        """Return the sentence with its facts marked, and those of the sentences inside it."""
        values = {name: _marked(lang, fact, mark) for name, fact in self.facts.items()}
        return marked(lang, self.key, values, lambda name, place, written: mark(self, name, place, written))


Mark = Callable[[Message, str, int, str], str]
"""Return a fact as it is written, with its marks: of this sentence, by its name and its place in a list."""


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


def _marked(lang: str, fact: Any, mark: Mark) -> Any:
    if isinstance(fact, Message):
        return fact.marked(lang, mark)
    return [_marked(lang, each, mark) for each in fact] if isinstance(fact, list | tuple) else fact
