"""Entropy, largest weight and effective keys of every query along the sequence, one above the other.

How this can mislead: low entropy says that a query chose, not that it chose well. Under a mask early queries have few
keys, so the strips rise at the left whatever the scores are. The dashed line is the largest possible entropy.
"""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attention_core import AttentionStatistics
from visualiser.figures.drawing import Drawing
from visualiser.listed_statistics import STRIPS, label
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import ACCENT, head_line

NAME: Final = "strips"
_HEIGHT: Final = 140  # of one strip
_GAP: Final = 0.06


def drawing(
    statistics: AttentionStatistics, head: int, lang: str = "en", first: int = 0, stop: int | None = None
) -> Drawing:
    """Draw the strips of head `head` (from 1) over the queries `first` … `stop` − 1, to the end if `stop` is None."""
    rows = slice(first, stop)
    values: list[NDArray] = [statistics.statistic(each.name)[head - 1, rows].numpy() for each in STRIPS]
    at = np.arange(first, first + len(values[0]))
    line = {"width": 1, **head_line(head)}
    layout: dict[str, Any] = {
        "height": _HEIGHT * len(STRIPS),
        "margin": {"l": 64, "r": 24, "t": 16, "b": 48},
        "showlegend": False,
    }
    data = []
    share = (1 - _GAP * (len(STRIPS) - 1)) / len(STRIPS)
    for index, each in enumerate(STRIPS):
        suffix = "" if index == 0 else str(index + 1)
        title = label(lang, each)
        top = 1 - index * (share + _GAP)
        trace = {"type": "scatter", "mode": "lines", "x": at, "y": values[index], "xaxis": "x", "yaxis": f"y{suffix}"}
        data.append(
            {**trace, "line": line, "name": title, "hovertemplate": f"%{{x}}: %{{y:.3g}}<extra>{title}</extra>"}
        )
        layout[f"yaxis{suffix}"] = {
            "domain": [round(max(0.0, top - share), 5), round(top, 5)], "title": {"text": title}, "nticks": 4,
            "rangemode": "tozero", "fixedrange": True,
        }  # fmt: skip
        if each.unit == "keys":  # they span orders of magnitude along a sequence
            layout[f"yaxis{suffix}"] |= {"type": "log", "rangemode": "normal"}
    ceiling = {"x": at, "y": statistics.ceiling[head - 1, rows].numpy(), "xaxis": "x", "yaxis": "y"}
    limit = {"type": "scatter", "mode": "lines", "line": {"color": ACCENT, "dash": "dash", "width": 1}}
    data.append({**limit, **ceiling, "name": text(lang, "figure.entropy.ceiling"), "hoverinfo": "skip"})
    layout["xaxis"] = {
        "title": {"text": text(lang, "figure.axis.query")}, "anchor": f"y{len(STRIPS)}", "zeroline": False,
        "tickformat": "d", "range": [first - 0.5, first + len(at) - 0.5],
    }  # fmt: skip
    return Drawing(NAME, data, layout)


def strips(statistics: AttentionStatistics, head: int = 1, lang: str = "en", view: View | None = None) -> go.Figure:
    """Draw the strips of one head as a plotly figure."""
    return drawing(statistics, head, lang).figure((view or View()).theme)
