"""The Map page's quick update: the state of the controls, and the plan for it on this machine."""

from collections.abc import Iterator
from dataclasses import replace

from visualiser.locale.message import message
from visualiser.pages.map import answers, calibration, passes, predicted, price
from visualiser.pages.map.fitting import Fitting, fitting
from visualiser.pages.map.reasons import of_plan
from visualiser.pages.map.sequence import most_read, subject
from visualiser.predictions import without_unavailable_question
from visualiser.reasons.explained import explained
from visualiser.server.live import parts, runs, wire
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield the state as it was read, then the plan: moving a control begins nothing long."""
    state, notices, requested = subject(request)
    fitted = fitting(requested)
    shown = fitted.shown
    shown_head = min(state.view.head, shown.h)
    state = replace(state, view=replace(state.view, head=shown_head))
    posed = predicted.pose_question(state, shown)
    state, notices = without_unavailable_question(state, posed is not None, notices)
    # A text's and a file's own sizes are not the link's, but the controls show them; all of it, even if less fits.
    values = share.as_values(state) | {"n": requested.n_q, "h": requested.h, "d_k": requested.d_k}
    yield parts.state(state, notices, controls=values)
    if posed:
        yield posed.part(state.lang)
    yield plan(fitted, state.lang)


def plan(fitted: Fitting, lang: str) -> bytes:
    """Return the plan: the tokens to map and their time, the longest sequence here, the runs before this one."""
    before, how = runs.before_a_newcomer(), of_plan(fitted.shown.config.source)
    sentences = [message("map.plan", n=fitted.shown.longest, seconds=float(f"{fitted.reading + fitted.seconds:.1g}"))]
    limit = fitted.limit
    if fitted.shown.config.source == "model":
        limit = min(limit, most_read(fitted.shown.config))  # what it reads here, whatever the page takes
    elif not fitted.cut and fitted.by_time:
        sentences.append(message("map.plan_limit_time", limit=limit, longest=round(calibration.SECONDS)))
    elif not fitted.cut:
        sentences.append(message("map.plan_limit", limit=limit))
    if before:
        sentences.append(message("map.plan_before", before=before, at_once=runs.AT_ONCE))
    header = {
        "part": "plan",
        "n": fitted.shown.longest,
        "limit": limit,
        "expected_seconds": fitted.reading + fitted.seconds,
        "before": before,
        "sentences": explained(sentences, lang, how),
        "cut": explained(fitted.sentences(), lang, how),
        "trained": None if fitted.shown.trained is None else fitted.shown.trained.own,
    }
    return wire.Part().close(header)


LIVE = Live(
    (frame, price.plan),
    (passes.run, price.run),
    {name: (answer, price.QUESTIONS[name]) for name, answer in answers.QUESTIONS.items()},
    shared=False,
)
