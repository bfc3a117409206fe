"""A result and the view of it: the subject of the reasons of its numbers."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core import AttentionResult, normalisations
from attention_core.result.dense import FormatCells
from visualiser.drawing.boxes import open_rows
from visualiser.drawing.weighed import is_plain, weighed
from visualiser.reasons import table
from visualiser.state.view import View


@dataclass(frozen=True)
class Shown:
    """A result and the view of it: what the reasons are made from."""

    result: AttentionResult
    view: View

    def __post_init__(self) -> None:
        weighed(self.result.config)

    @property
    def softmax(self) -> bool:
        """True if the weights are e^s / Σ e^s of the masked scores."""
        return normalisations.of(self.result.config).softmax

    @property
    def plain(self) -> bool:
        """True for a softmax of the scaled scores themselves."""
        return is_plain(self.result.config)

    @property
    def row(self) -> int:
        """The row of the figures of one row."""
        return self.view.inspected(self.result.weights.shape[1])

    @property
    def head(self) -> int:
        """The head of the figures of one row, from 0."""
        return self.view.single(self.result.weights.shape[0]) - 1

    def of_rows(self, name: str) -> Tensor:
        """Return a statistic of all heads over the rows that have a key."""
        values, rows = self.result.statistic(name), open_rows(self.result)
        found = (values if rows is None else values[..., rows]).flatten().double()
        return found if self.result.broken is None else found[~found.isnan()]

    @property
    def open_keys(self) -> Tensor:
        """The number of keys of each row that the means are taken over, once a head if rows differ by head."""
        keys = self.keys
        if self.result.broken is None:
            return keys[keys > 0]
        every = keys.expand(self.result.broken.shape)
        return every[~self.result.broken & (every > 0)]

    @property
    def made(self) -> bool:
        """True if a number format made the weights."""
        return isinstance(self.result.cells, FormatCells)

    @property
    def keys(self) -> Tensor:
        """The number of keys of each row."""
        n_q, n_k = self.result.weights.shape[1:]
        return torch.full((n_q,), n_k) if self.result.mask is None else self.result.mask.sum(-1)


Why = table.Why[Shown]
