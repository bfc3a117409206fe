"""s₊ / Σ s₊: the positive scores in proportion, without an exponential; a normalisation by the recipe."""

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.config import AttentionConfig
from attention_core.normalisations.normalisation import Normalisation


def _weights(
    config: AttentionConfig, masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None
) -> Float[Tensor, "*batch n_q n_k"]:
    positive = masked.relu()  # 0 where a score is −∞
    return positive / positive.sum(-1, keepdim=True).clamp_min(1e-30)


NORMALISATION = Normalisation(weights=_weights)
