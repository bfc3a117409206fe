"""The gradient that the softmax lets through: its Jacobian J = diag(p) − p pᵀ of every row, as norm and as trace.

‖J‖_F² = Σp² − 2Σp³ + (Σp²)² and trace J = 1 − Σp², one box a head for each.

How this can mislead: the norm is small at *both* ends, for one-hot rows and for rows uniform over many keys (about
1/√n), so a small norm alone proves no saturation. The trace tells them apart: near 0 for one-hot, near 1 for uniform
rows.
"""

import math
from typing import Any, Final

import plotly.graph_objects as go

from attention_core import AttentionResult
from attention_core.blocks.row_statistics import statistic
from visualiser.figures.box_panel import box_panel
from visualiser.figures.boxes import box_trace, head_axis, level, row_trace
from visualiser.figures.drawing import Drawing
from visualiser.figures.panels import Grid, heading
from visualiser.listed_statistics import GRADIENT_BOXES
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import ACCENT, INK

NAME: Final = "gradient"


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw two panels of boxes over rows, with reference lines for a uniform row and for the largest norm."""
    view = view or View()
    lang, h = view.lang, result.weights.shape[0]
    keys = max(1, round(math.exp(float(result.ceiling.max()))))
    ends = [0.4, h + 0.6]
    left, right = {"xaxis": "x", "yaxis": "y"}, {"xaxis": "x2", "yaxis": "y2"}
    jacobian, diagonal = statistic("jacobian_norm"), statistic("jacobian_trace")
    uniform = text(lang, "figure.gradient.uniform")
    uniform_trace = level(uniform, ends, diagonal.uniform_of(keys), "dot", right, INK)
    uniform_trace["showlegend"] = False
    most = jacobian.most_of(keys)
    data = [
        box_trace(result, view, left, "jacobian_norm"),
        level(text(lang, "figure.gradient.largest", most=most), ends, most, "dash", left, ACCENT),
        level(uniform, ends, jacobian.uniform_of(keys), "dot", left, INK),
        row_trace(result, result.jacobian_norm, view, left, "jacobian_norm"),
        box_trace(result, view, right, "jacobian_trace"),
        uniform_trace,
        row_trace(result, result.jacobian_trace, view, right, "jacobian_trace"),
    ]
    columns = 1 if view.narrow else 2
    grid = Grid(count=len(GRADIENT_BOXES), columns=columns, height=230, gap_x=0.1, gap_y=84)
    norm, trace = text(lang, "figure.gradient.norm"), text(lang, "figure.gradient.trace")
    top = 74 if view.narrow else 62
    layout: dict[str, Any] = {
        "height": grid.inner + top + 50,
        "margin": {"l": 52, "r": 14, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [heading(0, norm, "jacobian-norm"), heading(1, trace, "jacobian-trace")],
        "xaxis": {**head_axis(lang, h), "domain": grid.x(0), "anchor": "y"},
        "yaxis": {
            "domain": grid.y(0), "anchor": "x", "range": [0.0, 0.55], "title": {"text": "‖J‖<sub>F</sub>"}, "nticks": 6,
            "zeroline": False,
        },
        "xaxis2": {**head_axis(lang, h), "domain": grid.x(1), "anchor": "y2"},
        "yaxis2": {
            "domain": grid.y(1), "anchor": "x2", "range": [0.0, 1.08], "title": {"text": "tr J"}, "nticks": 6,
            "zeroline": False,
        },
    }  # fmt: skip
    for panel, each in enumerate(GRADIENT_BOXES[2:], 2):
        added = box_panel(result, view, each, grid, panel, panel, panel)
        data += added.data
        layout |= added.axes | {"annotations": [*layout["annotations"], added.heading]}
    return Drawing(NAME, data, layout)


def gradient(result: AttentionResult, view: View | None = None) -> go.Figure:
    """Draw norm and trace of the softmax Jacobians of a result as a plotly figure."""
    view = view or View()
    return drawing(result, view).figure(view.theme)
