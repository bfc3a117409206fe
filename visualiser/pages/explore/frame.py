"""One update of the Explore page: from a link to the bytes that the browser paints.

Two parts go out as soon as they are ready: first the heat maps, which the eye follows during a drag, then the panels
below, their tables and the sentences. Both come from one result. A light frame, requested while a control is moving,
holds the same pictures without tables and sentences; the page requests those when the drag rests. Nothing is kept
between two requests, but what a trained model made of a text: an upload travels with each of them.
"""

from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import AttentionInputs, AttentionResult, checkpoint
from attention_core.result.compute import adopted
from visualiser import models
from visualiser.drawing.boxes import boxed
from visualiser.drawing.cells import hides, marked_stage, stage_of, sunk
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.pinned_overlay import pinned_overlay, with_before
from visualiser.figures.figure import Figure
from visualiser.gpu import computed, rows_computed
from visualiser.locale import text
from visualiser.pages.explore import COMPARED, MAPS, PANELS, ROW, arithmetic, questions
from visualiser.pages.explore.next_step import suggestion
from visualiser.pages.explore.price import MOST_TOKENS
from visualiser.pages.explore.reasons import reasons
from visualiser.pages.explore.sentences import insight
from visualiser.pages.of_model import hearing, vocabulary
from visualiser.predictions import without_unavailable_question
from visualiser.reasons.explained import explained, unexplained
from visualiser.server.live import parts, predicting, wire
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.view import View
from visualiser.upload import read_upload

Pictured = tuple[Figure[Any, ...], Any]
"""A figure and what it draws."""


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield the parts of one update."""
    state, notices = shown_state(request)
    result, other = results(state, request)
    notices = (*notices, *cut_text(state))
    view = view_of(state, result, request)
    light = request.light
    posed = questions.pose_question(state, result.config)
    state, notices = without_unavailable_question(state, posed is not None, notices)
    yield _first(state, notices, result, other, view, request.known, light)
    if posed:
        yield posed.part(view.lang)
    yield _second(result, other, view, request, posed)


def shown_state(request: PageRequest) -> tuple[share.State, tuple[str, ...]]:
    """Return the link's state; if it names a missing upload, replace that by random Q and K, with a notice."""
    reading = request.reading
    if reading.state.config.source != "upload" or request.upload:
        return reading.state, reading.notices
    config = replace(reading.state.config, source="gaussian", tie=None)
    return replace(reading.state, config=config), (*reading.notices, text(reading.state.lang, "notice.no_upload"))


def results(state: share.State, request: PageRequest) -> tuple[AttentionResult, AttentionResult | None]:
    """Return the result of a state and, if a state A is pinned, A's own."""
    return result_of(state, request.upload), result_of(request.pinned, request.upload) if request.pinned else None


def result_of(state: share.State, upload: bytes) -> AttentionResult:
    """Return the result of a state."""
    return computed(state.config, inputs_of(state, upload))


def inputs_of(state: share.State, upload: bytes) -> AttentionInputs | None:
    """Return what a file or a trained model brings to a state; None for a state whose tensors are drawn."""
    match state.config.source:
        case "upload":
            return read_upload("upload.safetensors", upload)
        case "model":
            return models.shown(state.config, MOST_TOKENS, state.view.head)
        case _:
            return None


def trained_of(state: share.State, result: AttentionResult) -> dict[str, Any] | None:
    """Return the layers of a state's model, and the mask of the layer that is shown; None without a model."""
    if result.inputs is None or result.inputs.trained is None:
        return None
    return {"layers": len(models.run(state.config, MOST_TOKENS).layers), "mask": result.inputs.trained.mask}


def cut_text(state: share.State) -> tuple[str, ...]:
    """Return a notice if the model has read only the beginning of the text, or hears a sound in its place."""
    if state.config.source != "model":
        return ()
    found = models.run(state.config, MOST_TOKENS)
    cut = (text(state.lang, "notice.model_cut_here", tokens=len(found.tokens)),) if found.text_cut else ()
    return (*cut, *hearing(state.config, state.lang))


