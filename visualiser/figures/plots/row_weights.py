"""The weights of one query row on all keys: the bars of one head, and how far the heads lie apart.

How this can mislead: keys stand in order of position, so neighbouring bars need not belong together. With hundreds of
keys a bar is thinner than a pixel, so a lone large weight looks as thin as a small one is low. The bar of a sink, in
another colour after a gap, is wider than those of many keys: its height is its weight, not its area.
"""

import itertools
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionResult
from visualiser.drawing.bars import bar_layout
from visualiser.drawing.boxes import level
from visualiser.drawing.cells import sunk
from visualiser.drawing.distributions import broken_row, sharers, without_undefined
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import label
from visualiser.drawing.weighed import weighed
from visualiser.figures.figure import Figure
from visualiser.figures.rows import row_table
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons.of_row import ROW
from visualiser.state.view import View
from visualiser.tables import Table
from visualiser.theme import ACCENT, CALM, HEADS, INK

MASKED: Final = "rgba(100, 116, 139, 0.22)"
_SIGNS: Final = {
    "infinite": ("x", HEADS[3]),
    "not_a_number": ("cross", HEADS[3]),
    "lost": ("circle-open", INK),
    "subnormal": ("triangle-down", INK),
}
REACH: Final = "rgba(100, 116, 139, 0.6)"


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw the locked row (else the last) of the chosen head (head 1 if all are shown), masked keys shaded.

    If all heads are shown, a line at each key reaches from the least to the greatest weight of any head. The dotted
    line is the weight of a row uniform over the keys that this row may attend to.
    """
    view = view or View()
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    every = result.weights[:, row].numpy()
    allowed = np.ones(n_k, bool) if result.mask is None else result.mask[row].numpy()
    keys = np.arange(n_k)
    weights = np.where(allowed, every[head - 1], np.nan)
    several = h > 1 and len(view.heads(h)) > 1
    reach = (every if several else every[head - 1 : head])[:, allowed].ravel()
    taken = sunk(result, "weights")
    sink = None if taken is None else taken[head - 1, row : row + 1].numpy()
    reach = reach if sink is None else np.append(reach, sink)
    top = 1.06 * float(reach.max(initial=0.0, where=np.isfinite(reach))) or 1.0
    ends, keys_axis = [-0.5, n_k - 0.5], {"nticks": 6}
    axes = {"xaxis": "x", "yaxis": "y"}
    hover = text(lang, "figure.row_weights.hover", key="%{text}", weight="%{y:.3g}")
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", **_regions(~allowed, top), "fill": "toself", "fillcolor": MASKED,
            "line": {"width": 0, "color": MASKED}, "name": text(lang, "figure.row_weights.masked"),
            "hoverinfo": "skip", "showlegend": result.mask is not None, "meta": {"kind": "masked"}, **axes,
        },
        {
            "type": "scatter", "mode": "lines", "x": _broken(keys, keys),
            "name": text(lang, "figure.row_weights.heads"),
            "y": _broken(*_ends(every, allowed)) if several else np.empty(0), "line": {"color": REACH, "width": 1},
            "hoverinfo": "skip", "showlegend": several, "meta": {"kind": "heads"}, **axes,
        },
        {
            "type": "bar", "x": keys, "y": weights, "name": text(lang, "figure.head", head=head),
            "marker": {"color": CALM, "line": {"width": 0}}, "hovertemplate": f"{hover}<extra></extra>",
            "text": np.array([_name(result, key) for key in range(n_k)]), "textposition": "none",
            "showlegend": several, "meta": {"kind": "weights", "head": head, "row": np.int64(row)}, **axes,
        },
    ]  # fmt: skip
    if sink is not None:
        bar, ends, keys_axis = _sink(sink, n_k, head, lang, axes)
        data.append(bar)
    if weighed(result.config).complete:
        even = 1 / max(1, int(allowed.sum()))
        data.append(level(text(lang, "figure.row_weights.uniform"), ends, even, "dot", axes, INK))
    marks = result.marks("weights")
    if marks is not None:
        data += _marked(marks[head - 1, row].numpy(), 0.03 * top, lang, axes)
    layout = bar_layout(
        (text(lang, "figure.axis.key"), text(lang, "figure.stage.weights")),
        {"range": ends, "tickformat": "d", **keys_axis},
        top, 300, {"l": 58, "t": 50, "b": 50}, gap=0,
    )  # fmt: skip
    return Drawing(row_weights.name, data, layout)


def _sink(
    weight: NDArray, n_k: int, head: int, lang: str, axes: dict[str, str]
) -> tuple[dict[str, Any], list[float], dict[str, Any]]:
    """Draw the weight of the sink after a gap; return its bar, the ends of the axis of keys and that axis' ticks."""
    wide = max(1.0, n_k / 30)
    at = n_k - 0.5 + wide
    ends = [-0.5, at + 0.75 * wide]
    round_ones = (digit * 10**power for power in itertools.count() for digit in (1, 2, 5))
    step = next(one for one in round_ones if n_k <= 4 * one)
    named = [key for key in range(0, n_k, step) if at - key > 0.1 * (ends[1] - ends[0])]
    name, hover = text(lang, "figure.sink"), text(lang, "figure.row_weights.hover_sink", weight="%{y:.3g}")
    bar = {
        "type": "bar", "x": [at], "y": weight, "width": wide, "name": name, "showlegend": False,
        "marker": {"color": ACCENT, "line": {"width": 0}}, "hovertemplate": f"{hover}<extra></extra>",
        "meta": {"kind": "sink", "head": head}, **axes,
    }  # fmt: skip
    # the sink first: where names are thinned, the first one stays
    ticks = {"tickmode": "array", "tickvals": [at, *named], "ticktext": [name, *map(str, named)]}
    return bar, ends, ticks


