"""What one query reads over a picture: the weights on the patches, in every head, row by row of the grid."""

import numpy as np
from numpy.typing import NDArray

from attention_core.learned import Line, ModelRun, window_of


def over_grid(run: ModelRun, layer: int, position: int) -> NDArray[np.float32]:
    """Return what a query reads in each head of a layer, from 1: h × rows × columns, NaN for what it may not read.

    `position` is one of the layer's own line. Weights on class tokens and registers are not among them.
    """
    line, found = run.keys(layer), window_of(run, layer, position)
    grid = line.grids[0]
    weights = found.layer.weights[:, found.row].float().numpy()
    weights = np.where(found.layer.allowed[:, found.row].numpy(), weights, np.float32(np.nan))
    full = np.full((len(weights), len(line)), np.nan, np.float32)
    at = np.arange(weights.shape[1]) if found.at is None else found.at.numpy()
    full[:, at[at >= 0]] = weights[:, at >= 0]
    return full[:, list(grid.positions)].reshape(len(full), grid.rows, grid.columns)


def same_place(position: int, of: Line, there: Line) -> int:
    """Return the position of another line that lies where a position of this one does.

    A patch has the patch that covers its middle; a class token the one of the same number, or what covers the middle of
    the picture.
    """
    grid, other = of.grids[0], there.grids[0]
    if position in of.patches:
        _, row, column = of.patches[position]
    elif position < other.first:
        return position
    else:
        row, column = grid.rows // 2, grid.columns // 2
    return (
        other.first
        + int((row + 0.5) * other.rows / grid.rows) * other.columns
        + int((column + 0.5) * other.columns / grid.columns)
    )


def in_every_head(run: ModelRun, layer: int, position: int) -> list[NDArray[np.float32]]:
    """Return for each layer what the query at this place reads in its heads: h × rows × columns of the layer's grid."""
    of = run.queries(layer)
    layers = range(1, len(run.layers) + 1)
    return [over_grid(run, number, same_place(position, of, run.queries(number))) for number in layers]
