"""Every head of a run as a small map: shares of the head's own largest weight, and their codes.

Of a vision model a map is the picture: what the chosen query reads.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from visualiser.figures.patch_rows import in_every_head
from visualiser.figures.read_head import ReadHead

SIDE: Final = 64
"""Most cells on a side of a small map; of a longer text each shows the largest weight of several."""
MASKED: Final = 255
"""The code of a cell that the mask forbids; the others are 0 … 254, of the head's largest weight."""


def small_maps(shown: ReadHead) -> list[NDArray[np.uint8]]:
    """Return the maps of each layer's heads, h × rows × columns, as codes of colours."""
    return [np.rint(np.nan_to_num(254 * each, nan=MASKED)).astype(np.uint8) for each in _of_layers(shown)]


def shares(shown: ReadHead) -> list[NDArray[np.float32]]:
    """Return the cells of each small map as shares of the head's largest weight, NaN where the mask forbids."""
    return [one for each in _of_layers(shown) for one in each]


def _of_layers(shown: ReadHead) -> Iterator[NDArray[np.float32]]:
    if shown.of_picture:
        yield from map(_scaled, in_every_head(shown.run, shown.layer, shown.place(shown.row)))
        return
    for layer in shown.run.layers:
        yield _scaled(_pooled(np.where(layer.allowed.numpy(), layer.weights.float().numpy(), np.float32(np.nan))))


def _scaled(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = np.nanmax(weights, axis=(1, 2), keepdims=True, initial=0.0)
    return (weights / np.where(largest > 0, largest, 1)).astype(np.float32)


def _pooled(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest weight of each square of keys and queries, so that no side has more than `SIDE`."""
    h, n_q, n_k = weights.shape
    step = -(-max(n_q, n_k) // SIDE)
    if step == 1:
        return weights
    rows, columns = -(-n_q // step), -(-n_k // step)
    padded = np.full((h, rows * step, columns * step), np.nan, np.float32)
    padded[:, :n_q, :n_k] = weights
    squares = padded.reshape(h, rows, step, columns, step)
    there = ~np.isnan(squares).all((2, 4))
    return np.where(there, np.nanmax(np.where(np.isnan(squares), -1.0, squares), (2, 4)), np.nan)
