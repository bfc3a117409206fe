"""One pass over blocks of queries: scores are made, summed up and forgotten.

A block of queries meets the keys in stretches. A block is reported once all heads finish it. Of the n_q × n_k scores
and weights only two buffers of one block's cells exist at a time, two for each head that is worked on at once; a
treatment takes a third, gates one more.
"""

import math
import threading
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core.blocks.block import Block, Treated
from attention_core.blocks.compatibility import Compatibility, heads
from attention_core.blocks.head_threads import in_rounds
from attention_core.blocks.histogram import Tally
from attention_core.blocks.mask import Allowed, Head, Strip
from attention_core.blocks.overview_accumulator import Canvas
from attention_core.blocks.weighing import Exponentials, Weighing
from attention_core.cancellation import checkpoint
from attention_core.exact.row_sums import RowSums, Sums, in_float64

PLAIN = Exponentials()
"""The softmax of equation 1."""

_GROUP = 32
"""Keys in a group, whose largest score is found together."""

_KEYS = 4096
"""Keys of a block, or all keys if there are fewer."""

_MOST_ROWS = 512
"""Largest number of queries in a block on a CPU. With few keys, more would leave some cores without work."""


@dataclass(frozen=True)
class Blocks:
    """The numbers of queries (`rows`) and keys of a block; `group` keys are reduced together before all of them."""

    rows: int
    keys: int
    group: int


