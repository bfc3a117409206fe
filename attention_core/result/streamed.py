"""The result of a long sequence, without the n_q × n_k matrices: statistics of one pass, and rectangles on demand."""

from dataclasses import dataclass
from typing import NoReturn

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.blocks.compatibility import Compatibility
from attention_core.blocks.mask import Allowed
from attention_core.blocks.row_statistics import statistic
from attention_core.blocks.statistics import AttentionStatistics
from attention_core.blocks.tiles import Span, rectangle, span
from attention_core.blocks.weighing import Weighing
from attention_core.errors import InvalidInput
from attention_core.exact.masks import EVERYTHING

_OUTPUT_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class StreamedCells:
    """The statistics, and the means to compute any rectangle of any stage on the CPU.

    `products` are the compatibilities before the scale (`scores`) and after it (`scaled`), which `weighing` turns into
    weights.
    """

    statistics: AttentionStatistics
    products: tuple[Compatibility, Compatibility]
    allowed: Allowed
    weighing: Weighing

    def statistic(self, name: str) -> Float[Tensor, "*h n_q"]:
        """Return one of `ROW_STATISTICS`; without heads if it is the mask's."""
        found = self.statistics.statistic(name)
        return found[0] if statistic(name).kind == "mask" else found

    @property
    def moments(self) -> tuple[Float[Tensor, " h"], Float[Tensor, " h"]]:
        """(mean, variance) of the scaled scores that the mask allows."""
        return self.statistics.score_mean, self.statistics.score_variance

    @property
    def scores(self) -> NoReturn:
        raise self._streamed("scores")

    @property
    def scaled(self) -> NoReturn:
        raise self._streamed("scaled")

    @property
    def masked(self) -> NoReturn:
        raise self._streamed("masked")

    @property
    def weights(self) -> NoReturn:
        raise self._streamed("weights")

    @property
    def mask(self) -> Bool[Tensor, "n_q n_k"] | None:
        """None if everything is allowed. Else raises: a mask is as large as the weights and not kept."""
        if self.allowed.everything:
            return None
        raise self._streamed("mask")

    @torch.no_grad()
    def output(self, V: Float[Tensor, "h n_k d_v"]) -> Float[Tensor, "h n_q d_v"]:
        """Compute the output in a second pass, with the weights of a few queries at a time."""
        h, n_q = self.statistics.largest_at.shape
        rows = max(1, _OUTPUT_CELLS // (h * V.shape[1]))
        parts = (
            self.tile("weights", range(start, min(n_q, start + rows)), slice(None)) @ V for start in range(0, n_q, rows)
        )
        return torch.cat(list(parts), dim=1)

    @torch.no_grad()
    def tile(self, stage: str, rows: Span, columns: Span) -> Float[Tensor, "h rows columns"]:
        scores, scaled = self.products
        rows, columns = span("rows", rows, scaled.n_q), span("columns", columns, scaled.n_k)
        masked = stage in ("masked", "weights")
        cells = self.allowed if masked else Allowed(scaled.n_q, scaled.n_k, EVERYTHING, None)
        weights = self.weighing.weights if stage == "weights" else None
        lse = self.statistics.logsumexp[..., rows] if weights is not None and self.weighing.by_logsumexp else None
        curve = self.weighing.curve if masked else None
        of = scores if stage == "scores" else scaled
        return rectangle(of, rows, columns, cells, rows, columns, lse, curve, weights)

    @property
    def broken(self) -> None:
        """None: every row that a pass sums up is a distribution."""

    def marks(self, stage: str) -> None:
        """Return None: a pass works in float32, with the maximum subtracted."""

    def _streamed(self, name: str) -> InvalidInput:
        h, n_q = self.statistics.largest_at.shape
        n_k = self.products[1].n_k
        return InvalidInput(
            "streamed",
            f"{name} of {h} × {n_q} × {n_k} cells were not kept; ask for a part of them with .tile(rows, columns).",
            field=name,
            value=f"{h} × {n_q} × {n_k}",
        )
