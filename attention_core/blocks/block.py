"""One block of masked scores, keys × queries, and the reductions over its keys."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blocks.mask import Strip

FEW_CELLS = 2**14
"""Cells that are summed up in float64 at once."""

_GROUP = 32
"""Cells that are added up in their own precision."""


@dataclass(frozen=True, eq=False)
class Treated:
    """The scores of a block before a treatment, and the treatment's slope at each."""

    scaled: Float[Tensor, "keys rows"]
    slopes: Float[Tensor, "keys rows"]

    def columns(self, rows: Int[Tensor, " some"]) -> Float[Tensor, "some keys"]:
        """Return the scaled scores of some rows."""
        return self.scaled.index_select(1, rows).mT


@dataclass(frozen=True, eq=False)
class Block:
    """The cells of a block, and rooms of its size that may be overwritten.

    s       the masked scores, −inf where forbidden
    e       a room; with a treatment it is `treated.scaled`, so that what is needed of that must be read before
    treated what a treatment leaves; None without one
    spare   the further rooms that the weighing asked for
    strips  the ranges of keys that may be forbidden
    group   the number of keys in a group
    pooled  True if each group's sum is wanted
    """

    s: Float[Tensor, "keys rows"]
    e: Float[Tensor, "keys rows"]
    treated: Treated | None
    spare: list[Tensor]
    strips: list[Strip]
    group: int
    pooled: bool

    def fill(self, cells: Float[Tensor, "keys rows"], value: float = 0.0) -> None:
        """Write `value` into the forbidden cells."""
        for strip, forbidden in self.strips:
            cells[strip].masked_fill_(forbidden, value)

    def largest(self) -> tuple[Float[Tensor, "groups rows"], Float[Tensor, " rows"], Int[Tensor, " rows"]]:
        """Return each group's largest score, each row's, and its first key."""
        tops = over_groups(torch.amax, self.s, self.group)
        return tops, *_largest(self.s, tops, self.group)


def wide(cells: Tensor) -> torch.dtype:
    """Return the widest dtype of the device."""
    return torch.float32 if cells.device.type == "mps" else torch.float64


def summed(cells: Float[Tensor, "keys rows"]) -> Float[Tensor, " rows"]:
    """Return each row's sum: 32 cells at a time in their precision, and those sums in float64.

    In float32, ties that all round alike are off by two units in the last place, instead of four or more.
    """
    return over_groups(torch.sum, cells, _GROUP).sum(0, dtype=wide(cells))


def over_groups(
    reduce: Callable[..., Tensor], cells: Float[Tensor, "keys rows"], group: int
) -> Float[Tensor, "groups rows"]:
    """Reduce every `group` keys to their sum or maximum. The last group may be shorter."""
    whole = len(cells) // group * group
    parts = reduce(cells[:whole].unflatten(0, (-1, group)), 1) if whole else cells[:0]
    if whole == len(cells):
        return parts
    return torch.cat([parts, reduce(cells[whole:], 0).unsqueeze(0)])


def _largest(
    scores: Float[Tensor, "keys rows"], tops: Float[Tensor, "groups rows"], group: int
) -> tuple[Float[Tensor, " rows"], Int[Tensor, " rows"]]:
    """Return the largest score of each row and its first key, searching only the group that has it."""
    largest, which = tops.max(0)
    row = torch.arange(scores.shape[1], device=scores.device)
    if len(scores) % group == 0:
        inside = scores.unflatten(0, (-1, group))[which, :, row]  # rows × group
    else:
        keys = which.unsqueeze(1) * group + torch.arange(group, device=scores.device)
        inside = scores[keys.clamp_max_(len(scores) - 1), row.unsqueeze(1)]
    return largest, which * group + inside.argmax(1)
