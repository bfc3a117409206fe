"""One head of several mechanisms side by side, from the same queries and keys: their weights, and their scores.

How this can mislead: all maps share one colour scale, so spread weights look pale beside a one-hot row, which is the
point. But each histogram has an axis of its own: compare their numbers and not their widths.
"""

from typing import Final

import numpy as np

from attention_core.config import SCALED
from visualiser.drawing.cells import cells, visible
from visualiser.drawing.colour import colour_axis, colour_range
from visualiser.drawing.drawing import Drawing, Layout, Trace
from visualiser.drawing.matrix import cell_trace, panel_axes, shared_bar
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.figures import mechanism_cells as why
from visualiser.figures.figure import Figure
from visualiser.figures.plots.score_distribution import drawing as distribution
from visualiser.figures.point import Point, Results, means
from visualiser.listed_statistics import MECHANISMS, mean_label
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column


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
    return Drawing(mechanism_maps.name, data, layout)


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
    return Drawing(mechanism_scores.name, data, layout)


def _grid(count: int, columns: int, height: int, gap_x: float, gap_y: int) -> Grid:
    return Grid(count=count, columns=min(columns, count), height=height, gap_x=gap_x, gap_y=gap_y)


def _maps_table(point: Point, view: View) -> Table:
    """List for each mechanism the means over the rows of its head."""
    found, lang = point.results, view.lang
    columns = [
        *_names(found, lang),
        *(
            Column(
                mean_label(lang, each),
                np.array([float(one.statistic(each.name).mean()) for one in found.values()]),
                kind=each.name,
                made=why.mean(found, each.name),
            )
            for each in MECHANISMS
        ),
    ]
    return Table(text(lang, "table.mechanism_maps.caption"), columns)


def _scores_table(point: Point, view: View) -> Table:
    """List the moments of the scores beside footnote 4's prediction, if it has one."""
    found, lang = point.results, view.lang
    predicted = [np.nan if one.predicted_variance is None else one.predicted_variance for one in found.values()]
    columns = [
        *_names(found, lang),
        column(
            lang,
            "mean",
            np.array([float(one.score_mean) for one in found.values()]),
            "score_mean",
            why.score_mean(found),
        ),
        column(
            lang,
            "variance",
            np.array([float(one.score_variance) for one in found.values()]),
            "score_variance",
            why.score_variance(found),
        ),
        column(lang, "predicted_variance", np.array(predicted), "predicted_variance", why.predicted(found)),
    ]
    return Table(text(lang, "table.mechanism_scores.caption"), columns)


def _names(found: Results, lang: str) -> list[Column]:
    names = [text(lang, f"figure.mechanism.{name}") for name in found]
    factors = [one.config.factor if SCALED[one.config.mechanism] else np.nan for one in found.values()]
    return [
        Column(text(lang, "table.mechanism"), names),
        Column(text(lang, "table.factor"), np.array(factors), kind="factor", made=why.factor(found)),
    ]


def _items(key: str, found: Results) -> list[Message]:
    return [message(key, name=message(f"figure.mechanism.{name}"), **means(one)) for name, one in found.items()]


mechanism_maps: Final = Figure(
    name="mechanism-maps",
    draw=maps_drawing,
    live=lambda point, view: maps_drawing(point.results, view),
    sentence=lambda point, view: _items("table.mechanism_maps.item", point.results),
    table=_maps_table,
    painter="cells",
)
mechanism_scores: Final = Figure(
    name="mechanism-scores",
    draw=scores_drawing,
    live=lambda point, view: scores_drawing(point.results, view),
    sentence=lambda point, view: _items("table.mechanism_scores.item", point.results),
    table=_scores_table,
)
