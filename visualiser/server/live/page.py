"""The answers of a page: updates, subrequests, long runs and files, each with its price."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from attention_core import Cancelled, InvalidInput
from visualiser.locale import text
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import share

log = logging.getLogger(__name__)

Frame = Callable[[PageRequest], Iterator[bytes]]
Long = Callable[[PageRequest, Run], Iterator[bytes]]
Price = Callable[[PageRequest], Cost]


@dataclass(frozen=True)
class File:
    """A download: its name, its media type, the function that makes it piece by piece, and its price.

    `is_withheld` is True for a link that asks what this file would answer: it is then refused.
    """

    name: str
    media_type: str
    content: Frame
    price: Price
    is_withheld: Callable[[PageRequest], bool]


def small(request: PageRequest) -> Cost:
    """Price a page of points and curves, whatever its settings."""
    return SMALL


@dataclass(frozen=True)
class Live:
    """The answers of a page, each with its price; its package has it as `live.LIVE`.

    `frame` answers every move of a control at once. `run` is started by a button. `subrequests` are smaller requests of
    the page's script, by name. `files` are downloads.

    `shared` is True if all answers are pure functions of the request, so that one answer serves everybody.
    `prepare` makes what would keep the first visitor waiting; it runs once, before the process reports ready.
    """

    frame: tuple[Frame, Price]
    run: tuple[Long, Price] | None = None
    subrequests: Mapping[str, tuple[Frame, Price]] = field(default_factory=dict)
    files: Mapping[str, File] = field(default_factory=dict)
    shared: bool = True
    prepare: Callable[[], None] | None = None

    def answer(self, question: str | None) -> tuple[Frame, Price] | None:
        """Return the answer to the subrequest of this name; None stands for the whole update."""
        return self.frame if question is None else self.subrequests.get(question)


def with_error_part(answer: Callable[..., Iterator[bytes]]) -> Callable[..., Generator[bytes]]:
    """Wrap `answer` so that each problem becomes a last part with a sentence in the visitor's language."""

    @wraps(answer)
    def guarded(request: PageRequest, *more: Any) -> Generator[bytes]:
        try:
            yield from answer(request, *more)
        except Cancelled:
            raise  # nobody is left to hear it
        except InvalidInput as problem:
            yield parts.failure(
                text(request.lang, f"error.{problem.code}", **problem.details), share.canonical(request.reading.state)
            )
        except Exception:
            log.exception("a page has no answer")
            yield parts.failure(text(request.lang, "error.server"), share.canonical(request.reading.state))

    return guarded
