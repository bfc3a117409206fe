"""The softmax over keys and what can be said about one row of it: entropy and Jacobian.

A row is p = softmax(s) over n_k keys. Every sum below is arranged so that its terms have one sign: a row that is
one-hot but for 1e-9 keeps the digits of that 1e-9, and no value turns out negative.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.cancellation import checkpoint

_BLOCK_FLOATS = 65_536  # 256 KiB


def masked_softmax(scores: Float[Tensor, "*batch n_q n_k"]) -> Float[Tensor, "*batch n_q n_k"]:
    """exp(s) / Σ exp(s) over the keys, where −inf marks a key that the mask forbids.

    A row of −inf alone has weights zero, by decision: 0/0 is no probability, and zero lets such a query read nothing.
    """
    return zero_where(scores, scores.amax(-1, keepdim=True) == -torch.inf)


def zero_where(
    scores: Float[Tensor, "*batch n_q n_k"], forbidden: Bool[Tensor, "*#batch #n_q 1"]
) -> Float[Tensor, "*batch n_q n_k"]:
    """The softmax of the rows that are not `forbidden`, zeros in those that are.

    The scores are replaced before the softmax, not only its NaN afterwards: a NaN inside would reach the gradients.
    """
    if not forbidden.any():
        return scores.softmax(-1)
    if not (torch.is_grad_enabled() and scores.requires_grad):
        return scores.softmax(-1).masked_fill_(forbidden, 0.0)  # no gradient, no copies
    return scores.masked_fill(forbidden, 0.0).softmax(-1).masked_fill(forbidden, 0.0)


def entropy(weights: Float[Tensor, "*batch n_k"]) -> Float[Tensor, "*batch"]:
    """H = −Σ p ln p in nats, from the weights alone."""
    return torch.special.entr(weights).sum(-1)


def entropy_of_scores(
    scores: Float[Tensor, "*batch n_k"],
    weights: Float[Tensor, "*batch n_k"],
    largest: Float[Tensor, "*batch"],
    largest_weight: Float[Tensor, "*batch"] | None = None,
) -> Float[Tensor, "*batch"]:
    """H = −ln max p + Σ p (max s − s) in nats: `entropy` without a logarithm per cell, several times as fast on a CPU.

    It is lse(s) − Σ p s with max s subtracted from both, since p = exp(s − max s) · max p. `scores` are finite,
    `largest` is their maximum over the allowed keys and `weights` their softmax over those, zero elsewhere. A row of
    zeros gives 0. `largest_weight` is max p, for a caller who has it.
    """
    top = weights.amax(-1) if largest_weight is None else largest_weight
    spread = _by_blocks(_spread, weights, scores, largest.unsqueeze(-1))[0]
    return spread - top.log().masked_fill(top == 0, 0.0)


def jacobian_moments(
    weights: Float[Tensor, "*batch n_k"], largest_weight: Float[Tensor, "*batch"] | None = None
) -> tuple[Float[Tensor, "*batch"], Float[Tensor, "*batch"]]:
    """(‖J‖_F, trace J) of J = diag(p) − p pᵀ, without forming J.

    ‖J‖_F² = Σp² − 2Σp³ + (Σp²)² and trace J = 1 − Σp² cancel badly near one-hot. With m the weight above ½, if there is
    one (else m = 0), and sums over the others alone, they are sums of terms that are all non-negative:
    ‖J‖_F² = m²(1 − m)² + 2m²Σp² + Σp²(1 − 2p) + (Σp²)²,  trace J = m(1 − m) + Σp(1 − p),  1 − m = Σp.
    `largest_weight` is max p of each row, for a caller who has it.
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
    """Σp, Σp², Σp³ over the weights of at most ½; at most one weight of a row is above, and stands in `above`, else 0.

    Cubes below the least normal number are left out of Σp³: beside their squares, from which twice Σp³ is taken, they
    round to nothing, and a processor takes a hundred times as long for each of them.
    """
    # exact, and a fifth of the time of a boolean mask
    others = weights - torch.threshold(weights, 0.5, 0.0) if above.any() else weights
    squares = others * others
    numbers = torch.finfo(weights.dtype)
    least = min(numbers.tiny ** (1 / 3), numbers.eps / 8)
    return others.sum(-1), squares.sum(-1), (torch.threshold(squares, least**2, 0.0) * others).sum(-1)


def _by_blocks(sums: Callable[..., tuple[Tensor, ...]], *tensors: Float[Tensor, "*batch _"]) -> tuple[Tensor, ...]:
    """`sums` of every row, a few rows at a time, so that what lies in between never leaves the cache."""
    batch, n_k = tensors[0].shape[:-1], tensors[0].shape[-1]
    rows = max(1, _BLOCK_FLOATS // max(1, n_k))
    blocks = zip(*(tensor.reshape(-1, tensor.shape[-1]).split(rows) for tensor in tensors), strict=True)
    found = []
    for block in blocks:
        checkpoint()
        found.append(sums(*block))
    return tuple(torch.cat(parts).view(batch) for parts in zip(*found, strict=True))


def softmax_jacobian(weights: Float[Tensor, "*batch n_k"]) -> Float[Tensor, "*batch n_k n_k"]:
    """J = diag(p) − p pᵀ, the derivative of a row's weights by its scores: symmetric, each of its rows sums to 0."""
    checkpoint()
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
