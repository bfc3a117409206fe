"""One update of the Explore page: from a link to the bytes that the browser paints.

Two parts go out as soon as they are ready: first the heat maps, which the eye follows during a drag, then the panels
below, their tables and the sentences. Both come from one result. A light frame, asked for while a control is moving,
holds the same pictures without tables and sentences; the page asks for those when the drag rests. Nothing is kept
between two requests: an upload travels with each of them.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import AttentionResult, checkpoint, compute, compute_rows
from attention_core.result.compute import adopted
from visualiser.figures.boxes import BOXED
from visualiser.figures.drawing import Drawing
from visualiser.figures.pinned_overlay import pinned_overlay, with_before
from visualiser.figures.plots.compare import drawing as compare_drawing
from visualiser.figures.plots.entropy import drawing as entropy_drawing
from visualiser.figures.plots.gradient import drawing as gradient_drawing
from visualiser.figures.plots.heat_maps import drawing as heat_maps_drawing
from visualiser.figures.plots.jacobian import drawing as jacobian_drawing
from visualiser.figures.plots.row_weights import drawing as row_weights_drawing
from visualiser.figures.plots.score_distribution import drawing as score_distribution_drawing
from visualiser.gpu import page_device
from visualiser.locale import text
from visualiser.pages.explore import arithmetic, questions
from visualiser.pages.explore.next_step import suggestion
from visualiser.pages.explore.reasons import reasons
from visualiser.pages.explore.sentences import insight
from visualiser.predictions import verdict_part, without_unavailable_question
from visualiser.reasons.told import told, unexplained
from visualiser.server.live import parts, wire
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.view import View
from visualiser.summaries import beside, summary
from visualiser.tables import Table, difference_table, table
from visualiser.upload import read_upload

Draw = Callable[[AttentionResult, View], Drawing]

PANELS: Mapping[str, Draw] = {
    "score-distribution": score_distribution_drawing,
    "entropy": entropy_drawing,
    "gradient": gradient_drawing,
}
"""The figures beside the heat maps, in the order in which they are sent."""

ROW: Mapping[str, Draw] = {"row-weights": row_weights_drawing, "jacobian": jacobian_drawing}
"""One row in detail: drawn and sent only if a row is locked."""


def frame(ask: PageRequest) -> Iterator[bytes]:
    """Yield the parts of one update."""
    state, notices = shown_state(ask)
    result, other = results(state, ask)
    view = view_of(state, result, ask)
    light = ask.light
    posed = questions.posed(state, result.config)
    state, notices = without_unavailable_question(state, posed is not None, notices)
    yield _first(state, notices, result, other, view, ask.known, light)
    if posed:
        yield posed.asked(view.lang)
    yield _second(result, other, view, ask, posed)


def shown_state(ask: PageRequest) -> tuple[share.State, tuple[str, ...]]:
    """Return the link's state; if it names a missing upload, replace that by random Q and K, with a notice."""
    reading = ask.reading
    if reading.state.config.source != "upload" or ask.upload:
        return reading.state, reading.notices
    config = replace(reading.state.config, source="gaussian", tie=None)
    return replace(reading.state, config=config), (*reading.notices, text(reading.state.lang, "notice.no_upload"))


def results(state: share.State, ask: PageRequest) -> tuple[AttentionResult, AttentionResult | None]:
    """Return the result of a state and, if a state A is pinned, A's own."""
    return result_of(state, ask.upload), result_of(ask.pinned, ask.upload) if ask.pinned else None


def result_of(state: share.State, upload: bytes) -> AttentionResult:
    """Return the result of a state."""
    if state.config.source != "upload":
        return compute(state.config, device=page_device())
    return compute(state.config, read_upload("upload.safetensors", upload), device=page_device())


def row(ask: PageRequest) -> Iterator[bytes]:
    """Yield one query row's exact values in every head, for hovering: the stage shown, scaled scores, statistics.

    Statistics mark the row in the panels, which a question about the heads covers.
    """
    state, query = ask.reading.state, ask.extra["row"]
    result = _row_result(state, ask.upload, query)
    posed = questions.posed(state, result.config)
    other = _row_result(ask.pinned, ask.upload, query) if ask.pinned else None
    part = wire.Part()
    tree = {
        "row": query,
        "stage": _row(result, state.view.stage),
        "scores": _row(result, "masked"),
    }
    if not (posed and posed.of_heads):
        tree |= {name: result.statistic(name)[:, 0].numpy() for name in BOXED}
    marks = result.marks(state.view.stage)
    if marks is not None:
        tree["marks"] = marks[:, 0].numpy()
    if result.mask is not None and state.view.stage in ("masked", "weights"):
        tree["hidden"] = ~result.mask[0].numpy()
    if other is not None:
        tree["pinned"] = _row(other, state.view.stage)
    yield part.close({"part": "row", "row": wire.entry(part, tree, ())})


def _row_result(state: share.State, upload: bytes, row: int) -> AttentionResult:
    inputs = read_upload("upload.safetensors", upload) if state.config.source == "upload" else None
    return compute_rows(state.config, (row,), inputs, device=page_device())


def _row(result: AttentionResult, stage: str) -> np.ndarray:
    return result.stage(stage)[:, 0, :].float().numpy()


def view_of(state: share.State, result: AttentionResult, ask: PageRequest) -> View:
    """Adapt the view to this screen: its theme, fewer columns on a phone, a head and a row that the result has."""
    view = state.view
    heads, rows = result.weights.shape[:2]
    row = None if view.row is None else min(view.row, rows - 1)
    return replace(view, head=min(view.head, heads), row=row, columns=view.columns or ask.columns, theme=ask.theme)


