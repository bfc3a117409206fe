"""What is measured of a head that attends from one line to another: cross-attention."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Rows = tuple[Float[Tensor, "h n_q"], Bool[Tensor, "h n_q"]]
"""A value of each row, and which rows count."""


def monotone(weights: Float[Tensor, "h n_q n_k"], allowed: Bool[Tensor, "h n_q n_k"]) -> Rows:
    """P(k > k') + ½ P(k = k') for a key k that a query reads and a key k' that the query before reads.

    Each is drawn by its row's weights, as shares of what the row gives to keys. 1: every target token reads behind what
    the one before it read, as in a translation word by word; ½ if they read alike; 0: backwards. The first row and one
    beside a row without weight do not count.
    """
    sums = weights.sum(-1)
    p = weights / sums.clamp_min(torch.finfo(weights.dtype).tiny).unsqueeze(-1)
    below = p[:, :-1].cumsum(-1) - p[:, :-1] / 2  # P(k' < k) + half of P(k' = k)
    found = torch.nn.functional.pad((p[:, 1:] * below).sum(-1), (1, 0))
    there = allowed.any(-1) & (sums > 0)
    return found, torch.nn.functional.pad(there[:, 1:] & there[:, :-1], (1, 0))


def end(weights: Float[Tensor, "h n_q n_k"], allowed: Bool[Tensor, "h n_q n_k"]) -> Rows:
    """Weight on the last position of the source, the token that ends it if the model has one."""
    return weights[..., -1], allowed[..., -1]
