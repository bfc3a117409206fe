"""Exact counts of the scaled scores, head by head, block by block."""

import math
import threading
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blocks.mask import Head, Strip
from attention_core.errors import InvalidInput
from attention_core.validation import whole_number

__all__ = ["ScoreHistogram"]

_MOST_BINS = 4096
_FEWEST_CELLS = 4096
"""Fewest cells of the fine grid: 16 bits hold their numbers, and the counts of one head stay in the nearest cache."""
_SMALLEST_REACH = 2.0**-64
"""Smaller scores all fall next to 0, so that the width of a cell and its inverse stay finite."""


@dataclass(frozen=True, eq=False)
class ScoreHistogram:
    """Counts of scaled scores between `edges`: edge ≤ s < next edge; the last bin includes its upper edge.

    Cells that the mask forbids are not counted. `below` and `above` count the scores outside the edges, so that all
    three add up to the allowed cells.
    """

    edges: Float[Tensor, " edges"]
    counts: Int[Tensor, "*batch bins"]
    below: Int[Tensor, "*batch"]
    above: Int[Tensor, "*batch"]


class Tally:
    """The histogram of the blocks so far.

    A tensor of edges is rounded to the precision of the scores, and each score is looked up among them.

    A number of bins sets no edges. A fine grid of cells covers ±bound, within which all scores lie. The width of a cell
    is a power of two, so that the cell of a score is exact. At the end neighbouring cells are joined until the range of
    used cells takes at most that many bins. No score lies outside, and the edges are multiples of the cells' width.
    """

    def __init__(
        self, wanted: int | Float[Tensor, " edges"], bound: float, batch: Head, dtype: torch.dtype, device: torch.device
    ) -> None:
        self._batch = batch
        if isinstance(wanted, Tensor):
            self._edges = _checked_edges(wanted.detach().to(device, dtype))
            places = len(self._edges) + 1
        else:
            self._edges = None
            self._bins = whole_number("histogram", wanted, 1, _MOST_BINS)
            places = cells(self._bins)
            reach = min(max(bound, _SMALLEST_REACH), torch.finfo(dtype).max)
            self._exponent = math.ceil(math.log2(2 * reach / (places - 2)))
            self._half = places // 2
            # Then a score may not be finite, which the pass reports at its end. Non-finite scores have no bin.
            self._overflows = bound > torch.finfo(dtype).max
        self._kind = torch.int16 if places < 2**15 else torch.int32
        # Place 0 takes the forbidden cells, which are not counted.
        self._counts = torch.zeros(math.prod(batch), places + 1, dtype=torch.int64, device=device)
        self._own = threading.local()

    def add(
        self, head: int, scores: Float[Tensor, "keys rows"], strips: list[Strip], room: Float[Tensor, "keys rows"]
    ) -> None:
        """Count the scores of a block. Overwrites `room`."""
        if self._edges is not None:
            places = torch.bucketize(scores, self._edges, right=True, out_int32=True).add_(1)
            places.masked_fill_((scores == self._edges[-1]), len(self._edges))
        else:
            torch.mul(scores, 2.0**-self._exponent, out=room).floor_()
            if self._overflows:
                room.nan_to_num_(0.0).clamp_(-self._half, self._half - 1)
            places = self._places(scores).copy_(room).add_(self._half + 1)
        for strip, forbidden in strips:
            places[strip].masked_fill_(forbidden, 0)
        self._counts[head] += torch.bincount(places.view(-1), minlength=self._counts.shape[1])

    def _places(self, scores: Tensor) -> Tensor:
        """Return a buffer with one place for each score; each thread has its own."""
        size = scores.numel()
        if not hasattr(self._own, "places") or self._own.places.numel() < size:
            self._own.places = scores.new_empty(size, dtype=self._kind)
        return self._own.places[:size].view(scores.shape)

    def histogram(self) -> ScoreHistogram:
        """Return the counts so far."""
        counts = self._counts[:, 1:].cpu()
        nothing = torch.zeros(self._batch, dtype=torch.int64)
        if self._edges is not None:
            below, inside, above = counts[:, 0], counts[:, 1:-1], counts[:, -1]
            return ScoreHistogram(
                self._edges.cpu(),
                inside.reshape(*self._batch, -1),
                below.reshape(self._batch),
                above.reshape(self._batch),
            )
        used = counts.sum(0).nonzero().view(-1)
        first, last = (int(used[0]), int(used[-1])) if len(used) else (self._half, self._half)
        joined = -(-(last - first + 1) // self._bins)
        bins = -(-(last - first + 1) // joined)
        padded = torch.nn.functional.pad(counts, (0, joined))[:, first : first + bins * joined]
        padded = torch.nn.functional.pad(padded, (0, bins * joined - padded.shape[1]))
        edges = (torch.arange(bins + 1, dtype=torch.float64) * joined + first - self._half) * 2.0**self._exponent
        return ScoreHistogram(
            edges.to(torch.float32), padded.view(*self._batch, bins, joined).sum(-1), nothing, nothing.clone()
        )


def cells(bins: int) -> int:
    """Return the number of cells of the fine grid: a power of two, at least eight for each bin."""
    return max(_FEWEST_CELLS, 1 << (8 * bins - 1).bit_length())


def _checked_edges(edges: Tensor) -> Tensor:
    if edges.dim() != 1 or len(edges) < 2 or not edges.isfinite().all() or not (edges.diff() > 0).all():
        raise InvalidInput(
            "histogram_edges",
            "histogram must be a number of bins, or at least two finite edges that increase.",
            field="histogram",
        )
    return edges
