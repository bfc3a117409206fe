"""One window of a layer that attends in windows: its attention and its line by themselves, and what it covers."""

from dataclasses import dataclass, replace
from typing import Any, Final

from jaxtyping import Int
from torch import Tensor

from attention_core.learned.positions import Line, PatchGrid
from attention_core.learned.run import LearnedLayer, ModelRun

__all__ = ["Window", "window_of"]

FILLING: Final = "–"
"""The name of a place that a window has at the picture's edge, and nothing stands there."""


@dataclass(frozen=True, eq=False)
class Window:
    """A layer as one of its positions meets it; of a layer without windows the whole.

    number  of the window, from 0; None for a layer that attends to all
    layer   its attention, h × n × n
    line    its positions; None if they are unknown
    at      the position in the run's line of each place; None for a layer that attends to all
    row     the place of the position in it
    """

    number: int | None
    layer: LearnedLayer
    line: Line | None
    at: Int[Tensor, " n"] | None
    row: int


def window_of(run: ModelRun, layer: int, position: int) -> Window:
    """Return what a position of the line meets in a layer, from 1: its window, or the whole layer.

    A position that is in no window, which a model may crop away, meets the first one at its first place.
    """
    whole: Any = run.layers[layer - 1]
    line, windows = run.queries(layer), run.windows[layer - 1]
    if windows is None:
        return Window(None, whole, line if len(line) == whole.weights.shape[-2] else None, None, position)
    found = (windows == position).nonzero().tolist()
    number, row = found[0] if found else (0, 0)
    at = windows[number]
    tensors = ("Q", "K", "V", "scores", "weights", "sink", "sink_score")
    cut = {name: None if getattr(whole, name) is None else getattr(whole, name)[number] for name in tensors}
    return Window(number, replace(whole, **cut), _line(line, at), at, row)


def _line(line: Line, at: Int[Tensor, " n"]) -> Line:
    """Return the line of a window's places, with a grid for each part of the picture that it covers."""
    places = at.tolist()
    tokens = tuple(line.tokens[place] if place >= 0 else FILLING for place in places)
    return Line(line.name, tokens, (-1,) * len(tokens), tuple(_grids(line, places)))


def _grids(line: Line, places: list[int]) -> list[PatchGrid]:
    """Return the rectangles of patches that lie together in the picture and in the window."""
    runs: list[list[int]] = []  # of places: neighbours in one row
    for place, position in enumerate(places):
        if position < 0:
            continue
        grid = line.grids[line.patches[position][0]]
        follows = runs and runs[-1][-1] == place - 1 and places[place - 1] == position - 1
        if follows and (position - grid.first) % grid.columns:
            runs[-1].append(place)
        else:
            runs.append([place])
    boxes: list[list[list[int]]] = []  # of runs: one below the other
    for row in runs:
        for box in boxes:
            above, grid = box[-1], line.grids[line.patches[places[row[0]]][0]]
            stride = row[0] - above[0]
            same = len(above) == len(row) and places[row[0]] - places[above[0]] == grid.columns
            if same and stride >= len(row) and (len(box) < 2 or stride == above[0] - box[-2][0]):
                box.append(row)
                break
        else:
            boxes.append([row])
    return [_grid(line, places, box) for box in boxes]


def _grid(line: Line, places: list[int], box: list[list[int]]) -> PatchGrid:
    number, row, column = line.patches[places[box[0][0]]]
    grid = line.grids[number]
    rows, columns = len(box), len(box[0])
    left, top, right, bottom = grid.box
    wide, high = (right - left) / grid.columns, (bottom - top) / grid.rows
    covered = left + column * wide, top + row * high, left + (column + columns) * wide, top + (row + rows) * high
    return PatchGrid(grid.picture, box[0][0], rows, columns, covered, box[1][0] - box[0][0] if rows > 1 else columns)
