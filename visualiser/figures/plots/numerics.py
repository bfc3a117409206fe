"""One softmax in float16, bfloat16 and float32, plain and with the maximum subtracted, row by row of one head.

How this can mislead: a row may sum to 1 and still be wrong (the lower panel), since bfloat16 rounds the scores first.
A weight that underflowed was below about 6e-8 or 1e-45, which hardly changes any output; one divided by ∞ may have been
large.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from torch import Tensor

from attention_core import SoftmaxAccuracy
from attention_core.studies.numerics import FORMATS
from visualiser import theme
from visualiser.drawing.curves import panel_of
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.figures.figure import Figure
from visualiser.figures.mechanism_cells import losses
from visualiser.figures.point import Point
from visualiser.locale import number, text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table
from visualiser.theme import ACCENT, CALM, HEADS, INK

SMALLEST: Final = 1e-9
"""The smallest error drawn: a logarithmic axis has no place for a row that is exactly right."""
_EVENTS: Final = (
    ("overflowed", "triangle-up", ACCENT, 0.3),
    ("not_a_number", "x", HEADS[3], 0.1),
    ("divided", "square", HEADS[4], -0.1),
    ("underflowed", "triangle-down", CALM, -0.3),
)


def drawing(found: Sequence[SoftmaxAccuracy], lang: str = "en", view: View | None = None) -> Drawing:
    """Draw above the rows that left the format, below |Σp − 1| and the largest |p − p in float64| of every row.

    The head is the view's; the locked row is an upright line.
    """
    view = view or View()
    h, n_q = found[0].total.shape
    head, row = view.single(h) - 1, view.locked(n_q)
    names = [f"{one.dtype} · {text(lang, _way(one))}" for one in found]
    data: list[Trace] = [_event(found, *event, head, names, lang) for event in _EVENTS]
    for panel, error in ((1, "total_error"), (2, "error")):
        for one, name in zip(found, names, strict=True):
            data.append(_errors(one, getattr(one, error)[head], name, error, panel, lang))
    grid = Grid(count=3, columns=1, height=190, gap_y=58)
    across = {"range": [-0.8, n_q - 0.2], "nticks": 9, "tickformat": "d", "zeroline": False}
    errors = {"type": "log", "range": [-9.3, 0.4], "exponentformat": "power", "nticks": 6, "zeroline": False}
    last, top = len(found) - 1, 176 if view.narrow else 112
    layout: dict[str, Any] = {
        "height": grid.inner + top + 50,
        "margin": {"l": 132, "r": 14, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "xref": "container", "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [
            heading(panel, text(lang, f"figure.numerics.{name}"), f"numerics-{name}")
            for panel, name in enumerate(("events", "total_error", "error"))
        ],
        # Without a locked row the line stands out of range, so that locking one changes only a number.
        "shapes": [_row_line(-5.0 if row is None else float(row), panel) for panel in range(3)],
        "yaxis": {
            "domain": grid.y(0), "anchor": "x", "range": [-0.6, last + 0.6], "zeroline": False, "tickmode": "array",
            "tickvals": [last - i for i in range(len(found))], "ticktext": names,
        },
        "yaxis2": {**errors, "domain": grid.y(1), "anchor": "x2"},
        "yaxis3": {**errors, "domain": grid.y(2), "anchor": "x3"},
    }  # fmt: skip
    for panel in range(3):
        title = {"title": {"text": text(lang, "figure.numerics.x")}} if grid.lowest(panel) else {}
        layout[axis_key("x", panel)] = {
            **across, **title, "domain": grid.x(panel), "anchor": axis("y", panel),
            **({"matches": "x"} if panel else {}),
        }  # fmt: skip
    return Drawing(numerics.name, data, layout)


def _way(one: SoftmaxAccuracy) -> str:
    return "figure.numerics.subtracted" if one.subtracted else "figure.numerics.plain"


def _event(
    found: Sequence[SoftmaxAccuracy],
    event: str,
    symbol: str,
    colour: str,
    lift: float,
    head: int,
    names: list[str],
    lang: str,
) -> Trace:
    """Draw a mark in every row with at least one such event, on the line of its format."""
    counts = np.stack([getattr(one, event)[head].numpy() for one in found])  # formats × rows
    lines, rows = np.nonzero(counts)
    texts = [
        text(lang, "figure.numerics.event_hover", format=names[line], row=int(row), count=int(counts[line, row]))
        for line, row in zip(lines, rows, strict=True)
    ]
    name = text(lang, f"figure.numerics.{event}")
    return {
        "type": "scatter", "mode": "markers", "x": rows.astype(np.float64), "y": len(found) - 1 - lines + lift,
        "text": np.array(texts, dtype=np.str_), "hovertemplate": f"{name}<br>%{{text}}<extra></extra>", "name": name,
        "marker": {"symbol": symbol, "size": 8, "color": colour, "line": {"width": 1.2, "color": colour}},
        "meta": {"event": event}, **panel_of(0),
    }  # fmt: skip


def _errors(one: SoftmaxAccuracy, values: Tensor, name: str, error: str, panel: int, lang: str) -> Trace:
    """Draw one error of every row; a row with NaN has none. Filled marks have the maximum subtracted."""
    exact = values.double().numpy()
    colour = theme.FORMATS[one.dtype]
    symbol = "circle" if one.subtracted else "circle-open"
    texts = np.array([number(float(value)) for value in exact])
    hover = text(lang, "figure.numerics.error_hover", format=name, row="%{x}", value="%{text}")
    return {
        "type": "scatter", "mode": "markers", "x": np.arange(len(exact)), "y": np.maximum(exact, SMALLEST),
        "text": texts, "name": name, "legendgroup": name, "showlegend": panel == 1,
        "hovertemplate": f"{hover}<extra></extra>",
        "marker": {"symbol": symbol, "size": 6, "color": colour, "line": {"width": 1.2, "color": colour}},
        "meta": {"error": error, "dtype": one.dtype, "subtracted": one.subtracted}, **panel_of(panel),
    }  # fmt: skip


def _row_line(row: float, panel: int) -> dict[str, Any]:
    return {
        "type": "line", "name": "row", "xref": axis("x", panel), "yref": f"{axis('y', panel)} domain",
        "x0": np.float64(row), "x1": np.float64(row), "y0": 0, "y1": 1, "line": {"color": INK, "width": 1.5},
        "layer": "below",
    }  # fmt: skip


def _sentence(point: Point, view: View) -> list[Message]:
    """Name the largest score, then for each format what broke without and with the maximum subtracted."""
    found, result = point.accuracies, point.present
    config = result.config
    ordered = [one for dtype in FORMATS for way in (False, True) for one in found if _is(one, dtype, way)]
    return [
        message("why.numerics.scores", largest=float(result.masked.max()), d_k=config.d_k, factor=config.factor),
        *(
            message(
                "why.numerics.line", format=one.dtype, way=message(f"why.numerics.{_named(one)}"), events=_events(one)
            )
            for one in ordered
        ),
    ]


def _is(one: SoftmaxAccuracy, dtype: str, subtracted: bool) -> bool:
    return one.dtype == dtype and one.subtracted is subtracted


def _events(one: SoftmaxAccuracy) -> list[Message]:
    """Count the rows with an infinite exponential and with a weight lost to zero, by its cause; describe the sums."""
    rows, broken, nan = one.total.numel(), int(one.broken.sum()), _rows(one.not_a_number)
    sentences = []
    if overflowed := _rows(one.overflowed):
        sentences.append(message("why.numerics.overflow", count=overflowed, rows=rows))
    if divided := _rows(one.divided):
        sentences.append(message("why.numerics.divided", count=divided))
    if underflowed := _rows(one.underflowed):
        sentences.append(message("why.numerics.underflow", count=underflowed))
    if not broken:
        sentences.append(message("why.numerics.sums", off=float(one.total_error.max())))
    elif nan:
        sentences.append(message("why.numerics.broken_nan", count=broken, nan=nan))
    else:
        sentences.append(message("why.numerics.broken", count=broken))
    return sentences


def _rows(counts: Tensor) -> int:
    return int((counts > 0).sum())


def _named(one: SoftmaxAccuracy) -> str:
    return "subtracted" if one.subtracted else "plain"


def _table(point: Point, view: View) -> Table:
    """List each row of the head, by format and way: its losses and its sum."""
    found, lang = point.accuracies, view.lang
    rows = found[0].total.shape[-1]

    def laid(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name)[0].numpy() for one in found])

    formats = [one.dtype for one in found for _ in range(rows)]
    ways = [text(lang, f"why.numerics.{_named(one)}") for one in found for _ in range(rows)]
    columns = [
        Column(text(lang, "table.query"), np.tile(np.arange(rows), len(found))),
        Column(text(lang, "table.format"), formats),
        Column(text(lang, "table.maximum"), ways),
        *(
            Column(text(lang, f"table.numerics.{name}"), laid(name), kind="counted", made=losses(found, name))
            for name in ("overflowed", "underflowed", "not_a_number")
        ),
        Column(text(lang, "table.numerics.total"), laid("total"), kind="row_sum", made=losses(found, "total")),
        Column(text(lang, "table.numerics.error"), laid("error"), kind="row_error", made=losses(found, "error")),
        # last: lessons count the columns before it
        Column(text(lang, "table.numerics.divided"), laid("divided"), kind="counted", made=losses(found, "divided")),
    ]
    return Table(text(lang, "table.numerics.caption"), columns)


numerics: Final = Figure(
    name="numerics",
    draw=drawing,
    live=lambda point, view: drawing(point.accuracies, view.lang, view),
    sentence=_sentence,
    table=_table,
)
