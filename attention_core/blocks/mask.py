"""The cells of a block that a mask allows, without the whole n_q × n_k mask.

A `Mask` is arithmetic on positions. A block asks for its own cells only, and skips whole ranges of keys that none of
its queries may see.
"""

from dataclasses import dataclass
from itertools import product

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.masks import Mask, band, position
from attention_core.shapes import shape_error
from attention_core.validation import flag, whole_number

Head = tuple[int, ...]
_STRETCH = 64
"""Queries whose keys are counted together."""
Strip = tuple[slice, Bool[Tensor, "_ _"]]  # keys × rows


@dataclass(frozen=True, eq=False)
class Allowed:
    """The cells that both a mask of positions and a tensor allow; `given` is expanded to the scores, not copied."""

    n_q: int
    n_k: int
    mask: Mask
    given: Bool[Tensor, "*batch n_q n_k"] | None

    @property
    def everything(self) -> bool:
        """True if neither forbids a cell."""
        return self.mask.everything and self.given is None

    def columns(self, rows: slice) -> slice:
        """Return a range of keys, perhaps empty, outside which no query of `rows` may attend."""
        return self.mask.reach(*self._ends(rows), self.n_k)

    def strips(self, head: Head, rows: slice, columns: slice, device: torch.device) -> list[Strip]:
        """Return the ranges of the block's keys (from 0) that may be forbidden, with True at each forbidden cell."""
        if self.everything:
            return []
        size = columns.stop - columns.start
        left, right = (size, 0) if self.given is not None else self._free(rows, columns)
        ranges = [(0, size)] if left >= right else [(0, left), (right, size)]
        return [
            (slice(start, stop), self._forbidden(head, rows, columns.start + start, columns.start + stop, device))
            for start, stop in ranges
            if start < stop
        ]

    def keys(self, batch: Head, rows: slice) -> Int[Tensor, "*batch rows"]:
        """Count the keys that each query of `rows` may attend to."""
        if self.given is None:
            return self.mask.counts(self._positions(rows), self.n_k).expand(*batch, -1)
        counts = torch.zeros(*batch, rows.stop - rows.start, dtype=torch.int64)
        for head in product(*map(range, batch)):
            checkpoint()
            for start in range(rows.start, rows.stop, _STRETCH):
                part = slice(start, min(rows.stop, start + _STRETCH))
                forbidden = self._forbidden(head, part, 0, self.n_k, self.given.device)
                counts[head][part.start - rows.start : part.stop - rows.start] = self.n_k - forbidden.sum(0).cpu()
        return counts

    def _free(self, rows: slice, columns: slice) -> tuple[int, int]:
        """Return start and stop, counted in the block, of the keys that every query of `rows` may attend to."""
        free = self.mask.free(*self._ends(rows), self.n_k)
        size = columns.stop - columns.start
        return min(free.start - columns.start, size), max(free.stop - columns.start, 0)

    def _ends(self, rows: slice) -> tuple[int, int]:
        """Return the positions of the first and the last query."""
        return position(rows.start, self.n_q, self.n_k), position(rows.stop - 1, self.n_q, self.n_k)

    def _positions(self, rows: slice, device: torch.device | None = None) -> Int[Tensor, " rows"]:
        return position(torch.arange(rows.start, rows.stop, device=device), self.n_q, self.n_k)

    def _forbidden(
        self, head: Head, rows: slice, start: int, stop: int, device: torch.device
    ) -> Bool[Tensor, "keys rows"]:
        given = None if self.given is None else ~self.given[head][rows, start:stop].mT.to(device)
        if given is not None and self.mask.everything:
            return given
        key = torch.arange(start, stop, device=device).unsqueeze(1)
        forbidden = ~self.mask.allows(self._positions(rows, device), key)
        return (forbidden if given is None else forbidden | given).expand(stop - start, rows.stop - rows.start)


Chosen = tuple[Mask, Tensor | None]
"""A mask of positions and a tensor; both must allow a key."""


def chosen(causal: bool, window: int | None, mask: Tensor | Mask | None) -> Chosen:
    """Return what the keywords of the public functions allow together. Raises `InvalidInput` for a wrong type."""
    width = None if window is None else whole_number("window", window, 0)
    positions = band(flag("causal", causal), width)
    if isinstance(mask, Mask):
        return positions & mask, None
    if mask is not None and mask.dtype != torch.bool:
        raise shape_error("mask", "a tensor of booleans", tuple(mask.shape))
    return positions, mask


def allowed(batch: Head, n_q: int, n_k: int, mask: Mask, given: Tensor | None = None) -> Allowed:
    """Return the cells that both allow. Raises `InvalidInput` (`shape`) if `given` does not fit the scores."""
    if given is not None:
        try:
            given = given.expand(*batch, n_q, n_k)
        except RuntimeError:
            sizes = " × ".join(map(str, (*batch, n_q, n_k)))
            raise shape_error("mask", f"broadcastable to the scores, {sizes}", tuple(given.shape)) from None
    return Allowed(n_q, n_k, mask, given)
