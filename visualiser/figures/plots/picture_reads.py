"""What the chosen token of a text gives to the patches of its pictures: in the chosen head, and layer by layer.

How this can mislead: the colours of each picture end at its own largest weight, so that a faint one looks like a sharp
one; the number below a layer says how much there is. A patch of a high layer knows of all the others, so that it is
read says little about what is to be seen there.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.drawing import Drawing
from visualiser.drawing.matrix import cell_trace
from visualiser.drawing.panels import axis, axis_key
from visualiser.figures import row_shares, weights_of_row
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import WEIGHTS


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw the chosen head for files and notebooks: grids of patches side by side, each in the colour of its weight.

    Raises LookupError without a text and pictures together.
    """
    view = view or View()
    lang, line = view.lang, shown.run.keys(shown.layer)
    if not line.is_mixed:
        raise LookupError("no text with pictures")
    row = np.where(shown.allowed[shown.row], shown.weights[shown.row], np.nan)
    cells = [row[list(grid.positions)].reshape(grid.rows, grid.columns) for grid in line.grids]
    weights = text(lang, "figure.stage.weights")
    hover = f"%{{y}}·%{{x}}: {weights} %{{z:.3g}}"
    wide = np.cumsum([0, *(grid.columns for grid in line.grids)]) / sum(grid.columns for grid in line.grids)
    hidden = {"showgrid": False, "zeroline": False, "nticks": 8, "constrain": "domain"}
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {
        "height": 400, "margin": {"l": 44, "r": 20, "t": 20, "b": 40}, "showlegend": False,
        "coloraxis": {
            "cmin": 0.0, "cmax": float(np.nanmax(np.concatenate([z.ravel() for z in cells]), initial=1e-9)),
            "colorscale": WEIGHTS, "colorbar": {"title": {"text": weights}},
        },
    }  # fmt: skip
    for panel, (z, grid) in enumerate(zip(cells, line.grids, strict=True)):
        named = text(lang, "model.grid_chip", picture=grid.picture + 1, rows=grid.rows, columns=grid.columns)
        data.append(
            cell_trace(panel, z, hover, named, "coloraxis", {"picture": grid.picture + 1})
            | {"x": np.arange(1, grid.columns + 1), "y": np.arange(1, grid.rows + 1)}
        )
        layout[axis_key("x", panel)] = {
            **hidden, "anchor": axis("y", panel), "range": [0.5, grid.columns + 0.5],
            "domain": [float(wide[panel]) + 0.01, float(wide[panel + 1]) - 0.01],
            "title": {"text": text(lang, "picture.column")},
        }  # fmt: skip
        layout[axis_key("y", panel)] = {
            **hidden, "anchor": axis("x", panel), "range": [grid.rows + 0.5, 0.5], "scaleanchor": axis("x", panel),
            "title": {"text": "" if panel else text(lang, "picture.row")},
        }  # fmt: skip
    return Drawing(picture_reads.name, data, layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    parts = row_shares.of_row(shown)
    return [] if parts is None else [row_shares.said(shown, parts)]


def _table(shown: ReadHead, view: View) -> Table:
    """List the patches with their weights, the most first."""
    lang, row, line = view.lang, shown.row, shown.run.keys(shown.layer)
    keys = sorted((key for key in line.patches if shown.allowed[row, key]), key=lambda key: -shown.weights[row, key])
    pictures = np.array([line.grids[line.patches[key][0]].picture + 1 for key in keys])
    kind = weights_of_row.kind(shown)
    columns = [
        column(lang, "picture", pictures),
        Column(text(lang, "table.patch"), [line.tokens[key] for key in keys]),
        column(lang, "weight", shown.weights[row, keys], kind, lambda at: _made(shown, keys[at])),
    ]
    return Table(text(lang, "table.picture_reads.caption", head=shown.name, query=shown.said_query(row)), columns)


def _made(shown: ReadHead, key: int) -> Message:
    return weights_of_row.reason(shown, key).made


picture_reads: Final = Figure(name="picture-reads", draw=drawing, sentence=_sentence, table=_table, painter="script")
