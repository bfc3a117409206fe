"""Two results side by side, A and B on one colour scale, and their difference B − A on its own.

How this can mislead: a difference of 0.01 is large for a weight of 0.02 and nothing for one of 0.9. Both scales end at
a quantile: beyond an end marked > or < all colours are alike. With another seed
or other inputs, the cells of A and B do not correspond, although they lie in the same place.
"""

from typing import Any

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_core import AttentionResult
from attention_core.result.dense import FormatCells
from visualiser.figures.cells import cells, hides, quantity, visible
from visualiser.figures.colour import colour_axis, colour_range
from visualiser.figures.drawing import Drawing
from visualiser.figures.format_marks import AXIS, few, mark_axis, mark_notes, mark_traces, marks_of, unfinished
from visualiser.figures.matrix import cell_trace, margins, masked_ground, masked_note, panel_axes, row_outline
from visualiser.figures.panels import Grid, heading
from visualiser.figures.plots.heat_maps import NAME
from visualiser.figures.quantile_scale import Limits, bar_ticks, full_limits, quantile_limits
from visualiser.locale import text
from visualiser.state.view import View


def subtractable(a: AttentionResult, b: AttentionResult) -> bool:
    """Return True if B − A is defined: the same heads, queries and keys."""
    return a.scaled.shape == b.scaled.shape


def change(a: AttentionResult, b: AttentionResult, stage: str) -> Tensor | None:
    """Return h × n_q × n_k: B − A at `stage`, never of logarithms; None if shapes differ.

    NaN where either masks, or is no number.
    """
    if not subtractable(a, b):
        return None
    difference = visible(b, stage) - visible(a, stage)
    if isinstance(a.cells, FormatCells) or isinstance(b.cells, FormatCells):
        difference = torch.where(difference.isfinite(), difference, torch.nan)
    for result in (a, b):
        if hides(result, stage) and result.mask is not None:
            difference = torch.where(result.mask, difference, torch.nan)
    return difference


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


def limits(a: AttentionResult, b: AttentionResult, view: View) -> Limits:
    """Return the colour scale that A and B share: by the heads shown, or up to the largest of all heads."""
    stage = view.stage
    colour = view.colour if stage == "weights" else "linear"
    if view.colour_range == "quantile":
        drawn = [z for one in (a, b) for z in cells(one, view.heads(len(one.weights)), stage)]
        return quantile_limits(drawn, stage, colour)
    return full_limits(colour_range((visible(a, stage), visible(b, stage)), stage, colour), stage, colour)


def difference_limits(delta: Tensor, view: View) -> Limits:
    """Return the colour scale of `change`, which is symmetric about 0."""
    if view.colour_range == "quantile":
        return quantile_limits([delta[head - 1].numpy() for head in view.heads(len(delta))], "difference")
    return full_limits(colour_range(delta, "difference"), "difference")


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
    margin = margins(longest, view, bars=52 if view.narrow else 84)
    grid = Grid(
        count=len(panels),
        columns=columns,
        height=height,
        gap_x=0.3 if unlike and view.narrow else 0.12 if unlike else 0.03,
        gap_y=margin["b"] + 24 if unlike else 28,
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
    shared = limits(a, b, view)
    layout["coloraxis"] = colour_axis(shared.axis, stage, colour, name, _placed(shared, stage, colour, grid, view, 0))
    if delta is not None:
        own = difference_limits(delta, view)
        layout["coloraxis2"] = colour_axis(
            own.axis,
            "difference",
            "linear",
            text(lang, "figure.compare.quantity"),
            _placed(own, "difference", "linear", grid, view, 1),
        )
    data, shapes = [], []
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
        layout["annotations"].append(heading(panel, title, f"{side}-{head}"))
        if forbids:
            layout["images"].append(masked_ground(panel))
        row = view.locked(n_q)
        if row is not None:
            shapes.append(row_outline(panel, row))
    if layout["images"]:
        layout["annotations"].append({**masked_note(lang), "yshift": 18})
    layout["annotations"] += [{**note, "yshift": 18} for note in mark_notes(shown, lang)]
    if shapes:
        layout["shapes"] = shapes
    return Drawing(NAME, data, layout)


def compare(a: AttentionResult, b: AttentionResult, view: View | None = None) -> go.Figure:
    """Draw A, B and B − A of two results as a plotly figure."""
    view = view or View()
    return drawing(a, b, view).figure(view.theme)
