"""The result of a short sequence, with every score and weight in memory."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

from attention_core import normalisations
from attention_core.blocks.row_statistics import statistic
from attention_core.blocks.tiles import Span, span
from attention_core.cached import cached_property
from attention_core.config import AttentionConfig
from attention_core.exact import formats
from attention_core.exact.jacobian import softmax_jacobian
from attention_core.exact.products import product
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.result import moments

__all__ = ["DenseCells", "FormatCells"]


@dataclass(frozen=True, eq=False)
class DenseCells:
    """The four matrices of Figure 2 and their statistics. A step that does nothing shares the tensor before it."""

    config: AttentionConfig
    scores: Float[Tensor, "h n_q n_k"]
    scaled: Float[Tensor, "h n_q n_k"]
    masked: Float[Tensor, "h n_q n_k"]
    weights: Float[Tensor, "h n_q n_k"]
    mask: Bool[Tensor, "n_q n_k"] | None

    @cached_property
    def rows(self) -> SummedRows:
        """The sums over the rows of all heads, for their statistics. Raises `InvalidInput` without a law of sums."""
        rows = normalisations.part(self.config, lambda one: one.rows, "to have statistics of its rows")
        return rows(row_sums(self.masked), self._keys, self.masked.dtype)

    @property
    def _keys(self) -> Int[Tensor, " n_q"]:
        n_q, n_k = self.weights.shape[1:]
        return torch.full((n_q,), n_k) if self.mask is None else self.mask.sum(-1)

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

    def jacobian(self, head: int, row: int) -> Float[Tensor, "n_k n_k"]:
        """Return the Jacobian of one row's weights, ∂pᵢ/∂sⱼ; `head` counts from 0."""
        jacobian = normalisations.part(self.config, lambda one: one.jacobian, "to have a Jacobian here")
        return jacobian(self.masked[head, row])

    @property
    def broken(self) -> Bool[Tensor, "h n_q"] | None:
        """True for rows that are no distribution; None if there is none."""
        return None

    def marks(self, stage: str) -> UInt8[Tensor, "h n_q n_k"] | None:
        """Return what the number format made of each cell, as codes of `formats.MARKS`; None if it left no mark."""
        return None


@dataclass(frozen=True, eq=False)
class FormatCells(DenseCells):
    """The four matrices as a number format makes them; `exponentials` keep the format itself, the others float32."""

    exponentials: Float[Tensor, "h n_q n_k"]

    @cached_property
    def rows(self) -> formats.WeighedRows:
        """The sums over the rows of all heads: of the scores, and of the weights for the other statistics."""
        return formats.weighed_rows(self.masked, self.weights, self._keys)

    @property
    def dtype(self) -> str:
        """The name of the format."""
        return str(self.exponentials.dtype).removeprefix("torch.")

    def jacobian(self, head: int, row: int) -> Float[Tensor, "n_k n_k"]:
        """Return diag(p) − p pᵀ of the weights as they are; NaN in a row that is no distribution."""
        matrix = softmax_jacobian(self.weights[head, row].double()).to(self.weights.dtype) + 0.0
        return matrix.fill_(torch.nan) if self.rows.broken[head, row] else matrix

    @property
    def broken(self) -> Bool[Tensor, "h n_q"] | None:
        """True for rows that are no distribution; None if there is none."""
        return self.rows.broken if self.rows.broken.any() else None

    @cached_property
    def moments(self) -> tuple[Float[Tensor, " h"], Float[Tensor, " h"]]:
        """(mean, variance) of the scaled scores that the mask allows and that are finite; NaN if none is."""
        finite = self.scaled.isfinite()
        if finite.all():
            return moments.measured_moments(self.scaled, self.mask)
        counted = finite if self.mask is None else finite & self.mask
        heads = [cells[of].double() for cells, of in zip(self.scaled, counted, strict=True)]
        measured = [
            (cells.mean(), cells.var(correction=0)) if len(cells) else (torch.nan, torch.nan) for cells in heads
        ]
        mean, variance = torch.tensor(measured, dtype=self.scaled.dtype).unbind(-1)
        return mean, variance

    def output(self, V: Float[Tensor, "h n_k d_v"]) -> Float[Tensor, "h n_q d_v"]:
        return product(self.weights, V).to(self.exponentials.dtype).float()

    def marks(self, stage: str) -> UInt8[Tensor, "h n_q n_k"] | None:
        found = formats.marks(stage, getattr(self, stage), self.exponentials, self.dtype)
        if self.mask is not None and stage in ("masked", "weights"):
            found.masked_fill_(~self.mask, 0)
        return found if found.any() else None
