"""The keys that each query may attend to, as one value: `Mask`. (`mask_choices` has the mask of a config.)

A mask compares positions. Key j is at position j, and the last query is at the last key, as in decoding with earlier
keys kept. (torch's `is_causal` aligns the first query with the first key instead.)

>>> (CAUSAL | Band(0, 1)).dense(3, 3).int().tolist()
[[1, 1, 0], [1, 1, 1], [1, 1, 1]]
"""

from dataclasses import dataclass
from typing import TypeVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core.cancellation import checkpoint

__all__ = ["Mask", "position"]

_STRETCH = 64
"""Number of queries whose keys are tested together."""

Query = TypeVar("Query", int, Tensor)


def position(query: Query, n_q: int, n_k: int) -> Query:
    """Return the position of a query, counted from 0. The last query is at the last key."""
    return query + (n_k - n_q)


class Mask:
    """The keys that a query may attend to; `&` keeps what both masks allow, `|` what either allows.

    A subclass needs only `allows`: the other methods test every cell. Override them if arithmetic on positions is
    faster.
    """

    @property
    def everything(self) -> bool:
        """True if no cell is forbidden."""
        return False

    def allows(self, query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        """Return True for each allowed pair of positions; the two broadcast."""
        raise NotImplementedError

    def reach(self, first: int, last: int, n_k: int) -> slice:
        """Return a range of keys, perhaps empty, outside which no query from `first` to `last` may attend."""
        return slice(0, n_k)

    def free(self, first: int, last: int, n_k: int) -> slice:
        """Return a range of keys, perhaps empty, that every query from `first` to `last` may attend to."""
        return slice(0, 0)

    def counts(self, query: Int[Tensor, " queries"], n_k: int) -> Int[Tensor, " queries"]:
        """Return the number of keys of each query."""
        key = torch.arange(n_k)
        return torch.cat([self._looked(part, key).sum(-1) for part in query.split(_STRETCH)])

    def opens(
        self, row_edges: Int[Tensor, " rows_1"], column_edges: Int[Tensor, " columns_1"]
    ) -> Bool[Tensor, "rows columns"]:
        """Return True for each rectangle between these edges (of queries' positions, of keys) with an allowed cell."""
        key = torch.arange(int(column_edges[0]), int(column_edges[-1]))
        starts = column_edges - column_edges[0]
        found = []
        for start, stop in zip(row_edges.tolist(), row_edges[1:].tolist(), strict=False):
            some = torch.zeros(len(key), dtype=torch.bool)
            for part in torch.arange(start, stop).split(_STRETCH):
                some |= self._looked(part, key).any(0)
            before = torch.cat([torch.zeros(1, dtype=torch.int64), some.cumsum(0)])[starts]
            found.append(before[1:] > before[:-1])
        return torch.stack(found)

    def dense(self, n_q: int, n_k: int, rows: Int[Tensor, " queries"] | None = None) -> Bool[Tensor, "queries n_k"]:
        """Return the mask as a tensor for the queries `rows` or all."""
        query = torch.arange(n_q) if rows is None else rows
        return self._looked(position(query, n_q, n_k), torch.arange(n_k)).contiguous()

    def _looked(self, query: Int[Tensor, " queries"], key: Int[Tensor, " keys"]) -> Bool[Tensor, "queries keys"]:
        checkpoint()
        return self.allows(query.unsqueeze(-1), key).expand(len(query), len(key))

    def __and__(self, other: "Mask") -> "Mask":
        return _Both(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        return _Either(self, other)


@dataclass(frozen=True)
class Band(Mask):
    """Keys from `before` positions before the query to `after` positions after it; None sets no bound on that side."""

    before: int | None = None
    after: int | None = None

    @property
    def everything(self) -> bool:
        """True if neither side has a bound."""
        return self.before is None and self.after is None

    def allows(self, query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        """Compare positions. Only booleans are as large as the cells."""
        if self.after is None:
            return key >= query - self.before if self.before is not None else torch.ones_like(query <= key)
        allowed = key <= query + self.after
        return allowed if self.before is None else allowed.logical_and_(key >= query - self.before)

    def reach(self, first: int, last: int, n_k: int) -> slice:
        """Return the keys from the first of the first query to the last of the last query."""
        return self._clipped(first, last, n_k)

    def free(self, first: int, last: int, n_k: int) -> slice:
        """Return the keys from the first of the last query to the last of the first query."""
        return self._clipped(last, first, n_k)

    def counts(self, query: Int[Tensor, " queries"], n_k: int) -> Int[Tensor, " queries"]:
        """Subtract the ends of each run of keys."""
        first = torch.zeros_like(query) if self.before is None else (query - self.before).clamp_min(0)
        stop = torch.full_like(query, n_k) if self.after is None else (query + self.after + 1).clamp_max(n_k)
        return (stop - first).clamp_min(0)

    def opens(
        self, row_edges: Int[Tensor, " rows_1"], column_edges: Int[Tensor, " columns_1"]
    ) -> Bool[Tensor, "rows columns"]:
        """Compare ends: the run of keys moves with the query, so the runs of a rectangle's queries leave no gap."""
        found = torch.ones(len(row_edges) - 1, len(column_edges) - 1, dtype=torch.bool)
        if self.before is not None:
            found &= (row_edges[:-1, None] - self.before) < column_edges[1:]
        if self.after is not None:
            found &= (row_edges[1:, None] + self.after) > column_edges[:-1]
        return found

    def moved(self, by: int) -> "Band":
        """Return the same mask for queries whose positions are counted `by` higher than before."""
        before, after = (None if side is None else side + way for side, way in ((self.before, by), (self.after, -by)))
        return Band(before, after)

    def __and__(self, other: Mask) -> Mask:
        if not isinstance(other, Band):
            return super().__and__(other)
        return Band(_least(self.before, other.before), _least(self.after, other.after))

    def _clipped(self, left: int, right: int, n_k: int) -> slice:
        start = 0 if self.before is None else max(0, left - self.before)
        stop = n_k if self.after is None else min(n_k, right + self.after + 1)
        return slice(start, max(start, stop))


@dataclass(frozen=True)
class _Both(Mask):
    one: Mask
    other: Mask

    @property
    def everything(self) -> bool:
        return self.one.everything and self.other.everything

    def allows(self, query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(query, key) & self.other.allows(query, key)

    def reach(self, first: int, last: int, n_k: int) -> slice:
        return _common(self.one.reach(first, last, n_k), self.other.reach(first, last, n_k))

    def free(self, first: int, last: int, n_k: int) -> slice:
        return _common(self.one.free(first, last, n_k), self.other.free(first, last, n_k))


@dataclass(frozen=True)
class _Either(Mask):
    one: Mask
    other: Mask

    @property
    def everything(self) -> bool:
        return self.one.everything or self.other.everything

    def allows(self, query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return self.one.allows(query, key) | self.other.allows(query, key)

    def reach(self, first: int, last: int, n_k: int) -> slice:
        runs = [run for mask in (self.one, self.other) if _length(run := mask.reach(first, last, n_k))]
        return slice(min(run.start for run in runs), max(run.stop for run in runs)) if runs else slice(0, 0)

    def free(self, first: int, last: int, n_k: int) -> slice:
        return max((mask.free(first, last, n_k) for mask in (self.one, self.other)), key=_length)

    def opens(
        self, row_edges: Int[Tensor, " rows_1"], column_edges: Int[Tensor, " columns_1"]
    ) -> Bool[Tensor, "rows columns"]:
        return self.one.opens(row_edges, column_edges) | self.other.opens(row_edges, column_edges)


EVERYTHING = Band()
CAUSAL = Band(after=0)
"""No query sees a key after its own position (section 3.2.3); with n_q > n_k the first queries see none."""


def window(width: int) -> Band:
    """Return the keys at most `width` positions before or after the query: 2 · width + 1 away from the ends."""
    return Band(width, width)


def band(causal: bool, width: int | None) -> Band:
    """Return the mask of the keywords `causal` and `window` together."""
    ahead = CAUSAL.after if causal else width
    return Band(width, ahead)


def padding(lengths: Int[Tensor, "*batch"], n_k: int) -> Bool[Tensor, "*batch 1 n_k"]:
    """Allow the first `lengths` keys of each sequence; the rest is padding. The axis of size 1 is the queries'."""
    return torch.arange(n_k, device=lengths.device) < lengths[..., None, None]


def combine(*masks: Bool[Tensor, "..."] | None) -> Bool[Tensor, "..."] | None:
    """Combine masks: a cell is allowed if every mask allows it. None allows everything."""
    combined = None
    for mask in masks:
        if mask is not None:
            combined = mask if combined is None else combined & mask
    return combined


def _least(one: int | None, other: int | None) -> int | None:
    return min((side for side in (one, other) if side is not None), default=None)


def _common(one: slice, other: slice) -> slice:
    start, stop = max(one.start, other.start), min(one.stop, other.stop)
    return slice(start, max(start, stop))


def _length(run: slice) -> int:
    return run.stop - run.start
