"""From a page's table of reasons to the reason of each fact: for every sentence, a function for every fact."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from visualiser.locale.message import SHORT, Message
from visualiser.reasons.explained import How, Reason

Subject = TypeVar("Subject")

Why = Callable[[Subject, Message], Reason | None]
"""Return the reason of one fact of a sentence about a subject: a result, a run, a map."""


def from_table(table: Mapping[str, Mapping[str, Why[Subject]]], subject: Subject) -> How:
    """Return the reasons of a page's sentences about one subject.

    A key of `table` is a sentence's, or its beginning up to a point. The gist of a sentence has the reasons of the
    sentence. A fact that is not listed names a thing, such as a query, and is no quantity. A number that comes twice is
    explained once.
    """
    known: dict[Any, Reason | None] = {}

    def how(sentence: Message, name: str, place: int) -> Reason | None:
        why = _of(table, sentence.key).get(name)
        if why is None:
            return None
        fact = sentence.facts[name]
        case = (why, tuple(fact) if isinstance(fact, list) else fact, place)
        if case not in known:
            known[case] = why(subject, sentence)
        return known[case]

    return how


def _of(table: Mapping[str, Mapping[str, Why[Subject]]], key: str) -> Mapping[str, Why[Subject]]:
    found = table.get(key)
    if found is None and key.startswith(SHORT):
        return _of(table, key.removeprefix(SHORT))
    return table.get(key[: key.rfind(".") + 1], {}) if found is None else found
