"""Sentences with the reasons of their numbers, as the browser gets them.

A sentence without reasons is a string; another is a list of strings and of numbers, each with its formula, its
arithmetic and its section.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visualiser.locale.message import Message, write_all
from visualiser.reasons.kinds import KINDS, formula


@dataclass(frozen=True)
class Reason:
    """The reason of a number: its kind, and the sentence of its arithmetic."""

    kind: str
    made: Message

    def explanation(self, lang: str) -> "tuple[str, str, str]":
        """Return its formula, its arithmetic and the name of its section; written once."""
        known = vars(self)
        if lang not in known:
            known[lang] = (formula(lang, self.kind), self.made.written(lang), KINDS[self.kind].section)
        return known[lang]


How = Callable[[Message, str, int], Reason | None]
"""Return the reason of a fact of a sentence, by its name and its place in a list; None for what is no quantity."""

ExplainedNumber = tuple[str, str, str, str]
"""A number as it is written, its formula, its arithmetic, and the name of its section."""

Explained = str | list[str | ExplainedNumber]


def unexplained(sentence: Message, name: str, place: int) -> None:
    """Explain nothing: a `How` for numbers that are about to change."""


def explained(sentences: Sequence[Message], lang: str, how: How) -> list[Explained]:
    """Return sentences in a language, with the reasons of their numbers."""
    if how is unexplained:
        return [*write_all(sentences, lang)]
    return [_explained(sentence, lang, how) for sentence in sentences]


def _explained(sentence: Message, lang: str, how: How) -> Explained:
    pieces: list[str | ExplainedNumber] = [""]
    for part in sentence.parts(lang):
        reason = None if isinstance(part, str) else how(part.sentence, part.name, part.place)
        shown = part if isinstance(part, str) else part.text
        if reason is not None:
            pieces += [(shown, *reason.explanation(lang)), ""]
        else:
            pieces[-1] += shown  # pyright: ignore[reportOperatorIssue]
    return [piece for piece in pieces if piece] if len(pieces) > 1 else "".join(map(str, pieces))
