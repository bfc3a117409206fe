"""The protocol of a page: quick updates, smaller questions, long runs and files, each with its cost."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from attention_core import Cancelled, InvalidInput
from visualiser.locale import text
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import parts
from visualiser.server.live.asking import Ask
from visualiser.server.live.runs import Run
from visualiser.state import share

log = logging.getLogger(__name__)

Frame = Callable[[Ask], Iterator[bytes]]
Long = Callable[[Ask, Run], Iterator[bytes]]
Price = Callable[[Ask], Cost]


@dataclass(frozen=True)
class File:
    """A download: its name, its media type, the function that makes it piece by piece, and its price.

    `waits` is True for a link that asks what this file would answer; nothing of it is then computed or sent.
    """

    name: str
    media_type: str
    content: Frame
    price: Price
    waits: Callable[[Ask], bool]


def small(ask: Ask) -> Cost:
    """Price a page of points and curves, whatever its settings."""
    return SMALL


@dataclass(frozen=True)
class Live:
    """The answers of a page, each with its price; its package has it as `live.LIVE`.

    `frame` answers every move of a control at once. `run` is started by a button. `questions` are smaller requests of
    the page's script, by name. `files` are downloads.

    `shared` is True if frames and questions are pure functions of the question, so that one answer serves everybody.
    `first` makes what would keep the first visitor waiting; it runs once, before the process reports ready.
    """

    frame: tuple[Frame, Price]
    run: tuple[Long, Price] | None = None
    questions: Mapping[str, tuple[Frame, Price]] = field(default_factory=dict)
    files: Mapping[str, File] = field(default_factory=dict)
    shared: bool = True
    first: Callable[[], None] | None = None

    def answer(self, question: str | None) -> tuple[Frame, Price] | None:
        """Return the answer to this question; None stands for the whole update."""
        return self.frame if question is None else self.questions.get(question)


def telling(answer: Callable[..., Iterator[bytes]]) -> Callable[..., Generator[bytes]]:
    """Wrap `answer` so that each problem becomes a last part with a sentence in the visitor's language."""

    @wraps(answer)
    def told(ask: Ask, *more: Any) -> Generator[bytes]:
        try:
            yield from answer(ask, *more)
        except Cancelled:
            raise  # nobody is left to hear it
        except InvalidInput as problem:
            yield parts.failure(
                text(ask.lang, f"error.{problem.code}", **problem.details), share.canonical(ask.reading.state)
            )
        except Exception:
            log.exception("a page has no answer")
            yield parts.failure(text(ask.lang, "error.server"), share.canonical(ask.reading.state))

    return told
