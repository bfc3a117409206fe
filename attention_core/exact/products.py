"""Matrix products a few heads at a time, so that none keeps a core busy for longer than work may be unstoppable."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint

_MULTIPLICATIONS = 2**29
"""Of one call: 25 ms of one core at 40 billion operations a second. Two heads of 512 tokens at d_k = 1024."""


def product(left: Float[Tensor, "*batch n m"], right: Float[Tensor, "*#batch m k"]) -> Float[Tensor, "*batch n k"]:
    """`left` @ `right`, in one call where it is small or autograd records it, else head by head and row by row.

    The numbers are those of one call: each head's product is the same, whoever is computed beside it.
    """
    checkpoint()
    if left.numel() * right.shape[-1] <= _MULTIPLICATIONS:
        return left @ right
    if torch.is_grad_enabled() and (left.requires_grad or right.requires_grad):
        return left @ right
    n, m, k = *left.shape[-2:], right.shape[-1]
    batch = left.shape[:-2]
    left, right = (_listed(tensor, batch) for tensor in (left, right))
    made = torch.empty(math.prod(batch), n, k, dtype=torch.promote_types(left.dtype, right.dtype), device=left.device)
    heads = max(1, _MULTIPLICATIONS // (n * m * k))
    rows = max(1, min(n, _MULTIPLICATIONS // (m * k)))
    for first in range(0, len(made), heads):
        for start in range(0, n, rows):
            checkpoint()
            some = slice(first, first + heads)
            part = slice(start, start + rows)
            torch.bmm(left[some, part], right[some], out=made[some, part])
    return made.view(*batch, n, k)


def _listed(tensor: Float[Tensor, "*_"], batch: torch.Size) -> Float[Tensor, "heads _ _"]:
    """All heads along one axis, without a copy where there is one axis already."""
    return tensor.expand(*batch, *tensor.shape[-2:]).reshape(-1, *tensor.shape[-2:])
