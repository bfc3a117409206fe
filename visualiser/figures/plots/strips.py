"""Entropy, largest weight and effective keys of every query along the sequence, one above the other.

Other weights have strips of their own: what a sink takes, or the sum of gates in place of an entropy.

How this can mislead: low entropy says that a query chose, not that it chose well. Under a mask early queries have few
keys, so the strips rise at the left whatever the scores are. The dashed line is the largest possible entropy.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionStatistics
from visualiser.drawing.drawing import Drawing
from visualiser.figures.figure import Figure
from visualiser.figures.mapped import Mapped, mean
from visualiser.listed_statistics import STRIPS, WEIGHTS, among, label
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.maps.facts import seeing
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_head import Made
from visualiser.state.view import View
from visualiser.tables import Table, column
from visualiser.theme import ACCENT, head_line

_HEIGHT: Final = 140  # of one strip
_GAP: Final = 0.06


def drawing(
    statistics: AttentionStatistics,
    head: int = 1,
    lang: str = "en",
    view: View | None = None,
    first: int = 0,
    stop: int | None = None,
) -> Drawing:
    """Draw the strips of head `head` (from 1) over the queries `first` … `stop` − 1, to the end if `stop` is None."""
    rows = slice(first, stop)
    listed = among(statistics.names, STRIPS, WEIGHTS)
    values: list[NDArray] = [statistics.statistic(each.name)[head - 1, rows].numpy() for each in listed]
    at = np.arange(first, first + len(values[0]))
    line = {"width": 1, **head_line(head)}
    layout: dict[str, Any] = {
        "height": _HEIGHT * len(listed),
        "margin": {"l": 64, "r": 24, "t": 16, "b": 48},
        "showlegend": False,
    }
    data = []
    share = (1 - _GAP * (len(listed) - 1)) / len(listed)
    for index, each in enumerate(listed):
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
    if listed[0].name == "entropy":
        ceiling = {"x": at, "y": statistics.ceiling[head - 1, rows].numpy(), "xaxis": "x", "yaxis": "y"}
        limit = {"type": "scatter", "mode": "lines", "line": {"color": ACCENT, "dash": "dash", "width": 1}}
        data.append({**limit, **ceiling, "name": text(lang, "figure.entropy.ceiling"), "hoverinfo": "skip"})
    layout["xaxis"] = {
        "title": {"text": text(lang, "figure.axis.query")}, "anchor": f"y{len(listed)}", "zeroline": False,
        "tickformat": "d", "range": [first - 0.5, first + len(at) - 0.5],
    }  # fmt: skip
    return Drawing(strips.name, data, layout)


def _sentence(mapped: Mapped, view: View) -> list[Message]:
    """Describe the strips: the heads' mean entropies and the ceiling, or their mean sums of gates; a sink's weights."""
    known = mapped.facts
    if known.spread is None:
        masses = known.further["mass"]
        if len(masses) == 1:
            return [message("table.strips.gates_one", mass=masses[0])]
        return [message("table.strips.gates", low=min(masses), high=max(masses))]
    low, high, most = min(known.spread.entropy), max(known.spread.entropy), known.spread.most
    sunk = [message("table.strips.sunk", sink=mean(shares)) for shares in [known.further.get("sink_weight")] if shares]
    if known.heads == 1:
        return [message("table.strips.summary_one", entropy=low, ceiling=most), *sunk]
    return [message("table.strips.summary", low=low, high=high, ceiling=most), *sunk]


def _table(mapped: Mapped, view: View) -> Table:
    """List for each head the least, middle and greatest entropy of the queries with keys, and where the least is.

    Without entropies it lists the sums of gates.
    """
    kept, lang = mapped.kept, view.lang
    name = "entropy" if mapped.facts.spread else "mass"
    where = seeing(kept).nonzero().flatten()
    values, kind = kept.statistics.statistic(name)[:, where], kind_of(kept.config, name)
    ordered = values.sort(-1).values

    def ranked(rank: int) -> Made:
        return lambda head: message(
            "reason.made.ranked", value=float(ordered[head, rank]), rank=rank + 1, rows=ordered.shape[1]
        )

    middle, last = (ordered.shape[1] - 1) // 2, ordered.shape[1] - 1
    columns = [
        column(lang, "head", np.arange(1, len(values) + 1)),
        column(lang, "least", ordered[:, 0].numpy(), kind, ranked(0)),
        column(lang, "at_query", where[values.argmin(-1)].numpy()),
        column(lang, "median", ordered[:, middle].numpy(), kind, ranked(middle)),
        column(lang, "greatest", ordered[:, -1].numpy(), kind, ranked(last)),
    ]
    caption = "table.strips.caption" if mapped.facts.spread else "table.strips.caption_gates"
    return Table(text(lang, caption), columns)


def _live(mapped: Mapped, view: View) -> Drawing:
    rows = mapped.rows
    return drawing(mapped.kept.statistics, mapped.head, view.lang, view, rows.start, rows.stop)


strips: Final = Figure(name="strips", draw=drawing, live=_live, sentence=_sentence, table=_table, painter="script")
