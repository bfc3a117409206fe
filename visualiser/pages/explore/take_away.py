"""Files for visitors, each made from the result that the page draws."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from attention_core import AttentionResult, InvalidInput, checkpoint
from attention_core.result.compute import adopted
from visualiser import models
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.map_colours import coded_range
from visualiser.export import Origin, cells_csv, html, npz_pieces, origin_of, rows_csv, snippet
from visualiser.locale.message import write_all
from visualiser.pages.explore import MAPS, RULES, price, questions
from visualiser.pages.explore.arithmetic import origin
from visualiser.pages.explore.frame import (
    figures_with_subjects,
    inputs_of,
    maps,
    panel_drawings,
    result_of,
    results,
    shown_state,
    view_of,
)
from visualiser.pages.explore.sentences import insight
from visualiser.server.live.page import File
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View


def _figure(request: PageRequest) -> Iterator[bytes]:
    """Yield one figure as plotly JSON, as a notebook would show it; the browser makes PNG and SVG of it."""
    name = str(request.extra.get("figure", ""))
    state, _ = shown_state(request)
    _known(name, [figure.name for figure in RULES.figures])
    result, other = results(state, request)
    view = view_of(state, result, request)
    _known(name, figures_with_subjects(result, other, view))
    yield _drawings(result, other, view)[name].json(request.theme).encode()


def _drawings(result: AttentionResult, other: AttentionResult | None, view: View) -> dict[str, Drawing]:
    figure, subject = maps(result, other)
    return {figure.name: figure.drawing(subject, view), **panel_drawings(result, other, view)}


def _known(name: str, choices: Iterable[str]) -> None:
    if name not in choices:
        raise InvalidInput(
            "unknown_choice",
            f"no figure {name!r}",
            field="figure",
            value=name[:40],
            choices=", ".join(choices),
        )


def _present(request: PageRequest) -> AttentionResult:
    """Return the page's result, without a pinned state."""
    state, _ = shown_state(request)
    return result_of(state, request.upload)


def _origin(request: PageRequest) -> Origin:
    return origin_of(shown_state(request)[0], request.address)


def _coloured(request: PageRequest) -> tuple[AttentionResult, Origin]:
    """Return the page's result, and an origin with the range of its maps' colours."""
    state, _ = shown_state(request)
    result, other = results(state, request)
    return result, replace(_origin(request), colours=coded_range(result, other, view_of(state, result, request)))


def _rows(request: PageRequest) -> Iterator[bytes]:
    return rows_csv(*_coloured(request))


def _cells(request: PageRequest) -> Iterator[bytes]:
    return cells_csv(*_coloured(request))


def _npz(request: PageRequest) -> Iterator[bytes]:
    return npz_pieces(_present(request), _origin(request))


def _html(request: PageRequest) -> Iterator[bytes]:
    state, _notices = shown_state(request)
    result, other = results(state, request)
    view = view_of(state, result, request)
    drawings, shown = _drawings(result, other, view), figures_with_subjects(result, other, view)
    figures = [(figure, subject, drawings[name]) for name, (figure, subject) in shown.items()]
    sentences = [*origin(result, state.view.head), *insight(result, view)]
    document = html(figures, view, _origin(request), write_all(sentences, view.lang))
    checkpoint()
    yield document.encode()


def _snippet(request: PageRequest) -> Iterator[bytes]:
    """Yield the script, which needs the sizes of the tensors and none of their products."""
    state = shown_state(request)[0]
    inputs = inputs_of(state, request.upload)
    config = state.config if inputs is None else adopted(state.config, inputs)
    alone = inputs is not None and inputs.trained is not None and inputs.trained.sink is not None
    yield snippet(config, _origin(request), max(1, state.view.head) if alone else 0).encode()


def _is_withheld(request: PageRequest) -> bool:
    """Return True if the link poses a question: every file holds numbers, or makes them."""
    return _posed(request) is not None


def _is_figure_withheld(request: PageRequest) -> bool:
    """Return True for a figure that the page covers while it poses a question."""
    posed = _posed(request)
    return posed is not None and posed.of_heads and request.extra.get("figure") != MAPS.name


def _posed(request: PageRequest) -> questions.PosedQuestion | None:
    """Return the question of the link, by the sizes that a file states or a model has."""
    state, _ = shown_state(request)
    config = state.config
    if config.source == "upload" and request.upload_sizes:
        shape = request.upload_sizes.shape
        config = replace(config, n=shape.n_q, h=shape.h, d_k=shape.d_k, tie=None)
    if config.source == "model" and (found := models.known(config.model)) is not None:
        config = replace(config, h=found.h, d_k=found.d_k, tie=None)
    return questions.pose_question(state, config)


_CSV, _BINARY = "text/csv; charset=utf-8", "application/octet-stream"

KINDS: Mapping[str, File] = {
    "snippet": File("headlight.py", "text/x-python; charset=utf-8", _snippet, price.file("snippet"), _is_withheld),
    "rows": File("headlight-rows.csv", _CSV, _rows, price.file("rows"), _is_withheld),
    "cells": File("headlight-cells.csv", _CSV, _cells, price.file("cells"), _is_withheld),
    "npz": File("headlight.npz", _BINARY, _npz, price.file("npz"), _is_withheld),
    "html": File("headlight.html", "text/html; charset=utf-8", _html, price.file("html"), _is_withheld),
    "figure": File("headlight-figure.json", "application/json", _figure, price.file("figure"), _is_figure_withheld),
}
"""The files that the browser can load, by the name of their kind."""
