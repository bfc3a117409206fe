"""The softmax over keys, and the entropy of weights whose scores are gone."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Normalise = Callable[[Tensor, Tensor | None], Tensor]
"""(masked, mask) → weights; `mask` is None if no key is forbidden."""


def softmax(
    masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return the weights of masked scores; `mask` is None if no key is forbidden."""
    return masked.softmax(-1) if mask is None else masked_softmax(masked)


def masked_softmax(scores: Float[Tensor, "*batch n_q n_k"]) -> Float[Tensor, "*batch n_q n_k"]:
    """Return exp(s) / Σ exp(s) over the keys. A score of −inf marks a key that the mask forbids.

    A row of −inf alone gets weights zero by decision: 0/0 is no probability, and with zeros such a query reads nothing.
    """
    return zero_where(scores, scores.amax(-1, keepdim=True) == -torch.inf)


def zero_where(
    scores: Float[Tensor, "*batch n_q n_k"], forbidden: Bool[Tensor, "*#batch #n_q 1"]
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return the softmax of each row, or zeros if the row is `forbidden`.

    The scores are replaced before the softmax, not only its NaN afterwards: a NaN inside would reach the gradients.
    """
    if not forbidden.any():
        return scores.softmax(-1)
    if not (torch.is_grad_enabled() and scores.requires_grad):
        return scores.softmax(-1).masked_fill_(forbidden, 0.0)  # no gradient, no copies
    return scores.masked_fill(forbidden, 0.0).softmax(-1).masked_fill(forbidden, 0.0)


def entropy(weights: Float[Tensor, "*batch n_k"]) -> Float[Tensor, "*batch"]:
    """Return H = −Σ p ln p in nats, from the weights alone.

    The term of the largest weight is −p ln(1 − r), with r the sum of the other weights: a row that is one-hot but for
    1e-9 keeps the digits of that 1e-9. If the scores are there, `row_sums` is closer yet.
    """
    top, at = weights.max(-1, keepdim=True)
    others = weights.scatter(-1, at, 0.0)
    rest = others.sum(-1, keepdim=True)
    own = torch.where(rest < 0.5, -top * torch.log1p(-rest.clamp_max(0.5)), torch.special.entr(top))
    return torch.special.entr(others).sum(-1) + own.squeeze(-1)
