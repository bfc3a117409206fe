"""Two results side by side, A and B on one colour scale, and their difference B − A on its own.

How this can mislead: a difference of 0.01 is large for a weight of 0.02 and nothing for one of 0.9. Both scales end at
a quantile: beyond an end marked > or < all colours are alike. With another seed
or other inputs, the cells of A and B do not correspond, although they lie in the same place.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionResult
from visualiser.drawing.boxes import mean_over_rows
from visualiser.drawing.cells import cells, hides, quantity, sink_cells, visible
from visualiser.drawing.colour import colour_axis
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.format_marks import AXIS, few, mark_axis, mark_notes, mark_traces, marks_of, unfinished
from visualiser.drawing.map_colours import (
    change,
    compared_colours,
    compared_limits,
    difference_limits,
    sink_change,
    subtractable,
)
from visualiser.drawing.matrix import (
    cell_trace,
    margins,
    masked_ground,
    masked_note,
    panel_axes,
    room_apart,
    row_outline,
    sink_axis,
    sink_hover,
    sink_trace,
)
from visualiser.drawing.panels import Grid, heading
from visualiser.drawing.quantile_scale import Limits, bar_ticks
from visualiser.drawing.weighed import weighed
from visualiser.figures.figure import Figure
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.reasons import of_cell, of_head
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_head import Made
from visualiser.state.view import View
from visualiser.tables import Column, Table, column

Both = tuple[AttentionResult, AttentionResult]
"""A, which is pinned, and B."""


def _both(a: AttentionResult, b: AttentionResult, stage: str) -> Tensor | None:
    """Return n_q × n_k: True where neither hides the cell at `stage`; None if nothing is hidden."""
    masks = [result.mask for result in (a, b) if hides(result, stage) and result.mask is not None]
    return None if not masks else masks[0] & masks[-1]


def _bar(grid: Grid, view: View, place: int) -> dict[str, Any]:
    """Place one of the two colour bars: one above the other, or next to each other on a narrow screen."""
    if view.narrow:
        return {
            "orientation": "h", "thickness": 10, "len": 0.44, "x": (0.22, 0.78)[place], "xanchor": "center",
            "nticks": 4, "yref": "container", "y": 0.0, "yanchor": "bottom", "ypad": 4,
        }  # fmt: skip
    length = (min(grid.inner, 480) - 24) / 2
    return {
        "thickness": 14, "lenmode": "pixels", "len": length, "x": 1, "xanchor": "left", "xpad": 12, "ypad": 0,
        "nticks": 5, "y": 1 - place * (length + 24) / grid.inner, "yanchor": "top",
    }  # fmt: skip


def _placed(limits: Limits, stage: str, colour: str, grid: Grid, view: View, place: int) -> dict[str, Any]:
    """Return the place and, if the scale may be open, the ticks of one of the two colour bars."""
    ticks = bar_ticks(limits, stage, colour) if view.colour_range == "quantile" else {}
    return _bar(grid, view, place) | ticks


def drawing(a: AttentionResult, b: AttentionResult, view: View | None = None) -> Drawing:
    """Draw a line of panels for each head shown: A, B and B − A.

    If the sizes differ there is no difference and `layout["meta"]["difference"]` is False: all heads of A come first,
    then those of B. Trace meta has "of": "a", "b" or "difference".
    """
    view = view or View()
    lang, stage = view.lang, view.stage
    colour = view.colour if stage == "weights" else "linear"
    unlike = not subtractable(a, b)
    sides = {"a": a, "b": b} | ({} if unlike else {"difference": b})
    if unlike:
        panels = [(side, head) for side, result in sides.items() for head in view.heads(result.scaled.shape[0])]
    else:
        panels = [(side, head) for head in view.heads(b.scaled.shape[0]) for side in sides]
    columns = min(len(panels), (2 if view.narrow else 3) if unlike else len(sides))
    several = len(panels) > columns
    height = (130 if view.narrow else 240) if several else (160 if view.narrow else 330)
    name = quantity(b, view)
    query, key = text(lang, "figure.axis.query"), text(lang, "figure.axis.key")
    longest = max((a.tokens, b.tokens), key=lambda tokens: sum(map(len, tokens)) if tokens else 0)
    # h × n_q × 1 of each side that has a sink, the difference if both have
    sinks = {side: sink_cells(one, range(1, 1 + len(one.weights)), stage, colour) for side, one in (("a", a), ("b", b))}
    if (apart := sink_change(a, b, stage)) is not None:
        sinks["difference"] = list(apart.numpy())
    margin = margins(longest, view, bars=52 if view.narrow else 84)
    grid = Grid(
        count=len(panels),
        columns=columns,
        height=height,
        gap_x=0.3 if unlike and view.narrow else 0.12 if unlike else 0.03,
        gap_y=margin["b"] + 24 if unlike else 28,
        apart=room_apart(max(a.scaled.shape[2], b.scaled.shape[2])) if any(sinks.values()) else 0.0,
    )
    margin["t"] += 14
    layout: dict[str, Any] = {
        "annotations": [],
        "images": [],
        "margin": margin,
        "showlegend": False,
        "dragmode": "zoom",
        "meta": {"difference": not unlike},
        "height": grid.inner + margin["t"] + margin["b"],
    }
    delta = change(a, b, stage)
    shared = compared_limits(a, b, view)
    layout["coloraxis"] = colour_axis(shared.axis, stage, colour, name, _placed(shared, stage, colour, grid, view, 0))
    if delta is not None:
        own = difference_limits(delta, view, apart)
        layout["coloraxis2"] = colour_axis(
            own.axis,
            "difference",
            "linear",
            text(lang, "figure.compare.quantity"),
            _placed(own, "difference", "linear", grid, view, 1),
        )
    data, beside, shapes = [], [], []
    marks = {"a": marks_of(a, stage), "b": marks_of(b, stage)}
    if delta is not None:
        marks["difference"] = unfinished(delta, _both(a, b, stage))
    shown = [of[head - 1] for side, head in panels if (of := marks[side]) is not None]
    if shown:
        layout[AXIS] = mark_axis()
    for panel, (side, head) in enumerate(panels):
        result = sides[side]
        _, n_q, n_k = result.scaled.shape
        if delta is not None and side == "difference":
            z, forbids = delta[head - 1].numpy(), hides(a, stage) or hides(b, stage)
        else:
            z, forbids = cells(result, (head,), stage, colour)[0], hides(result, stage)
        title = text(lang, f"figure.compare.{side}", head=head)
        what = text(lang, "figure.compare.quantity") if side == "difference" else name
        hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=what, value="%{z:.3g}")
        axis = "coloraxis2" if side == "difference" else "coloraxis"
        data.append(cell_trace(panel, z, hover, title, axis, {"head": head, "of": side}))
        if (of := marks[side]) is not None:
            data += mark_traces(panel, of[head - 1], {"head": head, "of": side}, title, lang, few(shown))
        match = [of for of, _ in panels].index(side) if unlike else 0  # A and B of different sizes zoom separately
        layout |= panel_axes(grid, panel, result.tokens, (n_q, n_k), (query, key), match, alone=unlike)
        of_sink = sinks.get(side)
        if of_sink:
            meta = {"head": head, "of": side}
            beside.append(sink_trace(grid, panel, of_sink[head - 1], sink_hover(lang, what), title, axis, meta))
            layout |= sink_axis(grid, panel, lang, alone=unlike)
        layout["annotations"].append(heading(panel, title, f"{side}-{head}"))
        if forbids:
            layout["images"].append(masked_ground(panel))
        row = view.locked(n_q)
        if row is not None:
            shapes.append(row_outline(panel, row))
            shapes += [row_outline(panel, row, grid.count + panel)] if of_sink else []
    if layout["images"]:
        layout["annotations"].append({**masked_note(lang), "yshift": 18})
    layout["annotations"] += [{**note, "yshift": 18} for note in mark_notes(shown, lang)]
    if shapes:
        layout["shapes"] = shapes
    return Drawing(compare.name, data + beside, layout)


def _table(both: Both, view: View) -> Table:
    """List, for each head that A and B share, both mean entropies and, if the shapes match, the largest change of a
    cell.
    """
    (a, b), lang = both, view.lang
    h = min(a.scaled.shape[0], b.scaled.shape[0])
    columns = [
        column(lang, "head", np.arange(1, h + 1)),
        _entropies(lang, "entropy_a", a, h),
        _entropies(lang, "entropy_b", b, h),
    ]
    difference = change(a, b, view.stage)
    if difference is not None:
        largest = difference.abs().nan_to_num(-1.0).amax((1, 2)).double()  # −1: no number at all
        values = largest.masked_fill(largest < 0, np.nan).numpy()
        columns.append(column(lang, "change", values, "change", _changed(a, b, view.stage, values)))
    colours = compared_colours(a, b, difference, view)
    return Table(" ".join([text(lang, "table.compare.caption"), *colours]), columns)


def _entropies(lang: str, name: str, result: AttentionResult, h: int) -> Column:
    """Return the mean entropy of the first `h` heads; no number for rows without one."""
    if not weighed(result.config).spread:
        return column(lang, name, np.full(h, np.nan))
    values = mean_over_rows(result, "entropy")[:h].numpy()
    return column(lang, name, values, kind_of(result.config, "entropy"), of_head.mean(result, "entropy"))


def _changed(a: AttentionResult, b: AttentionResult, stage: str, values: NDArray) -> Made:
    difference = change(a, b, stage)
    assert difference is not None  # the column is there

    def made(head: int) -> Message | None:
        if np.isnan(values[head]):
            return None
        query, key = of_cell.largest_change(difference, head)
        before, after = (float(visible(one, stage)[head, query, key]) for one in (a, b))
        return of_cell.change(before, after, float(values[head]), query, key)

    return made


compare: Final = Figure(
    name=heat_maps.name,
    draw=drawing,
    live=lambda both, view: drawing(*both, view=view),
    sentence=lambda both, view: heat_maps.sentence(both[1], view),
    table=_table,
    painter="cells",
)
