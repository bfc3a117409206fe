"""One query's weights on every key of a long sequence, with the largest of them named.

How this can mislead: a line through thousands of keys draws lone spikes thinner than a pixel. The marks show the
largest weights, and nothing shows the sum of all the small ones.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import label, placed
from visualiser.figures.figure import Figure
from visualiser.figures.open_row import Row
from visualiser.listed_statistics import ROW_FACTS, further_statistics
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_cell
from visualiser.reasons.kinds import kind_of
from visualiser.state.view import View
from visualiser.tables import Column, Table, column, token_columns
from visualiser.theme import ACCENT, head_line

EQUAL: Final = 1e-6
"""The share by which two weights may differ and be called equal, for scores up to 1; in proportion beyond."""


def drawing(found: Row, lang: str = "en", view: View | None = None) -> Drawing:
    """Draw the weights along the keys as a line, with marks on the largest; the axis is logarithmic if the view is."""
    view = view or View()
    top = found.top
    names = [str(key) if found.tokens is None else label(found.tokens[key]) for key in top.tolist()]
    hover = f"{text(lang, 'figure.axis.key')} %{{x}}: %{{y:.3g}}"
    weight = text(lang, "figure.stage.weights")
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "x": np.arange(len(found.weights)), "y": found.weights,
            "line": {"width": 1, **head_line(found.head)}, "name": weight, "hovertemplate": f"{hover}<extra></extra>",
        },
        {
            "type": "scatter", "mode": "markers", "x": top, "y": found.weights[top], "customdata": names,
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
    return Drawing(row.name, data, layout)


def _sentence(row: Row, view: View) -> list[Message]:
    """State a row's statistics and the key with the largest weight, or how many keys share it."""
    if not len(row.top):
        return [message("insight.row_masked", query=row.row)]
    of, largest = row.statistics, int(row.top[0])
    weight = float(row.weights[largest])
    # large scores are rounded more, and the exponential magnifies that; masked keys are NaN
    rounding = max(row.apart, EQUAL * max(1.0, float(np.nanmax(np.abs(row.scores)))))
    equal = int((row.weights >= weight * (1 - rounding)).sum())
    shares = {"key": placed(largest, row.tokens)} if equal == 1 else {"count": equal}
    known = {
        "query": placed(row.row, row.tokens),
        "head": row.head,
        "norm": of["jacobian_norm"],
        "weight": weight,
        **shares,
    }
    if "entropy" not in of:
        key, said = "table.row.gates", {"mass": of["mass"]}
    elif "sink_weight" in of:
        key, said = "table.row.sunk", {name: of[name] for name in ("entropy", "ceiling")} | {"sink": of["sink_weight"]}
    else:
        key = "table.row.summary"
        said = {"entropy": of["entropy"], "ceiling": of["ceiling"], "effective": of["effective_keys"]}
    first = message(key if equal == 1 else f"{key}_alike", **known, **said)
    return [first, *further_statistics(ROW_FACTS[5:], lambda each: of[each.name])]


def _table(row: Row, view: View) -> Table:
    """List the keys with the largest weights, their weights and scores."""
    top, config, lang = row.top, row.config, view.lang
    scaled = row.scores if row.scaled is None else row.scaled
    in_float32 = replace(config, dtype="float32", subtract_max=True)  # as a pass computes; the format is Q's and K's

    def weight(line: int) -> Message:
        return of_cell.weight_of(config, row.scores, int(top[line]), float(row.weights[top[line]]))

    def score(line: int) -> Message:
        value = float(scaled[top[line]])
        return of_cell.score(in_float32, value / (float(config.factor) or 1.0), value)

    def capped(line: int) -> Message:
        return of_cell.capped(in_float32, float(scaled[top[line]]), float(row.scores[top[line]]))

    columns = [
        Column(text(lang, "table.key"), top),
        Column(text(lang, "table.weight"), row.weights[top], kind=kind_of(config, "weight"), made=weight),
        Column(text(lang, "table.score"), scaled[top], kind="score", made=score),
        *([] if row.scaled is None else [column(lang, "capped", row.scores[top], "capped", capped)]),
    ]
    columns[1:1] = token_columns(lang, row.tokens, row.line, top.tolist())
    return Table(caption(row).written(lang), columns)


def caption(row: Row) -> Message:
    """Describe what the table lists."""
    if not len(row.top):
        return message("insight.row_masked", query=row.row)
    return message("table.row.caption", head=row.head, query=row.row, keys=len(row.top))


row: Final = Figure(
    name="row", draw=drawing, live=lambda found, view: drawing(found, view.lang, view), sentence=_sentence, table=_table
)
