"""A window onto the weights of a long sequence: one head's average or maximum over squares of tokens.

How this can mislead: a square is many cells. Its average hides a lone spike, its maximum paints one as large as the
whole square; the two agree only if a square is one token. Squares at the edge of a mask average over forbidden cells,
whose weight is 0, as well.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import NDArray

from visualiser.figures.cells import TINIEST
from visualiser.figures.colour import colour_axis, colour_range
from visualiser.figures.drawing import Drawing
from visualiser.figures.labels import label, thinned
from visualiser.figures.matrix import masked_ground, masked_note
from visualiser.listed_statistics import STRIPS
from visualiser.listed_statistics import label as statistic_label
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import WEIGHTS

NAME: Final = "map"
_HEIGHT: Final = 620
_ABOVE_SINKS: Final = 92
_LIFT, _LINE, _LINES = 18, 15, 2
"""Pixels from the map to the first line of the sinks' names, from one line to the next, and the number of lines."""

_WIDE: Final = 0.0125
"""The width of a letter of such a name, as a share of the map's."""

_NAMED: Final = 48
"""The largest number of tokens named along an axis; with more in view, the axis shows positions."""


@dataclass(frozen=True, eq=False)
class Window:
    """The visible part: rows × columns squares of head `head` (from 1), NaN if the mask forbids all cells of one.

    Square (i, j) holds queries row_edges[i] … row_edges[i + 1] − 1 and, likewise, keys between column_edges; `pooling`
    is average or maximum. `sinks` are the head's keys with a large share of its weight, each with it (0 … 1).
    """

    cells: NDArray[np.float32]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    head: int
    pooling: str = "average"
    tokens: Sequence[str] | None = None
    sinks: Sequence[tuple[int, float]] = ()

    @property
    def sinks_seen(self) -> list[tuple[int, float]]:
        """The sinks among the keys in view, from the first key."""
        first, last = int(self.column_edges[0]), int(self.column_edges[-1])
        return sorted((key, share) for key, share in self.sinks if first <= key < last)


def look(lang: str, tokens: bool) -> dict[str, Any]:
    """Return the names of the map's axes, colours and strips for the page, which draws the cells itself."""
    names = {pooling: text(lang, f"figure.map.{pooling}") for pooling in ("average", "maximum")}
    return {
        **names,
        "coloraxis": {"colorscale": WEIGHTS, "colorbar": {"title": {"text": names["average"]}}},
        "xaxis": {"title": {"text": text(lang, "figure.axis.key")}},
        "yaxis": {"title": {"text": text(lang, "figure.axis.query")}},
        "tokens": tokens,
        "strips": [{"name": each.name, "unit": each.unit, "label": statistic_label(lang, each)} for each in STRIPS],
    }


def drawing(window: Window, lang: str = "en", view: View | None = None) -> Drawing:
    """Draw the window as a heat map on integer axes: position p is the middle of a square of one token."""
    view = view or View()
    cells = torch.from_numpy(window.cells)
    limits = colour_range(cells, "weights", view.colour)
    name = text(lang, f"figure.map.{window.pooling}")
    shown = text(lang, "figure.log10", quantity=name) if view.colour == "log" else name
    hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=shown, value="%{z:.3g}")
    trace = {
        "type": "heatmap",
        "z": (cells.clamp(min=TINIEST).log10() if view.colour == "log" else cells).numpy(),
        "x": window.column_edges - 0.5,
        "y": window.row_edges - 0.5,
        "coloraxis": "coloraxis",
        "hoverongaps": False,
        "hovertemplate": f"{hover}<extra>{text(lang, 'figure.head', head=window.head)}</extra>",
        "meta": {"panel": 0, "kind": "cells", "head": window.head},
    }
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "margin": {"l": 84, "r": 84, "t": 34, "b": 84},
        "title": {"text": text(lang, "figure.head", head=window.head), "font": {"size": 14}},
        "xaxis": {**axis(window.column_edges, window.tokens), "title": {"text": text(lang, "figure.axis.key")}},
        "yaxis": {**axis(window.row_edges, window.tokens), "title": {"text": text(lang, "figure.axis.query")}},
        "coloraxis": colour_axis(limits, "weights", view.colour, name, {"thickness": 14}),
    }
    layout["yaxis"]["range"] = layout["yaxis"]["range"][::-1]  # the first query on top
    if np.isnan(window.cells).any():
        layout |= {"images": [masked_ground(0)], "annotations": [masked_note(lang)]}
    marks = _sink_marks(window, lang)
    if marks:
        layout["margin"]["t"] = _ABOVE_SINKS
        layout["title"] |= {"y": 0.985, "yanchor": "top"}
        notes = [{**note, "yshift": _LIFT + _LINES * _LINE} for note in layout.get("annotations", ())]
        layout["annotations"] = [*notes, *marks]
    return Drawing(NAME, [trace], layout)


def _sink_marks(window: Window, lang: str) -> list[dict[str, Any]]:
    """Mark the sinks in view above the map, each by an arrow to its key with its share.

    A name that would touch the one before it stands a line higher; if no line has room, the arrow stands alone.
    """
    first, last = int(window.column_edges[0]), int(window.column_edges[-1])
    ends, marks = [-math.inf] * _LINES, []
    for key, share in window.sinks_seen:
        name = text(lang, "figure.map.sink", key=key, share=100 * share)
        place, wide = (key + 0.5 - first) / (last - first), _WIDE * (len(name) + 2)
        line = next((line for line, end in enumerate(ends) if end <= place - wide / 2), None)
        if line is not None:
            ends[line] = place + wide / 2
        mark = {"x": key, "y": 1, "xref": "x", "yref": "paper", "text": "" if line is None else name}
        mark |= {"showarrow": True, "ax": 0, "ay": -_LIFT - _LINE * (line or 0), "arrowhead": 2, "arrowwidth": 1.2}
        marks.append(mark)
    return marks


def axis(edges: NDArray[np.int64], tokens: Sequence[str] | None) -> dict[str, Any]:
    """Return an axis over the positions between `edges`; tokens name them if they are few enough to read."""
    first, last = int(edges[0]), int(edges[-1])
    found: dict[str, Any] = {"range": [first - 0.5, last - 0.5], "showgrid": False, "zeroline": False}
    if tokens is None or last - first > _NAMED:
        return {**found, "tickmode": "auto", "nticks": 8, "tickformat": "d"}
    chosen = [first + position for position in thinned(last - first, _NAMED // 2)]
    return {**found, "tickmode": "array", "tickvals": chosen, "ticktext": [label(tokens[i]) for i in chosen]}


def window_map(window: Window, lang: str = "en", view: View | None = None) -> go.Figure:
    """Draw the window as a plotly figure."""
    view = view or View()
    return drawing(window, lang, view).figure(view.theme)
