"""All heads side by side: one cell for each query (row) and key (column), at one stage of Figure 2.

How this can mislead: colour compares cells only within one scale, so with a range per head equal colours are not equal
weights. The scale ends at the 99.5 % quantile: beyond an end marked > or < all colours are alike. Up to the largest
weight, on a linear scale, a few large ones make all others look like zero.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attention_core import AttentionResult
from visualiser.figures.cells import cells, hides, quantity, visible
from visualiser.figures.colour import colour_axis, colour_range
from visualiser.figures.drawing import Drawing
from visualiser.figures.format_marks import AXIS, few, mark_axis, mark_notes, mark_traces, marks_of
from visualiser.figures.matrix import (
    cell_trace,
    margins,
    masked_ground,
    masked_note,
    panel_axes,
    panel_ticks,
    row_outline,
    shared_bar,
    ticks_of,
)
from visualiser.figures.panels import Grid, heading
from visualiser.figures.quantile_scale import Limits, bar_ticks, full_limits, quantile_limits
from visualiser.locale import text
from visualiser.state.view import View

NAME: Final = "heat-maps"
_HEIGHT: Final = {1: 460, 2: 340, 3: 270, 4: 220}
_NARROW: Final = {1: 280, 2: 150}


def _grid(count: int, view: View, gap_x: float) -> Grid:
    columns = min(view.columns or 4, count)
    heights = _NARROW if view.narrow else _HEIGHT
    return Grid(count=count, columns=columns, height=heights.get(columns, 190), gap_x=gap_x)


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw one heat map for each head shown, at the view's stage; colours shared or per head, linear or logarithmic."""
    view = view or View()
    lang, stage = view.lang, view.stage
    colour = view.colour if stage == "weights" else "linear"
    values = visible(result, stage)
    h, n_q, n_k = values.shape
    heads = view.heads(h)
    own = view.colour_range == "per_head" and len(heads) > 1
    grid = _grid(len(heads), view, 0.025 if not own else 0.12 if view.narrow else 0.06)
    ticks = panel_ticks(grid, result.tokens, (n_q, n_k))
    name = quantity(result, view)
    shown = text(lang, "figure.log10", quantity=name) if colour == "log" else name
    query, key = text(lang, "figure.axis.query"), text(lang, "figure.axis.key")
    hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=shown, value="%{z:.3g}")
    layout: dict[str, Any] = {
        "annotations": [],
        "margin": margins(result.tokens, view, bars=48 if view.narrow else 84, most=ticks_of(grid)),
        "showlegend": False,
        "dragmode": "zoom",
        "uirevision": f"{n_q}×{n_k}",
    }
    data = []
    marks = marks_of(result, stage)
    signs = marks is not None and few([marks[head - 1] for head in heads])
    drawn = cells(result, heads, stage, colour)
    for panel, (head, z) in enumerate(zip(heads, drawn, strict=True)):
        title = text(lang, "figure.head", head=head)
        coloraxis = f"coloraxis{panel + 1}" if own and panel else "coloraxis"
        data.append(cell_trace(panel, z, hover, title, coloraxis, {"head": head}))
        if marks is not None:
            data += mark_traces(panel, marks[head - 1], {"head": head}, title, lang, signs)
        layout |= panel_axes(grid, panel, result.tokens, (n_q, n_k), (query, key), 0, ticks=ticks)
        over = f"{title} · {name}" if own else title
        layout["annotations"].append(heading(panel, over, f"head-{head}"))
        if own:
            low, high = grid.y(panel)
            bar = {
                "thickness": 7, "len": high - low, "x": grid.x(panel)[1], "xanchor": "left", "xpad": 3, "ypad": 0,
                "y": high, "yanchor": "top", "nticks": 3,
            }  # fmt: skip
            layout[coloraxis] = colour_axis(colour_range(values[head - 1], stage, colour), stage, colour, None, bar)
    if not own:
        found = limits(result, view, drawn if colour == "linear" else None)
        bar = shared_bar(grid, view) | (bar_ticks(found, stage, colour) if view.colour_range == "quantile" else {})
        layout["coloraxis"] = colour_axis(found.axis, stage, colour, name, bar)
    elif view.narrow:
        layout["margin"] |= {"r": 44, "b": layout["margin"]["b"] - 48}
    if hides(result, stage):
        layout["images"] = [masked_ground(panel) for panel in range(len(heads))]
        layout["annotations"].append(masked_note(lang))
    if marks is not None:
        layout[AXIS] = mark_axis()
        layout["annotations"] += mark_notes([marks], lang)
    row = view.locked(n_q)
    if row is not None:
        layout["shapes"] = [row_outline(panel, row) for panel in range(len(heads))]
    layout["height"] = grid.inner + layout["margin"]["t"] + layout["margin"]["b"]
    return Drawing(NAME, data, layout)


def limits(result: AttentionResult, view: View, drawn: Sequence[NDArray[np.float32]] | None = None) -> Limits:
    """Return the colour scale that the heads shown share; `drawn`, if known, are their `cells`, not of logarithms."""
    stage, heads = view.stage, view.heads(len(result.weights))
    colour = view.colour if stage == "weights" else "linear"
    if view.colour_range == "quantile":
        return quantile_limits(cells(result, heads, stage) if drawn is None else drawn, stage, colour)
    values = visible(result, stage)
    subject = values if len(heads) == len(values) else values[heads[0] - 1]
    return full_limits(colour_range(subject, stage, colour), stage, colour)


def heat_maps(result: AttentionResult, view: View | None = None) -> go.Figure:
    """Draw the heat maps of a result as a plotly figure: all heads, or the one that `view` chooses."""
    view = view or View()
    return drawing(result, view).figure(view.theme)
