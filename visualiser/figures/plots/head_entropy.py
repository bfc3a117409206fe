"""The entropy of each row of one trained head, −Σ p ln p in nats, against the most that the mask leaves it.

How this can mislead: under a causal mask early rows have few keys, so their entropy is low without any choice. A head
that rests on the first token has a low entropy and says nothing.
"""

import math
from typing import Any, Final

import numpy as np

from visualiser.drawing.bars import bar_layout
from visualiser.drawing.curves import reference
from visualiser.drawing.drawing import Drawing
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead, token_columns
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_learned
from visualiser.state.view import View
from visualiser.tables import Column, Table, column
from visualiser.theme import ACCENT, CALM, INK


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw one bar a query, the ceiling as a dashed line, and the chosen query in another colour."""
    view = view or View()
    lang, n_q = view.lang, len(shown.entropy)
    rows = np.arange(n_q)
    top = 1.08 * max(0.5, float(np.nan_to_num(shown.ceiling).max(initial=0.0)))
    axes = {"xaxis": "x", "yaxis": "y"}
    hover = text(lang, "figure.head_entropy.hover", query="%{text}", entropy="%{y:.3g}")
    names = np.array([shown.query(row) for row in range(n_q)])
    data: list[dict[str, Any]] = [
        {
            "type": "bar", "x": rows, "y": shown.entropy, "name": text(lang, "figure.head_entropy.entropy"),
            "marker": {"color": CALM, "line": {"width": 0}}, "text": names, "textposition": "none", "width": 0.8,
            "hovertemplate": f"{hover}<extra></extra>", "showlegend": False, "meta": {"kind": "entropy"}, **axes,
        },
        {
            "type": "bar", "x": np.array([shown.row]), "y": shown.entropy[shown.row : shown.row + 1], "width": 0.8,
            "marker": {"color": ACCENT, "line": {"width": 0}},
            "name": text(lang, "figure.head_entropy.row", query=shown.number(shown.row)),
            "hoverinfo": "skip", "showlegend": True, "meta": {"kind": "row"}, **axes,
        },
        reference(text(lang, "figure.head_entropy.ceiling"), rows, shown.ceiling, "dash", 0, INK),
    ]  # fmt: skip
    layout = bar_layout(
        (text(lang, "figure.axis.query"), text(lang, "figure.entropy.y")),
        {"range": [-0.6, n_q - 0.4], "tickformat": "d", "nticks": 6},
        top, 260, {"l": 52, "t": 40, "b": 50},
    )  # fmt: skip
    return Drawing(head_entropy.name, data, layout)


def means(shown: ReadHead) -> tuple[float, float]:
    """Return the mean entropy of the rows that read something, and the mean of their ceilings."""
    rows = np.isfinite(shown.entropy)
    return (
        (float(shown.entropy[rows].mean()), float(shown.ceiling[rows].mean())) if rows.any() else (math.nan, math.nan)
    )


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    mean, ceiling = means(shown)
    return [message("table.head_entropy.summary", head=shown.name, entropy=mean, ceiling=ceiling)]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    mean, ceiling = means(shown)
    return [message("brief.entropy", entropy=mean, ceiling=ceiling)]


def _table(shown: ReadHead, view: View) -> Table:
    lang, sunk = view.lang, "" if shown.sink is None else "_sink"
    columns = [
        column(lang, "query", np.arange(len(shown.entropy))),
        *token_columns(lang, shown.queries, range(len(shown.entropy))),
        Column(
            text(lang, "figure.entropy.y"), shown.entropy, kind=f"entropy{sunk}", made=lambda row: _made(shown, row)
        ),
        Column(text(lang, "table.ceiling"), shown.ceiling, kind=f"ceiling{sunk}", made=lambda row: _most(shown, row)),
    ]
    return Table(text(lang, "table.head_entropy.caption", head=shown.name), columns)


def _made(shown: ReadHead, row: int) -> Message:
    if not shown.allowed[row].any():
        return message("reason.made.learned_no_key")
    if not np.isfinite(shown.entropy[row]):
        return message("reason.made.learned_no_row")
    sink = None if shown.sink is None else float(shown.sink[row])
    return of_learned.entropy(shown.weights[row], sink, float(shown.entropy[row]))


def _most(shown: ReadHead, row: int) -> Message:
    keys = int(shown.allowed[row].sum())
    if not keys:
        return message("reason.made.learned_no_key")
    return of_learned.ceiling(keys, shown.sink is not None, float(shown.ceiling[row])).made


head_entropy: Final = Figure(name="head-entropy", draw=drawing, sentence=_sentence, table=_table, brief=_brief)
