"""The mean and the variance of the scores, measured and as footnote 4 predicts them."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import mechanisms
from attention_core.cancellation import checkpoint
from attention_core.config import AttentionConfig

_CELLS = 2**20
"""Most deviations that exist at once: 4 MiB for any number of heads."""


def measured_moments(
    scaled: Float[Tensor, "h n_q n_k"], mask: Bool[Tensor, "n_q n_k"] | None
) -> tuple[Float[Tensor, " h"], Float[Tensor, " h"]]:
    """Return mean and population variance of each head's scaled scores over the allowed cells.

    Two passes keep the digits of the variance beside a large mean. Both are NaN if no cell is allowed.
    """
    allowed = None if mask is None else mask.flatten().to(scaled.dtype)
    together = max(1, _CELLS // max(1, scaled.shape[1:].numel()))
    if together >= len(scaled):
        return _moments(scaled.flatten(1), allowed)
    found = [_moments(cells, allowed) for cells in scaled.flatten(1).split(together)]
    mean, variance = (torch.cat(values) for values in zip(*found, strict=True))
    return mean, variance


def _moments(cells: Float[Tensor, "h cells"], allowed: Float[Tensor, " cells"] | None) -> tuple[Tensor, Tensor]:
    checkpoint()
    if allowed is None:
        mean = cells.mean(-1)
        return mean, (cells - mean.unsqueeze(-1)).square_().mean(-1)
    count = allowed.sum()
    mean = cells @ allowed / count
    return mean, (cells - mean.unsqueeze(-1)).square_() @ allowed / count


def predicted_moments(config: AttentionConfig) -> tuple[float, float] | tuple[None, None]:
    """Return (0, d_k · factor²): footnote 4 for q and k with independent components of mean 0 and variance 1.

    Both are None if the footnote does not apply: scores that are no dot products, and sources other than gaussian.
    """
    if not mechanisms.of(config).products or config.source != "gaussian":
        return None, None
    return 0.0, float(config.d_k) * config.factor**2
