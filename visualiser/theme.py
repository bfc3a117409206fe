"""Colours, fonts and plotly templates, for light and dark, in one place.

Safe for colour-blind eyes: cividis for weights, blue to orange through grey for values centred at zero, hues of Okabe
and Ito for heads. Every colour named in a drawing has a luminance between 0.12 and 0.30, so its contrast is at least
3:1 on either background. A drawing knows no theme: all that differs between light and dark is in `template`.
"""

from typing import Any, Final
from urllib.parse import quote

THEMES: Final = ("light", "dark")

FONT: Final = "Inter, 'Noto Sans KR', 'Noto Sans', 'Noto Sans CJK KR', system-ui, sans-serif"
FONT_SIZE: Final = 13
TICK_SIZE: Final = 12  # the smallest text of any figure: legible from the back of a class

Scale = list[list[Any]]

WEIGHTS: Final[Scale] = [
    [0.0, "#00224e"],
    [0.125, "#123570"],
    [0.25, "#3b496c"],
    [0.375, "#575d6d"],
    [0.5, "#707173"],
    [0.625, "#8a8678"],
    [0.75, "#a59c74"],
    [0.875, "#c3b369"],
    [0.9375, "#e1cc55"],
    [1.0, "#fee838"],
]
"""cividis, sampled: perceptually uniform, and the same to eyes that do not tell red from green."""

DIVERGING: Final[Scale] = [
    [0.0, "#08306b"],
    [0.17, "#2f6fae"],
    [0.34, "#85b6da"],
    [0.5, "#e4e4e4"],
    [0.66, "#eeb07f"],
    [0.83, "#c65d1e"],
    [1.0, "#6f2404"],
]
"""Blue below zero, grey at zero, orange above: hues distinct for every kind of colour vision, equal in lightness."""

ON_PAPER: Final[dict[str, Scale]] = {
    str(WEIGHTS[0][1]): [[0.0, "#ffffff"], [0.25, "#d3e4f2"], [0.5, "#98c3e0"], [0.75, "#5198cb"], [1.0, "#1c68ac"]],
    str(DIVERGING[0][1]): [[0.0, "#2f6fae"], [0.25, "#a3c6e2"], [0.5, "#ffffff"], [0.75, "#f2c39e"], [1.0, "#c65d1e"]],
}
"""The same scales for print, by their first colour: zero costs no ink, and a large weight is the dark one."""

HEADS: Final = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#c2679a",
    "#a87400",
    "#2e8fc7",
    "#857d00",
    "#7a7a7a",
)
"""Okabe and Ito's hues, darkened if too pale on white; heads 9 to 16 repeat them with dashed lines."""

INK: Final = "#64748b"
ACCENT: Final = "#d55e00"
CALM: Final = "#2e8fc7"
THEORY: Final = "#8b5cf6"
"""The paper's predictions, as opposed to measurements; no head has this colour."""
BAND: Final = "rgba(213, 94, 0, 0.13)"
CURVES: Final = {
    "scaled": HEADS[0],
    "unscaled": HEADS[1],
    "additive": HEADS[2],
    "qk_norm_unscaled": HEADS[3],
    "qk_norm": HEADS[6],
    "softmax": HEADS[0],
    "log_n": HEADS[4],
    "sink": HEADS[3],
}
"""The three mechanisms of section 3.2.1, the same on every page, and what came after them."""
DASHES: Final = {"qk_norm_unscaled": "dash", "qk_norm": "dash", "log_n": "dash", "sink": "dashdot"}
"""The curves that are dashed: what is not in the paper looks different without its colour, too."""
CONTENDERS: Final = {
    "additive_naive": HEADS[2],
    "additive_chunked": HEADS[4],
    "explicit": HEADS[0],
    "fused": HEADS[3],
}
MARK_COLOURS: Final = {
    "infinite": "#ff4fb8",
    "not_a_number": "#c2007a",
    "lost": "#d4f4ff",
    "subnormal": "#6cc5de",
}
"""What a number format did to a cell: pinks and light cyans, which neither scale of the maps has."""
FORMATS: Final = {"float16": HEADS[1], "bfloat16": HEADS[4], "float32": HEADS[0]}

_GROUND: Final = {
    "light": {"paper": "#ffffff", "text": "#0f172a", "soft": "#475569", "grid": "#e2e8f0", "line": "#64748b"},
    "dark": {"paper": "#0f172a", "text": "#f1f5f9", "soft": "#cbd5e1", "grid": "#334155", "line": "#94a3b8"},
}


def head_line(head: int) -> dict[str, Any]:
    """Return colour and dash of head `head` (counted from 1); the seventeenth looks like the first."""
    return {"color": HEADS[(head - 1) % len(HEADS)], "dash": "solid" if (head - 1) // len(HEADS) % 2 == 0 else "dot"}


def faint(colour: str, opacity: float) -> str:
    """Return a colour "#rrggbb" as a wash, for bands and regions behind curves."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def hatching() -> str:
    """Return the hatching behind a panel, which marks masked cells, as the data URI of an SVG."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><defs><pattern id="m" width="9" height="9"'
        ' patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V9" stroke="#7c8798"'
        ' stroke-width="3" stroke-opacity=".6"/></pattern></defs><rect width="300" height="300" fill="url(#m)"/></svg>'
    )
    return "data:image/svg+xml," + quote(svg)


def template(theme: str) -> dict[str, Any]:
    """Return the plotly template of a theme as a plain dict. Raise KeyError for a theme not in `THEMES`."""
    ground = _GROUND[theme]
    axis = {
        "gridcolor": ground["grid"],
        "linecolor": ground["line"],
        "tickcolor": ground["line"],
        "zerolinecolor": ground["grid"],
        "ticks": "outside",
        "ticklen": 4,
        "tickfont": {"size": TICK_SIZE, "color": ground["soft"]},
        "title": {"font": {"size": FONT_SIZE, "color": ground["text"]}, "standoff": 6},
    }
    bar = {
        "outlinewidth": 0,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": ground["line"],
        "tickfont": {"size": TICK_SIZE, "color": ground["soft"]},
        "title": {"font": {"size": FONT_SIZE, "color": ground["text"]}},
    }
    return {
        "layout": {
            "font": {"family": FONT, "size": FONT_SIZE, "color": ground["text"]},
            "paper_bgcolor": ground["paper"],
            "plot_bgcolor": ground["paper"],
            "xaxis": axis,
            "yaxis": axis,
            "coloraxis": {"colorbar": bar},
            "annotationdefaults": {"font": {"color": ground["text"], "size": FONT_SIZE}, "showarrow": False},
            "legend": {"font": {"size": TICK_SIZE, "color": ground["text"]}, "bgcolor": "rgba(0,0,0,0)"},
            "hoverlabel": {
                "bgcolor": ground["text"],
                "bordercolor": ground["paper"],
                "font": {"family": FONT, "size": FONT_SIZE, "color": ground["paper"]},
            },
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": ground["soft"], "activecolor": ground["text"]},
        }
    }
