"""The frozen result of one experiment, every tensor on the CPU."""

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from attention_core.blocks.row_statistics import RowAttributes
from attention_core.blocks.tiles import Span
from attention_core.cached import cached_property
from attention_core.config import AttentionConfig
from attention_core.exact.products import product
from attention_core.inputs import sources
from attention_core.inputs.tensors import AttentionInputs
from attention_core.result import moments
from attention_core.result.dense import DenseCells
from attention_core.result.streamed import StreamedCells
from attention_core.validation import choice

__all__ = ["STAGES", "AttentionResult"]

STAGES: Final = ("scores", "scaled", "masked", "weights")
"""The matrices of Figure 2, in its order."""


@dataclass(frozen=True, eq=False)
class AttentionResult(RowAttributes):
    """Figure 2 for one config. Statistics, V and the output are computed on first use.

    Each of `ROW_STATISTICS` is an attribute (`entropy`, `jacobian_norm`, … h × n_q; `ceiling` n_q).

    Attributes
    ----------
    config
        The experiment, with the n, h and d_k of the inputs if they came from outside.
    Q, K
        Queries and keys as they are compared, normalised with `config.qk_norm`; whole also for a result of some rows.
    cells
        The scores and weights: all of them if they fit in memory (`DenseCells`), else any rectangle (`StreamedCells`).
        Only the whole matrices differ between the two.
    tokens
        Labels of the keys, if they are known.
    rows
        The queries that n_q counts; None for all.
    inputs
        The caller's tensors; None if the config's seed determines everything.
    """

    config: AttentionConfig
    Q: Float[Tensor, "h queries d_k"]
    K: Float[Tensor, "h n_k d_k"]
    cells: DenseCells | StreamedCells
    tokens: tuple[str, ...] | None
    rows: tuple[int, ...] | None
    inputs: AttentionInputs | None

    @property
    def scores(self) -> Float[Tensor, "h n_q n_k"]:
        """QKᵀ, or the additive compatibilities.

        For a long sequence this and the next three raise `InvalidInput` (`streamed`). Use `tile` then.
        """
        return self.cells.scores

    @property
    def scaled(self) -> Float[Tensor, "h n_q n_k"]:
        """The scores times `config.factor`."""
        return self.cells.scaled

    @property
    def masked(self) -> Float[Tensor, "h n_q n_k"]:
        """The scaled scores with −inf where `mask` is False."""
        return self.cells.masked

    @property
    def weights(self) -> Float[Tensor, "h n_q n_k"]:
        """The softmax of `masked` over the keys."""
        return self.cells.weights

    @property
    def mask(self) -> Bool[Tensor, "n_q n_k"] | None:
        """True where attention is allowed; None if it is allowed everywhere."""
        return self.cells.mask

    @property
    def broken(self) -> Bool[Tensor, "h n_q"] | None:
        """True for a row that is no distribution: a weight is NaN, or they add up to 1 only within more than 0.01.

        None if every row is one, as always in float32 with the maximum subtracted. The statistics of a broken row
        are NaN.
        """
        return self.cells.broken

    def marks(self, stage: str) -> UInt8[Tensor, "h n_q n_k"] | None:
        """Return what the number format made of each cell of a stage; None if it left no mark.

        Parameters
        ----------
        stage
            One of `STAGES`.

        Returns
        -------
        Tensor or None
            0 for nothing, else 1 for ±∞ (of a weight: its exponential is ∞), 2 for NaN, 3 for a weight that is 0
            although no softmax is, 4 for a weight below the smallest normal number of the format.
        """
        return self.cells.marks(choice("stage", stage, STAGES))

    def stage(self, name: str) -> Float[Tensor, "h n_q n_k"]:
        """Return the tensor of one stage of Figure 2: scores, scaled, masked or weights."""
        return getattr(self, choice("stage", name, STAGES))

    def tile(self, rows: Span, columns: Span, stage: str = "weights") -> Float[Tensor, "h rows columns"]:
        """Return a rectangle of one stage's tensor, for a sequence of any length."""
        return self.cells.tile(choice("stage", stage, STAGES), rows, columns)

    @cached_property
    def V(self) -> Float[Tensor, "h n_k d_v"]:
        V = self.inputs.V if self.inputs else sources.per_head(self.config, sources.activations(self.config), "V")
        return V.detach().to(getattr(torch, self.config.dtype)).float().cpu()

    @cached_property
    def output(self) -> Float[Tensor, "h n_q d_v"]:
        """The weights times V, for each head."""
        return self.cells.output(self.V)

    @cached_property
    def concatenation(self) -> Float[Tensor, "n_q h_d_v"]:
        """Concat(head₁, …, head_h): each query's outputs of all heads in one row."""
        return self.output.transpose(0, 1).flatten(1)

    @cached_property
    def projection(self) -> Float[Tensor, "n_q d_model"]:
        """Concat(head₁, …, head_h) W_O; W_O is drawn from the seed if the inputs have none."""
        return product(self.concatenation, self._W_O(self.concatenation.shape[-1]))

    def _W_O(self, width: int) -> Float[Tensor, "h_d_v d_out"]:
        W_O = None if self.inputs is None else self.inputs.W_O
        return (sources.output_projection(self.config, width) if W_O is None else W_O).detach().float().cpu()

    @property
    def has_projection(self) -> bool:
        """False for inputs that have values and no W_O of their own."""
        return self.inputs is None or self.inputs.W_O is not None

    @cached_property
    def value_norms(self) -> Float[Tensor, "h n_k"]:
        """What each head adds for a key of weight 1, ‖v W_O‖ with its part of W_O (Kobayashi et al. 2020); else ‖v‖.

        ‖v‖ it is for inputs without a W_O. Rows of the weights times it need not add up to 1.
        """
        if not self.has_projection:
            return self.V.norm(dim=-1)
        h, _, d_v = self.V.shape
        rows = self._W_O(h * d_v).unflatten(0, (h, d_v))
        return torch.stack([product(v, of).norm(dim=-1) for v, of in zip(self.V, rows, strict=True)])

    def statistic(self, name: str) -> Float[Tensor, "*h n_q"]:
        """Return one of `ROW_STATISTICS` (h × n_q; n_q for `ceiling`, the mask's). Raises `InvalidInput`."""
        return self.cells.statistic(name)

    def jacobian(self, head: int, row: int) -> Float[Tensor, "n_k n_k"]:
        """Return the Jacobian diag(p) − p pᵀ of one row's softmax, ∂pᵢ/∂sⱼ.

        Parameters
        ----------
        head
            The head, from 1.
        row
            The query, from 0.

        Returns
        -------
        Tensor
            n_k × n_k; NaN for a row that is no distribution.

        Raises
        ------
        InvalidInput
            `streamed` for a long sequence.
        """
        if isinstance(self.cells, StreamedCells):
            return self.cells.weights
        return self.cells.jacobian(head - 1, row)

    @property
    def score_mean(self) -> Float[Tensor, " h"]:
        """The mean of each head's scaled scores over the allowed cells of these rows."""
        return self.cells.moments[0]

    @property
    def score_variance(self) -> Float[Tensor, " h"]:
        """The population variance of each head's scaled scores over the allowed cells of these rows."""
        return self.cells.moments[1]

    @property
    def predicted_mean(self) -> float | None:
        """The `score_mean` of footnote 4; None if the footnote does not apply."""
        return moments.predicted_moments(self.config)[0]

    @property
    def predicted_variance(self) -> float | None:
        """The `score_variance` of footnote 4, d_k · factor²; None if the footnote does not apply."""
        return moments.predicted_moments(self.config)[1]
