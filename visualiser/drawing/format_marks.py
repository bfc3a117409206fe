"""The marks over a heat map where a number format made ∞, NaN, 0 or a number with fewer digits.

A mark is a colour that neither scale has and, unless there are too many, a sign of its own on each cell; the live page
lays a texture over them. So it differs from masked cells (hatched) for every kind of colour vision.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionResult, FormatLoss, format_loss
from attention_core.exact.formats import MARKS
from attention_core.result.dense import FormatCells
from visualiser.drawing.cells import marked_stage
from visualiser.drawing.once import once
from visualiser.drawing.panels import axis
from visualiser.locale import text
from visualiser.theme import MARK_COLOURS

AXIS: Final = "coloraxis99"
"""The colour axis of the marks; heads have at most sixteen of their own."""
MOST_SIGNS: Final = 4000
"""More marked cells in a figure have no sign each: the cells are then too small for one."""
_SIGNS: Final = ("x-thin-open", "cross-thin-open", "circle-open", "circle-open-dot")
_KINDS: Final = {"broken": ("infinite", "not_a_number"), "small": ("lost", "subnormal")}


def marks_of(result: AttentionResult, stage: str) -> NDArray[np.uint8] | None:
    """Return h × n_q × n_k codes of `MARKS`, 0 for none; None if there is no mark."""
    found = result.marks(marked_stage(stage))
    return None if found is None else found.numpy()


def mark_axis() -> dict[str, Any]:
    """Return the colour axis of the codes: 0 is clear, each code a colour."""
    count = len(MARKS)
    scale: list[list[Any]] = []
    for code, colour in enumerate(("rgba(0,0,0,0)", *(MARK_COLOURS[name] for name in MARKS))):
        scale += [[max(0.0, (code - 0.5) / count), colour], [min(1.0, (code + 0.5) / count), colour]]
    return {"cmin": np.float64(0), "cmax": np.float64(count), "colorscale": scale, "showscale": False}


def mark_traces(
    panel: int, codes: NDArray[np.uint8], meta: dict[str, Any], title: str, lang: str, signs: bool
) -> list[dict[str, Any]]:
    """Draw the marks of one panel: their colours and, with `signs`, a sign with words on each cell."""
    axes = {"xaxis": axis("x", panel), "yaxis": axis("y", panel)}
    data: list[dict[str, Any]] = [
        {
            "type": "heatmap", "z": codes, "coloraxis": AXIS, "hoverinfo": "skip",
            "meta": {"panel": panel, "kind": "marks", **meta}, **axes,
        }
    ]  # fmt: skip
    if not signs:
        return data
    query, key = text(lang, "figure.axis.query"), text(lang, "figure.axis.key")
    size = max(3, min(12, 150 // max(codes.shape)))
    for code, name in enumerate(MARKS, 1):
        rows, columns = np.nonzero(codes == code)
        if len(rows):
            hover_text = f"{query} %{{y}}, {key} %{{x}}: {text(lang, f'figure.marks.{name}')}<extra>{title}</extra>"
            data.append(
                {
                    "type": "scatter", "mode": "markers", "x": columns, "y": rows, "hovertemplate": hover_text,
                    "marker": {"symbol": _SIGNS[code - 1], "size": size, "color": "#000000", "line": {"width": 1.2}},
                    "showlegend": False, "meta": {"panel": panel, "kind": "signs", "mark": name, **meta}, **axes,
                }
            )  # fmt: skip
    return data


def mark_notes(codes: Sequence[NDArray[np.uint8]], lang: str) -> list[dict[str, Any]]:
    """Draw the legend of the marks there are, above the panels at the right, below that of the hatching."""
    found = [
        kind
        for kind, names in _KINDS.items()
        if any(np.isin(one, [MARKS.index(name) + 1 for name in names]).any() for one in codes)
    ]
    return [
        {
            "text": text(lang, f"figure.marks.{kind}"), "xref": "paper", "yref": "paper",
            "x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom", "showarrow": False, "xshift": -90 * (place + 1),
        }
        for place, kind in enumerate(found)
    ]  # fmt: skip


@once
def loss(result: AttentionResult) -> FormatLoss | None:
    """Return what the format of a result loses against float32; None if it is the reference itself."""
    return format_loss(result)


@once
def infinite_scores(result: AttentionResult) -> int:
    """Return the number of allowed scaled scores that are no number."""
    if not isinstance(result.cells, FormatCells):
        return 0
    broken = ~result.scaled.isfinite()
    return int((broken if result.mask is None else broken & result.mask).sum())


def few(codes: Sequence[NDArray[np.uint8] | None]) -> bool:
    """Return True if the marked cells are few enough for a sign on each."""
    return sum(0 if one is None else int(np.count_nonzero(one)) for one in codes) <= MOST_SIGNS


def unfinished(values: Tensor, mask: Tensor | None) -> NDArray[np.uint8] | None:
    """Return codes of the cells of a difference that are no number although both masks allow them."""
    broken = ~values.isfinite()
    if mask is not None:
        broken &= mask
    return (broken.numpy() * np.uint8(MARKS.index("not_a_number") + 1)) if broken.any() else None
