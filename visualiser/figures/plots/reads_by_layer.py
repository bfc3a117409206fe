"""What the chosen query reads, layer by layer: the share of text, of pictures and of the first position.

How this can mislead: a share is the mean over the heads of a layer, and one head may read the picture alone while the
others rest on the first position. A share of weight is not a share of influence: values may be small, or cancel.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.curves import curve, layer_axis, present
from visualiser.drawing.drawing import Drawing
from visualiser.figures import row_shares
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import ACCENT, CALM, HEADS, INK

COLOURS: Final = {"text": CALM, "picture": ACCENT, "first": INK, "sink": HEADS[3]}


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw one curve for each part of a row, and the chosen layer as an upright line."""
    view = view or View()
    lang, found = view.lang, _parts(shown)
    layers = np.arange(1, len(shown.run.layers) + 1)
    named = {name: text(lang, f"figure.reads_by_layer.{name}") for name in found}
    hover = text(lang, "figure.reads_by_layer.hover", layer="%{x}", share="%{y:.3g}")
    data = [
        curve(named[name], layers, values, COLOURS[name], 0, f"{named[name]} · {hover}", {"part": name})
        for name, values in found.items()
    ]
    layout: dict[str, Any] = {
        "height": 240,
        "margin": {"l": 52, "r": 14, "t": 40, "b": 50},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": layer_axis(text(lang, "figure.axis.layer"), len(layers)),
        "yaxis": {"title": {"text": text(lang, "figure.axis.row_share")}, "range": [-0.03, 1.03], "zeroline": False},
        "shapes": [present(shown.layer, 0)],
    }  # fmt: skip
    return Drawing(reads_by_layer.name, data, layout)


def _parts(shown: ReadHead) -> dict[str, np.ndarray]:
    """Return the shares by layer; that of a learned sink only if there is one."""
    found = row_shares.by_layer(shown)
    return found if np.nansum(found["sink"]) > 0 else {name: one for name, one in found.items() if name != "sink"}


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    values = row_shares.by_layer(shown)["picture"]
    if np.isnan(values).all():
        return []
    best = int(np.nanargmax(values))
    facts = {"query": shown.said_query(shown.row), "layer": best + 1, "share": float(values[best])}
    return [message("table.reads_by_layer.summary", **facts)]


def _table(shown: ReadHead, view: View) -> Table:
    lang, found = view.lang, _parts(shown)
    columns = [column(lang, "layer", np.arange(1, len(shown.run.layers) + 1))]
    for name, values in found.items():
        columns.append(
            Column(
                text(lang, f"figure.reads_by_layer.{name}"), values, kind="row_share",
                made=lambda line, values=values: row_shares.mean_share(shown, line, float(values[line])),
            )
        )  # fmt: skip
    return Table(text(lang, "table.reads_by_layer.caption", query=shown.said_query(shown.row)), columns)


reads_by_layer: Final = Figure(name="reads-by-layer", draw=drawing, sentence=_sentence, table=_table)