def maps_drawing(result: AttentionResult, other: AttentionResult | None, view: View) -> Drawing:
    """Draw the heat maps, or A, B and their difference if A is pinned."""
    return heat_maps_drawing(result, view) if other is None else compare_drawing(other, result, view)


def panel_drawings(result: AttentionResult, other: AttentionResult | None, view: View) -> dict[str, Drawing]:
    """Draw the figures beside the heat maps and, if a row is locked, those of the row; a pinned A is grey.

    One row's Jacobian stays B's alone, and so do the row's weights if A has no such row.
    """
    drawings = {}
    for name, draw in panels(result, view).items():
        checkpoint()
        drawings[name] = draw(result, view)
        if other is not None and (name in PANELS or (name == "row-weights" and locks(other, view))):
            drawings[name] = pinned_overlay(draw(other, view), drawings[name], view.lang)
    if other is None:
        name = "score-distribution"
        drawings[name] = with_before(drawings[name], None, view.lang)
    return drawings


def panels(result: AttentionResult, view: View) -> Mapping[str, Draw]:
    """Return the figures beside the heat maps by name; one of a row that is shown large needs no lock."""
    return {**PANELS, **ROW} if locks(result, view) or view.focus in ROW else PANELS


def locks(result: AttentionResult, view: View) -> bool:
    """Return True if the view locks one of the result's rows."""
    return view.locked(result.weights.shape[1]) is not None


def _first(
    state: share.State,
    notices: tuple[str, ...],
    result: AttentionResult,
    other: AttentionResult | None,
    view: View,
    known: Container[str],
    light: bool,
) -> bytes:
    part = wire.Part()
    heads, n_q, n_k = result.weights.shape
    # The browser marks the locked row, so that locking one does not send the layout again.
    header = {
        "part": "cells",
        "light": light,
        "query": share.canonical(state),
        "controls": share.as_values(state),
        "notices": notices,
        "shape": (heads, n_q, n_k),
        "head": view.head,
        "row": view.row,
        "labels": wire.entry(part, {"tokens": list(result.tokens or ())}, known),
        "drawings": {
            "heat-maps": wire.entry(
                part, wire.encode_drawing(maps_drawing(result, other, replace(view, row=None))), known
            )
        },
    }
    return part.close(header)


def _second(
    result: AttentionResult, other: AttentionResult | None, view: View, ask: PageRequest, posed: questions.Posed | None
) -> bytes:
    """Return the panels with their words; what answers the question that is posed stays out."""
    part = wire.Part()
    shown = {} if posed and posed.of_heads else panel_drawings(result, other, view)
    drawings = {name: wire.entry(part, wire.encode_drawing(drawing), ask.known) for name, drawing in shown.items()}
    words = {} if ask.light else _words(part, result, other, view, ask, posed)
    # the numbers of a drag can be asked when it rests
    how = unexplained if ask.light else reasons(result, view)
    briefs = {name: told(beside(name, result, view), view.lang, how) for name in drawings}
    return part.close({"part": "panels", "drawings": drawings, "briefs": briefs, **words})


def _words(
    part: wire.Part,
    result: AttentionResult,
    other: AttentionResult | None,
    view: View,
    ask: PageRequest,
    posed: questions.Posed | None,
) -> dict[str, Any]:
    """Return the words and tables around the pictures."""
    names = () if posed and posed.of_heads else ("heat-maps", *panels(result, view))
    tables, summaries = {}, {}
    for name in names:
        checkpoint()
        tables[name], summaries[name] = _table(name, result, other, view), summary(name, result, view)
    before = ask.before.config if ask.before else None
    step = None if posed else suggestion(result, view)
    how = reasons(result, view)
    return {
        "offer": step and {"text": step.label(view.lang), "change": step.change},
        "tables": {name: wire.entry(part, parts.table_tree(tables[name], view.lang), ask.known) for name in names},
        "summaries": summaries,
        "insight": [] if posed else told(insight(result, view), view.lang, how),
        "arithmetic": told(arithmetic.sentences(result, before), view.lang, how),
    }


def _table(name: str, result: AttentionResult, other: AttentionResult | None, view: View) -> Table:
    """Return the table of a figure; beside a pinned A the heat maps' is that of both."""
    if other is not None and name == "heat-maps":
        return difference_table(other, result, view)
    return table(name, result, view)


def arithmetic_of(ask: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table; none while a question withholds the tables."""
    state, _ = shown_state(ask)
    result, other = results(state, ask)
    view = view_of(state, result, ask)
    posed = questions.posed(state, result.config)
    there = () if posed and posed.of_heads else ("heat-maps", *panels(result, view))
    name = ask.extra.get("table")
    yield parts.arithmetic(_table(str(name), result, other, view) if name in there else None, ask)


def reveal(ask: PageRequest) -> Iterator[bytes]:
    """Yield the verdict on the visitor's answer, with the settings that the question changes."""
    state, _ = shown_state(ask)
    config = state.config
    if config.source == "upload":
        config = adopted(config, read_upload("upload.safetensors", ask.upload))
    posed = questions.posed(state, config)
    verdict = posed and questions.judged(
        posed, config, ask.extra, lambda config: result_of(replace(state, config=config), ask.upload)
    )
    if not posed or not verdict:
        yield parts.failure(text(ask.lang, "error.bad_request"))
        return
    yield verdict_part(posed.choice, verdict, ask.lang, change=posed.change, about=posed.about)
