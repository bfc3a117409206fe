"""The Cost page: a measurement that grows point by point, with its figures, table and sentences."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Final

from attention_core import AttentionConfig, CostConfig, CostPoint, measure_costs
from attention_core.mechanisms.operations import Operations
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import PASSES
from visualiser import predictions
from visualiser.figures.measurement import Measurement
from visualiser.gpu import device_name
from visualiser.locale.message import Message
from visualiser.pages.cost import FIGURES, sentences
from visualiser.pages.cost.price import MEASURED, measurement_cost
from visualiser.pages.cost.reasons import reasons
from visualiser.reasons.explained import explained
from visualiser.server.admission.cost import Cost
from visualiser.server.live import parts, predicting
from visualiser.server.live.page import Live, small
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.shipped import shipped
from visualiser.state import parameters, share
from visualiser.state.view import View

SIZES: Final = {"n": (32, 64, 128, 256, 512, 1024, 2048), "d_k": (8, 16, 32, 64, 128, 256, 512, 1024)}
"""The sizes of a measurement; one that would leave a bound is marked and not run."""

SHIPPED: Final = {"n": "cost", "d_k": "cost_d_k"}
"""The measurement that is shipped for each size that may be varied (`visualiser.shipped`)."""

SECONDS, TOTAL, BYTES = 0.3, 45.0, MEASURED
"""The most that one call, the whole measurement and its tensors may take.

A call is one torch operation forward and one backward, and nothing stops it: if the visitor leaves, the measurement
stops between these.
"""

BETWEEN: Final = 0.7
"""Seconds between two pictures of a run: a browser that draws all the time hears no button."""


def experiment(config: AttentionConfig, varied: str) -> CostConfig:
    """Return the measurement of a state of the page."""
    return CostConfig(
        varied=varied,
        sizes=SIZES[varied],
        n=config.n,
        d_k=config.d_k,
        seed=config.seed,
        seconds=SECONDS,
        total=TOTAL,
        bytes=BYTES,
        measuring=0.08,
    )


def shown_state(request: PageRequest) -> tuple[share.State, tuple[str, ...]]:
    """Return the link's state, without a text or file, and the notices.

    This page measures draws of its own sizes: with another page's text or file as the source, the link would omit the
    sizes.
    """
    reading = request.reading
    config = reading.state.config
    n = parameters.beginning("cost").n if config.source == "text" else config.n  # the text's own n is not this page's
    return replace(reading.state, config=replace(config, source="gaussian", n=n)), reading.notices


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield the state, then the shipped measurement or, without it, empty axes and the plan of a run.

    The shipped measurement is shown if its settings are these; while a question is posed, after the visitor's answer.
    """
    state, notices = shown_state(request)
    lang, config = state.lang, experiment(state.config, str(state.own["varied"]))
    kept = shipped(SHIPPED[config.varied])
    there = kept.settings == settings(config)
    asks = predictions.is_question_requested(state)
    shown = there and (not asks or request.extra.get("reveal") is True)
    yield parts.state(state, notices, shipped=there, origin=kept.origin(lang) if shown else None)
    if asks:
        yield predicting.question_part(sentences.RATIO, lang, about=f"{config.varied} {config.n} {config.d_k}")
    if request.extra.get("keep") is True:
        return  # the live measurement stays on the screen
    points = [point_from(entry) for entry in kept.results] if shown else []
    found = sentences.facts(points)
    insight = sentences.insight(found, config) if shown else sentences.plan(config)
    yield _figures(config, points, _view(request), parts.Structures(tuple(request.known)), insight)
    yield from _verdict(request, config, points, found, lang)


def run(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Yield the measurement as it grows."""
    state = request.reading.state
    lang, config = state.lang, experiment(state.config, str(state.own["varied"]))
    structures, points = parts.Structures(tuple(request.known)), list[CostPoint]()
    wanted, drawn = len(config.sizes) * len(CONTENDERS) * len(PASSES), 0.0
    plan = sentences.plan(config)  # not an earlier result's sentences
    for point in measure_costs(config, device=device_name()):
        if run.cancelled():
            return
        points.append(point)
        if time.monotonic() - drawn >= BETWEEN:
            yield _figures(config, points, _view(request), structures, plan, at_rest=False)
            plan, drawn = [], time.monotonic()
        yield parts.progress(len(points) / wanted, remaining(config, points))
    found = sentences.facts(points)
    yield _figures(config, points, _view(request), structures, sentences.insight(found, config))
    yield from _verdict(request, config, points, found, lang)
    yield parts.ended()


def _verdict(
    request: PageRequest, config: CostConfig, points: Sequence[CostPoint], found: sentences.Facts, lang: str
) -> Iterator[bytes]:
    verdict = sentences.verdict(found, request.extra)
    if verdict:
        yield predicting.verdict_part(sentences.RATIO, verdict, lang, reasons(config, points))


def remaining(config: CostConfig, points: Sequence[CostPoint]) -> float:
    """Estimate the seconds left, by the pace of each contender so far (a guess if it has none)."""
    there = {(point.contender, point.passes, point.size) for point in points}
    pace = {(p.contender, p.passes): p.fastest / p.operations.total for p in points if p.fastest}
    left = 0.0
    for size in config.sizes:
        for name, contender in CONTENDERS.items():
            for passes in PASSES:
                operations = contender.operations(*config.shape(size), passes == "forward_backward").total
                call = operations * pace.get((name, passes), 0.0)
                if (name, passes, size) not in there and call <= config.seconds:
                    left += max(config.measuring, 4 * call)
    return left


def settings(config: CostConfig) -> dict[str, object]:
    """Return the settings that a shipped measurement must share: all but bounds and repetitions."""
    fixed = {"n": config.n, "d_k": config.d_k}
    del fixed[config.varied]  # the sizes replace it
    return {"varied": config.varied, "sizes": list(config.sizes), **fixed, "seed": config.seed}


def point_from(entry: dict[str, object]) -> CostPoint:
    """Return a point that `dataclasses.asdict` wrote."""
    operations = entry["operations"]
    if not isinstance(operations, dict):
        raise TypeError(operations)
    return CostPoint(**{**entry, "operations": Operations(**operations)})  # pyright: ignore[reportArgumentType]


def to_json(points: Sequence[CostPoint]) -> list[dict[str, object]]:
    """Return points as `point_from` reads them."""
    return [asdict(point) for point in points]


def _figures(
    config: CostConfig,
    points: Sequence[CostPoint],
    view: View,
    structures: parts.Structures,
    sentences: Sequence[Message],
    *,
    at_rest: bool = True,
) -> bytes:
    shown = explained(sentences, view.lang, reasons(config, points)) or None
    return parts.shown(FIGURES, Measurement(config, points), view, structures, with_arithmetic=at_rest, insight=shown)


def _view(request: PageRequest) -> View:
    return View(lang=request.lang, columns=request.columns, theme=request.theme)


def _price(request: PageRequest) -> Cost:
    """Return the cost of a measurement of the Cost page."""
    state = request.reading.state
    return measurement_cost(experiment(state.config, str(state.own["varied"])))


LIVE: Final = Live((frame, small), (run, _price))
