"""The Jacobian of one row's softmax, J = diag(p) − p pᵀ: the change of weight i as score j rises (∂pᵢ/∂sⱼ).

How this can mislead: for many keys the diagonal outshines the rest, although every line sums to zero; and an almost
white matrix can be a one-hot row or a uniform one.
"""

from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from attention_core import AttentionResult
from visualiser.drawing.colour import colour_axis, colour_range
from visualiser.drawing.distributions import broken_row, without_undefined
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.format_marks import AXIS, few, mark_axis, mark_notes, mark_traces, unfinished
from visualiser.drawing.matrix import cell_trace, margins, masked_ground, masked_note, panel_axes, shared_bar, ticks_of
from visualiser.drawing.panels import Grid
from visualiser.figures.figure import Figure
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_cell
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_head import Made
from visualiser.reasons.of_row import ROW
from visualiser.state.view import View
from visualiser.tables import Table, column, key_columns, made_of_row


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
    return Drawing(jacobian.name, data, layout)


def _sentence(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, _ = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    broken = broken_row(result, head, row)
    if broken is not None:
        return [message(broken.key, **broken.facts, query=row)]
    norm, trace = (float(each[head - 1, row]) for each in (result.jacobian_norm, result.jacobian_trace))
    return [message("table.jacobian.summary", query=row, head=head, norm=norm, trace=trace)]


def _brief(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, _ = result.weights.shape
    norm = float(result.jacobian_norm[view.single(h) - 1, view.inspected(n_q)])
    return without_undefined(message("brief.jacobian", norm=norm), result)


def _table(result: AttentionResult, view: View) -> Table:
    """List for each key its weight, the response to its own score, and the strongest to another key's score."""
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    weights, matrix = result.weights[head - 1, row], result.jacobian(head, row)
    own, strongest = matrix.diagonal(), (matrix - matrix.diagonal().diag()).amin(-1)

    config = result.config

    def response(values: Tensor, of_own: bool) -> Made:
        return lambda key: (
            None if values[key].isnan() else of_cell.response(config, of_own, float(weights[key]), float(values[key]))
        )

    columns = [
        column(lang, "key", np.arange(n_k)),
        *key_columns(result, view),
        column(lang, "weight", weights.numpy(), kind_of(config, "weight"), made_of_row(result, "weights", view)),
        column(lang, "own", own.numpy(), kind_of(config, "own_response"), response(own, True)),
        column(
            lang,
            "strongest",
            strongest.numpy(),
            kind_of(config, "other_response"),
            response(strongest, False),
        ),
    ]
    return Table(text(lang, "table.jacobian.caption", head=head, query=row), columns)


jacobian: Final = Figure(
    name="jacobian",
    draw=drawing,
    sentence=_sentence,
    table=_table,
    brief=_brief,
    reasons={"brief.jacobian": ROW},
    painter="cells",
)
