"""The Map page's quick update: the state of the controls, and the plan for it on this machine."""

from collections.abc import Iterator
from dataclasses import replace

from visualiser.gpu import page_device
from visualiser.locale.said import say
from visualiser.pages.map import answers, calibration, passes, predicted, price
from visualiser.pages.map.reasons import of_plan
from visualiser.pages.map.sequence import Subject, subject
from visualiser.predictions import settled
from visualiser.reasons.told import told
from visualiser.server.live import parts, runs, wire
from visualiser.server.live.asking import Ask
from visualiser.server.live.page import Live
from visualiser.state import share


def frame(ask: Ask) -> Iterator[bytes]:
    """Yield the state as it was read, then the plan: moving a control begins nothing long."""
    state, notices, shown = subject(ask)
    shown_head = min(state.view.head, shown.h)
    state = replace(state, view=replace(state.view, head=shown_head))
    posed = predicted.posed(state, shown)
    state, notices = settled(state, posed is not None, notices)
    # A text's and a file's own sizes are not the link's, but the controls show them.
    values = share.as_values(state) | {"n": shown.n_q, "h": shown.h, "d_k": shown.d_k}
    yield parts.state(state, notices, controls=values)
    if posed:
        yield posed.asked(state.lang)
    yield plan(shown, state.lang)


def plan(shown: Subject, lang: str) -> bytes:
    """Return the plan: the longest sequence here, the time it will take, and the number of runs waiting before it."""
    device, config = page_device(), shown.config
    n = max(shown.n_q, shown.n_k)
    limit = calibration.limit(config, shown.h, shown.d_k, device)
    speed = calibration.speed(device)
    seconds = speed.seconds(config, shown.h, shown.n_q, shown.n_k, shown.d_k)
    before = runs.before_a_newcomer()
    too_large = n > limit
    said = {"n": n, "limit": limit}
    timed = said | {"seconds": float(f"{seconds:.1g}"), "longest": round(calibration.SECONDS)}
    if not too_large:
        sentences = [say("map.plan", **timed)]
    elif speed.seconds(config, shown.h, limit + 1, limit + 1, shown.d_k) > calibration.SECONDS:
        sentences = [say("map.plan_too_slow", **timed)]
    else:
        sentences = [say("map.plan_too_large", **said)]
    if before and not too_large:
        sentences.append(say("map.plan_before", before=before, at_once=runs.AT_ONCE))
    header = {
        "part": "plan",
        "n": n,
        "limit": limit,
        "expected_seconds": seconds,
        "too_large": too_large,
        "fits": _round(limit) if too_large and config.source in ("gaussian", "structured") else None,
        "before": before,
        "sentences": told(sentences, lang, of_plan()),
    }
    return wire.Part().close(header)


def _round(limit: int) -> int:
    """Return a round number of tokens within `limit`: two digits of it."""
    unit = 10 ** max(0, len(str(limit)) - 2)
    return limit // unit * unit


LIVE = Live(
    (frame, price.plan),
    (passes.run, price.run),
    {name: (answer, price.QUESTIONS[name]) for name, answer in answers.QUESTIONS.items()},
    shared=False,
)
