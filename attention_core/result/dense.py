"""The result of a short sequence, with every score and weight in memory."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

from attention_core import normalisations, treatments
from attention_core.blocks.row_statistics import statistic
from attention_core.blocks.tiles import Span, span
from attention_core.cached import cached_property
from attention_core.config import AttentionConfig
from attention_core.exact import formats
from attention_core.exact.products import product
from attention_core.normalisations.normalisation import InFormat
from attention_core.result import moments
from attention_core.treatments import Curve

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
    def rows(self) -> Any:
        """The sums over the rows of all heads, for their statistics. Raises `InvalidInput` for weights without any."""
        rows = normalisations.part(self.config, lambda one: one.rows, "to have statistics of its rows")
        return rows(self.config, self.masked, self._keys, self.scaled, self._curve)

    @property
    def _curve(self) -> Curve | None:
        return treatments.of(self.config)

    @property
    def _keys(self) -> Int[Tensor, " n_q"]:
        n_q, n_k = self.weights.shape[1:]
        return torch.full((n_q,), n_k) if self.mask is None else self.mask.sum(-1)

    def statistic(self, name: str) -> Float[Tensor, "*h n_q"]:
        """Return one of `ROW_STATISTICS`, computed on first use; without heads if it is the mask's.

        Raises `InvalidInput` (`unknown_choice`) if the config's rows lack it.
        """
        if name not in self._found:
            rows = self.rows
            normalisations.require_statistic(self.config, name)
            self._found[name] = statistic(name).of_rows(rows)
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
        """Return the Jacobian of one row's weights by its scaled scores, ∂pᵢ/∂sⱼ; `head` counts from 0.

        Everything is computed in float64 and rounded once.
        """
        jacobian = normalisations.part(self.config, lambda one: one.jacobian, "to have a Jacobian here")
        return self._by_scaled(jacobian(self.config, self.masked[head, row].double()), head, row)

    def _by_scaled(self, matrix: Float[Tensor, "n_k n_k"], head: int, row: int) -> Float[Tensor, "n_k n_k"]:
        """Return a derivative by the masked scores as that by the scaled ones, in the dtype of the weights."""
        curve = self._curve
        if curve is not None:
            matrix = matrix * curve.slope(self.scaled[head, row])
        return matrix.to(self.weights.dtype) + 0.0  # no cell is −0

    @property
    def broken(self) -> Bool[Tensor, "h n_q"] | None:
        """True for rows that are no distribution; None if there is none."""
        return None

    def marks(self, stage: str) -> UInt8[Tensor, "h n_q n_k"] | None:
        """Return what the number format made of each cell, as codes of `formats.MARKS`; None if it left no mark."""
        return None


@dataclass(frozen=True, eq=False)
class FormatCells(DenseCells):
    """The four matrices as a number format makes them; `exponentials` keep the format itself, the others float32.

    `total` is the denominator of each row in the format and `beside` the weight of a sink, if there is one.
    """

    exponentials: Float[Tensor, "h n_q n_k"]

    total: Float[Tensor, "h n_q 1"] | None = None
    beside: Float[Tensor, "h n_q 1"] | None = None

    @cached_property
    def rows(self) -> Any:
        """The sums over the rows of all heads: of the scores, and of the weights for the other statistics."""
        rows = self._format.rows
        return rows(self.config, self.masked, self.weights, self._keys, self.beside, self.scaled, self._curve)

    @property
    def _format(self) -> InFormat:
        found = normalisations.of(self.config).in_format
        assert found is not None  # `compute` asked before it made these weights
        return found

    @property
    def dtype(self) -> str:
        """The name of the format."""
        return str(self.exponentials.dtype).removeprefix("torch.")

    def jacobian(self, head: int, row: int) -> Float[Tensor, "n_k n_k"]:
        """Return the Jacobian of the weights as they are; NaN in a row that is no distribution."""
        beside = None if self.beside is None else self.beside[head, row].double()
        matrix = self._by_scaled(self._format.jacobian(self.weights[head, row].double(), beside), head, row)
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
        found = formats.marks(stage, getattr(self, stage), self.exponentials, self.dtype, self._format.zeros)
        if self.mask is not None and stage in ("masked", "weights"):
            found.masked_fill_(~self.mask, 0)
        return found if found.any() else None

    def marks_of_weights(self, head: int) -> UInt8[Tensor, "n_q n_k"]:
        """Return the codes of one head's weights, those of cells that the mask forbids included."""
        return formats.marks("weights", self.weights[head], self.exponentials[head], self.dtype, self._format.zeros)
