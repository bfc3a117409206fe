"""What one query of a trained head reads: its weight on every key that the mask leaves it.

How this can mislead: keys stand in order of position, so neighbouring bars need not belong together. A large weight is
not an explanation: what the head does with the key's value is not drawn.
"""

from typing import Any, Final

import numpy as np

from visualiser.drawing.bars import bar_layout
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import label
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, nothing
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.theme import ACCENT, CALM


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw one bar a key, the chosen key in another colour, a learned sink after the last."""
    view = view or View()
    lang, n_k = view.lang, shown.weights.shape[1]
    weights = np.where(shown.allowed[shown.row], shown.weights[shown.row], np.nan)
    names = [shown.named_key(key) for key in range(n_k)]
    ticks = [str(key) for key in range(n_k)] if shown.keys is None else [label(name) for name in shown.keys.tokens]
    if shown.sink is not None:
        weights = np.append(weights, shown.sink[shown.row])
        names, ticks = [*names, text(lang, "figure.sink")], [*ticks, text(lang, "figure.sink")]
    top = 1.08 * (float(np.nanmax(weights, initial=0.0)) or 1.0)  # a muted head has no scale of its own
    places = np.arange(len(weights))
    hover = text(lang, "figure.row_weights.hover", key="%{text}", weight="%{y:.3g}")
    chosen = np.array([shown.key])
    bars: dict[str, Any] = {
        "type": "bar", "width": 0.8, "hovertemplate": f"{hover}<extra></extra>", "textposition": "none",
        "showlegend": False, "xaxis": "x", "yaxis": "y",
    }  # fmt: skip
    data = [
        {
            **bars, "x": places, "y": weights, "text": np.array(names), "marker": {"color": CALM},
            "meta": {"kind": "row"},
        },
        {
            **bars, "x": chosen, "y": weights[chosen], "text": np.array([names[shown.key]]),
            "marker": {"color": ACCENT}, "meta": {"kind": "key"},
        },
    ]  # fmt: skip
    ticked = {
        "tickmode": "array", "tickvals": list(range(len(ticks))), "ticktext": ticks, "tickangle": -90,
        "labelalias": {str(at): tick for at, tick in enumerate(ticks)},
    }  # fmt: skip
    layout = bar_layout(
        (text(lang, "figure.axis.key"), text(lang, "figure.stage.weights")),
        {"range": [-0.6, len(weights) - 0.4], **ticked},
        top, 220, {"l": 52, "t": 20, "b": 60}, nticks=4, legend=False,
    )  # fmt: skip
    return Drawing(head_row.name, data, layout)


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    if shown.reads_none:
        return [nothing(shown)]
    best, count = shown.most_read
    facts = {
        "head": shown.name,
        "query": shown.number(shown.row),
        "keys": int(shown.allowed[shown.row].sum()),
        "weight": float(shown.weights[shown.row, best]),
    }
    if count > 1:
        return [message("table.head_row.tied", **facts, count=count)]
    return [message("table.head_row.summary", **facts, key=shown.number(best))]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    return [message("brief.head_row", query=shown.said_query(shown.row))]


def _instead(shown: ReadHead, view: View) -> list[Message]:
    return [nothing(shown)] if shown.reads_none else []


head_row: Final = Figure(name="head-row", draw=drawing, sentence=_sentence, brief=_brief, instead=_instead)