def _marked(codes: NDArray[np.uint8], height: float, lang: str, axes: dict[str, str]) -> list[dict[str, Any]]:
    """Mark the keys whose weight a number format made NaN or 0, or robbed of digits."""
    return [
        {
            "type": "scatter", "mode": "markers", "x": np.flatnonzero(codes == code),
            "y": np.full(np.count_nonzero(codes == code), height), "name": text(lang, f"table.marks.{name}"),
            "marker": {"symbol": symbol, "size": 7, "color": colour, "line": {"width": 1.5, "color": colour}},
            "hovertemplate": f"%{{x}}: {text(lang, f'figure.marks.{name}')}<extra></extra>",
            "meta": {"kind": "marks", "mark": name}, **axes,
        }
        for code, (name, (symbol, colour)) in enumerate(_SIGNS.items(), 1)
        if (codes == code).any()
    ]  # fmt: skip


def _regions(masked: NDArray[np.bool_], top: float) -> dict[str, NDArray[np.float64]]:
    """Return x and y of a rectangle around each run of masked keys, NaN between two."""
    edges = np.flatnonzero(np.diff(masked, prepend=False, append=False)).reshape(-1, 2) - 0.5
    gap = np.full(len(edges), np.nan)
    x = np.stack([edges[:, 0], edges[:, 0], edges[:, 1], edges[:, 1], gap], axis=-1)
    y = np.broadcast_to([0.0, top, top, 0.0, np.nan], x.shape)
    return {"x": x.ravel(), "y": y.ravel()}


def _name(result: AttentionResult, key: int) -> str:
    return str(key) if result.tokens is None else f"{key} “{label(result.tokens[key])}”"


def _ends(every: NDArray[np.float32], allowed: NDArray[np.bool_]) -> tuple[NDArray, NDArray]:
    """Return the least and the greatest weight of each key over the heads, NaN where the mask forbids."""
    return np.where(allowed, every.min(0), np.nan), np.where(allowed, every.max(0), np.nan)


def _broken(low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """Return low, high, NaN for each key: one line of separate strokes."""
    return np.stack([low, high, np.full(len(low), np.nan)], axis=-1).ravel()


def _sentence(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    keys = n_k if result.mask is None else int(result.mask[row].sum())
    if not keys:
        return [message("table.row_weights.masked", query=row, head=head)]
    broken = broken_row(result, head, row)
    if broken is not None:
        return [message(broken.key, **broken.facts, query=row)]
    weights = result.weights[head - 1, row]
    key = int(weights.argmax())
    if not weighed(result.config).spread:
        gates = {"query": row, "head": head, "key": key, "weight": float(weights[key])}
        return [message("table.row_weights.gates", **gates, mass=float(result.statistic("mass")[head - 1, row]))]
    facts: dict[str, Any] = {"query": row, "head": head, "keys": keys, "weight": float(weights[key])}
    facts["entropy"] = float(result.entropy[head - 1, row])
    count = sharers(result, head, row)
    if count > 1:
        return [message("table.row_weights.tied", **facts, count=count)]
    return [message("table.row_weights.summary", **facts, key=key)]


def _brief(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, _ = result.weights.shape
    at = view.single(h) - 1, view.inspected(n_q)
    if not weighed(result.config).spread:
        return without_undefined(message("brief.row_mass", mass=float(result.statistic("mass")[at])), result)
    return without_undefined(message("brief.row_weights", effective=float(result.effective_keys[at])), result)


def _table(result: AttentionResult, view: View) -> Table:
    return Table(*row_table(result, view))


row_weights: Final = Figure(
    name="row-weights",
    draw=drawing,
    sentence=_sentence,
    table=_table,
    brief=_brief,
    reasons={"brief.row_weights": ROW, "brief.row_mass": ROW},
)
