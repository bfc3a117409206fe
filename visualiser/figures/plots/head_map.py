"""One head of a trained model over the text: a cell for each query (row) and key (column), its weight.

A link may ask for something else in place of the weights (`visualiser.figures.shown_map`).

How this can mislead: the colours end at the 99.5 % quantile of this head, so the same colour in another head is another
weight. A head that rests on the first token has a bright first column, whatever else it does.
A large weight on a key with a small value adds little.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from visualiser.drawing.cells import TINIEST
from visualiser.drawing.colour import colour_axis, colour_range
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import token_axis
from visualiser.drawing.matrix import (
    cell_trace,
    margins,
    masked_ground,
    panel_axes,
    row_outline,
    shared_bar,
    ticks_of,
)
from visualiser.drawing.panels import Grid
from visualiser.drawing.quantile_scale import bar_ticks, full_limits, quantile_limits
from visualiser.figures import decided_head, shown_map, weights_of_row
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, nothing, token_columns
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw what a link asks for of the chosen head; forbidden cells are hatched, the locked row is framed."""
    view = view or View()
    lang, colour = view.lang, view.colour
    n_q, n_k = shown.weights.shape
    queries, keys = (None if line is None else line.tokens for line in (shown.queries, shown.keys))
    mapped = shown.mapped
    plain = np.where(shown.allowed, shown.weights, np.nan) if mapped is None else mapped.cells
    if view.colour_range == "quantile":
        found = quantile_limits([plain], "weights", colour)
    else:
        whole = shown.attention.weights[shown.head - 1].float()
        drawn = whole if mapped is None else torch.from_numpy(np.nan_to_num(mapped.cells))
        found = full_limits(colour_range(drawn, "weights", colour), "weights", colour)
    z = np.log10(np.maximum(plain, TINIEST)) if colour == "log" else plain
    name = text(lang, "figure.stage.weights" if mapped is None else f"figure.shows.{mapped.name}")
    quantity = text(lang, "figure.log10", quantity=name) if colour == "log" else name
    hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=quantity, value="%{z:.3g}")
    grid = Grid(count=1, columns=1, height=460)
    title = _of_layer(shown, lang) or text(lang, "figure.head_map.head", head=shown.name)
    layout: dict[str, Any] = {
        "annotations": [],
        "margin": margins(_widest(queries, keys), view, bars=48 if view.narrow else 84, most=30),
        "showlegend": False,
        "dragmode": "zoom",
        "uirevision": f"{n_q}×{n_k}",
        "coloraxis": colour_axis(
            found.axis,
            "weights",
            colour,
            name,
            shared_bar(grid, view) | (bar_ticks(found, "weights", colour) if view.colour_range == "quantile" else {}),
        ),
        "images": [masked_ground(0)],
        **panel_axes(
            grid,
            0,
            keys,
            (n_q, n_k),
            (text(lang, "figure.axis.query"), text(lang, "figure.axis.key")),
            None,
            ticks=(token_axis(keys, n_k, most=ticks_of(grid)), token_axis(queries, n_q, most=ticks_of(grid))),
        ),
    }
    if view.locked(n_q) is not None:
        layout["shapes"] = [row_outline(0, shown.row)]
    layout["height"] = grid.inner + layout["margin"]["t"] + layout["margin"]["b"]
    return Drawing(head_map.name, [cell_trace(0, z, hover, title, "coloraxis", {"head": 1})], layout)


def _of_layer(shown: ReadHead, lang: str) -> str:
    """Return what a map of all heads is called; nothing for one of a head."""
    mapped = shown.mapped
    if mapped is None or mapped.name not in shown_map.OF_LAYER:
        return ""
    return text(lang, f"brief.head_map.{mapped.name}", layer=shown.layer)


def _widest(queries: Sequence[str] | None, keys: Sequence[str] | None) -> Sequence[str] | None:
    """Return the names of the axis that needs more room; None without any."""
    return max((found for found in (queries, keys) if found), key=lambda found: max(map(len, found)), default=None)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    if shown.mapped is not None:
        return shown_map.said(shown)
    if shown.reads_none:
        return [nothing(shown)]
    best, count = shown.most_read
    n_q, n_k = shown.weights.shape
    weight = float(shown.weights[shown.row, best])
    facts = {"head": shown.name, "n_q": n_q, "n_k": n_k, "query": shown.number(shown.row), "weight": weight}
    if count > 1:
        return [message("table.head_map.tied", **facts, count=count)]
    return [message("table.head_map.summary", **facts, key=shown.number(best))]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    if shown.mapped is not None and shown.mapped.name in shown_map.OF_LAYER:
        return [message(f"brief.head_map.{shown.mapped.name}", layer=shown.layer)]
    made = decided_head.label(shown, shown.layer, shown.head)
    return [message("brief.head_map" if made is None else "brief.head_map_made", head=shown.name, made=made)]


def _table(shown: ReadHead, view: View) -> Table:
    """List the keys of the chosen row with their scores and weights, and what the map shows in place of weights."""
    lang, row, mapped = view.lang, shown.row, shown.mapped
    query = shown.number(row)
    if mapped is not None and mapped.name in shown_map.OF_LAYER:
        keys = np.flatnonzero(~np.isnan(mapped.cells[row]))
        caption = text(lang, f"table.head_map.caption.{mapped.name}", layer=shown.layer, query=query)
        named = [column(lang, "key", keys), *token_columns(lang, shown.keys, keys.tolist())]
        return Table(caption, [*named, _mapped(shown, lang, keys)])
    keys = np.flatnonzero(shown.allowed[row])
    kind = weights_of_row.kind(shown)
    columns = [
        column(lang, "key", keys),
        *token_columns(lang, shown.keys, keys.tolist()),
        *(
            [column(lang, "score", shown.scores[row, keys], "score", lambda line: _score(shown, int(keys[line])))]
            if shown.scored
            else []
        ),
        column(lang, "weight", shown.weights[row, keys], kind, lambda line: _weight(shown, int(keys[line]))),
    ]
    if mapped is not None and mapped.name == shown_map.NORMS:
        columns.append(
            column(lang, "norm", mapped.beside[keys], "value_norm", lambda line: _norm(shown, int(keys[line])))
        )
    columns += [] if mapped is None else [_mapped(shown, lang, keys)]
    return Table(text(lang, "table.head_map.caption", head=shown.name, query=query), columns)


def _mapped(shown: ReadHead, lang: str, keys: NDArray[np.intp]) -> Column:
    """Return the column of what the map shows in place of weights."""
    mapped = shown.mapped
    assert mapped is not None
    return Column(
        text(lang, f"figure.shows.{mapped.name}"), mapped.cells[shown.row, keys], kind=shown_map.KINDS[mapped.name],
        made=lambda line: shown_map.made(shown, int(keys[line])),
    )  # fmt: skip


def _weight(shown: ReadHead, key: int) -> Message:
    return weights_of_row.reason(shown, key).made


def _norm(shown: ReadHead, key: int) -> Message:
    assert shown.mapped is not None
    return message("reason.made.value_norm", value=float(shown.mapped.beside[key]))


def _score(shown: ReadHead, key: int) -> Message | None:
    return weights_of_row.score(shown, key)


head_map: Final = Figure(name="head-map", draw=drawing, sentence=_sentence, table=_table, brief=_brief, painter="cells")