def blocks(
    n_q: int,
    n_k: int,
    device: torch.device,
    rows: int | None,
    widths: tuple[int, int] | None = None,
    at_once: int = 1,
) -> Blocks:
    """Choose the size of a block: 256 × 4096 cells on a CPU, sixteen times that on a GPU.

    4 MiB stay near a CPU's cores, and the work outweighs the calls. Fewer keys leave room for more queries, up to 512
    on a CPU. `widths` are the sizes of an overview's blocks; stretches of keys do not cut them. Blocks worked on
    `at_once` are smaller: 384 × 4096 cells together.
    """
    cpu = device.type == "cpu"
    cells = (2**20 if at_once == 1 else 3 * 2**19 // at_once) if cpu else 2**24
    if rows is None:
        rows = max(cells // _KEYS, min(_MOST_ROWS, cells // n_k)) if cpu else max(256, cells // max(n_k, _KEYS))
        if widths is not None and widths[0] < rows:
            rows -= rows % widths[0]  # finish whole block rows of the overview
    rows = min(rows, n_q)
    group = _GROUP if widths is None else widths[1]
    keys = min(n_k, max(group, cells // rows // group * group))
    return Blocks(rows, keys, group)


class Moments:
    """Count, mean and sum of squared deviations of one head's scores, merged so that a large mean costs no digits.

    They stay where the scores are until somebody reads them: a GPU need not stop for every block.
    """

    def __init__(self) -> None:
        self._count: Tensor | None = None
        self._mean = self._squares = torch.zeros((), dtype=torch.float64)

    def add(self, counts: Tensor, means: Tensor, squares: Tensor) -> None:
        """Add rows, given each row's number of scores, their mean and their sum of squared deviations from it."""
        counts, means, squares = (in_float64(tensor) for tensor in (counts, means, squares))
        there, count = counts > 0, counts.sum()
        mean = torch.where(there, counts * means, 0.0).sum() / count.clamp_min(1)
        inner = torch.where(there, squares + counts * (means - mean) ** 2, 0.0).sum()
        if self._count is None:
            self._count, self._mean, self._squares = count, mean, inner
            return
        before, total = self._count, (self._count + count).clamp_min(1)
        step = mean - self._mean
        self._squares = self._squares + inner + step**2 * before * count / total
        self._mean = torch.where(before > 0, self._mean + step * count / total, mean)
        self._count = before + count

    @property
    def count(self) -> float:
        """The number of scores."""
        return 0.0 if self._count is None else self._count.item()

    @property
    def mean(self) -> float:
        """The mean score, NaN if nothing was counted."""
        return self._mean.item() if self.count else math.nan

    @property
    def variance(self) -> float:
        """The population variance, NaN if nothing was counted."""
        return self._squares.item() / self.count if self.count else math.nan


class Pass:
    """The state of one pass: the results so far, the buffers, and the tally and canvas that each block feeds."""

    def __init__(
        self,
        compatibility: Compatibility,
        allowed: Allowed,
        size: Blocks,
        tally: Tally | None,
        canvas: Canvas | None,
        at_once: int = 1,
        weighing: Weighing = PLAIN,
    ) -> None:
        self._scores, self._allowed, self._size, self._at_once = compatibility, allowed, size, at_once
        self._tally, self._canvas, self._weighing = tally, canvas, weighing
        dtype, device = compatibility.dtype, compatibility.device
        self._heads = heads(compatibility.batch)
        shape = len(self._heads), compatibility.n_q
        held = "cpu" if device.type == "mps" else device  # mps has no float64
        self._sums = torch.zeros(len(weighing.kind.names()) - 1, *shape, dtype=torch.float64, device=held)
        self._sums[0].fill_(-torch.inf)
        self._at = torch.full(shape, -1, device=held)
        self._like = torch.empty(0, dtype=dtype, device=device)
        self._own = threading.local()
        # Set by a head's first block: without a mask the moments may follow from Q and K, else they are measured.
        self._known: dict[Head, tuple[float, float] | None] = {}
        self._measured = {head: Moments() for head in self._heads}
        # A cap and a gate make finite numbers of scores that have left the range of their dtype.
        bounded = weighing.curve is not None or not issubclass(weighing.kind, RowSums)
        self._hides = bounded and not compatibility.bound() <= torch.finfo(dtype).max
        self._lost = torch.zeros(len(self._heads), dtype=torch.bool, device=device)

    def run(self) -> Generator[int, None, None]:
        """Yield the number of finished queries after each block. Close the generator if you stop early."""
        n_q, step = self._scores.n_q, self._size.rows
        rounds = (slice(start, min(n_q, start + step)) for start in range(0, n_q, step))
        with closing(
            in_rounds(self._row_block, range(len(self._heads)), rounds, self._at_once, self._whole)
        ) as finished:
            for rows in finished:
                yield rows.stop

    def _whole(self, rows: slice) -> bool:
        """Return True if later rows cannot change the overview so far."""
        return self._canvas is None or rows.stop % self._canvas.rows == 0

    @property
    def _room(self) -> Tensor:
        """The buffers of a block's cells; each thread has its own."""
        if not hasattr(self._own, "room"):
            self._own.room = self._like.new_empty(self._weighing.rooms, self._size.rows * self._size.keys)
        return self._own.room

    @property
    def overflowed(self) -> bool:
        """True if a score left the range of its dtype."""
        return bool(self._lost.any())

    @property
    def sums(self) -> Sums:
        """The sums of every row, one head after the other, in float64 on the CPU."""
        return self.sums_of(slice(None))

    def sums_of(self, rows: slice) -> Sums:
        """Return the sums of these rows."""
        largest, *others = self._sums[..., rows].cpu()
        return self._weighing.kind(largest, self._at[:, rows].cpu(), *others)

    def moments(self) -> tuple[list[float], list[float]]:
        """Return the mean and the variance of each head's scores."""
        pairs = [
            self._known[head] or (self._measured[head].mean, self._measured[head].variance) for head in self._heads
        ]
        return [mean for mean, _ in pairs], [variance for _, variance in pairs]

    def _row_block(self, index: int, rows: slice) -> None:
        head = self._heads[index]
        if rows.start == 0:
            self._known[head] = self._scores.moments(head) if self._allowed.everything else None
        reach = self._allowed.columns(rows)
        first = reach.start // self._size.group * self._size.group
        sums: Sums | None = None
        pieces: list[tuple[Tensor, Tensor, Tensor]] = []
        for start in range(first, reach.stop, self._size.keys):
            checkpoint()
            columns = slice(start, min(reach.stop, start + self._size.keys))
            part, groups, tops = self._block(index, head, rows, columns)
            pieces.append((part.largest, groups, tops))
            sums = part if sums is None else sums.merge(part)
        if sums is None:
            return
        parts = [name for name in sums.names() if name != "at"]
        for there, name in zip(self._sums[:, index, rows], parts, strict=True):
            there.copy_(getattr(sums, name))
        self._at[index, rows] = sums.at
        if self._canvas is not None:
            self._draw(self._canvas, index, rows, first // self._size.group, sums, pieces)

    def _draw(
        self,
        canvas: Canvas,
        index: int,
        rows: slice,
        column: int,
        sums: Sums,
        pieces: list[tuple[Tensor, Tensor, Tensor]],
    ) -> None:
        """Add a row block to the canvas, its stretches rescaled from their own largest score to the row's."""
        for largest, groups, tops in pieces:
            canvas.add(index, rows, column, *self._weighing.shares(sums, largest, groups, tops))
            column += len(groups)

    def _block(self, index: int, head: Head, rows: slice, columns: slice) -> tuple[Sums, Tensor, Tensor]:
        """Return a block's sums and, for each group of its keys, their share in the overview and max s."""
        shape = columns.stop - columns.start, rows.stop - rows.start
        s, e, *more = (room[: shape[0] * shape[1]].view(shape) for room in self._room)
        self._scores.block(head, rows, columns, s)
        checkpoint()
        strips = self._allowed.strips(head, rows, columns, s.device)
        if self._tally is not None:
            self._tally.add(index, s, strips, e)
        if self._known[head] is None:
            self._measure(head, s, e, strips)
        if self._hides:
            self._lost[index] |= ~s.isfinite().all()
        treated = None
        if self._weighing.curve is not None:
            slopes, *more = more
            self._weighing.curve.treat(s, e, slopes)
            treated, s, e = Treated(s, slopes), e, s
        block = Block(s, e, treated, more, strips, self._size.group, self._canvas is not None)
        block.fill(s, -torch.inf)
        sums, groups, tops = self._weighing.summed(block)
        return sums.moved(columns.start), groups, tops

    def _measure(self, head: Head, scores: Tensor, room: Tensor, strips: list[Strip]) -> None:
        """Add the allowed scores to the head's moments, each row about its own mean."""
        counts = scores.new_full(scores.shape[1:], len(scores))
        room.copy_(scores)
        for strip, forbidden in strips:
            room[strip].masked_fill_(forbidden, 0.0)
            counts -= forbidden.sum(0)
        means = room.sum(0) / counts.clamp_min(1)
        room.sub_(means)
        for strip, forbidden in strips:
            room[strip].masked_fill_(forbidden, 0.0)
        self._measured[head].add(counts, means, room.mul_(room).sum(0))
