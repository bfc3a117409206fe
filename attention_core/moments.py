"""Mean and variance of the scores, measured and as footnote 4 predicts them."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.config import AttentionConfig


def measured_moments(
    scaled: Float[Tensor, "h n_q n_k"], mask: Bool[Tensor, "n_q n_k"] | None
) -> tuple[Float[Tensor, " h"], Float[Tensor, " h"]]:
    """Mean and population variance of each head's scaled scores over the cells that the mask allows.

    In two passes, so that a large mean takes no digits from the variance. NaN where no cell is allowed.
    """
    cells = scaled.flatten(1)
    if mask is None:
        mean = cells.mean(-1)
        return mean, (cells - mean.unsqueeze(-1)).square_().mean(-1)
    allowed = mask.flatten().to(cells.dtype)
    count = allowed.sum()
    mean = cells @ allowed / count
    return mean, (cells - mean.unsqueeze(-1)).square_() @ allowed / count


def predicted_moments(config: AttentionConfig) -> tuple[float, float] | tuple[None, None]:
    """(0, d_k · factor²): footnote 4 for q and k with independent components of mean 0 and variance 1.

    None where the footnote says nothing: additive compatibilities, and sources other than gaussian.
    """
    if config.mechanism != "dot_product" or config.source != "gaussian":
        return None, None
    return 0.0, config.d_k * config.factor**2


def ceiling(mask: Bool[Tensor, "n_q n_k"] | None, n_q: int, n_k: int) -> Float[Tensor, " n_q"]:
    """The largest entropy each query's row can have, in nats: ln of the number of keys it may attend to, 0 for none."""
    keys = torch.full((n_q,), n_k) if mask is None else mask.sum(-1)
    return keys.clamp_min(1).log()
