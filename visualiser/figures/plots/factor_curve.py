"""ln p of the text against the factor of all scores, × the trained one, computed from a run at each factor.

How this can mislead: the maximum is that of one text, and of the factors tried. That the model was trained at × 1 does
not put the maximum of one text there, and says nothing of other models.
"""

import math
from typing import Any, Final

import numpy as np

from attention_core.learned import FactorCurve
from visualiser.drawing.curves import curve, present
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.figures.comparing import Comparison, Effect, compared
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table
from visualiser.theme import ACCENT, CALM


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw the curve on a logarithmic axis, its maximum, and the present factor as an upright line."""
    view = view or View()
    lang, found = view.lang, _found(shown)
    hover = text(lang, "figure.factor_curve.hover", factor="%{x:.3g}", value="%{y:.4g}")
    name = text(lang, "figure.factor_curve.y")
    best = found.best
    data: list[Trace] = [
        {**curve(name, found.times, found.logs, CALM, 0, hover, {"part": "logs"}), "showlegend": False},
        {
            "type": "scatter", "mode": "markers", "x": found.times[best : best + 1], "y": found.logs[best : best + 1],
            "marker": {"symbol": "diamond", "size": 11, "color": ACCENT, "line": {"width": 1, "color": "#ffffff"}},
            "name": text(lang, "figure.factor_curve.best"), "showlegend": True, "hoverinfo": "skip",
            "meta": {"kind": "best"}, "xaxis": "x", "yaxis": "y",
        },
    ]  # fmt: skip
    low, high = float(found.logs.min()), float(found.logs.max())
    room = max(0.1, 0.08 * (high - low))
    ends = [float(found.times[0]), float(found.times[-1])]
    layout: dict[str, Any] = {
        "height": 220,
        "margin": {"l": 58, "r": 14, "t": 40, "b": 50},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "shapes": [present(min(max(shown.factor, ends[0]), ends[1]), 0)],
        "xaxis": {
            "type": "log", "range": [math.log10(end) for end in ends], "dtick": 1, "zeroline": False,
            "title": {"text": text(lang, "figure.factor_curve.x")},
        },
        "yaxis": {
            "title": {"text": name}, "range": np.array([low - room, high + room]), "zeroline": False, "nticks": 4,
        },
    }  # fmt: skip
    return Drawing(factor_curve.name, data, layout)


def _found(shown: ReadHead) -> FactorCurve:
    assert shown.curve is not None
    return shown.curve


def _flat(found: FactorCurve) -> Comparison:
    """Return what the factor does to ln p: the least of all tried beside the largest."""
    return compared([float(found.logs.min())], [float(found.logs.max())])


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    found = _found(shown)
    flat, count = _flat(found), len(found.times)
    log, times = float(found.logs[found.best]), float(found.times[found.best])
    if flat.effect is Effect.SAME:
        return [message("table.factor_curve.same", count=count, log=log)]
    if flat.effect is Effect.UNSEEN:
        return [message("table.factor_curve.unseen", count=count, log=log, apart=flat.apart)]
    kind = "end" if found.best in (0, count - 1) else "summary"
    return [message(f"table.factor_curve.{kind}", count=count, times=times, log=log)]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    found = _found(shown)
    if _flat(found).effect is not Effect.CHANGED:
        return []
    return [message("brief.factor_curve", times=float(found.times[found.best]))]


def _table(shown: ReadHead, view: View) -> Table:
    lang, found = view.lang, _found(shown)

    def made(line: int) -> Message:
        return message("reason.made.text_log", value=float(found.logs[line]))

    return Table(
        text(lang, "table.factor_curve.caption"),
        [
            Column(text(lang, "figure.factor_curve.x"), found.times),
            Column(text(lang, "figure.factor_curve.y"), found.logs, kind="text_log", made=made),
        ],
    )


factor_curve: Final = Figure(name="factor-curve", draw=drawing, sentence=_sentence, table=_table, brief=_brief)
