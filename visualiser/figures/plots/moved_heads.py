"""The heads that read elsewhere after a change, sorted by how far they moved: ½ Σ|p − p′| of a row, the mean over rows.

How this can mislead: a head may move far and change nothing that the model says, if what it reads has small values.
That a later head moves says that its queries or keys changed, and not through which head between.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.bars import bar_layout
from visualiser.drawing.drawing import Drawing
from visualiser.figures import saying
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import CALM


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw one bar a head; pressing it leads there."""
    view = view or View()
    lang, found = view.lang, saying.moved(shown)
    names = saying.moved_names(found)
    shares = np.array([share for _, share in found])
    bars: dict[str, Any] = {
        "type": "bar", "x": np.arange(len(found)), "y": shares, "name": text(lang, "figure.moved_heads.y"),
        "width": 0.7, "showlegend": False, "marker": {"color": CALM, "line": {"width": 0}},
        "text": np.array(names, dtype=np.str_),
        "textposition": "none", "hovertemplate": "%{text}: %{y:.3g}<extra></extra>",
        "meta": {"kind": "moved", "heads": [list(at) for at, _ in found]}, "xaxis": "x", "yaxis": "y",
    }  # fmt: skip
    layout = bar_layout(
        ("", text(lang, "figure.moved_heads.y")),  # the figure's own title names the heads
        {
            "range": [-0.6, max(1, len(found)) - 0.4], "tickmode": "array", "tickvals": list(range(len(found))),
            "ticktext": names,
        },
        max(0.01, 1.1 * float(shares.max(initial=0.0))), 220, {"l": 52, "t": 20, "b": 50}, nticks=4, legend=False,
    )  # fmt: skip
    return Drawing(moved_heads.name, [bars], layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    return saying.moved_said(shown)


def _table(shown: ReadHead, view: View) -> Table:
    lang, found = view.lang, saying.moved(shown)
    shares = np.array([share for _, share in found])
    return Table(
        text(lang, "table.moved_heads.caption"),
        [
            column(lang, "head", saying.moved_names(found)),
            Column(
                text(lang, "figure.moved_heads.y"), shares, kind="moved",
                made=lambda line: message("reason.made.moved", value=float(shares[line])),
            ),
        ],
    )  # fmt: skip


def _instead(shown: ReadHead, view: View) -> list[Message]:
    return [] if saying.moved(shown) else _sentence(shown, view)


moved_heads: Final = Figure(name="moved-heads", draw=drawing, sentence=_sentence, table=_table, instead=_instead)
