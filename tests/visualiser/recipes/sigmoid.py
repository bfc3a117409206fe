"""σ(s − ln n): each key by itself, so that a row need not add up to 1; as a normalisation by the recipe."""

import math

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.normalisations.normalisation import Normalisation


def _weights(
    masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None
) -> Float[Tensor, "*batch n_q n_k"]:
    return (masked - math.log(masked.shape[-1])).sigmoid()  # 0 where a score is −∞


NORMALISATION = Normalisation(weights=_weights)
