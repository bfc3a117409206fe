"""What each head costs, as a measure of heads beside the others, and what the page says of it."""

import math
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_core.learned import HeadCosts
from visualiser.locale.message import Message, message

COST: Final = "cost"
"""The name of the measure."""
LEAST: Final = 5e-4
"""Nats below which nothing is lost that three digits would show."""


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of all heads of a run."""

    found: HeadCosts

    @property
    def kind(self) -> str:
        """The kind of the number: nats of a text's log-probability, or a distance."""
        return "head_cost" if self.found.of_text else "kl"

    @property
    def measure(self) -> Tensor:
        """The costs as those of other measures, layers × h, NaN for a head that is not there."""
        layers, heads = (1 + max(at[axis] for at in self.found.heads) for axis in (0, 1))
        made = torch.full((layers, heads), torch.nan, dtype=torch.float64)
        for (layer, head), nats in zip(self.found.heads, self.found.nats.tolist(), strict=True):
            made[layer, head] = nats
        return made

    @property
    def most(self) -> tuple[tuple[int, int], float]:
        """The head that costs most, from 1, and what it costs."""
        at = int(self.found.nats.argmax())
        layer, head = self.found.heads[at]
        return (layer + 1, head + 1), float(self.found.nats[at])

    def made(self, value: float) -> Message:
        """Return the arithmetic of a cost."""
        if self.found.log is None:
            return message("reason.made.head_kl", value=value)
        return message("reason.made.head_cost", value=value, log=self.found.log)

    def said(self) -> Message:
        """Say which head costs most."""
        (layer, head), nats = self.most
        if math.isnan(nats) or nats < LEAST:
            return message("muting.none")
        name = f"{layer}.{head}"
        if self.found.log is None:
            return message("muting.most_kl", head=name, nats=nats)
        return message("muting.most", head=name, nats=nats, log=self.found.log)
