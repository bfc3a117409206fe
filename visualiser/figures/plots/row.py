"""One query's weights on every key of a long sequence, with the largest of them named.

How this can mislead: a line through thousands of keys draws lone spikes thinner than a pixel. The marks show the
largest weights, and nothing shows the sum of all the small ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import label
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import ACCENT, head_line

NAME: Final = "row"
TOP: Final = 16
"""The number of largest weights that are named."""


@dataclass(frozen=True, eq=False)
class Row:
    """Query `row` of head `head` (from 1): scaled scores and weights on all keys, and `statistics` by name.

    Scores and weights are NaN where the mask forbids. `apart` is how far the scores of the largest
    weights may differ by rounding alone.
    """

    head: int
    row: int
    scores: NDArray[np.float32]
    weights: NDArray[np.float32]
    statistics: Mapping[str, float]
    tokens: tuple[str, ...] | None = None
    apart: float = 0.0

    @property
    def top(self) -> NDArray[np.int64]:
        """The keys with the largest weights, the largest first; fewer than `TOP` if fewer are allowed."""
        allowed = np.flatnonzero(~np.isnan(self.weights))
        order = np.argsort(-self.weights[allowed], kind="stable")
        return allowed[order[:TOP]]


def drawing(row: Row, lang: str = "en", view: View | None = None) -> Drawing:
    """Draw the weights along the keys as a line, with marks on the largest; the axis is logarithmic if the view is."""
    view = view or View()
    top = row.top
    names = [str(key) if row.tokens is None else label(row.tokens[key]) for key in top.tolist()]
    hover = f"{text(lang, 'figure.axis.key')} %{{x}}: %{{y:.3g}}"
    weight = text(lang, "figure.stage.weights")
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "x": np.arange(len(row.weights)), "y": row.weights,
            "line": {"width": 1, **head_line(row.head)}, "name": weight, "hovertemplate": f"{hover}<extra></extra>",
        },
        {
            "type": "scatter", "mode": "markers", "x": top, "y": row.weights[top], "customdata": names,
            "marker": {"color": ACCENT, "size": 7, "symbol": "circle-open"}, "name": text(lang, "figure.row.top"),
            "hovertemplate": f"{hover}<extra>%{{customdata}}</extra>",
        },
    ]  # fmt: skip
    layout = {
        "height": 300,
        "margin": {"l": 64, "r": 24, "t": 30, "b": 48},
        "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"},
        "xaxis": {"title": {"text": text(lang, "figure.axis.key")}, "tickformat": "d", "zeroline": False},
        "yaxis": {
            "title": {"text": weight}, "nticks": 6, "type": "log" if view.colour == "log" else "linear",
            **({"exponentformat": "power"} if view.colour == "log" else {"rangemode": "tozero"}),
        },
    }  # fmt: skip
    return Drawing(NAME, data, layout)


def row(found: Row, lang: str = "en", view: View | None = None) -> go.Figure:
    """Draw one query's weights as a plotly figure."""
    view = view or View()
    return drawing(found, lang, view).figure(view.theme)
