"""Counts of very many different things within a bound of memory: what is seldom is dropped, and how much is known."""

from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Tensor

__all__ = ["Tally"]

_WAITING: Final = 2**16
"""Things that are counted together: sorting each handful by itself would take longer than a model's run."""


class Tally:
    """How often each number came, and the sum of a value that came with it.

    Of more than `most` different numbers the seldom ones are dropped (Manku & Motwani 2002, lossy counting). A count is
    then too small by at most `missed`, and a number without one came at most so often.
    """

    def __init__(self, most: int) -> None:
        self._most, self.missed = most, 0
        self._waiting: list[tuple[Tensor, Tensor]] = []
        self._there = 0
        self._numbers = torch.empty(0, dtype=torch.int64)
        self._sums = torch.empty(0, 2, dtype=torch.float64)  # counts and values: whole numbers up to 2⁵³ are exact

    @property
    def bytes(self) -> int:
        """How much it holds."""
        waiting = sum(len(numbers) for numbers, _ in self._waiting)
        return 16 * waiting + 24 * len(self._numbers)

    def add(self, numbers: Int[Tensor, " n"], values: Float[Tensor, " n"]) -> None:
        """Count numbers, each with its value."""
        self._waiting.append((numbers, values.double()))
        self._there += len(numbers)
        if self._there >= _WAITING:
            self._settle()

    def between(self, first: int, end: int) -> tuple[Int[Tensor, " found"], Float[Tensor, "found two"]]:
        """Return the numbers from `first` to before `end` with their counts and sums, the most frequent first.

        Of equal counts the smallest number comes first.
        """
        self._settle()
        a, b = torch.searchsorted(self._numbers, torch.tensor([first, end])).tolist()
        order = self._sums[a:b, 0].argsort(dim=0, descending=True, stable=True)
        return self._numbers[a:b][order], self._sums[a:b][order]

    def _settle(self) -> None:
        if not self._waiting:
            return
        numbers, place = torch.unique(torch.cat([one for one, _ in self._waiting]), return_inverse=True)
        came = torch.cat([value for _, value in self._waiting])
        self._waiting, self._there = [], 0
        sums = torch.zeros(len(numbers), 2, dtype=torch.float64)
        sums.index_add_(0, place, torch.stack((torch.ones_like(came), came), 1))
        at = torch.searchsorted(self._numbers, numbers)
        known = torch.zeros(len(numbers), dtype=torch.bool)
        if len(self._numbers):
            known = self._numbers[at.clamp(max=len(self._numbers) - 1)] == numbers
        self._sums.index_add_(0, at[known], sums[known])
        self._insert(at[~known], numbers[~known], sums[~known])
        if len(self._numbers) > self._most:
            counts = self._sums[:, 0]
            least = int(counts.kthvalue(len(counts) - self._most // 2).values)
            kept = counts > least
            self.missed += least
            self._numbers, self._sums = self._numbers[kept], self._sums[kept]

    def _insert(self, at: Int[Tensor, " n"], numbers: Int[Tensor, " n"], sums: Float[Tensor, "n two"]) -> None:
        """Put new numbers before those that stand at some places: sorting all again would take several times more."""
        there = len(self._numbers) + len(numbers)
        places = at + torch.arange(len(at))
        old = torch.ones(there, dtype=torch.bool).index_fill_(0, places, False)
        held = torch.empty(there, dtype=torch.int64)
        self._numbers = held.masked_scatter_(old, self._numbers).index_copy_(0, places, numbers)
        totals = torch.empty(there, 2, dtype=torch.float64)
        self._sums = totals.masked_scatter_(old.unsqueeze(1), self._sums).index_copy_(0, places, sums)
