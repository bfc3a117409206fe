"""What is kept of one layer while its rows of scores and weights come and go: statistics, measures, the mask's rule."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.blocks.block import Block
from attention_core.blocks.block_pass import Moments
from attention_core.blocks.row_statistics import finished
from attention_core.blocks.statistics import AttentionStatistics
from attention_core.blocks.weighing import Exponentials
from attention_core.errors import InvalidInput
from attention_core.exact.masks import Band, position
from attention_core.exact.row_sums import RowSums, SummedRows
from attention_core.exact.sunk_rows import SunkRows
from attention_core.learned.head_totals import Totals
from attention_core.learned.measures import HEAD_MEASURES, SUMMED, distances, marked_keys, masses

_GROUP = 32
_ROUNDING = 1e-4
"""The share by which a rebuilt score may differ from the model's: more is a bias."""
_PLAIN = Exponentials()


@dataclass(frozen=True, eq=False)
class Asked:
    """What is wanted of layers beside their statistics.

    kept        True if their Q, K and V are
    ids         the tokens of the text, and `delimiters`, if the measures of their heads are; else None
    """

    kept: bool
    ids: Int[Tensor, " n"] | None
    delimiters: frozenset[int]


@dataclass(frozen=True, eq=False)
class Handed:
    """What a layer hands over: Q, K and V of the whole text, and what the model does to q · k."""

    Q: Float[Tensor, "h n_q d_k"]
    K: Float[Tensor, "h_k n_k d_k"]
    V: Float[Tensor, "h_k n_k d_v"]
    scale: float
    softcap: float


@dataclass(frozen=True, eq=False)
class Rows:
    """Some queries' scores and weights over a range of keys, outside which nothing is allowed."""

    rows: slice
    keys: slice
    scores: Float[Tensor, "h rows keys"]
    weights: Float[Tensor, "h rows keys"]
    sink_score: Float[Tensor, "h rows"] | None


