"""Names below each other, each with a line to its value and a point there: what is drawn of words with numbers."""

from collections.abc import Sequence
from html import escape, unescape
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visualiser.drawing.drawing import Layout, Trace
from visualiser.theme import CALM

MOST_LETTERS: Final = 12
"""Of a name beside the axis."""
_AXES: Final = {"xaxis": "x", "yaxis": "y"}


class Points(NamedTuple):
    """One value of each name: of which kind they are, what a legend calls them, and their colour; `hover` follows."""

    kind: str
    name: str
    values: NDArray[np.float64]
    colour: str
    hover: str = ""


def lollipops(
    names: Sequence[str],
    marked: Sequence[bool],
    start: NDArray[np.float64],
    points: Sequence[Points],
    titles: tuple[str, str],
    *,
    legend: bool = True,
) -> tuple[list[Trace], Layout]:
    """Return traces and layout, the first name at the top.

    Parameters
    ----------
    names
        Labels with their markup escaped.
    marked
        True for a name with a ✓.
    start
        Where each line begins; it ends at the value of the last `points`.
    points
        From the one behind to the one in front.
    titles
        Of the axis of values and of that of names.
    legend
        False leaves the points without names.
    """
    lines = -np.arange(len(names), dtype=np.float64)
    end, gaps = points[-1].values, np.full(len(names), np.nan)
    data: list[Trace] = [
        {
            "type": "scatter", "mode": "lines", "x": np.stack([start, end, gaps], 1).ravel(),
            "y": np.stack([lines, lines, gaps], 1).ravel(), "name": "", "showlegend": False,
            "line": {"color": CALM, "width": 2.2}, "hoverinfo": "skip", "meta": {"kind": "apart"}, **_AXES,
        }
    ]  # fmt: skip
    for one in points:
        data.append(
            {
                "type": "scatter", "mode": "markers", "x": one.values, "y": lines, "name": one.name,
                "showlegend": legend, "marker": {"symbol": "circle", "size": 9, "color": one.colour},
                "text": np.array(names, dtype=np.str_), "meta": {"kind": one.kind},
                "hovertemplate": f"“%{{text}}”: %{{x:.3g}}{one.hover}<extra></extra>", **_AXES,
            }
        )  # fmt: skip
    everything = np.concatenate([*(one.values for one in points), [0.0]])
    low, high = float(everything.min()), max(1e-6, float(everything.max()))
    room = 0.06 * (high - low)
    longest = max((len(unescape(name)) for name in names), default=1)
    layout: dict[str, Any] = {
        "height": 200,
        "margin": {"l": 24 + 8 * min(MOST_LETTERS, longest + 2), "r": 14, "t": 30 if legend else 20, "b": 46},
        "hovermode": "closest",
        **({"legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}} if legend else {}),
        "xaxis": {
            "title": {"text": titles[0]}, "range": np.array([low - room, high + room]), "zeroline": not legend,
            "nticks": 5,
        },
        "yaxis": {
            "title": {"text": titles[1]}, "range": np.array([0.5 - max(1, len(names)), 0.5]), "tickmode": "array",
            "tickvals": lines.tolist(),
            "ticktext": [_tick(name, mark) for name, mark in zip(names, marked, strict=True)],
            "labelalias": {},  # names are somebody's words, in which nothing is a symbol
            "zeroline": False, "showgrid": False,
        },
    }  # fmt: skip
    return data, layout


def _tick(name: str, mark: bool) -> str:
    whole = unescape(name)
    short = name if len(whole) <= MOST_LETTERS else escape(whole[: MOST_LETTERS - 1]) + "…"
    return f"✓ {short}" if mark else short
