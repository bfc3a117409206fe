"""The layout of bars that stand side by side on an axis of queries or keys, and rise from 0."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from visualiser.drawing.drawing import Layout


def bar_layout(
    titles: tuple[str, str],
    x: Mapping[str, Any],
    top: float,
    height: int,
    margin: Mapping[str, int],
    *,
    gap: float = 0.2,
    nticks: int = 5,
    legend: bool = True,
) -> Layout:
    """Return the layout: bars over each other, their axis without a grid, the upright axis from 0 to `top`.

    titles  of the bars' axis and of the upright one
    x       the range and the ticks of the bars' axis
    margin  left, top and bottom in pixels, as plotly names them: l, t, b
    gap     between two bars, as a share of the room of one
    """
    across, upright = titles
    return {
        "height": height,
        "margin": {"l": margin["l"], "r": 14, "t": margin["t"], "b": margin["b"]},
        "bargap": gap,
        "barmode": "overlay",
        "hovermode": "closest",
        **({"legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}} if legend else {}),
        "xaxis": {"title": {"text": across}, **x, "showgrid": False, "zeroline": False},
        "yaxis": {
            "title": {"text": upright}, "range": np.array([0.0, top]), "rangemode": "tozero", "nticks": nticks,
            "zeroline": False,
        },
    }  # fmt: skip
