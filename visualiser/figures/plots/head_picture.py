"""What the chosen query of a vision model's head reads, over the picture: the patches in the colours of weights.

How this can mislead: the colours end at the row's own largest weight, so a faint row looks like a sharp one. Class
tokens and registers are no place in the picture: what they are given stands beside it. A patch of a high layer knows of
all the others, so that it is read says little about what is to be seen there.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.drawing import Drawing
from visualiser.drawing.matrix import cell_trace
from visualiser.figures import weights_of_row
from visualiser.figures.figure import Figure
from visualiser.figures.patch_rows import over_grid
from visualiser.figures.read_head import ReadHead, nothing
from visualiser.figures.windows import in_window
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import WEIGHTS


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw the grid of patches for files and notebooks: each in the colour of its weight."""
    view = view or View()
    lang = view.lang
    z = over_grid(shown.run, shown.layer, shown.place(shown.row))[shown.head - 1]
    rows, columns = z.shape
    weights = text(lang, "figure.stage.weights")
    hover = f"%{{y}}·%{{x}}: {weights} %{{z:.3g}}"
    title = text(lang, "figure.head_map.head", head=shown.name)
    trace = cell_trace(0, z, hover, title, "coloraxis", {"head": 1}) | {
        "x": np.arange(1, columns + 1), "y": np.arange(1, rows + 1),
    }  # fmt: skip
    hidden = {"showgrid": False, "zeroline": False, "nticks": 8, "constrain": "domain"}
    layout: dict[str, Any] = {
        "height": 460, "margin": {"l": 44, "r": 20, "t": 20, "b": 40}, "showlegend": False,
        "coloraxis": {
            "cmin": 0.0, "cmax": float(np.nanmax(z, initial=1e-9)), "colorscale": WEIGHTS,
            "colorbar": {"title": {"text": weights}},
        },
        "xaxis": {**hidden, "range": [0.5, columns + 0.5], "title": {"text": text(lang, "picture.column")}},
        "yaxis": {
            **hidden, "range": [rows + 0.5, 0.5], "scaleanchor": "x", "title": {"text": text(lang, "picture.row")},
        },
    }  # fmt: skip
    return Drawing(head_picture.name, [trace], layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    if shown.reads_none:
        return [nothing(shown), *in_window(shown)]
    best, count = shown.most_read
    weight = float(shown.weights[shown.row, best])
    facts = {"head": shown.name, "query": shown.number(shown.row), "weight": weight}
    if count > 1:
        return [message("table.head_picture.tied", **facts, count=count), *in_window(shown)]
    return [message("table.head_picture.summary", **facts, key=shown.number(best)), *in_window(shown)]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    return [message("brief.head_picture", head=shown.name, query=shown.said_query(shown.row))]


def _table(shown: ReadHead, view: View) -> Table:
    """List the keys of the chosen row with their scores and weights."""
    lang, row = view.lang, shown.row
    keys = np.flatnonzero(shown.allowed[row])
    kind = weights_of_row.kind(shown)
    columns = [
        Column(text(lang, "table.patch"), [shown.said_key(int(key)) for key in keys]),
        *(
            [column(lang, "score", shown.scores[row, keys], "score", lambda line: _score(shown, int(keys[line])))]
            if shown.scored
            else []
        ),
        column(lang, "weight", shown.weights[row, keys], kind, lambda line: _weight(shown, int(keys[line]))),
    ]
    return Table(text(lang, "table.head_map.caption", head=shown.name, query=shown.number(row)), columns)


def _weight(shown: ReadHead, key: int) -> Message:
    return weights_of_row.reason(shown, key).made


def _score(shown: ReadHead, key: int) -> Message | None:
    return weights_of_row.score(shown, key)


head_picture: Final = Figure(
    name="head-picture", draw=drawing, sentence=_sentence, table=_table, brief=_brief, painter="script"
)
