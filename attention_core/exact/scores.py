"""Compatibility of every query with every key: the two functions of section 3.2.1, before any scaling."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.products import product

BLOCK_FLOATS = 2**20
"""Numbers of a hidden layer that exist together: n_q · n_k · n_hidden at once are gigabytes at n = 4096.

4 MiB stay in a CPU's last cache. Smaller blocks would fit its inner ones and take longer: 2¹⁶ took 1.8 × the time with
one thread and 2.7 × with two at n = 1024, n_hidden = 64, because each call's own time and the threads' meeting at its
end outweigh the cache.
"""
# Where e²ᵃ e²ᵇ serves: above 40 the product could leave float32; where a and b are all below 2 in size, the rounding of
# numbers near 1 shows beside a small tanh.
_LARGEST_EXPONENTS = (4.0, 40.0)


def dot_product_scores(
    Q: Float[Tensor, "*batch n_q d_k"], K: Float[Tensor, "*batch n_k d_k"]
) -> Float[Tensor, "*batch n_q n_k"]:
    """QKᵀ, each cell the dot product q · k of one query and one key."""
    return product(Q, K.mT)


def additive_scores(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*batch n_k d_k"],
    W_q: Float[Tensor, "*#batch d_k n_hidden"],
    W_k: Float[Tensor, "*#batch d_k n_hidden"],
    w: Float[Tensor, "*#batch n_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """w · tanh(q W_q + k W_k): a feed-forward network with one hidden layer, worked through in blocks of queries.

    tanh(a + b) = 1 − 2 / (1 + e²ᵃ e²ᵇ) needs (n_q + n_k) · n_hidden exponentials instead of n_q · n_k · n_hidden. Where
    exponents are too large or all small the plain tanh takes its place. Both are exact up to rounding.
    """
    return scores_of_hidden(product(Q, W_q), product(K, W_k), w)


def scores_of_hidden(
    a: Float[Tensor, "*batch n_q n_hidden"],
    b: Float[Tensor, "*batch n_k n_hidden"],
    w: Float[Tensor, "*#batch n_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """w · tanh(a + b) for a = q W_q and b = k W_k, which are overwritten unless autograd records them."""
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
    """The largest number in size, 0 where there is none; NaN where one is."""
    checkpoint()
    return max(extreme.abs().item() for extreme in numbers.aminmax()) if numbers.numel() else 0.0


def _by_blocks(
    layer: Callable[[Tensor, Tensor, Tensor | None], Tensor],
    a: Float[Tensor, "*batch n_q n_hidden"],
    b: Float[Tensor, "*batch n_k n_hidden"],
    w: Float[Tensor, "*batch n_hidden"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """w · layer(a, b) for every pair of rows; the hidden layer exists for one block of queries at a time.

    All blocks use the same memory, since fetching megabytes anew costs more than the arithmetic in it;
    only where autograd has to keep every block does each have its own.
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
    """−½ tanh(a + b) = 1 / (1 + e²ᵃ e²ᵇ) − ½; ½ leaves each term here, since Σw − 2 Σw/(…) would cancel."""
    one = torch.ones((), dtype=exp_2a.dtype, device=exp_2a.device)
    return torch.sub(torch.addcmul(one, exp_2a, exp_2b, out=room).reciprocal_(), 0.5, out=room)


def _tanh(
    a: Float[Tensor, "block 1 n_hidden"],
    b: Float[Tensor, "n_k n_hidden"],
    room: Float[Tensor, "block n_k n_hidden"] | None,
) -> Float[Tensor, "block n_k n_hidden"]:
    return torch.add(a, b, out=room).tanh_()
