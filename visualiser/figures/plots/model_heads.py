"""Every head of a trained model over the text, layer by layer, each as a small map of its weights.

How this can mislead: every map has its own colours, up to its own largest weight, so a faint pattern looks like a sharp
one. A head is labelled by what it does over a corpus, which may not be what it does in this text.
"""

from functools import partial
from typing import Any, Final

import numpy as np

from visualiser.drawing.drawing import Drawing
from visualiser.drawing.matrix import cell_trace
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, head_name, measure_name, named
from visualiser.figures.small_maps import shares
from visualiser.figures.sorted_heads import WEIGHT
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import WEIGHTS

_LISTED: Final = 8
"""Heads whose labels the caption names; it says how many more there are."""


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw the small maps for files and notebooks: a layer a line, each map up to its own largest weight."""
    view = view or View()
    lang = view.lang
    across = max(layer.weights.shape[-3] for layer in shown.run.layers)
    found = shown.sorted_heads
    grid = Grid(count=len(found.places), columns=across, height=max(60, 720 // across), gap_x=0.12 / across, gap_y=34)
    quantity = text(lang, "model.of_largest")
    hover = text(lang, "figure.heat_maps.hover", query="%{y}", key="%{x}", quantity=quantity, value="%{z:.3g}")
    layout: dict[str, Any] = {
        "height": grid.inner + 60, "margin": {"l": 20, "r": 20, "t": 40, "b": 20}, "showlegend": False,
        "annotations": [], "coloraxis": {"cmin": 0.0, "cmax": 1.0, "colorscale": WEIGHTS, "showscale": False},
    }  # fmt: skip
    data = []
    cells = shares(shown)
    for panel, place in enumerate(found.places):
        z, at = cells[place], found.heads[place]
        title = " ".join(filter(None, (head_name(*at), named(lang, shown.labels.get(at, ())))))
        data.append(cell_trace(panel, z, hover, title, "coloraxis", {"head": place + 1}))
        hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": ""}
        layout[axis_key("x", panel)] = {**hidden, "domain": grid.x(panel), "anchor": axis("y", panel)}
        layout[axis_key("y", panel)] = {
            **hidden, "domain": grid.y(panel), "anchor": axis("x", panel), "range": [len(z) - 0.5, -0.5],
        }  # fmt: skip
        layout["annotations"].append(heading(panel, title, f"head-{panel + 1}"))
    return Drawing(model_heads.name, data, layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    sizes = {"layers": len(shown.run.layers), "heads": len(shown.heads), "n": len(shown.run.tokens)}
    labelled = [(head_name(*at), found) for at, found in shown.labels.items()]
    if not labelled:
        return [message(f"table.model_heads.{'none' if shown.is_measured else 'unmeasured'}", **sizes)]
    listed = [message("model.labelled", head=at, label=named(view.lang, found)) for at, found in labelled]
    if (more := len(listed) - _LISTED) > 1:
        listed = [*listed[:_LISTED], message("model.labelled_more", more=more)]
    return [message("table.model_heads.summary", **sizes, count=len(labelled), labels=listed)]


def _table(shown: ReadHead, view: View) -> Table:
    """List all measures of the heads that are shown, in their order, after the weight that sorts them if one does."""
    lang, found = view.lang, shown.sorted_heads
    heads = found.shown
    columns = [
        column(lang, "layer", np.array([layer for layer, _ in heads], dtype=np.int64)),
        column(lang, "head", np.array([head for _, head in heads], dtype=np.int64)),
        Column(text(lang, "table.layer_name"), [shown.run.layers[layer - 1].name for layer, _ in heads]),
    ]
    if shown.rules.sort == WEIGHT:
        named_weight = text(lang, "table.weight_here", query=shown.said_query(shown.row), key=shown.said_key(shown.key))
        columns.append(
            Column(named_weight, found.values[found.places], kind="given_weight", made=partial(_weight, shown))
        )
    columns += [
        Column(
            measure_name(lang, name),
            shown.measured_of_all(name)[found.places],
            kind=shown.kind(name),
            made=partial(_made, shown, name),
        )
        for name in shown.measures
    ]
    columns.append(Column(text(lang, "table.label"), [named(lang, shown.labels.get(at, ())) for at in heads]))
    return Table(text(lang, f"table.model_heads.{'corpus' if shown.corpus else 'text'}"), columns)


def _made(shown: ReadHead, measure: str, line: int) -> Message:
    return shown.made(measure, *shown.sorted_heads.shown[line])


def _weight(shown: ReadHead, line: int) -> Message:
    found = shown.sorted_heads
    return message("reason.made.weight_here", value=float(found.values[found.places[line]]))


def _brief(shown: ReadHead, view: View) -> list[Message]:
    """Say how many of all heads are shown; nothing if all are."""
    count, heads = len(shown.sorted_heads.places), len(shown.heads)
    return [] if count == heads else [message("brief.model_heads", count=count, heads=heads)]


model_heads: Final = Figure(
    name="model-heads", draw=drawing, sentence=_sentence, table=_table, brief=_brief, painter="script"
)
