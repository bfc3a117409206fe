"""The Jacobian of one row's softmax, J = diag(p) − p pᵀ: the change of weight i as score j rises (∂pᵢ/∂sⱼ).

How this can mislead: for many keys the diagonal outshines the rest, although every line sums to zero; and an almost
white matrix can be a one-hot row or a uniform one.
"""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
import torch

from attention_core import AttentionResult
from visualiser.figures.colour import colour_axis, colour_range
from visualiser.figures.drawing import Drawing
from visualiser.figures.format_marks import AXIS, few, mark_axis, mark_notes, mark_traces, unfinished
from visualiser.figures.matrix import cell_trace, margins, masked_ground, masked_note, panel_axes, shared_bar, ticks_of
from visualiser.figures.panels import Grid
from visualiser.locale import text
from visualiser.state.view import View

NAME: Final = "jacobian"


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw n_k × n_k for the locked row (else the last) of the chosen head (head 1 if all are shown)."""
    view = view or View()
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    matrix = result.jacobian(head, row)
    limits = colour_range(matrix, "jacobian")
    forbids = result.mask is not None
    allowed = None
    if result.mask is not None:
        allowed = result.mask[row]
        matrix = torch.where(allowed[:, None] & allowed[None, :], matrix, torch.nan)
    grid = Grid(count=1, columns=1, height=280 if view.narrow else 320)
    titles = text(lang, "figure.jacobian.y"), text(lang, "figure.jacobian.x")
    hover = text(lang, "figure.jacobian.hover", weight="%{y}", score="%{x}", value="%{z:.3g}")
    margin = margins(result.tokens, view, bars=48 if view.narrow else 92, most=ticks_of(grid))
    layout: dict[str, Any] = {
        "margin": margin,
        "showlegend": False,
        "annotations": [masked_note(lang)] if forbids else [],
        "images": [masked_ground(0)] if forbids else [],
        "coloraxis": colour_axis(limits, "jacobian", "linear", "∂pᵢ/∂sⱼ", shared_bar(grid, view)),
        "height": grid.inner + margin["t"] + margin["b"],
        **panel_axes(grid, 0, result.tokens, (n_k, n_k), titles, None),
    }
    # The row's number is data: the live page steps through the rows without a new figure.
    meta = {"head": head, "row": np.int64(row)}
    title = text(lang, "figure.head", head=head)
    data = [cell_trace(0, matrix.numpy(), hover, title, "coloraxis", meta)]
    if result.broken is not None and result.broken[head - 1, row]:
        among = None if allowed is None else allowed[:, None] & allowed[None, :]
        codes = unfinished(matrix, among)
        if codes is not None:
            data += mark_traces(0, codes, meta, title, lang, few([codes]))
            layout[AXIS] = mark_axis()
            layout["annotations"] += mark_notes([codes], lang)
    return Drawing(NAME, data, layout)


def jacobian(result: AttentionResult, view: View | None = None) -> go.Figure:
    """Draw the softmax Jacobian of one row as a plotly figure."""
    view = view or View()
    return drawing(result, view).figure(view.theme)
