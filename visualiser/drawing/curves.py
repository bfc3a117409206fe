"""Curves with bands over seeds or heads, on linear and logarithmic axes, that grow while they are computed.

A curve has all its x values from the start; missing values are NaN, so that only numbers change.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visualiser.drawing.drawing import Trace
from visualiser.drawing.panels import axis
from visualiser.theme import DASHES, INK, faint


def layer_axis(title: str, layers: int) -> dict[str, Any]:
    """Return the axis of curves over layers, from 1."""
    return {
        "title": {"text": title}, "range": np.array([0.5, layers + 0.5]), "tickformat": "d", "nticks": 8,
        "zeroline": False,
    }  # fmt: skip


def panel_of(panel: int) -> dict[str, str]:
    """Return the axes of a trace in a panel, counted from 0."""
    return {"xaxis": axis("x", panel), "yaxis": axis("y", panel)}


def curve(
    name: str, x: ArrayLike, y: ArrayLike, colour: str, panel: int, hover: str, meta: dict[str, Any], **more: Any
) -> Trace:
    """Draw a line with a point at every value; the same `name` in several panels has one entry in the legend.

    The line has the dash of the curve that `meta` names (`theme.DASHES`).
    """
    dash = DASHES.get(meta.get("curve", ""))
    return {
        "type": "scatter", "mode": "lines+markers", "x": np.asarray(x), "y": np.asarray(y, dtype=np.float64),
        "name": name, "legendgroup": name, "showlegend": panel == 0,
        "line": {"color": colour, "width": 2.2, **({"dash": dash} if dash else {})},
        "marker": {"color": colour, "size": 5}, "hovertemplate": f"{hover}<extra></extra>", "meta": meta,
        **panel_of(panel), **more,
    }  # fmt: skip


CLEAR = "rgba(0,0,0,0)"
"""The colour of a point that another trace draws."""


def learning(name: str, points: Sequence[tuple[float, float, str]], panel: int) -> Trace:
    """Draw open circles at the points (x, y, colour) of curves that still learn; in the legend if there are any."""
    x, y, colours = zip(*points, strict=True) if points else ((), (), ())
    return {
        "type": "scatter", "mode": "markers", "x": np.array(x, dtype=np.float64), "y": np.array(y, dtype=np.float64),
        "marker": {"symbol": "circle-open", "size": 9, "color": np.array(colours, dtype=np.str_)}, "name": name,
        "legendgroup": name, "showlegend": bool(points) and panel == 0, "hoverinfo": "skip",
        "meta": {"kind": "learning"}, **panel_of(panel),
    }  # fmt: skip


def dots(colour: str, finished: Sequence[bool]) -> dict[str, Any]:
    """Return the markers of a curve: none where `learning` draws an open one."""
    return {"color": np.array([colour if there else CLEAR for there in finished], dtype=np.str_), "size": 5}


def band(x: ArrayLike, low: ArrayLike, high: ArrayLike, colour: str, panel: int, name: str) -> Trace:
    """Draw the region between `low` and `high`, skipping non-finite values; it belongs to the legend entry `name`."""
    places, least, most = (np.asarray(values, dtype=np.float64) for values in (x, low, high))
    there = np.isfinite(least) & np.isfinite(most)
    around = np.concatenate([places[there], places[there][::-1]])
    edge = np.concatenate([most[there], least[there][::-1]])
    return {
        "type": "scatter", "mode": "lines", "x": around, "y": edge, "fill": "toself", "fillcolor": faint(colour, 0.16),
        "line": {"width": 0, "color": colour}, "hoverinfo": "skip", "showlegend": False, "legendgroup": name,
        "name": name, "meta": {"kind": "band"}, **panel_of(panel),
    }  # fmt: skip


def reference(
    name: str, x: ArrayLike, y: ArrayLike, dash: str, panel: int, colour: str = INK, *, legend: bool = True
) -> Trace:
    """Draw a line that was not measured: a prediction, a ceiling, a bound."""
    return {
        "type": "scatter", "mode": "lines", "x": np.asarray(x, dtype=np.float64), "y": np.asarray(y, dtype=np.float64),
        "name": name, "legendgroup": name, "showlegend": legend, "line": {"color": colour, "width": 1.8, "dash": dash},
        "hovertemplate": f"{name}: %{{y:.3g}}<extra></extra>", "meta": {"kind": "reference"}, **panel_of(panel),
    }  # fmt: skip


def present(x: float, panel: int) -> dict[str, Any]:
    """Draw the upright line at the controls' present value; as a number, it moves without a new figure."""
    return {
        "type": "line", "name": "present", "xref": axis("x", panel), "yref": f"{axis('y', panel)} domain",
        "x0": np.float64(x), "x1": np.float64(x), "y0": 0, "y1": 1, "line": {"color": INK, "width": 2},
    }  # fmt: skip


def beside(upright: str, across: str) -> str:
    """Return plotly's name for a label's position beside its point."""
    return f"{upright} {across}"


def positive(values: ArrayLike) -> NDArray[np.float64]:
    """Return the values for a logarithmic axis: NaN for zero and below."""
    numbers = np.array(values, dtype=np.float64)
    numbers[~(numbers > 0)] = np.nan
    return numbers


def decades(values: Sequence[ArrayLike], default: tuple[float, float]) -> NDArray[np.float64]:
    """Return the range of a logarithmic axis in powers of ten that holds all `values`; `default` if there are none."""
    shown = np.concatenate([positive(some).ravel() for some in values]) if values else np.empty(0)
    shown = shown[np.isfinite(shown)]
    if not len(shown):
        return np.array(default)
    low, high = math.floor(np.log10(shown.min()) - 0.05), math.ceil(np.log10(shown.max()) + 0.05)
    return np.array([float(low), float(high)])


def tick_decades(limits: NDArray[np.float64]) -> np.float64:
    """Return the step between ticks of a logarithmic axis in powers of ten, for at most seven labels."""
    return np.float64(max(1, math.ceil((limits[1] - limits[0]) / 6)))


def logarithmic(sizes: Sequence[int], most: int = 6) -> dict[str, Any]:
    """Return a logarithmic axis over whole numbers, with at most `most` of them written out in full."""
    step = max(1, math.ceil(len(sizes) / most))
    ticks = list(sizes)[::step]
    room = 0.03 * max(0.3, math.log10(sizes[-1] / sizes[0]))
    return {
        "type": "log", "tickmode": "array", "tickvals": ticks, "ticktext": [str(size) for size in ticks],
        "range": [math.log10(sizes[0]) - room, math.log10(sizes[-1]) + room], "zeroline": False,
    }  # fmt: skip