def row(request: PageRequest) -> Iterator[bytes]:
    """Yield one query row's exact values in every head, for hovering: the stage shown, scaled scores, statistics.

    Statistics mark the row in the panels, which a question about the heads covers.
    """
    state, query = request.reading.state, request.extra["row"]
    result = _row_result(state, request.upload, query)
    posed = questions.pose_question(state, result.config)
    other = _row_result(request.pinned, request.upload, query) if request.pinned else None
    part = wire.Part()
    tree = {
        "row": query,
        "stage": _row(result, state.view.stage),
        "scores": np.where(np.isneginf(_row(result, "masked")), -np.inf, _row(result, "scaled")),
    }
    if not (posed and posed.of_heads):
        tree |= {name: result.statistic(name)[:, 0].numpy() for name in boxed(result.config)}
    marks = result.marks(marked_stage(state.view.stage))
    if marks is not None:
        tree["marks"] = marks[:, 0].numpy()
    if result.mask is not None and hides(result, state.view.stage):
        tree["hidden"] = ~result.mask[0].numpy()
    if other is not None:
        tree["pinned"] = _row(other, state.view.stage)
    for name, one in (("sink", result), ("pinned_sink", other)):
        weights = None if one is None else sunk(one, state.view.stage)
        if weights is not None:
            tree[name] = weights[:, 0].numpy()
    yield part.close({"part": "row", "row": wire.entry(part, tree, ())})


def _row_result(state: share.State, upload: bytes, row: int) -> AttentionResult:
    return rows_computed(state.config, (row,), inputs_of(state, upload))


def _row(result: AttentionResult, stage: str) -> np.ndarray:
    return stage_of(result, stage)[:, 0, :].float().numpy()


def view_of(state: share.State, result: AttentionResult, request: PageRequest) -> View:
    """Adapt the view to this screen: its theme, fewer columns on a phone, a head and a row that the result has."""
    view = state.view
    heads, rows = result.weights.shape[:2]
    row = None if view.row is None else min(view.row, rows - 1)
    return replace(
        view, head=min(view.head, heads), row=row, columns=view.columns or request.columns, theme=request.theme
    )


def maps(result: AttentionResult, other: AttentionResult | None) -> Pictured:
    """Return the heat maps, or A, B and their difference if A is pinned."""
    return (MAPS, result) if other is None else (COMPARED, (other, result))


def panel_drawings(result: AttentionResult, other: AttentionResult | None, view: View) -> dict[str, Drawing]:
    """Draw the figures beside the heat maps and, if a row is locked, those of the row; a pinned A is grey.

    Cells stay B's alone, and so do the charts of a row that A does not have.
    """
    drawings = {}
    for figure in panels(result, view):
        checkpoint()
        drawn = figure.drawing(result, view)
        if other is None:
            drawn = with_before(drawn, None, view.lang) if figure.outlined else drawn
        elif figure.painter == "chart" and (figure in PANELS or is_row_locked(other, view)):
            drawn = pinned_overlay(figure.drawing(other, view), drawn, view.lang)
        drawings[figure.name] = drawn
    return drawings


def panels(result: AttentionResult, view: View) -> tuple[Figure[AttentionResult, ...], ...]:
    """Return the figures beside the heat maps; one of a row that is shown large needs no lock."""
    shown_large = view.focus in [figure.name for figure in ROW]
    return (*PANELS, *ROW) if is_row_locked(result, view) or shown_large else PANELS


def figures_with_subjects(
    result: AttentionResult, other: AttentionResult | None, view: View, posed: questions.PosedQuestion | None = None
) -> dict[str, Pictured]:
    """Return the figures by name with what they draw; none while a question withholds tables and sentences."""
    if posed and posed.of_heads:
        return {}
    found = [maps(result, other), *((figure, result) for figure in panels(result, view))]
    return {figure.name: (figure, subject) for figure, subject in found}


