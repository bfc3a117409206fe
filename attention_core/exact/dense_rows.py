"""Rows of scores and weights in memory, with the intermediate values that several statistics share."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.exact import softmax


@dataclass(frozen=True, eq=False)
class DenseRows:
    """The scaled scores, the same with −∞ where the mask forbids, and their softmax.

    `keys` counts the allowed keys of each row. The properties are computed on first use.
    """

    scaled: Float[Tensor, "*batch n_k"]
    masked: Float[Tensor, "*batch n_k"]
    weights: Float[Tensor, "*batch n_k"]
    keys: Int[Tensor, "*#batch"]

    @cached_property
    def largest_score(self) -> Float[Tensor, "*batch"]:
        """The largest masked score; −∞ in a row without keys."""
        return self.masked.amax(-1)

    @cached_property
    def largest_weight(self) -> Float[Tensor, "*batch"]:
        return self.weights.amax(-1)

    @cached_property
    def ceiling(self) -> Float[Tensor, "*#batch"]:
        """The largest possible entropy of each row in nats: ln of its number of keys, 0 without keys."""
        return self.keys.clamp_min(1).to(self.weights.dtype).log()

    @cached_property
    def entropy(self) -> Float[Tensor, "*batch"]:
        """The entropy in nats, cut to `ceiling`: rounding may lift a uniform row's last digit above it."""
        largest = self.largest_score.masked_fill(self.largest_score == -torch.inf, 0.0)
        entropy = softmax.entropy_of_scores(self.scaled, self.weights, largest, self.largest_weight)
        return entropy.minimum(self.ceiling)

    @cached_property
    def jacobian(self) -> tuple[Float[Tensor, "*batch"], Float[Tensor, "*batch"]]:
        """(‖J‖_F, trace J)."""
        return softmax.jacobian_moments(self.weights, self.largest_weight)
