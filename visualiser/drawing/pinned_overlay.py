"""Two drawings of one figure in one: B as it is, and A, the pinned state, in grey beside or behind it.

How this can mislead: A and B share the larger axis range, so the other may look small. A histogram of A that is much
narrower is cut off at the top, and one that is much wider at the sides, so that B's can still be seen; its name says
that it goes on beside the axis.
"""

import math
from typing import Any, Final

import numpy as np

from visualiser.drawing.drawing import Drawing, Layout
from visualiser.locale import text
from visualiser.theme import INK

APART: Final = 0.19
"""The distance of the boxes of A and B from the head's position on the axis."""
OUTLINE: Final = {"color": INK, "width": 1.8, "shape": "hvh"}
INSIDE: Final = "rgba(100,116,139,.28)"
"""The inside of an outline: of one that is narrow and cut off at the top, two lines alone would look like marks."""
HIGHEST: Final = 1.5
"""The highest range of a density beside another, in ranges of its own: a histogram is as high as it is narrow."""
FARTHEST: Final = 0.75
"""How far the axis below a density may grow on either side, in ranges of its own: by one of its steps 1, 2, 5."""


def pinned_overlay(a: Drawing, b: Drawing, lang: str) -> Drawing:
    """Return the drawing `b` with the boxes and the bars of `a` in grey; data ranges cover both.

    Reference lines, predictions and locked rows stay those of `b`. Boxes of a statistic that `b` lacks are left out.
    """
    name = text(lang, "figure.pinned_overlay.a")
    data: list[dict[str, Any]] = []
    panels = _panels(b)
    for trace in a.data:
        if trace["type"] == "box":
            if (axes := panels.get(trace["meta"]["kind"])) is not None:
                grey = {"name": name, "line": {"color": INK}, "fillcolor": INSIDE}
                data.append({**_aside(trace, -APART), **grey, **axes})
        elif trace.get("meta", {}).get("kind") in ("pooled", "weights"):
            bars = outline(trace["x"], trace["y"], name, "pinned")
            bars["meta"] |= {"beyond": text(lang, "figure.pinned_overlay.a_beyond")}
            data.append({**bars, "line": {**OUTLINE, "width": 3}})
        elif trace.get("meta", {}).get("kind") == "sink":
            data.append(_around(trace, name))
    boxes = any(trace["type"] == "box" for trace in b.data)
    # B's own traces come first, so that pinning A does not move them.
    own = [_aside(trace, APART) if boxes and _stands_at_heads(trace) else trace for trace in b.data]
    # the axes of other statistics have other ranges
    layout = widened_layout(b.layout, a.layout) if _panels(a) == panels else b.layout
    return Drawing(b.name, [*own, *(_named(trace, layout) for trace in data)], layout)


def _panels(drawing: Drawing) -> dict[str, dict[str, str]]:
    """Return the axes of each statistic that is drawn as boxes."""
    boxes = [trace for trace in drawing.data if trace["type"] == "box"]
    return {one["meta"]["kind"]: {name: one[name] for name in ("xaxis", "yaxis") if name in one} for one in boxes}


def with_before(drawing: Drawing, before: Drawing | None, lang: str) -> Drawing:
    """Return a score distribution with the outline of the state before the last change; empty without one.

    The live page fills the empty outline with the bars that it has shown, by the same rule
    (assets/js/pages/explore/before.js).
    """
    bars = None if before is None else next(trace for trace in before.data if trace["meta"].get("kind") == "pooled")
    x, y = (np.empty(0), np.empty(0)) if bars is None else (bars["x"], bars["y"])
    trace = outline(x, y, text(lang, "figure.score_distribution.before"), "before")
    trace["meta"] |= {"beyond": text(lang, "figure.score_distribution.before_beyond")}
    trace["showlegend"] = bars is not None
    layout = drawing.layout if before is None else widened_layout(drawing.layout, before.layout)
    return Drawing(drawing.name, [*drawing.data, _named(trace, layout)], layout)


def outline(x: Any, y: Any, name: str, kind: str) -> dict[str, Any]:
    """Draw the bars of another state as an outline with a grey inside."""
    return {
        "type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": OUTLINE, "hoverinfo": "skip",
        "fill": "tozeroy", "fillcolor": INSIDE, "meta": {"kind": kind},
    }  # fmt: skip


def _named(trace: dict[str, Any], layout: Layout) -> dict[str, Any]:
    """Return an outline under the name that says so if some of its bars stand beside the axis."""
    beyond = trace.get("meta", {}).get("beyond")
    if beyond is None or not len(trace["x"]):
        return trace
    low, high = layout["xaxis"]["range"]
    x, y = np.asarray(trace["x"]), np.asarray(trace["y"])
    return {**trace, "name": beyond} if y[(x < low) | (x > high)].any() else trace


def _around(bar: dict[str, Any], name: str) -> dict[str, Any]:
    """Draw an outline around a lone bar."""
    (at,), (height,), half = bar["x"], bar["y"], bar["width"] / 2
    x = np.array([at - half, at - half, at + half, at + half])
    lone = outline(x, np.array([0.0, height, height, 0.0]), name, "pinned_sink")
    return {**lone, "line": {"color": INK, "width": 3}, "showlegend": False}


def _stands_at_heads(trace: dict[str, Any]) -> bool:
    return trace["type"] == "box" or "row_of" in trace.get("meta", {})


def _aside(trace: dict[str, Any], shift: float) -> dict[str, Any]:
    moved = {**trace, "x": [head + shift for head in trace["x"]]}
    return {**moved, "width": 0.3} if trace["type"] == "box" else moved


def widened_layout(own: Layout, other: Layout) -> Layout:
    """Return a layout with its axes widened to the other's ranges, and the shaded region with them.

    A density's range grows to `HIGHEST` times its own at most, and the axis below it by `FARTHEST` of its own on either
    side.
    """
    dense = _is_density(own.get("yaxis", {}))
    wide = {key: _widened(key, value, other.get(key), dense) for key, value in own.items()}
    band = [shape for shape in own.get("shapes", ()) if shape.get("name") == "saturated"]
    return wide | ({"shapes": [{**shape, "x0": wide["xaxis"]["range"][0]} for shape in band]} if band else {})


def _is_density(axis: Any) -> bool:
    return axis.get("rangemode") == "tozero"


def _widened(key: str, own: Any, other: Any, dense: bool) -> Any:
    """Return an axis widened to the other's range; data stays data, structure structure."""
    if "axis" not in key or other is None:
        return own
    mine, theirs = own["range"], other["range"]
    least, most = -math.inf, math.inf
    if _is_density(own):
        most = HIGHEST * mine[1]
    elif dense:
        reach = FARTHEST * (mine[1] - mine[0])
        least, most = mine[0] - reach, mine[1] + reach
    wide = [min(mine[0], max(theirs[0], least)), max(mine[1], min(theirs[1], most))]
    return {**own, "range": np.array(wide) if isinstance(mine, np.ndarray) else wide}
