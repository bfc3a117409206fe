"""A result whose every score and weight is in memory: what short sequences get."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.blocks.tiles import Span, span
from attention_core.exact import softmax
from attention_core.exact.products import product
from attention_core.result import moments


@dataclass(frozen=True, eq=False)
class DenseCells:
    """The four matrices of Figure 2 and what follows. Where a step does nothing its tensor is the one before."""

    scores: Float[Tensor, "h n_q n_k"]
    scaled: Float[Tensor, "h n_q n_k"]
    masked: Float[Tensor, "h n_q n_k"]
    weights: Float[Tensor, "h n_q n_k"]
    mask: Bool[Tensor, "n_q n_k"] | None

    @cached_property
    def entropy(self) -> Float[Tensor, "h n_q"]:
        """In nats, cut to `ceiling`, which rounding lets a uniform row exceed in the last digit."""
        largest = self.largest_score.masked_fill(self.largest_score == -torch.inf, 0.0)
        entropy = softmax.entropy_of_scores(self.scaled, self.weights, largest, self.largest_weight)
        return entropy.minimum(self.ceiling)

    @cached_property
    def ceiling(self) -> Float[Tensor, " n_q"]:
        return moments.ceiling(self.mask, *self.weights.shape[1:])

    @cached_property
    def largest_score(self) -> Float[Tensor, "h n_q"]:
        """Of the masked scores: −∞ in a row without any key."""
        return self.masked.amax(-1)

    @cached_property
    def largest_weight(self) -> Float[Tensor, "h n_q"]:
        return self.weights.amax(-1)

    @cached_property
    def jacobian(self) -> tuple[Float[Tensor, "h n_q"], Float[Tensor, "h n_q"]]:
        """(‖J‖_F, trace J)."""
        return softmax.jacobian_moments(self.weights, self.largest_weight)

    @cached_property
    def moments(self) -> tuple[Float[Tensor, " h"], Float[Tensor, " h"]]:
        """(mean, variance) of the scaled scores that the mask allows."""
        return moments.measured_moments(self.scaled, self.mask)

    def output(self, V: Float[Tensor, "h n_k d_v"]) -> Float[Tensor, "h n_q d_v"]:
        return product(self.weights, V)

    def tile(self, stage: str, rows: Span, columns: Span) -> Float[Tensor, "h rows columns"]:
        """A copy, so that the rectangle does not keep the whole alive."""
        n_q, n_k = self.weights.shape[1:]
        rows, columns = span("rows", rows, n_q), span("columns", columns, n_k)
        return getattr(self, stage)[:, rows, columns].clone()
