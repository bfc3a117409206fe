"""Sentences whose numbers can be asked, as the browser gets them.

A sentence without such numbers is a string; another is a list of strings and of numbers, each with its formula, its
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

    def asked(self, lang: str) -> "tuple[str, str, str]":
        """Return its formula, its arithmetic and the name of its section; written once."""
        known = vars(self)
        if lang not in known:
            known[lang] = (formula(lang, self.kind), self.made.written(lang), KINDS[self.kind].section)
        return known[lang]


How = Callable[[Message, str, int], Reason | None]
"""Return the reason of a fact of a sentence, by its name and its place in a list; None for what is no quantity."""

Asked = tuple[str, str, str, str]
"""A number as it is written, its formula, its arithmetic, and the name of its section."""

Told = str | list[str | Asked]


def unexplained(said: Message, name: str, place: int) -> None:
    """Explain nothing: a `How` for numbers that are about to change."""


def told(sentences: Sequence[Message], lang: str, how: How) -> list[Told]:
    """Return sentences in a language, with the reasons of their numbers."""
    if how is unexplained:
        return [*write_all(sentences, lang)]
    return [_told(sentence, lang, how) for sentence in sentences]


def _told(sentence: Message, lang: str, how: How) -> Told:
    pieces: list[str | Asked] = [""]
    for part in sentence.parts(lang):
        reason = None if isinstance(part, str) else how(part.said, part.name, part.place)
        shown = part if isinstance(part, str) else part.text
        if reason is not None:
            pieces += [(shown, *reason.asked(lang)), ""]
        else:
            pieces[-1] += shown  # pyright: ignore[reportOperatorIssue]
    return [piece for piece in pieces if piece] if len(pieces) > 1 else "".join(map(str, pieces))
