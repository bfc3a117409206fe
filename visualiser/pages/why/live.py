"""The Why √d_k page: one d_k at every move of a control, and the curves over all of them as a separate stream.

The two are separate because a drag moves along d_k alone: it must not wait for the sweep, and the sweep does not
change. While controls are moving (`light`) only the parts of the drag are sent, the rest when they rest.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from visualiser import predictions
from visualiser.figures.point import Point
from visualiser.figures.swept import Plan, Points
from visualiser.pages.why import DRAGGED, RESTING, SWEEP, comparisons, price
from visualiser.pages.why import point as why_point
from visualiser.pages.why import reasons as why_reasons
from visualiser.pages.why.comparisons import Comparison
from visualiser.reasons.explained import explained, unexplained
from visualiser.server.admission.cost import Cost
from visualiser.server.live import parts, predicting
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters, share
from visualiser.state.view import View

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
    compared = comparisons.of(state)
    if predictions.is_question_requested(state):
        about = compared.about(config, state.own["seeds"])
        yield predicting.question_part(compared.asked.choice, lang, about=about, **compared.facts(config))
    view = replace(state.view, columns=request.columns, theme=request.theme)
    point = Point(config, why_point.results(config))
    # the numbers of a drag are explained when it rests
    found = {**point.results, **why_point.further(config, compared.further)}
    how = unexplained if request.light else why_reasons.reasons(found)
    insight = explained(why_point.insight(config, found, compared.here), lang, how)
    # The maps go first: the eye follows them in a drag.
    first, *others = DRAGGED
    yield parts.shown([first], point, view, structures, insight=insight)
    for figure in others:
        yield parts.shown([figure], point, view, structures)
    if not request.light:
        yield parts.shown(RESTING, point, view, structures)


def curves(request: PageRequest) -> Iterator[bytes]:
    """Yield the curves as they grow; the last picture brings the table, sentences and, if predicted, the verdict."""
    state, _ = shown_state(request)
    config, lang, structures = state.config, state.lang, parts.Structures(request.known)
    compared = comparisons.of(state)
    plan = compared.planned(state)
    view = View(lang=lang, columns=request.columns, theme=request.theme)
    points: list[Any] = []
    drawn = time.monotonic()
    for point in compared.run(plan):
        points.append(point)
        if time.monotonic() - drawn > _BEAT:
            drawn = time.monotonic()
            drawing = SWEEP.drawing(compared.swept(config, plan, points), view)
            yield parts.figures({SWEEP.name: drawing}, structures, done=False)
    how = why_reasons.of_sweep(plan, points)
    verdict = judged(request, compared, plan, points)
    if verdict:
        yield predicting.verdict_part(compared.asked.choice, verdict, lang, how)
    insight = explained(compared.asked.outcome(plan, points), lang, how)
    swept = compared.swept(config, plan, points)
    yield parts.shown([SWEEP], swept, view, structures, insight=insight, with_arithmetic=True, done=True)


def arithmetic_of(request: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table; that of the sweep comes with its table."""
    state, _ = shown_state(request)
    point = Point(state.config, why_point.results(state.config))
    yield parts.arithmetic_of((*DRAGGED, *RESTING), point, View(lang=state.lang), request)


def judged(request: PageRequest, compared: Comparison, plan: Plan, points: Points) -> predictions.Verdict | None:
    """Compare the visitor's answer with the curves; None without an answer."""
    asked = compared.asked
    verdict = predictions.judged(asked.choice, request.extra, asked.fallen(plan, points).right)
    if verdict is None:
        return None
    return replace(verdict, sentences=[*verdict.sentences[:-1], *asked.outcome(plan, points)])


def curves_price(request: PageRequest) -> Cost:
    """Return the cost of the chosen curves."""
    state, _ = shown_state(request)
    compared = comparisons.of(state)
    return compared.cost(compared.planned(state))


def point_price(request: PageRequest) -> Cost:
    """Price the answer for the marked d_k, with what is told of the link's curves there."""
    return price.point(request, len(comparisons.of(shown_state(request)[0]).further))


LIVE: Final = Live(
    (frame, point_price),
    subrequests={"curves": (curves, curves_price), "arithmetic": (arithmetic_of, price.point)},
)
