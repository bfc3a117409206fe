"""A state of the Model page about which a question is posed, and what every question of the page is made of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeVar

from attention_core.changes import Change
from attention_core.learned import Said
from visualiser.figures.read_head import ReadHead
from visualiser.state.share import State

Offered = TypeVar("Offered", int, tuple[int, int])

CHOICES: Final = 6
"""Heads or keys that a question offers at most: the results of two votes stand beside a figure."""


@dataclass(frozen=True, eq=False)
class Posing:
    """What a question is posed about.

    corpus   the measures of all heads over the corpus
    changes  those that the model of `shown` runs with, as `attention_core` takes them
    own      the bytes of the visitor's picture or sound
    """

    state: State
    shown: ReadHead
    corpus: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    own: bytes = b""

    @property
    def said(self) -> Said | None:
        """What the model says, if that is a distribution over tokens."""
        found = None if self.shown.saying is None else self.shown.saying.after
        return found if isinstance(found, Said) and found.kind != "classes" else None

    @property
    def place(self) -> int | None:
        """The position of which a model speaks that says something of one alone."""
        shown = self.shown
        return shown.place(shown.row) if shown.run.between[shown.layer - 1][0] == 0 else None

    def changed(self, written: str) -> dict[str, str]:
        """Return what of the link becomes different with one change more."""
        before = str(self.state.own["changes"])
        return {"changes": f"{before},{written}" if before else written}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is asked, and what answers it.

    labels   the names of choices that only the page knows; None for a question with choices of its own
    asked    the facts of the question's sentence
    about    what the question is about: an answer holds until that changes
    rights   the right choices, the first to be named
    because  the facts of the sentence that gives the reason
    change   what of the link becomes different when it is answered
    """

    about: str
    rights: Sequence[str]
    because: Mapping[str, Any]
    labels: Mapping[str, str] | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)
    change: Mapping[str, str] = field(default_factory=dict)


def some(first: Offered, others: Iterable[Offered]) -> list[Offered]:
    """Return the right one and the first of the others, in the order in which the page shows them."""
    return sorted(islice(dict.fromkeys((first, *others)), CHOICES))
