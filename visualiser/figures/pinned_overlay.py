"""Two drawings of one figure in one: B as it is, and A, the pinned state, in grey beside or behind it.

How this can mislead: A and B share the larger axis range, so the other may look small.
"""

from typing import Any, Final

import numpy as np

from visualiser.figures.drawing import Drawing
from visualiser.locale import text
from visualiser.theme import INK

APART: Final = 0.19
"""The distance of the boxes of A and B from the head's position on the axis."""


def pinned_overlay(a: Drawing, b: Drawing, lang: str) -> Drawing:
    """Return the drawing `b` with the boxes and the pooled histogram of `a` in grey; data ranges cover both.

    Reference lines, predictions and locked rows stay those of `b`.
    """
    name = text(lang, "figure.pinned_overlay.a")
    data: list[dict[str, Any]] = []
    for trace in a.data:
        if trace["type"] == "box":
            data.append(
                {**_aside(trace, -APART), "name": name, "line": {"color": INK}, "fillcolor": "rgba(100,116,139,.25)"}
            )
        elif trace.get("meta", {}).get("kind") == "pooled":
            data.append(
                {
                    "type": "scatter", "mode": "lines", "x": trace["x"], "y": trace["y"], "name": name,
                    "line": {"color": INK, "width": 3, "shape": "hvh"}, "hoverinfo": "skip", "meta": {"kind": "pinned"},
                }
            )  # fmt: skip
    boxes = any(trace["type"] == "box" for trace in b.data)
    # B's own traces come first, so that pinning A does not move them.
    own = [_aside(trace, APART) if boxes and _stands_at_heads(trace) else trace for trace in b.data]
    layout = {key: _reaching(key, value, a.layout.get(key)) for key, value in b.layout.items()}
    return Drawing(b.name, [*own, *data], layout)


def _stands_at_heads(trace: dict[str, Any]) -> bool:
    return trace["type"] == "box" or "row_of" in trace.get("meta", {})


def _aside(trace: dict[str, Any], shift: float) -> dict[str, Any]:
    moved = {**trace, "x": [head + shift for head in trace["x"]]}
    return {**moved, "width": 0.3} if trace["type"] == "box" else moved


def _reaching(key: str, own: Any, other: Any) -> Any:
    """Return an axis widened to the other's range; data stays data, structure structure."""
    if "axis" not in key or other is None:
        return own
    mine, theirs = own["range"], other["range"]
    wide = [min(mine[0], theirs[0]), max(mine[1], theirs[1])]
    return {**own, "range": np.array(wide) if isinstance(mine, np.ndarray) else wide}
