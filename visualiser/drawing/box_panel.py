"""A panel of boxes for a statistic of the core's table without a panel of its own.

How this can mislead: the dotted line is a row uniform over the largest number of keys; under a mask other rows have
fewer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import AttentionResult, RowStatistic, normalisations
from visualiser.drawing.boxes import box_numbers, box_trace, head_axis, level, most_keys, row_trace
from visualiser.drawing.panels import Grid, axis, axis_key
from visualiser.listed_statistics import label
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import INK


def box_top(result: AttentionResult, name: str) -> float:
    """Return the upper end of an axis: the largest value that is possible, or nearer where all are far below it."""
    most = normalisations.limits(result.config, name).most_of(most_keys(result))
    highest = float(box_numbers(result, name).max(initial=0.0, where=np.isfinite(box_numbers(result, name))))
    return 1.08 * (most if most <= 1 or highest > most / 4 else max(1.0, highest)) or 1.0


@dataclass(frozen=True)
class BoxPanel:
    """A panel's additions to a figure: its traces, its heading, its two axes."""

    data: list[dict[str, Any]]
    heading: dict[str, Any]
    axes: dict[str, Any]


def box_panel(
    result: AttentionResult, view: View, each: RowStatistic, grid: Grid, panel: int, x: int, y: int
) -> BoxPanel:
    """Draw boxes over rows, a uniform row's value and the locked row; `x` and `y` are the figure's axes, from 0."""
    lang, h = view.lang, result.weights.shape[0]
    keys, limits = most_keys(result), normalisations.limits(result.config, each.name)
    axes = {"xaxis": axis("x", x), "yaxis": axis("y", y)}
    data = [box_trace(result, view, axes, each.name)]
    if limits.uniform is not None:
        line = level(text(lang, "figure.gradient.uniform"), [0.4, h + 0.6], limits.uniform_of(keys), "dot", axes, INK)
        data.append({**line, "showlegend": False})
    data.append(row_trace(result, result.statistic(each.name), view, axes, each.name))
    heading = {
        "text": label(lang, each), "name": each.name, "xref": f"{axes['xaxis']} domain",
        "yref": f"{axes['yaxis']} domain", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "showarrow": False,
    }  # fmt: skip
    across = {**head_axis(lang, h), "domain": grid.x(panel), "anchor": axes["yaxis"]}
    up = {
        "domain": grid.y(panel), "anchor": axes["xaxis"], "range": [0.0, box_top(result, each.name)],
        "title": {"text": each.symbol}, "nticks": 6, "zeroline": False,
    }  # fmt: skip
    return BoxPanel(data, heading, {axis_key("x", x): across, axis_key("y", y): up})
