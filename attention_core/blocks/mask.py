"""Which cells of a block a mask lets through, without the n_q × n_k mask that says so for all of them.

Causal and window are arithmetic on positions, so that a block asks only for its own cells and whole ranges of keys that
no query of it may see are never computed. The positions are those of `masks`: the last query stands at the last key.
"""

from dataclasses import dataclass
from itertools import product

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.shapes import shape_error
from attention_core.validation import flag, whole_number

Head = tuple[int, ...]
_STRETCH = 64
"""Queries whose keys are counted together."""
Strip = tuple[slice, Bool[Tensor, "_ _"]]  # keys × rows


@dataclass(frozen=True, eq=False)
class Allowed:
    """The cells that causality, window and mask together leave; `mask` is expanded to the scores, not copied."""

    n_q: int
    n_k: int
    causal: bool
    window: int | None
    mask: Bool[Tensor, "*batch n_q n_k"] | None

    @property
    def everything(self) -> bool:
        """Whether no cell is forbidden by any of them."""
        return not self.causal and self.window is None and self.mask is None

    def columns(self, rows: slice) -> slice:
        """The range of keys outside which no query of `rows` may look at any, whatever `mask` says; perhaps empty."""
        offset = self.n_k - self.n_q
        start, stop = 0, self.n_k
        if self.causal:
            stop = min(stop, rows.stop + offset)
        if self.window is not None:
            start = max(start, rows.start + offset - self.window)
            stop = min(stop, rows.stop + offset + self.window)
        return slice(start, max(start, stop))

    def strips(self, head: Head, rows: slice, columns: slice, device: torch.device) -> list[Strip]:
        """Where cells of the block may be forbidden: ranges of its keys (from 0) with True at each forbidden cell."""
        if self.everything:
            return []
        size = columns.stop - columns.start
        left, right = (size, 0) if self.mask is not None else self._free(rows, columns)
        ranges = [(0, size)] if left >= right else [(0, left), (right, size)]
        return [
            (slice(start, stop), self._forbidden(head, rows, columns.start + start, columns.start + stop, device))
            for start, stop in ranges
            if start < stop
        ]

    def keys(self, batch: Head, rows: slice) -> Int[Tensor, "*batch rows"]:
        """How many keys each query of `rows` may look at."""
        if self.mask is not None:
            counts = torch.zeros(*batch, rows.stop - rows.start, dtype=torch.int64)
            for head in product(*map(range, batch)):
                checkpoint()
                for start in range(rows.start, rows.stop, _STRETCH):
                    part = slice(start, min(rows.stop, start + _STRETCH))
                    forbidden = self._forbidden(head, part, 0, self.n_k, self.mask.device)
                    counts[head][part.start - rows.start : part.stop - rows.start] = self.n_k - forbidden.sum(0).cpu()
            return counts
        position = torch.arange(rows.start, rows.stop) + self.n_k - self.n_q
        first, last = torch.zeros_like(position), torch.full_like(position, self.n_k - 1)
        if self.causal:
            last = last.minimum(position)
        if self.window is not None:
            first, last = first.maximum(position - self.window), last.minimum(position + self.window)
        return (last - first + 1).clamp_min(0).expand(*batch, -1)

    def _free(self, rows: slice, columns: slice) -> tuple[int, int]:
        """Between these two keys of the block, counted in it, every query of `rows` may look at every key."""
        offset = self.n_k - self.n_q - columns.start
        size = columns.stop - columns.start
        left, right = 0, size
        if self.causal:
            right = min(right, rows.start + offset + 1)
        if self.window is not None:
            left = max(left, rows.stop - 1 + offset - self.window)
            right = min(right, rows.start + offset + self.window + 1)
        return min(left, size), max(right, 0)

    def _forbidden(
        self, head: Head, rows: slice, start: int, stop: int, device: torch.device
    ) -> Bool[Tensor, "keys rows"]:
        key = torch.arange(start, stop, device=device).unsqueeze(1)
        query = torch.arange(rows.start, rows.stop, device=device) + (self.n_k - self.n_q)
        forbidden = torch.zeros(stop - start, rows.stop - rows.start, dtype=torch.bool, device=device)
        if self.causal:
            forbidden |= key > query
        if self.window is not None:
            forbidden |= key > query + self.window
            forbidden |= key < query - self.window
        if self.mask is not None:
            forbidden |= ~self.mask[head][rows, start:stop].mT.to(device)
        return forbidden


def allowed(batch: Head, n_q: int, n_k: int, causal: bool, window: int | None, mask: Tensor | None) -> Allowed:
    """The cells that all three leave. Raises `InvalidInput` where one of them is no such thing or does not fit."""
    if mask is not None:
        if mask.dtype != torch.bool:
            raise shape_error("mask", "a tensor of booleans", tuple(mask.shape))
        try:
            mask = mask.expand(*batch, n_q, n_k)
        except RuntimeError:
            sizes = " × ".join(map(str, (*batch, n_q, n_k)))
            raise shape_error("mask", f"broadcastable to the scores, {sizes}", tuple(mask.shape)) from None
    width = None if window is None else whole_number("window", window, 0)
    return Allowed(n_q, n_k, flag("causal", causal), width, mask)
