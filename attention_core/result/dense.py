"""The result of a short sequence, with every score and weight in memory."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.blocks.row_statistics import statistic
from attention_core.blocks.tiles import Span, span
from attention_core.exact.products import product
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.result import moments

__all__ = ["DenseCells"]


@dataclass(frozen=True, eq=False)
class DenseCells:
    """The four matrices of Figure 2 and their statistics. A step that does nothing shares the tensor before it."""

    scores: Float[Tensor, "h n_q n_k"]
    scaled: Float[Tensor, "h n_q n_k"]
    masked: Float[Tensor, "h n_q n_k"]
    weights: Float[Tensor, "h n_q n_k"]
    mask: Bool[Tensor, "n_q n_k"] | None

    @cached_property
    def rows(self) -> SummedRows:
        """The sums over the rows of all heads, for their statistics."""
        n_q, n_k = self.weights.shape[1:]
        keys = torch.full((n_q,), n_k) if self.mask is None else self.mask.sum(-1)
        return SummedRows(row_sums(self.masked), keys, self.masked.dtype)

    def statistic(self, name: str) -> Float[Tensor, "*h n_q"]:
        """Return one of `ROW_STATISTICS`, computed on first use; without heads if it is the mask's."""
        if name not in self._found:
            self._found[name] = statistic(name).of_rows(self.rows)
        return self._found[name]

    @cached_property
    def _found(self) -> dict[str, Tensor]:
        return {}

    @cached_property
    def moments(self) -> tuple[Float[Tensor, " h"], Float[Tensor, " h"]]:
        """(mean, variance) of the scaled scores that the mask allows."""
        return moments.measured_moments(self.scaled, self.mask)

    def output(self, V: Float[Tensor, "h n_k d_v"]) -> Float[Tensor, "h n_q d_v"]:
        return product(self.weights, V)

    def tile(self, stage: str, rows: Span, columns: Span) -> Float[Tensor, "h rows columns"]:
        """Return a rectangle of one stage: a copy, so that it does not keep the whole matrix alive."""
        n_q, n_k = self.weights.shape[1:]
        rows, columns = span("rows", rows, n_q), span("columns", columns, n_k)
        return getattr(self, stage)[:, rows, columns].clone()
