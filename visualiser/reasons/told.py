"""Sentences whose numbers can be asked, as the browser gets them.

A sentence without such numbers is a string; another is a list of strings and of numbers, each with its formula, its
arithmetic and its section.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

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

_END: Final = chr(0x10FFFD)
_FIRST: Final = 0x10F000
"""Marks are private signs of Unicode's last plane; such signs in a visitor's text become the sign for unknown ones."""
_MARKS: Final = re.compile(f"[{chr(_FIRST)}-{_END}]")
_ASKED: Final = re.compile(f"([{chr(_FIRST)}-{chr(ord(_END) - 1)}])([^{chr(_FIRST)}-{_END}]*){_END}")


def unexplained(said: Message, name: str, place: int) -> None:
    """Explain nothing: a `How` for numbers that are about to change."""


def told(sentences: Sequence[Message], lang: str, how: How) -> list[Told]:
    """Return sentences in a language, with the reasons of their numbers."""
    if how is unexplained:
        return [*write_all(sentences, lang)]
    return [_told(sentence, lang, how) for sentence in sentences]


def _told(sentence: Message, lang: str, how: How) -> Told:
    reasons: list[Reason] = []

    def mark(said: Message, name: str, place: int, written: str) -> str:
        if _nested(said, name, place):
            return written
        written = _MARKS.sub("�", written)
        reason = how(said, name, place)
        if reason is None:
            return written
        reasons.append(reason)
        return f"{chr(_FIRST + len(reasons) - 1)}{written}{_END}"

    first, *rest = _ASKED.split(sentence.marked(lang, mark))
    pieces: list[str | Asked] = [first]
    for sign, shown, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        reason = reasons[ord(sign) - _FIRST]
        pieces += [(shown, *reason.asked(lang)), after]
    return [piece for piece in pieces if piece] if reasons else first


def _nested(said: Message, name: str, place: int) -> bool:
    fact = said.facts[name]
    return isinstance(fact[place] if isinstance(fact, list | tuple) else fact, Message)
