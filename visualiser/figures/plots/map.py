"""A window onto the weights of a long sequence: one head's average or maximum over squares of tokens.

How this can mislead: a square is many cells. Its average hides a lone spike, its maximum paints one as large as the
whole square; the two agree only if a square is one token. Squares at the edge of a mask average over forbidden cells,
whose weight is 0, as well.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import normalisations
from visualiser.drawing.cells import TINIEST
from visualiser.drawing.colour import colour_axis, colour_range
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import label, thinned
from visualiser.drawing.matrix import masked_ground, masked_note
from visualiser.figures.figure import Figure
from visualiser.figures.mapped import Mapped, Window, mean, sink_sentences
from visualiser.listed_statistics import MAP_HEADS, mean_label, of_rows
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.maps.facts import seeing
from visualiser.maps.geometry import keys
from visualiser.maps.kept import Kept
from visualiser.maps.scores import scores_of
from visualiser.reasons import of_cell, of_head
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_head import Made
from visualiser.reasons.of_rows import averaged
from visualiser.state.view import View
from visualiser.tables import Column, Table, column

_HEIGHT: Final = 620
_ABOVE_SINKS: Final = 92
_LIFT, _LINE, _LINES = 18, 15, 2
"""Pixels from the map to the first line of the sinks' names, from one line to the next, and the number of lines."""

_WIDE: Final = 0.0125
"""The width of a letter of such a name, as a share of the map's."""

_NAMED: Final = 48
"""The largest number of tokens named along an axis; with more in view, the axis shows positions."""


def drawing(window: Window, lang: str = "en", view: View | None = None) -> Drawing:
    """Draw the window as a heat map on integer axes: position p is the middle of a square of one token."""
    view = view or View()
    cells = torch.from_numpy(window.cells)
    limits = colour_range(cells, "weights", view.colour)
    name = text(lang, f"figure.map.{window.pooling}")
    shown = text(lang, "figure.log10", quantity=name) if view.colour == "log" else name
    hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=shown, value="%{z:.3g}")
    trace = {
        "type": "heatmap",
        "z": (cells.clamp(min=TINIEST).log10() if view.colour == "log" else cells).numpy(),
        "x": window.column_edges - 0.5,
        "y": window.row_edges - 0.5,
        "coloraxis": "coloraxis",
        "hoverongaps": False,
        "hovertemplate": f"{hover}<extra>{text(lang, 'figure.head', head=window.head)}</extra>",
        "meta": {"panel": 0, "kind": "cells", "head": window.head},
    }
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "margin": {"l": 84, "r": 84, "t": 34, "b": 84},
        "title": {"text": text(lang, "figure.head", head=window.head), "font": {"size": 14}},
        "xaxis": {**axis(window.column_edges, window.tokens), "title": {"text": text(lang, "figure.axis.key")}},
        "yaxis": {**axis(window.row_edges, window.tokens), "title": {"text": text(lang, "figure.axis.query")}},
        "coloraxis": colour_axis(limits, "weights", view.colour, name, {"thickness": 14}),
    }
    layout["yaxis"]["range"] = layout["yaxis"]["range"][::-1]  # the first query on top
    if np.isnan(window.cells).any():
        layout |= {"images": [masked_ground(0)], "annotations": [masked_note(lang)]}
    marks = _sink_marks(window, lang)
    if marks:
        layout["margin"]["t"] = _ABOVE_SINKS
        layout["title"] |= {"y": 0.985, "yanchor": "top"}
        notes = [{**note, "yshift": _LIFT + _LINES * _LINE} for note in layout.get("annotations", ())]
        layout["annotations"] = [*notes, *marks]
    return Drawing(window_map.name, [trace], layout)


def _sink_marks(window: Window, lang: str) -> list[dict[str, Any]]:
    """Mark the sinks in view above the map, each by an arrow to its key with its share.

    A name that would touch the one before it stands a line higher; if no line has room, the arrow stands alone.
    """
    first, last = int(window.column_edges[0]), int(window.column_edges[-1])
    ends, marks = [-math.inf] * _LINES, []
    for key, share in window.sinks_seen:
        name = text(lang, "figure.map.sink", key=key, share=100 * share)
        place, wide = (key + 0.5 - first) / (last - first), _WIDE * (len(name) + 2)
        line = next((line for line, end in enumerate(ends) if end <= place - wide / 2), None)
        if line is not None:
            ends[line] = place + wide / 2
        mark = {"x": key, "y": 1, "xref": "x", "yref": "paper", "text": "" if line is None else name}
        mark |= {"showarrow": True, "ax": 0, "ay": -_LIFT - _LINE * (line or 0), "arrowhead": 2, "arrowwidth": 1.2}
        marks.append(mark)
    return marks


