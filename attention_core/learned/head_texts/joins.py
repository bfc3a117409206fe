"""What each head joins over texts: the key that each row reads most, and how far away the weights go."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.learned.head_texts.tally import Tally
from attention_core.learned.measures import floats
from attention_core.learned.run import LearnedLayer, ModelRun

__all__ = ["DISTANCES", "Joined", "Joins", "Pair", "Reads"]

DISTANCES: Final = (*range(32), *(2**power for power in range(5, 20)))
"""Where the bins of |q − k| begin: each distance to 31 by itself, then 32–63, 64–127 and so on."""

_IDS: Final = 2**21
"""More than any vocabulary has."""

_MOST_PAIRS, _MOST_TOKENS = 2**19, 2**19
"""Of all heads together: 12 MiB each at most, and as much again while they are counted."""


class Reads(NamedTuple):
    """A token at one end of what a head joins.

    rows  that read it most; or for a query its own whose strongest key is not the first position
    of    how often it stands in the texts
    p     mean weight of the strongest key of these rows
    """

    id: int
    rows: int
    of: int
    p: float


class Pair(NamedTuple):
    """A query token and the key token that its row reads most: in how many rows, and with which mean weight."""

    query: int
    key: int
    rows: int
    p: float


@dataclass(frozen=True)
class Joined:
    """What one head joins: of its rows behind the first position the key with the largest weight.

    rows      how many there are
    on_first  of how many of them the first position is that key; the others are counted below
    tokens    how many positions the texts have, behind the first of each
    keys, queries, pairs  the most frequent first
    missed    a count may be too small by so much, for the texts hold more different tokens than are kept
    distances share of all weight of the rows, at the distances that begin at `DISTANCES`
    even      the same for a head that reads all keys alike
    """

    rows: int
    on_first: int
    tokens: int
    keys: tuple[Reads, ...]
    queries: tuple[Reads, ...]
    pairs: tuple[Pair, ...]
    missed: int
    distances: tuple[float, ...]
    even: tuple[float, ...]


class Joins:
    """Sums over runs of one model. Layers that attend from a text to something else are left out."""

    def __init__(self, layers: int, h: int) -> None:
        self._h = h
        self._pairs, self._keys, self._queries = Tally(_MOST_PAIRS), Tally(_MOST_TOKENS), Tally(_MOST_TOKENS)
        self._stand = Tally(_MOST_TOKENS)
        self._rows, self._on_first = (torch.zeros(layers, h, dtype=torch.int64) for _ in range(2))
        self._tokens = 0
        self._distances, self._even = (torch.zeros(layers, h, len(DISTANCES), dtype=torch.float64) for _ in range(2))
        self.names: dict[int, str] = {}
        """The tokens that came, by their numbers."""

    @property
    def bytes(self) -> int:
        """About how much it holds."""
        return sum(one.bytes for one in (self._pairs, self._keys, self._queries, self._stand))

    def add(self, run: ModelRun) -> None:
        """Add a run."""
        line = run.lines[0]
        ids = torch.tensor(line.ids)
        there = ids[line.begins + 1 :]
        there = there[there >= 0]
        self._stand.add(there, torch.zeros(len(there)))
        self._tokens += len(there)
        self.names.update(zip(line.ids, line.tokens, strict=True))
        for number, layer in enumerate(run.layers):
            n_q, n_k = layer.weights.shape[-2:]
            if run.windows[number] is None and run.between[number] == (0, 0) and n_q == n_k == len(line):
                self._add(number, layer, ids, line.begins)

    def _add(self, number: int, layer: LearnedLayer, ids: Int[Tensor, " n"], begins: int) -> None:
        p, allowed = floats(layer.weights), layer.allowed
        h, n = p.shape[:2]
        strong, place = torch.where(allowed, p, -1.0).max(-1)  # h n
        behind = (torch.arange(n) > begins) & (ids >= 0)
        counted = behind & (allowed.sum(-1) > 1)
        first = counted & (place == begins)
        self._rows[number, :h] += counted.sum(-1)
        self._on_first[number, :h] += first.sum(-1)
        head, row = (counted & ~first & (ids[place] >= 0)).nonzero(as_tuple=True)
        at, weight = (number * self._h + head) * _IDS, strong[head, row]
        key, query = ids[place[head, row]], ids[row]
        self._keys.add(at + key, weight)
        self._queries.add(at + query, weight)
        self._pairs.add((at + query) * _IDS + key, weight)
        bins = _bins(n)
        cells = allowed & counted.unsqueeze(-1)
        even = cells.float() / allowed.sum(-1, keepdim=True).clamp(min=1)
        for sums, weights in ((self._distances, p * cells), (self._even, even)):
            found = torch.zeros(h, len(DISTANCES)).index_add_(1, bins, weights.flatten(1).float())
            sums[number, :h] += found.double()

    def of(self, layer: int, head: int, most: int) -> Joined:
        """Return what a head joins, layer and head from 1, with at most so many tokens and pairs."""
        at = (layer - 1) * self._h + head - 1
        rows = int(self._rows[layer - 1, head - 1])
        stand = self._counts(0, _IDS, self._stand)
        pairs = [
            Pair(number // _IDS % _IDS, number % _IDS, count, total / count)
            for number, count, total in self._listed(self._pairs, at * _IDS**2, (at + 1) * _IDS**2, most)
        ]
        keys, queries = (
            tuple(
                Reads(number % _IDS, count, stand.get(number % _IDS, 0), total / count)
                for number, count, total in self._listed(tally, at * _IDS, (at + 1) * _IDS, most)
            )
            for tally in (self._keys, self._queries)
        )
        distances, even = (
            tuple((sums[layer - 1, head - 1] / max(rows, 1)).tolist()) for sums in (self._distances, self._even)
        )
        missed = max(self._pairs.missed, self._keys.missed, self._queries.missed, self._stand.missed)
        on_first = int(self._on_first[layer - 1, head - 1])
        return Joined(rows, on_first, self._tokens, keys, queries, tuple(pairs), missed, distances, even)

    @staticmethod
    def _listed(tally: Tally, first: int, end: int, most: int) -> list[tuple[int, int, float]]:
        numbers, sums = tally.between(first, end)
        listed = zip(numbers[:most].tolist(), sums[:most].tolist(), strict=True)
        return [(number, int(count), total) for number, (count, total) in listed]

    @staticmethod
    def _counts(first: int, end: int, tally: Tally) -> dict[int, int]:
        numbers, sums = tally.between(first, end)
        return dict(zip(numbers.tolist(), sums[:, 0].int().tolist(), strict=True))


def _bins(n: int) -> Int[Tensor, " cells"]:
    """Return the bin of |q − k| of each cell of an n × n matrix, row by row."""
    places = torch.arange(n)
    apart = (places.unsqueeze(1) - places).abs()
    return (torch.bucketize(apart, torch.tensor(DISTANCES), right=True) - 1).flatten()
