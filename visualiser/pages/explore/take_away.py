"""Files for visitors, each made from the result that the page draws."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from attention_core import AttentionResult, InvalidInput, checkpoint
from attention_core.result.compute import adopted
from visualiser.export import Origin, cells_csv, html, npz_pieces, origin_of, rows_csv, snippet
from visualiser.figures.colour_words import coded_range
from visualiser.locale.message import write_all
from visualiser.pages.explore import price, questions
from visualiser.pages.explore.frame import (
    PANELS,
    ROW,
    maps_drawing,
    panel_drawings,
    panels,
    result_of,
    results,
    shown_state,
    view_of,
)
from visualiser.pages.explore.sentences import insight
from visualiser.server.live.page import File
from visualiser.server.live.page_request import PageRequest
from visualiser.upload import read_upload


def _figure(ask: PageRequest) -> Iterator[bytes]:
    """Yield one figure as plotly JSON, as a notebook would show it; the browser makes PNG and SVG of it."""
    name = str(ask.extra.get("figure", ""))
    state, _ = shown_state(ask)
    _known(name, (*PANELS, *ROW))
    result, other = results(state, ask)
    view = view_of(state, result, ask)
    _known(name, panels(result, view))
    drawing = {"heat-maps": maps_drawing(result, other, view), **panel_drawings(result, other, view)}[name]
    yield drawing.json(ask.theme).encode()


def _known(name: str, among: Iterable[str]) -> None:
    choices = ("heat-maps", *among)
    if name not in choices:
        raise InvalidInput(
            "unknown_choice",
            f"no figure {name!r}",
            field="figure",
            value=name[:40],
            choices=", ".join(choices),
        )


def _present(ask: PageRequest) -> AttentionResult:
    """Return the page's result, without a pinned state."""
    state, _ = shown_state(ask)
    return result_of(state, ask.upload)


def _origin(ask: PageRequest) -> Origin:
    return origin_of(shown_state(ask)[0], ask.address)


def _coloured(ask: PageRequest) -> tuple[AttentionResult, Origin]:
    """Return the page's result, and an origin that tells the range of its maps' colours."""
    state, _ = shown_state(ask)
    result, other = results(state, ask)
    return result, replace(_origin(ask), colours=coded_range(result, other, view_of(state, result, ask)))


def _rows(ask: PageRequest) -> Iterator[bytes]:
    return rows_csv(*_coloured(ask))


def _cells(ask: PageRequest) -> Iterator[bytes]:
    return cells_csv(*_coloured(ask))


def _npz(ask: PageRequest) -> Iterator[bytes]:
    return npz_pieces(_present(ask), _origin(ask))


def _html(ask: PageRequest) -> Iterator[bytes]:
    state, _notices = shown_state(ask)
    result, other = results(state, ask)
    view = view_of(state, result, ask)
    drawings = [maps_drawing(result, other, view), *panel_drawings(result, other, view).values()]
    document = html(result, view, drawings, _origin(ask), write_all(insight(result, view), view.lang), other)
    checkpoint()
    yield document.encode()


def _snippet(ask: PageRequest) -> Iterator[bytes]:
    """Yield the script, which needs the sizes of the tensors and none of their products."""
    config = shown_state(ask)[0].config
    if config.source == "upload":
        config = adopted(config, read_upload("upload.safetensors", ask.upload))
    yield snippet(config, _origin(ask)).encode()


def _waits(ask: PageRequest) -> bool:
    """Return True if the link asks a question: every file holds numbers, or makes them."""
    return _posed(ask) is not None


def _figure_waits(ask: PageRequest) -> bool:
    """Return True for a figure that the page covers as long as it asks."""
    posed = _posed(ask)
    return posed is not None and posed.of_heads and ask.extra.get("figure") != "heat-maps"


def _posed(ask: PageRequest) -> questions.Posed | None:
    """Return the question of the link, by the sizes that a file states."""
    state, _ = shown_state(ask)
    config = state.config
    if config.source == "upload" and ask.upload_sizes:
        shape = ask.upload_sizes.shape
        config = replace(config, n=shape.n_q, h=shape.h, d_k=shape.d_k, tie=None)
    return questions.posed(state, config)


_CSV, _BINARY = "text/csv; charset=utf-8", "application/octet-stream"

KINDS: Mapping[str, File] = {
    "snippet": File("headlight.py", "text/x-python; charset=utf-8", _snippet, price.file("snippet"), _waits),
    "rows": File("headlight-rows.csv", _CSV, _rows, price.file("rows"), _waits),
    "cells": File("headlight-cells.csv", _CSV, _cells, price.file("cells"), _waits),
    "npz": File("headlight.npz", _BINARY, _npz, price.file("npz"), _waits),
    "html": File("headlight.html", "text/html; charset=utf-8", _html, price.file("html"), _waits),
    "figure": File("headlight-figure.json", "application/json", _figure, price.file("figure"), _figure_waits),
}
"""The files that the browser can load, by the name of their kind."""
