"""What answers for each page besides Explore: quick updates and long runs, by the page's name."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps

from attention_core import InvalidInput
from visualiser.live import anatomy, cost, parts, train, why
from visualiser.live.asking import Ask
from visualiser.live.map import answers, passes
from visualiser.live.map import frame as map_frame
from visualiser.live.runs import Run
from visualiser.locale import text

log = logging.getLogger(__name__)

Frame = Callable[[Ask], Iterator[bytes]]
Long = Callable[[Ask, Run], Iterator[bytes]]


@dataclass(frozen=True)
class Live:
    """`frame` answers every move of a control at once; `run` is what the visitor starts with a button; `questions` are
    smaller things that the page's script asks for, by name."""

    frame: Frame
    run: Long | None = None
    questions: Mapping[str, Frame] = field(default_factory=dict)

    def answer(self, question: str | None) -> Frame | None:
        """What answers this question; None is the whole update."""
        return self.frame if question is None else self.questions.get(question)


def telling(answer: Callable[..., Iterator[bytes]]) -> Callable[..., Generator[bytes]]:
    """`answer`, with every problem as a last part that holds a sentence in the visitor's language."""

    @wraps(answer)
    def told(ask: Ask, *more: Run) -> Generator[bytes]:
        try:
            yield from answer(ask, *more)
        except InvalidInput as problem:
            yield parts.failure(text(ask.lang, f"error.{problem.code}", **problem.details))
        except Exception:
            log.exception("no answer for %r", ask.query)
            yield parts.failure(text(ask.lang, "error.server"))

    return told


LIVE: Mapping[str, Live] = {
    "why": Live(why.frame, questions={"curves": why.curves}),
    "map": Live(map_frame.frame, passes.run, answers.QUESTIONS),
    "anatomy": Live(anatomy.frame),
    "cost": Live(cost.frame, cost.run),
    "train": Live(train.frame, train.run),
}
"""By the page's name."""
