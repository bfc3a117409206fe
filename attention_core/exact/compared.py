"""Queries and keys as a mechanism compares them: in the config's precision, and normalised if it says so."""

from jaxtyping import Float
from torch import Tensor

from attention_core.config import AttentionConfig
from attention_core.exact.rms_norm import rms_norm
from attention_core.inputs import sources

__all__ = ["compared"]


def compared(config: AttentionConfig, vectors: Float[Tensor, "*batch n d_k"]) -> Float[Tensor, "*batch n d_k"]:
    """Return queries or keys rounded to the config's dtype, then with `qk_norm` normalised and rounded again.

    Parameters
    ----------
    config
        The experiment.
    vectors
        Queries or keys as they were drawn or given.

    Returns
    -------
    Tensor
        Numbers of the config's dtype, held in float32 so that products accumulate there.
    """
    own = sources.rounded(config, vectors)
    return sources.rounded(config, rms_norm(own)) if config.qk_norm else own
