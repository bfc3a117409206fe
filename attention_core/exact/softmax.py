"""The softmax over keys, and the entropy and Jacobian of its rows.

A row is p = softmax(s) over n_k keys. In every sum below all terms have one sign: a row that is one-hot but for 1e-9
keeps the digits of that 1e-9, and no value turns out negative.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.cancellation import checkpoint

__all__ = ["softmax_jacobian"]

_BLOCK_FLOATS = 65_536  # 256 KiB


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
    """Return H = −Σ p ln p in nats, from the weights alone."""
    return torch.special.entr(weights).sum(-1)


def entropy_of_scores(
    scores: Float[Tensor, "*batch n_k"],
    weights: Float[Tensor, "*batch n_k"],
    largest: Float[Tensor, "*batch"],
    largest_weight: Float[Tensor, "*batch"] | None = None,
) -> Float[Tensor, "*batch"]:
    """Return H = −ln max p + Σ p (max s − s) in nats, without a logarithm per cell.

    On a CPU this is several times as fast as `entropy`. It is lse(s) − Σ p s with max s subtracted from both, since
    p = exp(s − max s) · max p. `scores` must be finite. `largest` is their maximum over the allowed keys and `weights`
    their softmax over those, zero elsewhere. A row of zeros gives 0. Pass `largest_weight`, max p, if you have it.
    """
    top = weights.amax(-1) if largest_weight is None else largest_weight
    spread = _by_blocks(_spread, weights, scores, largest.unsqueeze(-1))[0]
    return spread - top.log().masked_fill(top == 0, 0.0)


def jacobian_moments(
    weights: Float[Tensor, "*batch n_k"], largest_weight: Float[Tensor, "*batch"] | None = None
) -> tuple[Float[Tensor, "*batch"], Float[Tensor, "*batch"]]:
    """Return (‖J‖_F, trace J) of J = diag(p) − p pᵀ, without forming J.

    ‖J‖_F² = Σp² − 2Σp³ + (Σp²)² and trace J = 1 − Σp² cancel badly near one-hot. Let m be the weight above ½ (0 if
    there is none) and sum over the other weights alone. Then all terms are non-negative:
    ‖J‖_F² = m²(1 − m)² + 2m²Σp² + Σp²(1 − 2p) + (Σp²)²,  trace J = m(1 − m) + Σp(1 − p),  1 − m = Σp.
    Pass `largest_weight`, max p of each row, if you have it.
    """
    top = weights.amax(-1) if largest_weight is None else largest_weight
    top = top.masked_fill(top <= 0.5, 0.0)
    first, second, third = _by_blocks(_power_sums_below_half, weights, top.unsqueeze(-1))
    top_term = top * first  # m(1 − m)
    norm_squared = top_term**2 + 2 * top**2 * second + (second - 2 * third) + second**2
    return norm_squared.sqrt(), top_term + (first - second)


def _spread(weights: Tensor, scores: Tensor, largest: Tensor) -> tuple[Tensor, ...]:
    return (((largest - scores) * weights).sum(-1),)


def _power_sums_below_half(weights: Tensor, above: Tensor) -> tuple[Tensor, ...]:
    """Return Σp, Σp², Σp³ over the weights of at most ½. `above` holds each row's one larger weight, or 0.

    Σp³ leaves out cubes below the smallest normal number. They round to nothing beside the squares, from which 2 Σp³ is
    subtracted, and a processor takes a hundred times as long for each of them.
    """
    # exact, and a fifth of the time of a boolean mask
    others = weights - torch.threshold(weights, 0.5, 0.0) if above.any() else weights
    squares = others * others
    numbers = torch.finfo(weights.dtype)
    least = min(numbers.tiny ** (1 / 3), numbers.eps / 8)
    return others.sum(-1), squares.sum(-1), (torch.threshold(squares, least**2, 0.0) * others).sum(-1)


def _by_blocks(sums: Callable[..., tuple[Tensor, ...]], *tensors: Float[Tensor, "*batch _"]) -> tuple[Tensor, ...]:
    """Apply `sums` to a few rows at a time, so that intermediate values never leave the cache."""
    batch, n_k = tensors[0].shape[:-1], tensors[0].shape[-1]
    rows = max(1, _BLOCK_FLOATS // max(1, n_k))
    blocks = zip(*(tensor.reshape(-1, tensor.shape[-1]).split(rows) for tensor in tensors), strict=True)
    found = []
    for block in blocks:
        checkpoint()
        found.append(sums(*block))
    return tuple(torch.cat(parts).view(batch) for parts in zip(*found, strict=True))


def softmax_jacobian(weights: Float[Tensor, "*batch n_k"]) -> Float[Tensor, "*batch n_k n_k"]:
    """Return J = diag(p) − p pᵀ, the derivative of a row's weights by its scores: symmetric, its rows sum to 0.

    Parameters
    ----------
    weights
        p, one row after the axes of `batch`.

    Returns
    -------
    Tensor
        n_k × n_k for each row.
    """
    checkpoint()
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