class LayerRows:
    """One call of attention, row by row; `handed` is None for a layer that gives no Q and K."""

    def __init__(self, name: str, kind: str, sizes: tuple[int, int, int], handed: Handed | None, asked: Asked) -> None:
        self.name, self.kind, self.handed = name, kind, handed
        self.h, self.n_q, self.n_k = sizes
        self._asked = asked
        self._placed = kind == "self" and self.n_q == self.n_k
        self._sums: list[RowSums] = []
        self._counts: list[Tensor] = []
        self._ends: list[tuple[Tensor, Tensor]] | None = []  # None: no rule of first and last keys
        self._sinks: list[Tensor] = []
        self._dtype = torch.float32
        self._moments = [Moments() for _ in range(self.h)]
        self._products = [Moments() for _ in range(self.h)]
        self._off = self._size = 0.0
        shape = len(HEAD_MEASURES), self.h
        self._measured = torch.zeros(shape, dtype=torch.float64), torch.zeros(shape, dtype=torch.float64)

    def add(self, block: Rows) -> None:
        """Take the next rows."""
        allowed = block.scores > torch.finfo(block.scores.dtype).min / 2
        scores = block.scores if block.scores.dtype == torch.float64 else block.scores.float()
        self._dtype = scores.dtype
        self._counts.append(allowed.sum(-1).cpu())
        self._rule(allowed, block.keys)
        self._sums.append(_summed(scores, allowed).moved(block.keys.start).viewed(torch.Size(scores.shape[:2])))
        _add(self._moments, scores, allowed)
        if block.sink_score is not None:
            self._sinks.append(block.sink_score.cpu())
        if self.handed is not None and (self._asked.kept or self._asked.ids is not None):
            self._rebuild(self.handed, block, scores, allowed)
        if self._asked.ids is not None and self._placed:
            self._measure(self._asked.ids, block, allowed)

    def _rule(self, allowed: Bool[Tensor, "h rows keys"], keys: slice) -> None:
        """Keep each row's first and last key, as long as no key between them is forbidden and all heads agree."""
        if self._ends is None:
            return
        every = allowed[0].to(torch.uint8)
        first = every.argmax(-1)
        last = every.shape[-1] - 1 - every.flip(-1).argmax(-1)
        if bool((allowed == allowed[:1]).all()) and bool((last - first + 1 == every.sum(-1)).all()):
            self._ends.append(((first + keys.start).cpu(), (last + keys.start).cpu()))
        else:
            self._ends = None

    def _rebuild(self, handed: Handed, block: Rows, scores: Tensor, allowed: Tensor) -> None:
        """Compare q · k with the scores, and add it to Var(q·k)."""
        K = handed.K[:, block.keys].to(scores.dtype)
        groups = handed.Q[:, block.rows].to(scores.dtype).unflatten(0, (K.shape[0], -1))
        products = (groups @ K.unsqueeze(1).mT).flatten(0, 1)
        _add(self._products, products, allowed)
        made = products.mul_(handed.scale)
        if handed.softcap:
            made = made.div_(handed.softcap).tanh_().mul_(handed.softcap)
        self._size = max(self._size, float(torch.where(allowed, made, 0).abs().max()))
        self._off = max(self._off, float(torch.where(allowed, made - scores, 0).abs().max()))

    def _measure(self, ids: Tensor, block: Rows, allowed: Tensor) -> None:
        sums, counts = self._measured
        ids = ids if len(ids) == self.n_k else -1 - torch.arange(self.n_k)  # numbers that no token has
        weights = block.weights if block.weights.dtype == torch.float64 else block.weights.float()
        marked = marked_keys(ids, self._asked.delimiters, block.rows)[..., block.keys].to(weights.device)
        found, counted = masses(weights, allowed, marked)
        sums[SUMMED] += found.double().cpu()
        counts[SUMMED] += counted.double().cpu()
        values, rows = distances(weights, allowed, block.rows.start, block.keys.start)
        at = _NUMBERS["distance"]
        sums[at] += torch.where(rows, values, 0).sum(-1).double().cpu()
        counts[at] += rows.sum(-1).cpu()

    @property
    def statistics(self) -> AttentionStatistics:
        """The statistics of every row: of the softmax over the scores that enter it, a sink beside them included."""
        sums = RowSums(*(torch.cat([getattr(part, name) for part in self._sums], -1) for name in RowSums.names()))
        counts, sinks = torch.cat(self._counts, -1), self.sinks
        rows = [
            finished(_law(None if sinks is None else sinks[head])(sums.head(head), counts[head], self._dtype))
            for head in range(self.h)
        ]
        found = {name: torch.stack([row[name] for row in rows]) for name in rows[0]}
        mean, variance = (
            torch.tensor([getattr(one, name) for one in self._moments], dtype=self._dtype)
            for name in ("mean", "variance")
        )
        return AttentionStatistics(found, sums.at, mean, variance)

    @property
    def sinks(self) -> list[float] | None:
        """The score of each head's sink; None without one. Raises `InvalidInput` (`attention_unread`)."""
        if not self._sinks:
            return None
        scores = torch.cat(self._sinks, -1)
        if not bool((scores == scores[:, :1]).all()):
            raise InvalidInput(
                "attention_unread",
                f"The sink of {self.name} must have one score for each head; it differs from row to row.",
                value=self.name,
                expected="one score for each head",
                came="one for each row",
            )
        return scores[:, 0].tolist()

    @property
    def mask(self) -> Band | None:
        """The mask as a rule of positions; None for any other."""
        if self._ends is None:
            return None
        first, last = (torch.cat(one) for one in zip(*self._ends, strict=True))
        at = position(torch.arange(self.n_q), self.n_q, self.n_k)
        before = None if not first.any() else int((at - first).max())
        after = None if bool((last == self.n_k - 1).all()) else int((last - at).max())
        reached = torch.zeros_like(at) if before is None else (at - before).clamp_min(0)
        ended = torch.full_like(at, self.n_k - 1) if after is None else (at + after).clamp_max(self.n_k - 1)
        return Band(before, after) if torch.equal(first, reached) and torch.equal(last, ended) else None

    @property
    def biased(self) -> bool:
        """True if the scores are no products of q and k alone; only of a layer whose products were made."""
        return self._off > max(_ROUNDING, 8 * _coarse(self.handed)) * max(1.0, self._size)

    def totals(self, statistics: AttentionStatistics) -> Totals:
        """Return the sums and counted rows behind the measures of the heads."""
        sums, counts = (one.clone() for one in self._measured)
        there = (torch.cat(self._counts, -1) > 0).sum(-1).double()
        at = _NUMBERS["entropy"]
        sums[at], counts[at] = statistics.entropy.double().sum(-1), there
        at, handed = _NUMBERS["variance"], self.handed
        if handed is not None:
            for head, one in enumerate(self._products):
                if one.count > 1:
                    counts[at, head] = there[head]
                    sums[at, head] = there[head] * one.variance / handed.Q.shape[-1]
        return Totals(sums.unsqueeze(1), counts.unsqueeze(1))


_NUMBERS = {name: number for number, name in enumerate(HEAD_MEASURES)}


def _law(sink: float | None) -> Callable[[RowSums, Tensor, torch.dtype], SummedRows]:
    return SummedRows if sink is None else partial(SunkRows, sink=sink)


def _summed(scores: Float[Tensor, "h rows keys"], allowed: Bool[Tensor, "h rows keys"]) -> RowSums:
    cells = scores.flatten(0, 1).mT.clone(memory_format=torch.contiguous_format)  # keys × rows
    strips = [] if bool(allowed.all()) else [(slice(0, len(cells)), ~allowed.flatten(0, 1).mT)]
    block = Block(cells, torch.empty_like(cells), None, [], strips, _GROUP, pooled=False)
    block.fill(cells, -torch.inf)
    return _PLAIN.summed(block)[0]


def _add(moments: list[Moments], values: Float[Tensor, "h rows keys"], allowed: Bool[Tensor, "h rows keys"]) -> None:
    """Add the allowed values of each head, each row about its own mean."""
    counts = allowed.sum(-1)
    there = torch.where(allowed, values, 0)
    means = there.sum(-1) / counts.clamp_min(1)
    squares = torch.where(allowed, there.sub_(means.unsqueeze(-1)), 0).square_().sum(-1)
    for one, *rows in zip(moments, counts, means, squares, strict=True):
        one.add(*rows)


def _coarse(handed: Handed | None) -> float:
    return 0.0 if handed is None else torch.finfo(handed.Q.dtype).eps
