"""The gradient that the softmax lets through: its Jacobian J = diag(p) − p pᵀ of every row, as norm and as trace.

‖J‖_F² = Σp² − 2Σp³ + (Σp²)² and trace J = 1 − Σp², one box a head for each.

How this can mislead: the norm is small at *both* ends, for one-hot rows and for rows uniform over many keys (about
1/√n), so a small norm alone proves no saturation. The trace tells them apart: near 0 for one-hot, near 1 for uniform
rows.
"""

from typing import Any, Final

from attention_core import AttentionResult, normalisations
from attention_core.blocks.row_statistics import Limits
from visualiser.drawing.box_panel import box_panel, box_top
from visualiser.drawing.boxes import box_numbers, box_trace, head_axis, level, most_keys, row_trace
from visualiser.drawing.distributions import mean_shown, of_distributions, without_undefined
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.panels import Grid, heading
from visualiser.drawing.weighed import is_plain
from visualiser.figures.figure import Figure
from visualiser.listed_statistics import GRADIENT_BOXES, further_statistics, median_label
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_head
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_rows import MEANS
from visualiser.state.view import View
from visualiser.tables import Column, Table, head_column, locked_columns
from visualiser.theme import ACCENT, INK

_NO_LEGEND: Final = {"showlegend": False}


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw two panels of boxes over rows, with reference lines for a uniform row and for the largest norm."""
    view = view or View()
    lang, h = view.lang, result.weights.shape[0]
    keys = most_keys(result)
    ends = [0.4, h + 0.6]
    left, right = {"xaxis": "x", "yaxis": "y"}, {"xaxis": "x2", "yaxis": "y2"}
    plain = is_plain(result.config)
    jacobian, diagonal = (normalisations.limits(result.config, f"jacobian_{name}") for name in ("norm", "trace"))
    uniform = text(lang, "figure.gradient.uniform")

    def equal(limits: Limits, axes: dict[str, str], legend: bool) -> list[dict[str, Any]]:
        if limits.uniform is None:
            return []
        return [level(uniform, ends, limits.uniform_of(keys), "dot", axes, INK) | ({} if legend else _NO_LEGEND)]

    most = jacobian.most_of(keys)
    norm_top, trace_top = (0.55, 1.08) if plain else (box_top(result, f"jacobian_{name}") for name in ("norm", "trace"))
    largest = [level(text(lang, "figure.gradient.largest", most=most), ends, most, "dash", left, ACCENT)]
    data = [
        box_trace(result, view, left, "jacobian_norm"),
        *(largest if most <= norm_top else []),
        *equal(jacobian, left, True),
        row_trace(result, result.jacobian_norm, view, left, "jacobian_norm"),
        box_trace(result, view, right, "jacobian_trace"),
        *equal(diagonal, right, False),
        row_trace(result, result.jacobian_trace, view, right, "jacobian_trace"),
    ]
    columns = 1 if view.narrow else 2
    grid = Grid(count=len(GRADIENT_BOXES), columns=columns, height=230, gap_x=0.1, gap_y=84)
    norm = text(lang, "figure.gradient.norm")
    trace = text(lang, "figure.gradient.trace" if plain else "figure.gradient.trace_other")
    top = 74 if view.narrow else 62
    layout: dict[str, Any] = {
        "height": grid.inner + top + 50,
        "margin": {"l": 52, "r": 14, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [heading(0, norm, "jacobian-norm"), heading(1, trace, "jacobian-trace")],
        "xaxis": {**head_axis(lang, h), "domain": grid.x(0), "anchor": "y"},
        "yaxis": {
            "domain": grid.y(0), "anchor": "x", "range": [0.0, norm_top], "title": {"text": "‖J‖<sub>F</sub>"},
            "nticks": 6, "zeroline": False,
        },
        "xaxis2": {**head_axis(lang, h), "domain": grid.x(1), "anchor": "y2"},
        "yaxis2": {
            "domain": grid.y(1), "anchor": "x2", "range": [0.0, trace_top], "title": {"text": "tr J"}, "nticks": 6,
            "zeroline": False,
        },
    }  # fmt: skip
    for panel, each in enumerate(GRADIENT_BOXES[2:], 2):
        added = box_panel(result, view, each, grid, panel, panel, panel)
        data += added.data
        layout |= added.axes | {"annotations": [*layout["annotations"], added.heading]}
    return Drawing(gradient.name, data, layout)


def _sentence(result: AttentionResult, view: View) -> list[Message]:
    means = {"norm": mean_shown(result, "jacobian_norm", View()), "trace": mean_shown(result, "jacobian_trace", View())}
    summary = (
        message("table.gradient.summary", **means, most=1 - 1 / float(result.ceiling.max().exp()))
        if is_plain(result.config)
        else message("table.gradient.other", **means)
    )
    others = further_statistics(GRADIENT_BOXES[2:], lambda each: mean_shown(result, each.name, View()))
    return of_distributions([summary, *others], result, View())


def _brief(result: AttentionResult, view: View) -> list[Message]:
    norm, trace = mean_shown(result, "jacobian_norm", View()), mean_shown(result, "jacobian_trace", View())
    return without_undefined(message("brief.gradient", norm=norm, trace=trace), result)


def _table(result: AttentionResult, view: View) -> Table:
    lang, columns = view.lang, [head_column(result, view)]
    columns += [
        Column(
            median_label(lang, each),
            box_numbers(result, each.name)[2],
            kind=kind_of(result.config, each.name),
            made=of_head.quantile(result, each.name, 2),
        )
        for each in GRADIENT_BOXES
    ]
    columns += locked_columns(result, view, GRADIENT_BOXES)
    return Table(text(lang, "table.gradient.caption"), columns)


gradient: Final = Figure(
    name="gradient",
    draw=drawing,
    sentence=_sentence,
    table=_table,
    brief=_brief,
    reasons={"brief.gradient": MEANS},
)
