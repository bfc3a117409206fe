"""The ways from the masked scores of a block to sums over its rows and to weights, each one value.

`Exponentials` are of e^s over any denominator, which only the law of the rows knows: the softmax, and one with a sink.
`Gates` are σ(s − ln n). A pass, tiles and overviews ask one of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, runtime_checkable

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.blocks.block import FEW_CELLS, Block, Treated, over_groups, summed, wide
from attention_core.errors import InvalidInput, shown
from attention_core.exact.gates import GatedRows, GateSums, gate_sums
from attention_core.exact.row_sums import FAINT, Law, RowSums, SlopedSums, SummedRows, Sums, row_sums
from attention_core.exact.sunk_rows import SunkRows
from attention_core.treatments import Curve
from attention_core.treatments.softcap import Softcap
from attention_core.validation import flag, real_number

_SHARP: Final = 16
"""A block with more than one in so many rows of faint weights avoids subnormal numbers, at the cost of two passes."""

_FARTHEST, _TINIEST = -87.0, 1.7e-38
"""exp of the first is below the second, and normal: a processor takes two hundred times as long for a subnormal one."""

_LEAST: Final = 2.0**-42
"""Smaller e leave R₂ and R₃ of a row that is not faint as they are; their cubes are subnormal."""

_FLAT: Final = 2.0**-12
"""A treatment's slope at the largest score below this loses digits in float32, as does that of all others. With more,
2¹⁶ keys weigh something in J only within 20 of the largest score, beside ones near it."""

_SATURATED: Final = 43.0
"""Gates of scores this far from ln n are 0 or 1 but for 2e-19; the square of that is a normal number of float32."""

_ALL_SATURATED: Final = 2.0**-24
"""A row with less for Σg(1 − g) may be of such gates alone, and is summed up in float64."""


@runtime_checkable
class Weighing(Protocol):
    """One way from scores to weights.

    curve  the treatment of the scaled scores; None if they stay as they are
    rooms  the number of buffers of a block's size, that of the scores included
    kind   the class of its sums
    by_logsumexp  True if `weights` needs the `logsumexp` of the rows
    """

    @property
    def by_logsumexp(self) -> bool: ...

    @property
    def curve(self) -> Curve | None: ...

    @property
    def rooms(self) -> int: ...

    @property
    def kind(self) -> type[Sums]: ...

    def rows(self, sums: Any, keys: Int[Tensor, "*#rows"], dtype: torch.dtype) -> Any:
        """Return the rows of these sums, for `ROW_STATISTICS`."""
        ...

    def summed(self, block: Block) -> tuple[Any, Tensor, Tensor]:
        """Return a block's sums, each group's share and its largest score; overwrite the block."""
        ...

    def shares(self, sums: Any, largest: Tensor, groups: Tensor, tops: Tensor) -> tuple[Tensor, Tensor]:
        """Return each group's sum of weights and its largest weight, from a part's `summed` and the whole `sums`."""
        ...

    def weights(self, scores: Tensor, logsumexp: Tensor | None) -> Tensor:
        """Return the weights in the place of masked scores (keys × rows)."""
        ...


@dataclass(frozen=True)
class Exponentials:
    """e^s / Z, where Z follows from the sums of a row by its law. Tiles are weighed by the law's `logsumexp` alone."""

    law: Law = SummedRows
    curve: Curve | None = None

    @property
    def by_logsumexp(self) -> bool:
        return True

    @property
    def rooms(self) -> int:
        return 2 if self.curve is None else 3

    @property
    def kind(self) -> type[RowSums]:
        return RowSums if self.curve is None else SlopedSums

    def rows(self, sums: RowSums, keys: Int[Tensor, "*#rows"], dtype: torch.dtype) -> SummedRows:
        return self.law(sums, keys, dtype)

    def summed(self, block: Block) -> tuple[RowSums, Tensor, Tensor]:
        s, e, curve, treated = block.s, block.e, self.curve, block.treated
        tops, largest, at = block.largest()
        index = at.unsqueeze(0)
        empty = largest == -torch.inf
        slope = None if treated is None or curve is None else curve.slope(treated.scaled.gather(0, index)).squeeze(0)
        some = self._careful(tops, at, largest, slope, block.group)
        few = some.split(max(1, FEW_CELLS // len(s)))
        exact = [row_sums(s.index_select(1, part).mT, _scaled(treated, part), curve) for part in few if len(part)]
        sharp = len(some) * _SHARP > len(largest)
        s.sub_(largest.masked_fill(empty, 0.0))
        block.fill(s)
        if sharp:
            torch.threshold_(torch.clamp_min(s, _FARTHEST, out=e).exp_(), _TINIEST, 0.0)
        else:
            torch.exp(s, out=e)
        block.fill(e)
        e.scatter_(0, index, 0.0)
        groups = tops[:0]
        if block.pooled:
            groups = over_groups(torch.sum, e, block.group)
            first = groups.sum(0, dtype=wide(groups))
            ones = torch.ones_like(largest).masked_fill_(empty, 0.0)
            groups.scatter_add_(0, index // block.group, ones.unsqueeze(0))
        else:
            first = summed(e)
        gap = summed(s.mul_(e)).neg_()
        sloped: Sequence[Tensor] = ()
        if treated is not None and slope is not None:
            sloped = slope.masked_fill(empty, 0.0), *_sloped(treated.slopes, e, s)
        if sharp:
            torch.threshold_(e, _LEAST, 0.0)
        second = summed(torch.mul(e, e, out=s))
        third = summed(s.mul_(e))
        sums = self.kind(largest, torch.where(empty, -1, at), first, second, third, gap, *sloped).precise()
        return _replaced(sums, some, exact, sums.gap), groups, tops

    def shares(self, sums: RowSums, largest: Tensor, groups: Tensor, tops: Tensor) -> tuple[Tensor, Tensor]:
        lse = torch.where(sums.at < 0, 0.0, self.law(sums, sums.at, torch.float64).logsumexp)
        groups.mul_(torch.exp(largest - lse).to(groups))
        return groups, tops.sub_(lse.to(tops)).exp_().clamp_max_(1.0)

    def weights(self, scores: Tensor, logsumexp: Tensor | None) -> Tensor:
        assert logsumexp is not None  # the caller checked it
        return scores.sub_(logsumexp).exp_().clamp_max_(1.0)  # above 1 by rounding alone

    def _careful(
        self, tops: Tensor, at: Tensor, largest: Tensor, slope: Tensor | None, group: int
    ) -> Int[Tensor, " some"]:
        """Return the rows whose sums need float64; none if the pass is in float64.

        Other keys may weigh too little for float32: R₁ is at least the largest e outside the group of the largest
        score. With a treatment, the slope may be too small.
        """
        if tops.dtype == torch.float64:
            return at[:0]
        others = tops.scatter(0, at.unsqueeze(0) // group, -torch.inf).amax(0)
        careful = (others - largest).exp_() < FAINT  # NaN, and so False, without keys
        if slope is not None:
            careful |= slope < _FLAT
        return careful.nonzero().flatten()


def _sloped(d: Tensor, e: Tensor, room: Tensor) -> tuple[Tensor, ...]:
    """Return Σde, Σde², Σd²e² and Σd²e³ of the slopes d. Overwrite `d` and `room`."""
    d.mul_(e)
    first, second = summed(d), summed(torch.mul(d, e, out=room))
    return first, second, summed(d.mul_(d)), summed(d.mul_(e))


@dataclass(frozen=True)
class Gates:
    """σ(s − ln n), n the keys of the sequence. No row needs another number: tiles do without `logsumexp`.

    With t = e^s a gate is t/(t + n) and 1 − g is n/(t + n), so that no s − ln n is rounded and nothing cancels.
    """

    n: int
    curve: Curve | None = None

    @property
    def by_logsumexp(self) -> bool:
        return False

    @property
    def rooms(self) -> int:
        return 3 if self.curve is None else 5

    @property
    def kind(self) -> type[GateSums]:
        return GateSums

    def rows(self, sums: GateSums, keys: Int[Tensor, "*#rows"], dtype: torch.dtype) -> GatedRows:
        return GatedRows(sums, keys, dtype, self.n)

    def summed(self, block: Block) -> tuple[GateSums, Tensor, Tensor]:
        s, e, treated, room = block.s, block.e, block.treated, block.spare[-1]
        if treated is not None:
            e = block.spare[0]  # the scaled scores stay for rows that are summed up again
        tops, largest, at = block.largest()
        shift, far = math.log(self.n), _SATURATED if s.dtype != torch.float64 else 340.0
        torch.clamp(s, shift - far, shift + far, out=e).exp_()
        torch.add(e, self.n, out=room).reciprocal_()
        e.mul_(room)
        room.mul_(e).mul_(self.n)  # g(1 − g)
        block.fill(e)
        block.fill(room)
        mass = summed(e)
        groups = over_groups(torch.sum, e, block.group) if block.pooled else tops[:0]
        squares = summed(e.mul_(e))
        few_slopes = None
        if treated is not None:
            few_slopes = summed(room) * _FLAT
            room.mul_(treated.slopes)
        slopes = summed(room)
        norms = summed(room.mul_(room))
        sums = GateSums(largest, torch.where(largest == -torch.inf, -1, at), mass, squares, slopes, norms).precise()
        if s.dtype == torch.float64:
            return sums, groups, tops
        low = slopes < (_ALL_SATURATED if few_slopes is None else few_slopes.clamp_min(_ALL_SATURATED))
        some = (low & (largest != -torch.inf)).nonzero().flatten()
        few = some.split(max(1, FEW_CELLS // len(s)))
        exact = [
            gate_sums(s.index_select(1, part).mT, self.n, _scaled(treated, part), self.curve)
            for part in few
            if len(part)
        ]
        return _replaced(sums, some, exact, sums.mass), groups, tops

    def shares(self, sums: GateSums, largest: Tensor, groups: Tensor, tops: Tensor) -> tuple[Tensor, Tensor]:
        return groups, self.weights(tops, None)

    def weights(self, scores: Tensor, logsumexp: Tensor | None) -> Tensor:
        return scores.sub_(math.log(self.n)).sigmoid_()


def _scaled(treated: Treated | None, rows: Tensor) -> Tensor | None:
    return None if treated is None else treated.columns(rows)


def _replaced(sums: Any, some: Tensor, exact: list[Any], finite: Tensor) -> Any:
    """Return the sums with the rows `some` exchanged for `exact`, unless they overflowed, which the caller reports."""
    if not exact:
        return sums
    some = some.to(finite.device)
    kept = finite.index_select(0, some).isfinite()
    return sums.replaced(some, type(exact[0]).joined(exact).to(finite.device), kept)


def weighing(n_k: int, softcap: float | None, sink: float | None = None, sigmoid: bool = False) -> Weighing:
    """Return what the keywords of the public functions choose for a sequence of `n_k` keys.

    Raises `InvalidInput`: `not_a_number` or `out_of_range` for a number; `unknown_choice` for gates with a sink.
    """
    cap = 0.0 if softcap is None else real_number("softcap", softcap, 0.0, math.inf)
    curve = Softcap(cap) if cap else None
    if flag("sigmoid", sigmoid):
        if sink is not None:
            raise InvalidInput(
                "unknown_choice",
                f"sink must be None with sigmoid gates, which have no denominator; got {shown(sink)}.",
                field="sink",
                value=shown(sink),
                choices="None",
            )
        return Gates(n_k, curve)
    if sink is None:
        return Exponentials(curve=curve)
    return Exponentials(partial(SunkRows, sink=real_number("sink", sink, -math.inf, math.inf)), curve)
