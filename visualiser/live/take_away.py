"""Files a visitor takes away, each made from the same result that the page draws."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from attention_core import AttentionResult, InvalidInput
from visualiser import share
from visualiser.export import cells_csv, html, npz, rows_csv, snippet
from visualiser.insight import insight
from visualiser.live.asking import Ask
from visualiser.live.frame import PANELS, maps_drawing, panel_drawings, results, shown_state, view_of


@dataclass(frozen=True)
class File:
    """A download: its name, its media type, its content in pieces."""

    name: str
    media_type: str
    content: Iterable[bytes]


def _figure(ask: Ask) -> File:
    """One figure as plotly JSON, from which the browser makes PNG and SVG: the figure a notebook would show."""
    name = str(ask.extra.get("figure", ""))
    state, _ = shown_state(ask)
    if name != "heat-maps" and name not in PANELS:
        raise InvalidInput(
            "unknown_choice",
            f"no figure {name!r}",
            field="figure",
            value=name[:40],
            choices=", ".join(("heat-maps", *PANELS)),
        )
    result, other = results(state, ask.upload)
    view = view_of(state, result, ask)
    drawing = {"heat-maps": maps_drawing(result, other, view), **panel_drawings(result, other, view)}[name]
    return File(f"headlight-{name}.json", "application/json", [str(drawing.figure(ask.theme).to_json()).encode()])


def _present(ask: Ask) -> AttentionResult:
    """What the page shows, without a pinned state."""
    state, _ = shown_state(ask)
    return results(replace(state, pinned=""), ask.upload)[0]


def _rows(ask: Ask) -> File:
    return File("headlight-rows.csv", "text/csv; charset=utf-8", rows_csv(_present(ask)))


def _cells(ask: Ask) -> File:
    return File("headlight-cells.csv", "text/csv; charset=utf-8", cells_csv(_present(ask)))


def _npz(ask: Ask) -> File:
    return File("headlight.npz", "application/octet-stream", [npz(_present(ask))])


def _html(ask: Ask) -> File:
    state, _notices = shown_state(ask)
    result, other = results(state, ask.upload)
    view = view_of(state, result, ask)
    drawings = [maps_drawing(result, other, view), *panel_drawings(result, other, view).values()]
    address = f"{ask.address}?{share.canonical(state)}".removesuffix("?") if ask.address else ""
    page = html(result, view, drawings, address, insight(result, view))
    return File("headlight.html", "text/html; charset=utf-8", [page.encode()])


def _snippet(ask: Ask) -> File:
    return File("headlight.py", "text/x-python; charset=utf-8", [snippet(_present(ask).config).encode()])


KINDS: Mapping[str, Callable[[Ask], File]] = {
    "snippet": _snippet,
    "rows": _rows,
    "cells": _cells,
    "npz": _npz,
    "html": _html,
    "figure": _figure,
}
