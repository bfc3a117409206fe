"""The Why √d_k page: one d_k at every move of a control, and the sweep over all of them as a separate stream.

The two are separate because a drag moves along d_k alone: it must not wait for the sweep, and the sweep does not
change. While controls are moving (`light`) only the parts of the drag are sent, the rest when they rest.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig, SweepConfig, SweepPoint, softmax_accuracies, sweep, temperature
from visualiser import predictions
from visualiser.figures.plots.mechanisms import maps_drawing, scores_drawing
from visualiser.figures.plots.numerics import drawing as numerics_drawing
from visualiser.figures.plots.sweep import drawing as sweep_drawing
from visualiser.figures.plots.temperature import drawing as temperature_drawing
from visualiser.locale.message import Message, write_all
from visualiser.pages.why import QUESTIONS, price
from visualiser.pages.why import numerics as why_numerics
from visualiser.pages.why import point as why_point
from visualiser.pages.why import reasons as why_reasons
from visualiser.pages.why import sweep as why_sweep
from visualiser.reasons.told import told, unexplained
from visualiser.server.live import parts
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters, share
from visualiser.state.view import View
from visualiser.tables import Table

QUESTION: Final = predictions.Choice(*QUESTIONS, why_sweep.CHOICES)

_BEAT: Final = 0.1  # seconds between two pictures of a growing sweep; the browser needs about half of that to draw one
_KEPT: Final = ("n", "d_k", "scaling", "scale", "seed")


def shown_state(ask: PageRequest) -> tuple[share.State, tuple[str, ...]]:
    """Return the link's state, reduced to this page: all mechanisms in one head of footnote 4's draws."""
    reading = ask.reading
    given = {name: getattr(reading.state.config, name) for name in _KEPT}
    if reading.state.config.source == "text":
        del given["n"]  # the text's own
    config = replace(parameters.beginning("why"), **given)
    return replace(reading.state, config=config, pinned="", view=reading.state.view.only("colour")), reading.notices


def frame(ask: PageRequest) -> Iterator[bytes]:
    """Yield the answer for the marked d_k: maps and scores first, then the parts that a drag can do without."""
    state, notices = shown_state(ask)
    config, lang, structures = state.config, state.lang, parts.Structures(ask.known)
    yield parts.state(state, notices)
    if predictions.is_question_requested(state):
        about = f"{config.n} {config.seed} {state.own['seeds']}"
        yield predictions.question_part(QUESTION, lang, about=about, n=config.n)
    view = replace(state.view, columns=ask.columns, theme=ask.theme)
    results = why_point.results(config)
    # the numbers of a drag can be asked when it rests
    how = unexplained if ask.light else why_reasons.reasons(results)
    # The maps go first: the eye follows them in a drag.
    yield parts.figures(
        {"mechanism-maps": maps_drawing(results, view)},
        structures,
        lang=lang,
        tables={"mechanism-maps": why_point.maps_table(results, lang)},
        summaries={"mechanism-maps": _told(why_point.maps_summary(results), lang)},
        insight=told(why_point.insight(config, results), lang, how),
    )
    yield parts.figures(
        {"mechanism-scores": scores_drawing(results, view)},
        structures,
        lang=lang,
        tables={"mechanism-scores": why_point.scores_table(results, lang)},
        summaries={"mechanism-scores": _told(why_point.scores_summary(results), lang)},
    )
    if ask.light:
        return
    present = why_point.present(config, results)
    found, accuracies = temperature(present), softmax_accuracies(present.masked)
    yield parts.figures(
        {
            "temperature": temperature_drawing(found, config.d_k, config.factor, lang, view),
            "numerics": numerics_drawing(accuracies, lang, view),
        },
        structures,
        lang=lang,
        tables={
            "temperature": why_point.temperature_table(found, config.n, lang),
            "numerics": why_numerics.table(accuracies, lang),
        },
        summaries={
            "temperature": _told(why_point.temperature_summary(found, config), lang),
            "numerics": _told(why_numerics.summary(accuracies, present), lang),
        },
    )


def curves(ask: PageRequest) -> Iterator[bytes]:
    """Yield the sweep as it grows; the last picture brings the table, the sentences and, if predicted, the verdict."""
    state, _ = shown_state(ask)
    config, lang, structures = state.config, state.lang, parts.Structures(ask.known)
    asked = sweep_config(config, state.own["seeds"])
    view = View(lang=lang, columns=ask.columns, theme=ask.theme)
    points: list[SweepPoint] = []
    drawn = time.monotonic()
    for point in sweep(asked):
        points.append(point)
        if time.monotonic() - drawn > _BEAT:
            drawn = time.monotonic()
            drawing = sweep_drawing(asked, points, config.d_k, lang, view)
            yield parts.figures({"sweep": drawing}, structures, done=False)
    verdict = judged(ask, asked, points)
    if verdict:
        yield predictions.verdict_part(QUESTION, verdict, lang, why_reasons.of_sweep(asked, points))
    yield parts.figures(
        {"sweep": sweep_drawing(asked, points, config.d_k, lang, view)},
        structures,
        lang=lang,
        tables={"sweep": why_sweep.table(asked, points, lang)},
        summaries={"sweep": _told(why_sweep.summary(asked, points), lang)},
        insight=told(why_sweep.outcome(asked, points), lang, why_reasons.of_sweep(asked, points)),
        with_arithmetic=True,
        done=True,
    )


def arithmetic_of(ask: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table; that of the sweep comes with its table."""
    state, _ = shown_state(ask)
    lang, results = state.lang, why_point.results(state.config)
    present = why_point.present(state.config, results)
    shown: Table | None = None
    match ask.extra.get("table"):
        case "mechanism-maps":
            shown = why_point.maps_table(results, lang)
        case "mechanism-scores":
            shown = why_point.scores_table(results, lang)
        case "temperature":
            shown = why_point.temperature_table(temperature(present), state.config.n, lang)
        case "numerics":
            shown = why_numerics.table(softmax_accuracies(present.masked), lang)
    yield parts.arithmetic(shown, ask)


def judged(ask: PageRequest, config: SweepConfig, points: Sequence[SweepPoint]) -> predictions.Verdict | None:
    """Compare the visitor's answer with the sweep; None without an answer."""
    right = why_sweep.fallen(config, points).right
    verdict = predictions.judged(QUESTION, ask.extra, right, **why_sweep.ends(points))
    if verdict is None:
        return None
    return replace(verdict, sentences=[*verdict.sentences[:-1], *why_sweep.outcome(config, points)])


def _told(sentences: Sequence[Message], lang: str) -> str:
    return " ".join(write_all(sentences, lang))


def sweep_config(config: AttentionConfig, seeds: int) -> SweepConfig:
    """Return the sweep of this point: the same n; the point's seed is the first."""
    return SweepConfig(n=config.n, seed=config.seed, seeds=seeds)


LIVE: Final = Live(
    (frame, price.point),
    subrequests={"curves": (curves, price.curves), "arithmetic": (arithmetic_of, price.point)},
)