def is_row_locked(result: AttentionResult, view: View) -> bool:
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
    figure, subject = maps(result, other)
    line = None if result.inputs is None else result.inputs.line
    header = {
        "part": "cells",
        "light": light,
        "query": share.canonical(state),
        "controls": share.as_values(state),
        "notices": notices,
        "shape": (heads, n_q, n_k),
        "head": view.head,
        "row": view.row,
        "trained": trained_of(state, result),
        "labels": wire.entry(part, {"tokens": list(result.tokens or ()), **vocabulary(line)}, known),
        "drawings": {
            MAPS.name: wire.entry(part, wire.encode_drawing(figure.drawing(subject, replace(view, row=None))), known)
        },
    }
    return part.close(header)


def _second(
    result: AttentionResult,
    other: AttentionResult | None,
    view: View,
    request: PageRequest,
    posed: questions.PosedQuestion | None,
) -> bytes:
    """Return the panels with their words; what answers the question that is posed stays out."""
    part = wire.Part()
    shown = {} if posed and posed.of_heads else panel_drawings(result, other, view)
    drawings = {name: wire.entry(part, wire.encode_drawing(drawing), request.known) for name, drawing in shown.items()}
    words = {} if request.light else _words(part, result, other, view, request, posed)
    # the numbers of a drag are explained when it rests
    how = unexplained if request.light else reasons(result, view)
    visible = [figure for figure in panels(result, view) if figure.name in drawings]
    briefs = {figure.name: explained(figure.brief(result, view), view.lang, how) for figure in visible}
    return part.close({"part": "panels", "drawings": drawings, "briefs": briefs, **words})


def _words(
    part: wire.Part,
    result: AttentionResult,
    other: AttentionResult | None,
    view: View,
    request: PageRequest,
    posed: questions.PosedQuestion | None,
) -> dict[str, Any]:
    """Return the words and tables around the pictures."""
    tables, summaries = {}, {}
    for name, (figure, subject) in figures_with_subjects(result, other, view, posed).items():
        checkpoint()
        tables[name], summaries[name] = figure.table(subject, view), figure.summary(subject, view)
    before = request.before.config if request.before else None
    head = request.reading.state.view.head
    step = None if posed else suggestion(result, view)
    how = reasons(result, view)
    return {
        "offer": step and {"text": step.label(view.lang), "change": step.change},
        "tables": {name: wire.entry(part, parts.table_tree(tables[name], view.lang), request.known) for name in tables},
        "summaries": summaries,
        "insight": [] if posed else explained(insight(result, view), view.lang, how),
        "arithmetic": explained(arithmetic.sentences(result, before, head), view.lang, how),
    }


def arithmetic_of(request: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a figure's table; none while a question withholds the tables."""
    state, _ = shown_state(request)
    result, other = results(state, request)
    view = view_of(state, result, request)
    posed = questions.pose_question(state, result.config)
    found = figures_with_subjects(result, other, view, posed).get(str(request.extra.get("table")))
    yield parts.arithmetic(found and found[0].table(found[1], view), request)


def reveal(request: PageRequest) -> Iterator[bytes]:
    """Yield the verdict on the visitor's answer, with the settings that the question changes."""
    state, _ = shown_state(request)
    inputs = inputs_of(state, request.upload)
    config = state.config if inputs is None else adopted(state.config, inputs)
    posed = questions.pose_question(state, config)
    verdict = posed and questions.judged(
        posed, config, request.extra, lambda config: result_of(replace(state, config=config), request.upload)
    )
    if not posed or not verdict:
        yield parts.failure(text(request.lang, "error.bad_request"))
        return
    yield predicting.verdict_part(posed.choice, verdict, request.lang, change=posed.change, about=posed.about)
