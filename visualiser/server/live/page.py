"""What answers for each page: quick updates, smaller questions and long runs, by the page's name, with their costs."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from attention_core import Cancelled, InvalidInput
from visualiser.locale import text
from visualiser.pages.anatomy import live as anatomy
from visualiser.pages.cost import live as cost
from visualiser.pages.explore import live as frame
from visualiser.pages.map import answers, passes
from visualiser.pages.map import live as map_frame
from visualiser.pages.train import live as train
from visualiser.pages.why import live as why
from visualiser.server.admission.cost import Cost
from visualiser.server.live import costs, parts
from visualiser.server.live.asking import Ask
from visualiser.server.live.runs import Run

log = logging.getLogger(__name__)

Frame = Callable[[Ask], Iterator[bytes]]
Long = Callable[[Ask, Run], Iterator[bytes]]
Price = Callable[[Ask], Cost]


@dataclass(frozen=True)
class Live:
    """`frame` answers every move of a control at once; `run` is what the visitor starts with a button; `questions` are
    smaller things that the page's script asks for, by name. Each stands beside what it costs.

    `shared`: whether frames and questions are pure functions of what is asked, so that one answer serves all who ask.
    """

    frame: tuple[Frame, Price]
    run: tuple[Long, Price] | None = None
    questions: Mapping[str, tuple[Frame, Price]] = field(default_factory=dict)
    shared: bool = True

    def answer(self, question: str | None) -> tuple[Frame, Price] | None:
        """What answers this question; None is the whole update."""
        return self.frame if question is None else self.questions.get(question)


def telling(answer: Callable[..., Iterator[bytes]]) -> Callable[..., Generator[bytes]]:
    """`answer`, with every problem as a last part that holds a sentence in the visitor's language."""

    @wraps(answer)
    def told(ask: Ask, *more: Any) -> Generator[bytes]:
        try:
            yield from answer(ask, *more)
        except Cancelled:
            raise  # nobody is there to be told
        except InvalidInput as problem:
            yield parts.failure(text(ask.lang, f"error.{problem.code}", **problem.details))
        except Exception:
            log.exception("a page has no answer")
            yield parts.failure(text(ask.lang, "error.server"))

    return told


def _row(ask: Ask) -> Iterator[bytes]:
    return frame.rows(ask, ask.extra["row"])


LIVE: Mapping[str, Live] = {
    "explore": Live((frame.frame, costs.frame), questions={"row": (_row, costs.row)}),
    "why": Live((why.frame, costs.why_point), questions={"curves": (why.curves, costs.why_curves)}),
    "map": Live(
        (map_frame.frame, costs.map_plan),
        (passes.run, costs.map_run),
        {name: (answer, costs.MAP[name]) for name, answer in answers.QUESTIONS.items()},
        shared=False,
    ),
    "anatomy": Live((anatomy.frame, costs.anatomy)),
    "cost": Live((cost.frame, costs.small), (cost.run, costs.cost_run)),
    "train": Live((train.frame, costs.small), (train.run, costs.training)),
}
"""By the page's name."""
