"""One head of several mechanisms side by side, from the same queries and keys: their weights, and their scores.

How this can mislead: all maps share one colour scale, so spread weights look pale beside a one-hot row, which is the
point. But each histogram has an axis of its own: compare their numbers and not their widths.
"""

from collections.abc import Mapping
from typing import Final

import plotly.graph_objects as go

from attention_core import AttentionResult
from visualiser.drawing.cells import cells, visible
from visualiser.drawing.colour import colour_axis, colour_range
from visualiser.drawing.drawing import Drawing, Layout, Trace
from visualiser.drawing.matrix import cell_trace, panel_axes, shared_bar
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.figures.plots.score_distribution import drawing as distribution
from visualiser.locale import text
from visualiser.state.view import View

MAPS: Final = "mechanism-maps"
SCORES: Final = "mechanism-scores"

Results = Mapping[str, AttentionResult]
"""One-head results by the name under which `figure.mechanism.NAME` titles the panel."""


def maps_drawing(results: Results, view: View | None = None) -> Drawing:
    """Draw the weights of each mechanism on one colour scale."""
    view = view or View()
    found = list(results.values())
    lang = view.lang
    n_q, n_k = found[0].weights.shape[1:]
    grid = _grid(len(found), 2 if view.narrow else len(found), 140 if view.narrow else 300, 0.03, 30)
    name = text(lang, "figure.stage.weights")
    shown = text(lang, "figure.log10", quantity=name) if view.colour == "log" else name
    hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=shown, value="%{z:.3g}")
    titles = text(lang, "figure.axis.query"), text(lang, "figure.axis.key")
    limits = colour_range([visible(result, "weights") for result in found], "weights", view.colour)
    layout: Layout = {
        "annotations": [],
        "margin": {"l": 52, "r": 8 if view.narrow else 84, "t": 30, "b": 106 if view.narrow else 54},
        "showlegend": False,
        "coloraxis": colour_axis(limits, "weights", view.colour, name, shared_bar(grid, view)),
        "uirevision": str(n_q),
    }
    data: list[Trace] = []
    for panel, (which, result) in enumerate(results.items()):
        title = text(lang, f"figure.mechanism.{which}")
        (z,) = cells(result, (1,), "weights", view.colour)
        data.append(cell_trace(panel, z, hover, title, "coloraxis", {"head": panel + 1, "mechanism": which}))
        layout |= panel_axes(grid, panel, None, (n_q, n_k), titles, 0)
        layout["annotations"].append(heading(panel, title, f"map-{which}"))
    layout["height"] = grid.inner + layout["margin"]["t"] + layout["margin"]["b"]
    return Drawing(MAPS, data, layout)


def scores_drawing(results: Results, view: View | None = None) -> Drawing:
    """Draw the scores of each mechanism as `score_distribution` does."""
    view = view or View()
    lang = view.lang
    across = 1 if view.narrow else len(results)
    grid = _grid(len(results), across, 150 if across == 1 else 200, 0.07, 78)
    top = 112 if across == 1 else 82
    layout: Layout = {
        "height": grid.inner + top + 50,
        "margin": {"l": 54, "r": 14, "t": top, "b": 50},
        "bargap": 0,
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [],
        "shapes": [],
    }
    data: list[Trace] = []
    named: set[str] = set()
    for panel, (which, result) in enumerate(results.items()):
        one = distribution(result, view)
        for trace in one.data:
            kind = trace["meta"].get("kind")
            if "row_of" in trace["meta"]:
                continue  # there is no row to point at
            if kind == "head":
                continue  # the bars are this one head already
            # the figure's title names the bars
            legend = trace.get("showlegend", True) and kind != "pooled" and str(kind) not in named
            named |= {str(kind)} if legend else set()
            name = text(lang, "figure.mechanism.scores") if kind == "pooled" else trace["name"]
            placed = {"xaxis": axis("x", panel), "yaxis": axis("y", panel), "showlegend": legend, "name": name}
            data.append({**trace, **placed, "meta": {**trace["meta"], "mechanism": which}})
        places = {"xref": axis("x", panel), "yref": f"{axis('y', panel)} domain"}
        layout["shapes"] += [{**shape, **places} for shape in one.layout["shapes"]]
        layout["annotations"].append(heading(panel, text(lang, f"figure.mechanism.{which}"), f"scores-{which}"))
        x, y = one.layout["xaxis"], one.layout["yaxis"]
        if not grid.leftmost(panel):
            y = {key: value for key, value in y.items() if key != "title"}
        layout[axis_key("x", panel)] = {**x, "domain": grid.x(panel), "anchor": axis("y", panel), "nticks": 6}
        layout[axis_key("y", panel)] = {**y, "domain": grid.y(panel), "anchor": axis("x", panel), "nticks": 5}
    return Drawing(SCORES, data, layout)


def mechanism_maps(results: Results, view: View | None = None) -> go.Figure:
    """Draw the weights of several mechanisms as a plotly figure."""
    view = view or View()
    return maps_drawing(results, view).figure(view.theme)


def mechanism_scores(results: Results, view: View | None = None) -> go.Figure:
    """Draw the scores of several mechanisms as a plotly figure."""
    view = view or View()
    return scores_drawing(results, view).figure(view.theme)


def _grid(count: int, columns: int, height: int, gap_x: float, gap_y: int) -> Grid:
    return Grid(count=count, columns=min(columns, count), height=height, gap_x=gap_x, gap_y=gap_y)
