"""The weights of a long sequence at the size of a picture: the mean and the maximum of every block of cells.

Both are exact. The mean alone would hide a lone spike among hundreds of cells. The maximum alone would draw every spike
as wide as its block.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blocks.mask import Head

__all__ = ["Overview"]


@dataclass(frozen=True, eq=False)
class Overview:
    """The mean and the maximum of the weights in each block.

    Block (i, j) holds the queries row_edges[i] … row_edges[i + 1] − 1 and the keys column_edges[j] …
    column_edges[j + 1] − 1. All blocks have the same size except the last ones. Cells that the mask forbids count with
    weight 0.
    """

    mean: Float[Tensor, "*batch row_blocks column_blocks"]
    maximum: Float[Tensor, "*batch row_blocks column_blocks"]
    row_edges: Int[Tensor, " row_edges"]
    column_edges: Int[Tensor, " column_edges"]


def width(n: int, bins: int) -> int:
    """Return the size of a block: the smallest that cuts n into at most `bins`."""
    return -(-n // bins)


class Canvas:
    """The overview of the rows so far; block rows still to come are 0."""

    def __init__(self, bins: int, batch: Head, n_q: int, n_k: int, dtype: torch.dtype, device: torch.device) -> None:
        self.rows, self.columns = self.widths = width(n_q, bins), width(n_k, bins)
        self._batch, self._n_q, self._n_k = batch, n_q, n_k
        shape = math.prod(batch), -(-n_q // self.rows), -(-n_k // self.columns)
        self._mean = torch.zeros(shape, dtype=dtype, device=device)
        self._maximum = torch.zeros_like(self._mean)

    def add(
        self,
        head: int,
        rows: slice,
        first_column: int,
        sums: Float[Tensor, "blocks rows"],
        largest: Float[Tensor, "blocks rows"],
    ) -> None:
        """Add each row's sums and maxima of weights over the column blocks from `first_column` on."""
        columns = slice(first_column, first_column + len(sums))
        for band, local, groups in _bands(rows, self.rows):
            part, top = sums[:, local].unflatten(1, (groups, -1)), largest[:, local].unflatten(1, (groups, -1))
            self._mean[head, band, columns] += part.sum(-1).mT
            there = self._maximum[head, band, columns]
            torch.maximum(there, top.amax(-1).mT, out=there)

    def overview(self, done: int | None = None) -> Overview:
        """Return the overview of the first `done` rows. The mean of an unfinished block row is over its rows so far."""
        done = self._n_q if done is None else done
        row_edges = torch.arange(self._mean.shape[1] + 1).mul_(self.rows).clamp_(max=self._n_q)
        column_edges = torch.arange(self._mean.shape[2] + 1).mul_(self.columns).clamp_(max=self._n_k)
        heights = row_edges.clamp(max=done).diff().clamp_min(1)
        cells = (heights.unsqueeze(1) * column_edges.diff()).to(self._mean.dtype)
        shape = (*self._batch, *self._mean.shape[1:])
        return Overview(
            (self._mean.cpu() / cells).view(shape), self._maximum.cpu().clone().view(shape), row_edges, column_edges
        )


def _bands(rows: slice, width: int) -> list[tuple[slice, slice, int]]:
    """Split rows at block boundaries into (block rows, rows counted from the first, number of block rows)."""
    start, stop = rows.start, rows.stop
    whole_start, whole_stop = min(-(-start // width) * width, stop), stop // width * width
    cuts = sorted({start, whole_start, max(whole_start, whole_stop), stop})
    bands = []
    for low, high in pairwise(cuts):
        first, last = low // width, (high - 1) // width + 1
        bands.append((slice(first, last), slice(low - start, high - start), last - first))
    return bands
