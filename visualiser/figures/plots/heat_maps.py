"""All heads side by side: one cell for each query (row) and key (column), at one stage of Figure 2.

How this can mislead: colour compares cells only within one scale, so with a range per head equal colours are not equal
weights. The scale ends at the 99.5 % quantile: beyond an end marked > or < all colours are alike. Up to the largest
weight, on a linear scale, a few large ones make all others look like zero. A sink's weight stands in a column apart,
wider than a key where keys are narrow. The quantile is that of the keys alone, so it may lie beyond the end.
"""

from typing import Any, Final

import numpy as np

from attention_core import AttentionResult, treatments
from attention_core.exact.formats import MARKS
from visualiser.drawing.cells import NORMS, cells, hides, marked_stage, quantity, sink_cells, stage_name, visible
from visualiser.drawing.colour import colour_axis
from visualiser.drawing.distributions import left_out, mean_shown, of_distributions
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.format_marks import AXIS, few, mark_axis, mark_notes, mark_traces, marks_of
from visualiser.drawing.map_colours import colours, full_range, limits
from visualiser.drawing.matrix import (
    cell_trace,
    margins,
    masked_ground,
    masked_note,
    panel_axes,
    panel_ticks,
    room_apart,
    row_outline,
    shared_bar,
    sink_axis,
    sink_hover,
    sink_trace,
    ticks_of,
)
from visualiser.drawing.panels import Grid, heading
from visualiser.drawing.quantile_scale import bar_ticks
from visualiser.drawing.weighed import weighed
from visualiser.figures.figure import Figure
from visualiser.figures.rows import row_table, weighted_kind
from visualiser.listed_statistics import SPREAD_MEANS, WEIGHTS, of_rows
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_cell
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_head import Made
from visualiser.state.view import View
from visualiser.tables import Table, column, head_column, mean_column

_HEIGHT: Final = {1: 460, 2: 340, 3: 270, 4: 220}
_NARROW: Final = {1: 280, 2: 150}


def _grid(count: int, view: View, gap_x: float, apart: float) -> Grid:
    columns = min(view.columns or 4, count)
    heights = _NARROW if view.narrow else _HEIGHT
    return Grid(count=count, columns=columns, height=heights.get(columns, 190), gap_x=gap_x, apart=apart)


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw one heat map for each head shown, at the view's stage; colours shared or per head, linear or logarithmic."""
    view = view or View()
    lang, stage = view.lang, view.stage
    colour = view.colour if stage == "weights" else "linear"
    h, n_q, n_k = visible(result, stage).shape
    heads = view.heads(h)
    sinks = sink_cells(result, heads, stage, colour)
    own = view.colour_range == "per_head" and len(heads) > 1
    gap_x = 0.025 if not own else 0.12 if view.narrow else 0.06
    grid = _grid(len(heads), view, gap_x, room_apart(n_k) if sinks else 0.0)
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
    data, beside = [], []
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
        if sinks:
            beside.append(
                sink_trace(grid, panel, sinks[panel], sink_hover(lang, shown), title, coloraxis, {"head": head})
            )
            layout |= sink_axis(grid, panel, lang)
        over = f"{title} · {name}" if own else title
        layout["annotations"].append(heading(panel, over, f"head-{head}"))
        if own:
            low, high = grid.y(panel)
            bar = {
                "thickness": 7, "len": high - low, "x": grid.column(panel)[1], "xanchor": "left", "xpad": 3, "ypad": 0,
                "y": high, "yanchor": "top", "nticks": 3,
            }  # fmt: skip
            layout[coloraxis] = colour_axis(full_range(result, (head,), stage, colour), stage, colour, None, bar)
    data += beside
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
        layout["shapes"] += [row_outline(panel, row, grid.count + panel) for panel in range(len(sinks))]
    layout["height"] = grid.inner + layout["margin"]["t"] + layout["margin"]["b"]
    return Drawing(heat_maps.name, data, layout)


def _sentence(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, n_k = result.weights.shape
    means = {"largest": mean_shown(result, "largest_weight", view)}
    spread = weighed(result.config).spread
    means |= {"entropy": mean_shown(result, "entropy", view)} if spread else {"mass": mean_shown(result, "mass", view)}
    stage = message(stage_name(result, view.stage))
    sizes = {"heads": len(view.heads(h)), "n_q": n_q, "n_k": n_k, "stage": stage}
    broken, rows = left_out(result, view)
    beside = _norms(result, view)
    if broken == rows:
        return [message("table.heat_maps.sizes", **sizes), *of_distributions([], result, view), *beside]
    key = "table.heat_maps.summary" if spread else "table.heat_maps.gates"
    return [*of_distributions([message(key, **sizes, **means)], result, view), *beside]


def _norms(result: AttentionResult, view: View) -> list[Message]:
    """Say that weights times norms are no shares, and which norms they are."""
    if view.stage != NORMS:
        return []
    return [message("table.heat_maps.norms" if result.has_projection else "table.heat_maps.norms_of_values")]


def _table(result: AttentionResult, view: View) -> Table:
    """List each head's largest cell and its position or, if a row is locked, every key of that row."""
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    if view.locked(n_q) is not None:
        caption, columns = row_table(result, view)
        return Table(" ".join([caption, *colours(result, view)]), columns)
    stage, about_colours = view.stage, colours(result, view)
    values = visible(result, stage)
    if hides(result, stage) and result.mask is not None:
        values = values.masked_fill(~result.mask, -np.inf)
    flat = values.flatten(1).numpy()
    marks = result.marks(marked_stage(stage))
    if marks is not None:
        flat = np.where(np.isfinite(flat), flat, -np.inf)
    where = flat.argmax(-1)  # the first of several; a tenth of the time of torch's maximum with its index
    name = "largest_weight" if stage == "weights" else "largest_value"
    kinds = {"weights": kind_of(result.config, "weight"), "scores": "product", NORMS: weighted_kind(result)}
    kind = kinds.get(stage, "score")
    if stage == "masked" and treatments.acting(result.config):
        kind = "capped"

    largest = flat[np.arange(h), where]
    largest = np.where(np.isneginf(largest), np.nan, largest)  # no key, or no number

    def made(head: int) -> Message | None:
        return (
            None if np.isnan(largest[head]) else of_cell.of_stage(result, stage, head, *divmod(int(where[head]), n_k))
        )

    means = of_rows(result.config, SPREAD_MEANS, WEIGHTS)
    columns = [
        head_column(result, view),
        mean_column(result, view, means[0]),
        *(mean_column(result, view, each) for each in means[1:] if each.name == "sink_weight"),
        column(lang, name, largest, kind, made),
        column(lang, "at_query", where // n_k),
        column(lang, "at_key", where % n_k),
    ]
    if marks is not None:
        columns += [
            column(
                lang, f"marks.{name}", (marks == code).flatten(1).sum(-1).numpy(), "format_count", _counted(n_q, n_k)
            )
            for code, name in enumerate(MARKS, 1)
            if (marks == code).any()
        ]
    caption = text(lang, "table.heat_maps.caption", stage=quantity(result, view))
    return Table(" ".join([caption, *about_colours]), columns)


def _counted(n_q: int, n_k: int) -> Made:
    return lambda head: message("reason.made.format_cells", h=1, n_q=n_q, n_k=n_k)


heat_maps: Final = Figure(name="heat-maps", draw=drawing, sentence=_sentence, table=_table, painter="cells")
