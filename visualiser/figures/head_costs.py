"""What each head costs, as a measure of heads beside the others, and what the page says of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.learned import HeadCosts
from visualiser.figures.comparing import LEAST, Effect, compared, largest
from visualiser.locale.message import Message, message

COST: Final = "cost"
"""The name of the measure."""


def of_heads(heads: Sequence[tuple[int, int]], values: Tensor) -> Tensor:
    """Return a value of each head, from 0, as those of a measure are, layers × h; NaN for a head that is not there."""
    made = torch.full([1 + max(at[axis] for at in heads) for axis in (0, 1)], torch.nan, dtype=torch.float64)
    for (layer, head), value in zip(heads, values.tolist(), strict=True):
        made[layer, head] = value
    return made


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of all heads of a run."""

    found: HeadCosts

    name = COST

    @property
    def kind(self) -> str:
        """The kind of the number: nats of a text's log-probability, or a distance."""
        return "head_cost" if self.found.of_text else "kl"

    @property
    def measure(self) -> Tensor:
        """The costs as those of other measures, layers × h, NaN for a head that is not there."""
        return of_heads(self.found.heads, self.found.nats)

    @property
    def most(self) -> tuple[tuple[int, int], float]:
        """The head that costs most, from 1, and what it costs."""
        at = largest(self.found.nats) or 0
        layer, head = self.found.heads[at]
        return (layer + 1, head + 1), float(self.found.nats[at])

    def made(self, value: float) -> Message:
        """Return the arithmetic of a cost."""
        if self.found.log is None:
            return message("reason.made.head_kl", value=value)
        return message("reason.made.head_cost", value=value, log=self.found.log)

    def said(self) -> Message:
        """Say which head costs most of all, or that none costs anything."""
        nats, log = self.found.nats.double().numpy(), self.found.log
        without = compared(np.zeros_like(nats), nats, LEAST)
        if without.effect is Effect.UNMEASURED:
            return message("muting.unmeasured")
        if without.effect is Effect.SAME:
            return message("muting.same")
        if without.effect is Effect.UNSEEN:
            return message("muting.none" if log is not None else "muting.none_kl", least=LEAST, most=without.apart)
        (layer, head), most = self.most
        if log is None:
            return message("muting.most_kl", head=f"{layer}.{head}", nats=most)
        if most >= LEAST:
            return message("muting.most", head=f"{layer}.{head}", nats=most, log=log)
        layer, head = self.found.heads[without.at]
        gained = float(-nats[without.at])
        return message("muting.gains", head=f"{layer + 1}.{head + 1}", least=LEAST, gained=gained, log=log)
