"""A matrix drawn as a panel of cells: its trace, axes and colour bar, and the marks of rows and masked cells."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from visualiser.drawing.labels import MOST, thinned, token_axis, width
from visualiser.drawing.panels import Grid, axis, axis_key
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import ACCENT, hatching


def cell_trace(panel: int, z: Any, hover: str, extra: str, coloraxis: str, meta: dict[str, Any]) -> dict[str, Any]:
    """Draw one heat map on integer axes; NaN cells are left open, so that the ground behind the panel shows."""
    return {
        "type": "heatmap",
        "z": z,
        "xaxis": axis("x", panel),
        "yaxis": axis("y", panel),
        "coloraxis": coloraxis,
        "hoverongaps": False,
        "hovertemplate": f"{hover}<extra>{extra}</extra>",
        "meta": {"panel": panel, "kind": "cells", **meta},
    }


def room_apart(n_k: int) -> float:
    """Return the share of a panel for the column of a sink: as wide as a key, or as is seen, and half of it apart."""
    return 1.5 * max(1 / (n_k + 1.5), 0.05)


def sink_trace(
    grid: Grid, panel: int, z: Any, hover: str, extra: str, coloraxis: str, meta: dict[str, Any]
) -> dict[str, Any]:
    """Draw the weight of a sink, n_q × 1, beside the heat map of a panel: with its rows, on an axis of its own."""
    cells = cell_trace(panel, z, hover, extra, coloraxis, {**meta, "kind": "sink"})
    return {**cells, "xaxis": axis("x", grid.count + panel)}


def sink_hover(lang: str, quantity: str) -> str:
    """Return what is said of a cell of that column."""
    return text(lang, "figure.heat_maps.hover_sink", query="%{y}", quantity=quantity, value="%{z:.3g}")


def sink_axis(grid: Grid, panel: int, lang: str, *, alone: bool = False) -> dict[str, Any]:
    """Return the axis of that column; only under the lowest panels it has its name, upright beside the keys' ticks."""
    named = alone or grid.lowest(panel)
    found = {
        "domain": grid.column(panel),
        "anchor": axis("y", panel),
        "range": [-0.5, 0.5],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "tickmode": "array",
        "tickvals": [0],
        "ticktext": [text(lang, "figure.sink")],
        "showticklabels": named,
        **({} if named else {"ticks": ""}),
        "tickangle": -90,
    }
    return {axis_key("x", grid.count + panel): found}


def ticks_of(grid: Grid) -> int:
    """Return how many tokens an axis names: one for every 13 pixels of a panel's height."""
    return grid.height // 13


Ticks = tuple[dict[str, Any], dict[str, Any]]


def panel_ticks(grid: Grid, tokens: Sequence[str] | None, shape: tuple[int, int]) -> Ticks:
    """Return the ticks of the keys and of the queries, which are the same for each panel of a grid."""
    n_q, n_k = shape
    keys = token_axis(tokens, n_k, most=ticks_of(grid))
    return keys, keys if n_q == n_k else token_axis(None, n_q)


def panel_axes(
    grid: Grid,
    panel: int,
    tokens: Sequence[str] | None,
    shape: tuple[int, int],
    titles: tuple[str, str],
    match: int | None,
    *,
    alone: bool = False,
    ticks: Ticks | None = None,
) -> dict[str, Any]:
    """Return the two axes of a panel over n_q × n_k cells: row 0 on top, zoom linked to the panel `match`.

    Only outer panels have labels, unless panels stand `alone` because their sizes differ. A figure of many panels
    makes their `ticks` once.
    """
    keys, queries = ticks or panel_ticks(grid, tokens, shape)
    frame = _frame(grid, panel, shape, titles, match, alone, tokens is not None)
    return {name: {**axis, **(keys if name[0] == "x" else queries)} for name, axis in frame.items()}


@lru_cache(maxsize=512)
def _frame(
    grid: Grid,
    panel: int,
    shape: tuple[int, int],
    titles: tuple[str, str],
    match: int | None,
    alone: bool,
    upright: bool,
) -> Mapping[str, Mapping[str, Any]]:
    """Return both axes without their ticks: equal at every move of a slider, and never changed."""
    n_q, n_k = shape
    lowest, leftmost = alone or grid.lowest(panel), alone or grid.leftmost(panel)
    x = {
        "domain": grid.x(panel),
        "anchor": axis("y", panel),
        "range": [-0.5, n_k - 0.5],
        "showgrid": False,
        "zeroline": False,
        "showticklabels": lowest,
        **({} if lowest else {"ticks": ""}),
        "tickangle": -90 if upright else 0,
        "constrain": "domain",
        **({"title": {"text": titles[1]}} if lowest else {}),
        **({} if match is None or match == panel else {"matches": axis("x", match)}),
    }
    y = {
        "domain": grid.y(panel),
        "anchor": axis("x", panel),
        "range": [n_q - 0.5, -0.5],
        "showgrid": False,
        "zeroline": False,
        "showticklabels": leftmost,
        **({} if leftmost else {"ticks": ""}),
        **({"title": {"text": titles[0]}} if leftmost else {}),
        **({} if match is None or match == panel else {"matches": axis("y", match)}),
    }
    return {axis_key("x", panel): x, axis_key("y", panel): y}


def margins(tokens: Sequence[str] | None, view: View, *, bars: int, most: int = MOST) -> dict[str, int]:
    """Return the room for labels in pixels: as wide as the labelled tokens, `bars` for the colour bar."""
    shown = [width(tokens[i]) for i in thinned(len(tokens), most)] if tokens else []
    label = round(7 * max(shown)) + 6 if shown else 24
    return {"l": label + 32, "r": 8 if view.narrow else bars, "t": 30, "b": label + 34 + (bars if view.narrow else 0)}


def shared_bar(grid: Grid, view: View) -> dict[str, Any]:
    """Place the common colour bar: at the right, or below everything on a narrow screen."""
    if view.narrow:
        return {
            "orientation": "h", "thickness": 10, "x": 0.5, "xanchor": "center",
            "yref": "container", "y": 0.0, "yanchor": "bottom", "ypad": 4,
        }  # fmt: skip
    length = min(grid.inner, 420)
    return {
        "thickness": 14, "lenmode": "pixels", "len": length, "x": 1, "xanchor": "left", "xpad": 12, "y": 1,
        "yanchor": "top", "ypad": 0,
    }  # fmt: skip


def row_outline(panel: int, row: int, across: int | None = None) -> dict[str, Any]:
    """Draw the frame around the locked row, for static figures; `across`: the horizontal axis, if not the panel's."""
    x = axis("x", panel if across is None else across)
    return {
        "type": "rect", "xref": f"{x} domain", "yref": axis("y", panel), "x0": 0, "x1": 1,
        "y0": np.float64(row - 0.5), "y1": np.float64(row + 0.5), "line": {"color": ACCENT, "width": 2},
    }  # fmt: skip


def masked_ground(panel: int) -> dict[str, Any]:
    """Draw the hatching behind a panel, visible through masked cells."""
    return {
        "source": hatching(), "xref": f"{axis('x', panel)} domain", "yref": f"{axis('y', panel)} domain",
        "x": 0, "y": 1, "sizex": 1, "sizey": 1, "sizing": "fill", "layer": "below",
    }  # fmt: skip


def masked_note(lang: str) -> dict[str, Any]:
    """Draw the legend of the hatching, above the panels at the right."""
    return {
        "text": text(lang, "figure.masked.legend"), "xref": "paper", "yref": "paper", "x": 1, "y": 1,
        "xanchor": "right", "yanchor": "bottom", "showarrow": False,
    }  # fmt: skip
