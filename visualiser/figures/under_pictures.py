"""The pictures below the figures of patches in a file, where no script lays the colours over them."""

import base64
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from PIL import Image

from attention_core.learned import Picture
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.panels import axis
from visualiser.figures.read_head import ReadHead

_SIDE: Final = 448
"""Pixels of the longer side in a file."""
_OPACITY: Final = 0.68
"""Of the colours over the picture: both are seen."""


def over_pictures(drawing: Drawing, shown: ReadHead, pictures: Sequence[Picture]) -> Drawing:
    """Lay a figure of patches over its pictures, each grid a panel, and frame the chosen patch."""
    line = shown.run.keys(shown.layer)
    images = [
        _placed(panel, grid.box, (grid.rows, grid.columns), source(pictures[grid.picture]))
        for panel, grid in enumerate(line.grids)
    ]
    data = [{**trace, "opacity": _OPACITY} for trace in drawing.data]
    at = line.patches.get(shown.place(shown.row)) if shown.of_picture else None
    shapes = [] if at is None else [_frame(at[1], at[2])]
    return replace(drawing, data=data, layout={**drawing.layout, "images": images, "shapes": shapes})


def source(picture: Picture) -> str:
    """Return a picture as the address that holds it."""
    image = Image.fromarray(picture.pixels.numpy())
    image.thumbnail((_SIDE, _SIDE))
    written = io.BytesIO()
    image.save(written, "JPEG", quality=85)
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"


def _placed(panel: int, box: tuple[float, float, float, float], size: tuple[int, int], address: str) -> dict[str, Any]:
    """Return where the whole picture lies, of which a grid of patches covers `box`."""
    (left, top, right, bottom), (rows, columns) = box, size
    wide, high = columns / (right - left), rows / (bottom - top)
    return {
        "source": address, "xref": axis("x", panel), "yref": axis("y", panel), "xanchor": "left", "yanchor": "top",
        "x": 0.5 - left * wide, "y": 0.5 - top * high, "sizex": wide, "sizey": high, "sizing": "stretch",
        "layer": "below",
    }  # fmt: skip


def _frame(row: int, column: int) -> dict[str, Any]:
    corners = {"x0": column + 0.5, "x1": column + 1.5, "y0": row + 0.5, "y1": row + 1.5}
    return {"type": "rect", "line": {"color": "white", "width": 3}, **corners}
