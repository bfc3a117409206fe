"""All heads of a trained model by two measures, one point a head; the chosen one is filled.

How this can mislead: a measure over the text at hand is not one over the corpus, and on a narrow text a head may do
what it rarely does elsewhere. Heads without any row that counts have no point.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.curves import reference
from visualiser.drawing.drawing import Drawing
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, head_name, measure_name, named, unit
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.theme import HEADS, INK, THEORY


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw the heads of each layer in one colour; where a measure is the variance, the line is footnote 4's."""
    view = view or View()
    lang, (x, y) = view.lang, shown.axes
    axes = {"xaxis": "x", "yaxis": "y"}
    data: list[dict[str, Any]] = []
    places = {at: (shown.measured(x, *at), shown.measured(y, *at)) for at in shown.heads}
    ends = {name: _ends(name, [place[i] for place in places.values()]) for i, name in enumerate((x, y))}
    if x == "variance":
        data.append(reference(text(lang, "figure.head_scatter.footnote"), [1, 1], [*ends[y]], "dash", 0, THEORY))
    if y == "variance" and x != y:
        data.append(reference(text(lang, "figure.head_scatter.footnote"), [*ends[x]], [1, 1], "dash", 0, THEORY))
    hover = f"%{{text}}<br>{measure_name(lang, x)}: %{{x:.3g}}<br>{measure_name(lang, y)}: %{{y:.3g}}<extra></extra>"
    for layer in range(1, len(shown.run.layers) + 1):
        heads = [at for at in shown.heads if at[0] == layer]
        data.append(
            {
                "type": "scatter", "mode": "markers", "x": np.array([places[at][0] for at in heads]),
                "y": np.array([places[at][1] for at in heads]), "name": text(lang, "figure.layer", layer=layer),
                "marker": {"symbol": "circle-open", "size": 10, "color": HEADS[(layer - 1) % len(HEADS)]},
                "text": np.array([_hovered(lang, shown, at) for at in heads]), "hovertemplate": hover,
                "showlegend": len(shown.run.layers) <= 8, "meta": {"kind": "heads", "layer": layer}, **axes,
            }
        )  # fmt: skip
    at = places[shown.layer, shown.head]
    data.append(
        {
            "type": "scatter", "mode": "markers", "x": np.array([at[0]]), "y": np.array([at[1]]),
            "name": text(lang, "figure.head_scatter.chosen"),
            "marker": {"symbol": "circle", "size": 11, "color": INK},
            "hoverinfo": "skip", "showlegend": True, "meta": {"kind": "chosen"}, **axes,
        }
    )  # fmt: skip
    layout: dict[str, Any] = {
        "height": 340,
        "margin": {"l": 58, "r": 14, "t": 50, "b": 50},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": {"title": {"text": measure_name(lang, x)}, "range": np.array(ends[x]), "zeroline": False, "nticks": 6},
        "yaxis": {"title": {"text": measure_name(lang, y)}, "range": np.array(ends[y]), "zeroline": False, "nticks": 6},
    }
    return Drawing(head_scatter.name, data, layout)


def _hovered(lang: str, shown: ReadHead, at: tuple[int, int]) -> str:
    does = named(lang, shown.labels.get(at, ()))
    return f"{head_name(*at)} · {does}" if does else head_name(*at)


def _ends(measure: str, values: list[float]) -> tuple[float, float]:
    """Return the range of an axis: 0 … 1 for a share, else from 0 to a little more than the largest."""
    finite = [value for value in values if np.isfinite(value)]
    top = max(finite, default=1.0)
    if unit(measure) == "share":
        return -0.03, 1.03
    low = min([*finite, 0.0])
    return low - 0.03 * (top - low or 1.0), top + 0.08 * (top - low or 1.0)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    x, y = shown.axes
    at = shown.layer, shown.head
    facts = {"x": message(f"measure.{x}"), "y": message(f"measure.{y}"), "heads": len(shown.heads), "head": shown.name}
    return [message("table.head_scatter.summary", **facts, of_x=shown.measured(x, *at), of_y=shown.measured(y, *at))]


head_scatter: Final = Figure(name="head-scatter", draw=drawing, sentence=_sentence)