def axis(edges: NDArray[np.int64], tokens: Sequence[str] | None) -> dict[str, Any]:
    """Return an axis over the positions between `edges`; tokens name them if they are few enough to read."""
    first, last = int(edges[0]), int(edges[-1])
    found: dict[str, Any] = {"range": [first - 0.5, last - 0.5], "showgrid": False, "zeroline": False}
    if tokens is None or last - first > _NAMED:
        return {**found, "tickmode": "auto", "nticks": 8, "tickformat": "d"}
    chosen = [first + position for position in thinned(last - first, _NAMED // 2)]
    return {**found, "tickmode": "array", "tickvals": chosen, "ticktext": [label(tokens[i]) for i in chosen]}


def _sentence(mapped: Mapped, view: View) -> list[Message]:
    """Describe the picture: its sizes, the mean entropy or sum of gates, and the sinks that are marked at its edge."""
    known = mapped.facts
    sizes = {"heads": known.heads, "n_q": known.n_q, "n_k": known.n_k, "rows": known.rows, "columns": known.columns}
    if known.spread is None:
        return [message("table.map.gates", **sizes, mass=mean(known.further["mass"]))]
    return [message("table.map.summary", **sizes, entropy=mean(known.spread.entropy)), *sink_sentences(known.sinks)]


def _table(mapped: Mapped, view: View) -> Table:
    """List for each head the means over the queries with keys, and its largest weight with its position."""
    kept, lang = mapped.kept, view.lang
    known, seen = kept.statistics, seeing(kept)
    largest, query = known.largest_weight.max(-1)
    key = known.largest_at.gather(-1, query.unsqueeze(-1)).squeeze(-1)
    means = {
        each: known.statistic(each.name)[:, seen].double().mean(-1).numpy() for each in of_rows(kept.config, MAP_HEADS)
    }

    def most(head: int) -> Message:
        value = float(largest[head])
        if normalisations.of(kept.config).softmax:
            return of_head.over(value)
        scores = scores_of(kept, head, int(query[head])).masked
        return of_cell.weight_of(kept.config, scores, int(key[head]), value)

    columns = [
        column(lang, "head", np.arange(1, len(largest) + 1)),
        *(
            Column(
                mean_label(lang, each),
                values,
                kind=kind_of(kept.config, each.name),
                made=_mean(kept, each.name, values),
            )
            for each, values in means.items()
        ),
        column(lang, "variance", known.score_variance.numpy(), "score_variance", _variance(kept)),
        column(lang, "largest_weight", largest.numpy(), kind_of(kept.config, "largest_weight"), most),
        column(lang, "at_query", query.numpy()),
        column(lang, "at_key", key.numpy()),
    ]
    return Table(text(lang, "table.map.caption"), columns)


def _mean(kept: Kept, name: str, values: NDArray) -> Made:
    seen = seeing(kept)

    def made(head: int) -> Message:
        return averaged(name, float(values[head]), kept.statistics.statistic(name)[head, seen].double()).made

    return made


def _variance(kept: Kept) -> Made:
    """Return the arithmetic of the variance of each head's scores, over the cells that the mask allows."""
    (_, n_q, _), n_k = kept.Q.shape, kept.K.shape[1]
    cells, known = int(keys(kept.config, n_q, n_k).sum()), kept.statistics

    def made(head: int) -> Message:
        average, value = float(known.score_mean[head]), float(known.score_variance[head])
        return of_head.summed("reason.made.variance_of_scores", value, cells, mean=average)

    return made


def _live(mapped: Mapped, view: View) -> Drawing:
    assert mapped.window is not None  # a picture is requested with its window
    return drawing(mapped.window(), view.lang, view)


window_map: Final = Figure(name="map", draw=drawing, live=_live, sentence=_sentence, table=_table, painter="script")
