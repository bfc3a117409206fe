"""The Why √d_k page: one d_k at every move of a control, and the sweep over all of them as a separate stream.

The two are separate because a drag moves along d_k alone: it must not wait for the sweep, and the sweep does not
change. While controls are moving (`light`) only the parts of the drag are sent, the rest when they rest.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig, SweepConfig, SweepPoint, sweep
from visualiser import predictions
from visualiser.figures.point import Point
from visualiser.figures.swept import Swept, ends
from visualiser.pages.why import DRAGGED, QUESTIONS, RESTING, SWEEP, price
from visualiser.pages.why import outcome as why_outcome
from visualiser.pages.why import point as why_point
from visualiser.pages.why import reasons as why_reasons
from visualiser.reasons.explained import explained, unexplained
from visualiser.server.live import parts, predicting
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters, share
from visualiser.state.view import View

QUESTION: Final = predictions.Choice(*QUESTIONS, why_outcome.CHOICES)

_BEAT: Final = 0.1  # seconds between two pictures of a growing sweep; the browser needs about half of that to draw one
_KEPT: Final = ("n", "d_k", "scaling", "scale", "seed")


def shown_state(request: PageRequest) -> tuple[share.State, tuple[str, ...]]:
    """Return the link's state, reduced to this page: all mechanisms in one head of footnote 4's draws."""
    reading = request.reading
    given = {name: getattr(reading.state.config, name) for name in _KEPT}
    if reading.state.config.source == "text":
        del given["n"]  # the text's own
    config = replace(parameters.beginning("why"), **given)
    return replace(reading.state, config=config, pinned="", view=reading.state.view.only("colour")), reading.notices


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield the answer for the marked d_k: maps and scores first, then the parts that a drag can do without."""
    state, notices = shown_state(request)
    config, lang, structures = state.config, state.lang, parts.Structures(request.known)
    yield parts.state(state, notices)
    if predictions.is_question_requested(state):
        about = f"{config.n} {config.seed} {state.own['seeds']}"
        yield predicting.question_part(QUESTION, lang, about=about, n=config.n)
    view = replace(state.view, columns=request.columns, theme=request.theme)
    point = Point(config, why_point.results(config))
    # the numbers of a drag are explained when it rests
    how = unexplained if request.light else why_reasons.reasons(point.results)
    insight = explained(why_point.insight(config, point.results), lang, how)
    # The maps go first: the eye follows them in a drag.
    first, *others = DRAGGED
    yield parts.shown([first], point, view, structures, insight=insight)
    for figure in others:
        yield parts.shown([figure], point, view, structures)
    if not request.light:
        yield parts.shown(RESTING, point, view, structures)


def curves(request: PageRequest) -> Iterator[bytes]:
    """Yield the sweep as it grows; the last picture brings the table, the sentences and, if predicted, the verdict."""
    state, _ = shown_state(request)
    config, lang, structures = state.config, state.lang, parts.Structures(request.known)
    sweep_settings = sweep_config(config, state.own["seeds"])
    view = View(lang=lang, columns=request.columns, theme=request.theme)
    points: list[SweepPoint] = []
    drawn = time.monotonic()
    for point in sweep(sweep_settings):
        points.append(point)
        if time.monotonic() - drawn > _BEAT:
            drawn = time.monotonic()
            drawing = SWEEP.drawing(Swept(sweep_settings, points, config.d_k), view)
            yield parts.figures({SWEEP.name: drawing}, structures, done=False)
    verdict = judged(request, sweep_settings, points)
    if verdict:
        yield predicting.verdict_part(QUESTION, verdict, lang, why_reasons.of_sweep(sweep_settings, points))
    insight = explained(why_outcome.outcome(sweep_settings, points), lang, why_reasons.of_sweep(sweep_settings, points))
    swept = Swept(sweep_settings, points, config.d_k)
    yield parts.shown([SWEEP], swept, view, structures, insight=insight, with_arithmetic=True, done=True)


def arithmetic_of(request: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table; that of the sweep comes with its table."""
    state, _ = shown_state(request)
    point = Point(state.config, why_point.results(state.config))
    yield parts.arithmetic_of((*DRAGGED, *RESTING), point, View(lang=state.lang), request)


def judged(request: PageRequest, config: SweepConfig, points: Sequence[SweepPoint]) -> predictions.Verdict | None:
    """Compare the visitor's answer with the sweep; None without an answer."""
    right = why_outcome.fallen(config, points).right
    verdict = predictions.judged(QUESTION, request.extra, right, **ends(points))
    if verdict is None:
        return None
    return replace(verdict, sentences=[*verdict.sentences[:-1], *why_outcome.outcome(config, points)])


def sweep_config(config: AttentionConfig, seeds: int) -> SweepConfig:
    """Return the sweep of this point: the same n; the point's seed is the first."""
    return SweepConfig(n=config.n, seed=config.seed, seeds=seeds)


LIVE: Final = Live(
    (frame, price.point),
    subrequests={"curves": (curves, price.curves), "arithmetic": (arithmetic_of, price.point)},
)
