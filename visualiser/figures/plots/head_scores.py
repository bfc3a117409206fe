"""The scores of one trained head as its softmax receives them, beside the normal curve of their mean and variance.

How this can mislead: footnote 4 says that independent components make a nearly normal histogram. Learned queries and
keys are not independent, so the curve is no prediction: it is what these scores would look like if only their mean and
variance mattered. The scores of one text share its queries and keys.
"""

import math
from typing import Any, Final

import numpy as np

from visualiser.drawing.curves import reference
from visualiser.drawing.drawing import Drawing
from visualiser.figures import decided_head
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, moments
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_learned
from visualiser.state.view import View
from visualiser.tables import Table, column
from visualiser.theme import ACCENT, CALM, THEORY

_BARS: Final = 36


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw the histogram of all scores, the normal curve, and as ticks the scores of the chosen row."""
    view = view or View()
    lang = view.lang
    values = shown.scores[np.isfinite(shown.scores)].astype(np.float64)
    mean, variance = moments(shown)
    low, high = _ends(values)
    counts, edges = np.histogram(values, bins=_BARS, range=(low, high))
    dense = counts / max(1, len(values)) / (edges[1] - edges[0])
    x = np.linspace(low, high, 120)
    deviation = math.sqrt(variance) if variance > 0 else math.nan
    normal = np.exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
    top = 1.08 * max(float(dense.max(initial=0.0)), float(np.nanmax(normal, initial=0.0)), 1e-9)
    row = shown.scores[shown.row]
    axes = {"xaxis": "x", "yaxis": "y"}
    score, density = text(lang, "figure.axis.learned_score"), text(lang, "figure.axis.density")
    hover = text(lang, "figure.head_scores.row_hover", key="%{text}", score="%{x:.3g}")
    keys = np.flatnonzero(np.isfinite(row))
    data: list[dict[str, Any]] = [
        {
            "type": "bar", "x": (edges[:-1] + edges[1:]) / 2, "y": dense,
            "name": text(lang, "figure.head_scores.scores"),
            "marker": {"color": CALM, "opacity": 0.55, "line": {"width": 0}}, "hoverinfo": "skip", "showlegend": True,
            "meta": {"kind": "histogram"}, **axes,
        },
        reference(text(lang, "figure.head_scores.normal"), x, normal, "solid", 0, THEORY),
        {
            "type": "scatter", "mode": "markers", "x": row[keys].astype(np.float64),
            "y": np.full(len(keys), 0.03 * top),
            "name": text(lang, "figure.head_scores.row", query=shown.number(shown.row)),
            "hovertemplate": f"{hover}<extra></extra>",
            "text": np.array([shown.named_key(int(key)) for key in keys]), "showlegend": True,
            "marker": {"symbol": "line-ns-open", "size": 14, "color": ACCENT, "line": {"width": 1.5}},
            "meta": {"kind": "row"}, **axes,
        },
    ]  # fmt: skip
    layout: dict[str, Any] = {
        "height": 300,
        "margin": {"l": 58, "r": 14, "t": 50, "b": 50},
        "bargap": 0,
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": {"title": {"text": score}, "range": np.array([low, high]), "zeroline": False, "nticks": 6},
        "yaxis": {"title": {"text": density}, "range": np.array([0.0, top]), "rangemode": "tozero", "nticks": 5},
    }
    return Drawing(head_scores.name, data, layout)


def _ends(values: np.ndarray) -> tuple[float, float]:
    """Return an axis a little wider than the values, its ends on whole steps of 1, 2 or 5."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (-1.0, 1.0)
    if high - low < 1e-12:
        low, high = low - 0.5, high + 0.5
    power = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= (high - low) / 6)
    return step * math.floor(low / step), step * math.ceil(high / step)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    mean, variance = moments(shown)
    return [message("table.head_scores.summary", head=shown.name, mean=mean, variance=variance)]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    unused = decided_head.said(shown) is not None
    return [message("brief.scores_unused" if unused else "brief.score_distribution", variance=moments(shown)[1])]


def _table(shown: ReadHead, view: View) -> Table:
    lang = view.lang
    mean, variance = moments(shown)
    columns = [
        column(
            lang, "mean", np.array([mean]), "score_mean", lambda line: of_learned.score_mean(mean, shown.cells)
        ),
        column(
            lang, "variance", np.array([variance]), "score_variance",
            lambda line: of_learned.score_variance(variance, mean, shown.cells),
        ),
    ]  # fmt: skip
    return Table(text(lang, "table.head_scores.caption", head=shown.name), columns)


head_scores: Final = Figure(name="head-scores", draw=drawing, sentence=_sentence, table=_table, brief=_brief)
