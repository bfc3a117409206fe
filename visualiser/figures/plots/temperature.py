"""Entropy, largest weight and Jacobian of softmax(factor · s) against the factor, on a logarithmic axis.

How this can mislead: the curves are means over rows; a single row may be one-hot although the mean weights are spread.
A small Jacobian norm comes from uniform rows on the left and from one-hot rows on the right.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core import Temperature
from attention_core.blocks.row_statistics import statistic
from attention_core.studies.temperature import MEASURES
from visualiser.drawing.curves import band, beside, curve, panel_of, present, reference
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis, heading
from visualiser.figures import mechanism_cells as why
from visualiser.figures.figure import Figure
from visualiser.figures.point import Point
from visualiser.listed_statistics import mean_label
from visualiser.locale import exact, text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table
from visualiser.theme import ACCENT, BAND, CALM, HEADS, faint

_SHARES: Final = {"largest_weight": HEADS[1], "jacobian_norm": HEADS[0], "jacobian_trace": HEADS[2]}
_UNIFORM: Final = faint(CALM, 0.13)


def drawing(found: Temperature, d_k: int, factor: float, lang: str = "en", view: View | None = None) -> Drawing:
    """Draw means over all heads as lines, the range over heads as bands. `factor` is the slider's.

    Marked on the entropy are the factors 1/d_k, 1/√d_k and 1, on the Jacobian norm 1/√d_k. Shaded are nearly uniform
    weights and weights collapsed on about one key.
    """
    view = view or View()
    x = found.factors.double().numpy()
    low, high = float(x[0]), float(x[-1])
    value = text(lang, "figure.temperature.hover", factor="%{x:.3g}", value="%{y:.3g}")
    data: list[Trace] = []
    for panel, measure, colour in [(0, "entropy", HEADS[4]), *((1, name, shade) for name, shade in _SHARES.items())]:
        heads = getattr(found, measure).double().numpy()  # factors × h
        name = text(lang, f"figure.temperature.{measure}")
        data.append(band(x, heads.min(1), heads.max(1), colour, panel, name))
        line = curve(name, x, heads.mean(1), colour, panel, f"{name}<br>{value}", {"measure": measure}, mode="lines")
        data.append({**line, "showlegend": True})
    data.append(reference(text(lang, "figure.temperature.ceiling"), [low, high], [found.ceiling] * 2, "dash", 0))
    data += _choices(found, d_k, lang)
    data += [
        _legend(text(lang, "figure.temperature.near_uniform"), _UNIFORM, CALM),
        _legend(text(lang, "figure.temperature.collapsed"), BAND, ACCENT),
    ]
    uniform, collapsed = found.uniform_below or low, found.collapsed_above or high
    grid = Grid(count=2, columns=1 if view.narrow else 2, height=240, gap_x=0.1, gap_y=84)
    top = 226 if view.narrow else 92
    across = {
        "type": "log", "range": [math.log10(low), math.log10(high)], "dtick": 1, "zeroline": False,
        "title": {"text": text(lang, "figure.temperature.x")},
    }  # fmt: skip
    highest = 1.12 * max(found.ceiling, 0.5)
    layout: dict[str, Any] = {
        "height": grid.inner + top + 50,
        "margin": {"l": 52, "r": 14, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [
            heading(0, text(lang, "figure.temperature.upper"), "temperature-entropy"),
            heading(1, text(lang, "figure.temperature.lower"), "temperature-shares"),
        ],
        "shapes": [
            *(_region(panel, low, uniform, _UNIFORM) for panel in (0, 1)),
            *(_region(panel, collapsed, high, BAND) for panel in (0, 1)),
            *(present(min(max(factor, low), high), panel) for panel in (0, 1)),
        ],
        "xaxis": {**across, "domain": grid.x(0), "anchor": "y"},
        "yaxis": {
            "domain": grid.y(0), "anchor": "x", "range": np.array([0.0, highest]), "nticks": 7, "zeroline": False,
            "title": {"text": text(lang, "figure.entropy.y")},
        },
        "xaxis2": {**across, "domain": grid.x(1), "anchor": "y2"},
        "yaxis2": {"domain": grid.y(1), "anchor": "x2", "range": [0.0, 1.05], "nticks": 6, "zeroline": False},
    }  # fmt: skip
    return Drawing(temperature.name, data, layout)


def _choices(found: Temperature, d_k: int, lang: str) -> list[Trace]:
    """Draw diamonds at the named factors: all of them on the entropy, 1/√d_k also where the gradient passes."""
    named = [(1 / d_k, "1/d<sub>k</sub>", beside("bottom", "left"))]
    named.append((1 / math.sqrt(d_k), "1/√d<sub>k</sub>", beside("bottom", "left")))
    named.append((1.0, "1", beside("top", "right")))
    passes = [(*named[1][:2], beside("top", "left"))]
    return [_marks(found, "entropy", named, 0, lang), _marks(found, "jacobian_norm", passes, 1, lang)]


def _marks(found: Temperature, measure: str, named: list[tuple[float, str, str]], panel: int, lang: str) -> Trace:
    """Draw diamonds with names on a measure's mean over heads, interpolated between the two neighbouring factors."""
    hover_text = text(lang, "figure.temperature.hover", factor="%{x:.3g}", value="%{y:.3g}")
    factors = np.array([factor for factor, _, _ in named])
    means = getattr(found, measure).double().mean(-1).numpy()
    heights: NDArray[np.float64] = np.interp(np.log(factors), found.factors.double().log().numpy(), means)
    return {
        "type": "scatter", "mode": "markers+text", "x": factors, "y": heights,
        "text": [name for _, name, _ in named], "textposition": [place for _, _, place in named],
        "marker": {"symbol": "diamond", "size": 10, "color": ACCENT, "line": {"width": 1, "color": "#ffffff"}},
        "name": text(lang, "figure.temperature.choices"), "showlegend": panel == 0, "cliponaxis": False,
        "meta": {"kind": "choices" if panel == 0 else "choice"},
        "hovertemplate": f"{hover_text}<extra></extra>",
        **panel_of(panel),
    }  # fmt: skip


