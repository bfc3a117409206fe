"""Matrix products in parts of a few heads, so that work can stop between two parts."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint

_MULTIPLICATIONS = 2**29
"""Most multiplications of one call: 25 ms of one core at 40 billion operations a second.

Two heads of 512 tokens at d_k = 1024 take as many.
"""


def product(left: Float[Tensor, "*batch n m"], right: Float[Tensor, "*#batch m k"]) -> Float[Tensor, "*batch n k"]:
    """Return `left` @ `right`: in one call if it is small or autograd records it, else a few heads or rows at a time.

    The numbers equal those of one call, because a head's product does not depend on the heads beside it.
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
    """Put all heads on one axis, without a copy if they already are."""
    return tensor.expand(*batch, *tensor.shape[-2:]).reshape(-1, *tensor.shape[-2:])
