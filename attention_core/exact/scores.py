"""The compatibility of every query with every key: the two functions of section 3.2.1, before any scaling."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.products import product

BLOCK_FLOATS = 2**20
"""Numbers of a hidden layer that exist at once. All n_q · n_k · n_hidden of them take gigabytes at n = 4096.

4 MiB stay in a CPU's last cache. Smaller blocks fit its inner caches but take longer, because calls and the threads'
meetings cost more: 2¹⁶ took 1.8 × the time with one thread and 2.7 × with two at n = 1024, n_hidden = 64.
"""
# The range in which e²ᵃ e²ᵇ serves. Above 40 the product could leave float32. If a and b are all below 2 in size, the
# rounding of numbers near 1 shows beside a small tanh.
_LARGEST_EXPONENTS = (4.0, 40.0)


def dot_product_scores(
    Q: Float[Tensor, "*batch n_q d_k"], K: Float[Tensor, "*batch n_k d_k"]
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return QKᵀ, whose cells are the dot products q · k of one query and one key."""
    return product(Q, K.mT)


def additive_scores(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*batch n_k d_k"],
    W_q: Float[Tensor, "*#batch d_k n_hidden"],
    W_k: Float[Tensor, "*#batch d_k n_hidden"],
    w: Float[Tensor, "*#batch n_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return w · tanh(q W_q + k W_k), a feed-forward network with one hidden layer, in blocks of queries.

    tanh(a + b) = 1 − 2 / (1 + e²ᵃ e²ᵇ) needs (n_q + n_k) · n_hidden exponentials instead of n_q · n_k · n_hidden. If
    exponents are too large or all small, the plain tanh is used. Both are exact up to rounding.
    """
    return scores_of_hidden(product(Q, W_q), product(K, W_k), w)


def scores_of_hidden(
    a: Float[Tensor, "*batch n_q n_hidden"],
    b: Float[Tensor, "*batch n_k n_hidden"],
    w: Float[Tensor, "*#batch n_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return w · tanh(a + b) for a = q W_q and b = k W_k. Overwrites both unless autograd records them."""
    w = w.expand(*a.shape[:-2], w.shape[-1])
    largest = max((2 * _largest(side) for side in (a, b)), default=0.0)
    if _LARGEST_EXPONENTS[0] <= largest <= _LARGEST_EXPONENTS[1]:
        if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad or w.requires_grad):
            return -2 * _by_blocks(_minus_half_tanh, (2 * a).exp(), (2 * b).exp(), w)
        for side in (a, b):
            checkpoint()
            side.mul_(2).exp_()
        return _by_blocks(_minus_half_tanh, a, b, w).mul_(-2)
    return _by_blocks(_tanh, a, b, w)


def _largest(numbers: Float[Tensor, "..."]) -> float:
    """Return the largest absolute value; 0 without numbers, NaN if one is NaN."""
    checkpoint()
    return max(extreme.abs().item() for extreme in numbers.aminmax()) if numbers.numel() else 0.0


def _by_blocks(
    layer: Callable[[Tensor, Tensor, Tensor | None], Tensor],
    a: Float[Tensor, "*batch n_q n_hidden"],
    b: Float[Tensor, "*batch n_k n_hidden"],
    w: Float[Tensor, "*batch n_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return w · layer(a, b) for every pair of rows, with one block of queries' hidden layer in memory at a time.

    All blocks reuse one buffer, since allocating megabytes costs more than the arithmetic. If autograd must keep every
    block, each has its own.
    """
    *batch, n_q, n_hidden = a.shape
    n_k = b.shape[-2]
    queries = min(n_q, max(1, BLOCK_FLOATS // max(1, n_k * n_hidden)))
    kept = torch.is_grad_enabled() and (a.requires_grad or b.requires_grad or w.requires_grad)
    room = None if kept else b.new_empty(queries, n_k, n_hidden)
    items = zip(a.reshape(-1, n_q, n_hidden), b.reshape(-1, n_k, n_hidden), w.reshape(-1, n_hidden), strict=True)
    if room is None:
        rows = [layer(block.unsqueeze(1), b_i, None) @ w_i for a_i, b_i, w_i in items for block in a_i.split(queries)]
        return torch.cat(rows).view(*batch, n_q, n_k)
    scores = b.new_empty(*batch, n_q, n_k)
    for scores_i, (a_i, b_i, w_i) in zip(scores.view(-1, n_q, n_k), items, strict=True):
        for part, block in zip(scores_i.split(queries), a_i.split(queries), strict=True):
            checkpoint()
            torch.mv(layer(block.unsqueeze(1), b_i, room[: len(block)]).flatten(0, 1), w_i, out=part.view(-1))
    return scores


def _minus_half_tanh(
    exp_2a: Float[Tensor, "block 1 n_hidden"],
    exp_2b: Float[Tensor, "n_k n_hidden"],
    room: Float[Tensor, "block n_k n_hidden"] | None,
) -> Float[Tensor, "block n_k n_hidden"]:
    """Return −½ tanh(a + b) = 1 / (1 + e²ᵃ e²ᵇ) − ½. Each term loses its ½ here: Σw − 2 Σw/(…) would cancel."""
    one = torch.ones((), dtype=exp_2a.dtype, device=exp_2a.device)
    return torch.sub(torch.addcmul(one, exp_2a, exp_2b, out=room).reciprocal_(), 0.5, out=room)


def _tanh(
    a: Float[Tensor, "block 1 n_hidden"],
    b: Float[Tensor, "n_k n_hidden"],
    room: Float[Tensor, "block n_k n_hidden"] | None,
) -> Float[Tensor, "block n_k n_hidden"]:
    return torch.add(a, b, out=room).tanh_()
