"""The common part of both cost figures: a curve for each contender, its fitted power law, and the skipped sizes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from attention_core import CostConfig, CostPoint, PowerLaw, power_law
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import PASSES
from attention_core.studies.cost_fit import measured
from visualiser import theme
from visualiser.drawing.curves import beside, curve, decades, logarithmic, panel_of, positive
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.locale import text
from visualiser.state.view import View

_APART = 2.5
"""Labels whose heights have a smaller ratio overlap."""


@dataclass(frozen=True)
class Quantity:
    """The quantity that a cost figure draws.

    `of` reads it from a measured point, `expected` from a skipped one; `unit` follows the SI prefix. `bound` is the
    most that the config allows one call. `before` is the axis range, in powers of ten, while there are no points.
    """

    name: str
    unit: str
    of: Callable[[CostPoint], float | None]
    expected: Callable[[CostPoint], float]
    bound: Callable[[CostConfig], float]
    before: tuple[float, float]


def cost_drawing(
    config: CostConfig,
    points: Sequence[CostPoint],
    quantity: Quantity,
    theory: Callable[[str, int], list[Trace]],
    lang: str,
    view: View,
) -> Drawing:
    """Draw forward on the left, forward + backward on the right. `theory` gives a panel's further lines."""
    data: list[Trace] = []
    shown: list[np.ndarray] = []
    for panel, passes in enumerate(PASSES):
        for name in CONTENDERS:
            found = {point.size: point for point in points if (point.contender, point.passes) == (name, passes)}
            costs = positive([_value(found.get(size), quantity) for size in config.sizes])
            data.append(_line(config, name, costs, quantity, panel, lang))
            shown.append(costs)
        data += _fits(config, points, passes, quantity, panel)
        data.append(_skipped([p for p in points if p.skipped and p.passes == passes], quantity, panel, lang))
        data += theory(passes, panel)
        shown += [trace["y"] for trace in data if trace["meta"].get("kind") in ("skipped", "theory")]
    grid = Grid(count=2, columns=1 if view.narrow else 2, height=320, gap_x=0.1, gap_y=84)
    top = 168 if view.narrow else 112
    limits = decades(shown, quantity.before)
    layout: dict[str, Any] = {
        "height": grid.inner + top + 50,
        "margin": {"l": 62, "r": 34, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [
            heading(i, text(lang, f"figure.cost.{passes}"), f"{quantity.name}-{passes}")
            for i, passes in enumerate(PASSES)
        ],
        "shapes": [_bound(quantity.bound(config), panel, lang) for panel in (0, 1)],
    }
    for panel in (0, 1):
        layout[axis_key("x", panel)] = {
            **logarithmic(config.sizes), "title": {"text": text(lang, f"figure.cost.x.{config.varied}")},
            "domain": grid.x(panel), "anchor": axis("y", panel),
        }  # fmt: skip
        layout[axis_key("y", panel)] = {
            "type": "log", "range": limits, "dtick": 1,
            "exponentformat": "SI", "minexponent": 0, "ticksuffix": quantity.unit,
            "domain": grid.y(panel), "anchor": axis("x", panel), "zeroline": False,
        }  # fmt: skip
    return Drawing(quantity.name, data, layout)


def _value(point: CostPoint | None, quantity: Quantity) -> float:
    value = None if point is None else quantity.of(point)
    return np.nan if value is None else float(value)


def _line(config: CostConfig, name: str, costs: Any, quantity: Quantity, panel: int, lang: str) -> Trace:
    label = text(lang, f"figure.cost.{name}")
    hover = text(
        lang, "figure.cost.hover", contender=label, varied=config.varied, size="%{x}", value="%{y:.3s}" + quantity.unit
    )
    meta = {"contender": name, "passes": PASSES[panel]}
    return curve(label, np.array(config.sizes), costs, theme.CONTENDERS[name], panel, hover, meta)


def _fits(config: CostConfig, points: Sequence[CostPoint], passes: str, quantity: Quantity, panel: int) -> list[Trace]:
    """Draw each power law that holds over the sizes it was fitted to, with its exponent beside the last one."""
    laws: dict[str, PowerLaw | None] = {}
    for name in CONTENDERS:
        costs = [(point.size, quantity.of(point)) for point in measured(points, name, passes)]
        found = [(size, cost) for size, cost in costs if cost is not None]
        law = power_law([size for size, _ in found], [cost for _, cost in found])
        laws[name] = law if law is not None and law.holds else None
    sides = _sides({name: law.at(law.last) for name, law in laws.items() if law is not None})
    return [_fit(config, name, passes, law, sides.get(name, "middle"), panel) for name, law in laws.items()]


def _fit(config: CostConfig, name: str, passes: str, law: PowerLaw | None, side: str, panel: int) -> Trace:
    ends = np.array([] if law is None else [law.first, law.last], dtype=np.float64)
    heights = np.array([] if law is None else [law.at(law.first), law.at(law.last)])
    base = {"n": "n", "d_k": "d<sub>k</sub>"}[config.varied]
    grows = np.array([] if law is None else ["", f"\u2002{base}<sup>{_exponent(law)}</sup>"], dtype=np.str_)
    colour = theme.CONTENDERS[name]
    return {
        "type": "scatter", "mode": "lines+text", "x": ends, "y": heights, "text": grows, "cliponaxis": False,
        "textposition": np.array([beside(side, "right")] * len(ends), dtype=np.str_),
        "textfont": {"color": colour, "size": theme.TICK_SIZE}, "name": name,
        "line": {"color": colour, "width": 1.2, "dash": "dash"}, "showlegend": False, "hoverinfo": "skip",
        "meta": {"kind": "fit", "contender": name, "passes": passes}, **panel_of(panel),
    }  # fmt: skip


def _exponent(law: PowerLaw) -> str:
    """Write the slope with its standard error, at least the last digit shown."""
    return f"{law.slope:.2f} ± {max(0.01, law.error):.2f}".replace("-", "−")


def _sides(heights: Mapping[str, float]) -> dict[str, str]:
    """Return the vertical position of each label beside its curve's end: of two that would overlap, one moves up, one
    down.
    """
    sides = dict.fromkeys(heights, "middle")
    ordered = sorted(heights, key=heights.__getitem__)
    for low, high in pairwise(ordered):
        if heights[high] < _APART * heights[low] and sides[low] == "middle":
            sides[low], sides[high] = "bottom", "top"
    return sides


def _skipped(points: Sequence[CostPoint], quantity: Quantity, panel: int, lang: str) -> Trace:
    """Draw open crosses at the expected costs of the sizes that were not run."""
    texts = [
        text(
            lang, f"figure.cost.skipped.{point.skipped}", contender=text(lang, f"figure.cost.{point.contender}"),
            seconds=point.expected_seconds, megabytes=point.expected_bytes / 1e6,
        )
        for point in points
    ]  # fmt: skip
    name = text(lang, "figure.cost.skipped")
    return {
        "type": "scatter", "mode": "markers", "x": np.array([point.size for point in points], dtype=np.float64),
        "y": np.array([quantity.expected(point) for point in points], dtype=np.float64),
        "text": np.array(texts, dtype=np.str_), "hovertemplate": "%{text}<extra></extra>", "name": name,
        "legendgroup": name, "showlegend": panel == 0, "meta": {"kind": "skipped"},
        "marker": {
            "symbol": "x-open", "size": 9,
            "color": np.array([theme.CONTENDERS[point.contender] for point in points], dtype=np.str_),
        },
        **panel_of(panel),
    }  # fmt: skip


def _bound(most: float, panel: int, lang: str) -> dict[str, Any]:
    """Draw the most that one call may cost as a level line."""
    return {
        "type": "line", "name": "bound", "xref": f"{axis('x', panel)} domain", "yref": axis("y", panel),
        "x0": 0, "x1": 1, "y0": np.float64(most), "y1": np.float64(most),
        "line": {"color": theme.INK, "width": 1, "dash": "dash"},
        "label": {
            "text": text(lang, "figure.cost.bound"), "textposition": "start", "yanchor": "top",
            "font": {"color": theme.INK, "size": theme.TICK_SIZE},
        },
    }  # fmt: skip