def _region(panel: int, start: float, end: float, colour: str) -> dict[str, Any]:
    return {
        "type": "rect", "xref": axis("x", panel), "yref": f"{axis('y', panel)} domain", "x0": np.float64(start),
        "x1": np.float64(end), "y0": 0, "y1": 1, "fillcolor": colour, "line": {"width": 0}, "layer": "below",
        "name": "uniform" if colour == _UNIFORM else "collapsed",
    }  # fmt: skip


def _legend(name: str, colour: str, edge: str) -> Trace:
    """Draw the legend entry of a shaded region, which plotly's legend does not know."""
    return {
        "type": "scatter", "mode": "markers", "x": [None], "y": [None], "hoverinfo": "skip", "name": name,
        "meta": {"kind": "legend"},
        "marker": {"symbol": "square", "size": 12, "color": colour, "line": {"width": 1, "color": edge}},
    }  # fmt: skip


def _sentence(point: Point, view: View) -> list[Message]:
    """Name the factors that spread and those that collapse the weights, and the side of the paper's and the page's."""
    found, config = point.temperature, point.config
    low, high = found.uniform_below, found.collapsed_above
    ends = [
        message("why.factor.never_uniform") if low is None else message("why.factor.uniform", below=low),
        message("why.factor.never_collapsed") if high is None else message("why.factor.collapsed", above=high),
    ]
    if low is None and high is None:
        return ends
    named = {"root": 1 / math.sqrt(config.d_k), "here": config.factor}
    return [
        *ends,
        *(message(f"why.{which}.{_side(factor, low, high)}", factor=exact(factor)) for which, factor in named.items()),
    ]


def _side(factor: float, low: float | None, high: float | None) -> str:
    if low is not None and factor <= low:
        return "uniform"
    if high is not None and factor >= high:
        return "collapsed"
    return "neither" if low is None or high is None else "between"


def _table(point: Point, view: View) -> Table:
    """List the measures of each factor, over some of the rows."""
    found, n, lang = point.temperature, point.config.n, view.lang
    means = {name: getattr(found, name).double().mean(-1).numpy() for name in MEASURES}
    factors = found.factors.double().numpy()
    columns = [Column(text(lang, "table.factor"), factors, kind="factor", made=why.tried(factors))]
    columns += [
        Column(mean_label(lang, statistic(name)), values, kind=name, made=why.mean_of(values, found.queries))
        for name, values in means.items()
    ]
    whole = found.queries == n
    caption = "table.temperature.caption" if whole else "table.temperature.caption_some"
    return Table(text(lang, caption, rows=found.queries, n=n), columns)


temperature: Final = Figure(
    name="temperature",
    draw=drawing,
    live=lambda point, view: drawing(point.temperature, point.config.d_k, point.config.factor, view.lang, view),
    sentence=_sentence,
    table=_table,
)
