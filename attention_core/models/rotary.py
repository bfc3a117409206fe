"""Which components of queries and keys turn together with the position, found by measuring. No family is named."""

from typing import Final

import torch
from jaxtyping import Bool, Float
from torch import Tensor

__all__ = ["rotary_pairs", "turned"]

_MOVED: Final = 1e-5
"""The least change, as a share of the largest component, that is not rounding."""
_KEPT: Final = 1e-4
"""The most by which a pair's norm may change, as a share of the largest component."""

Pairs = tuple[tuple[int, int], ...]


def turned(Q: Float[Tensor, "h n d_k"]) -> Bool[Tensor, " d_k"]:
    """Return which components differ between positions, in a text that is one token again and again."""
    largest = float(Q.abs().max()) if Q.numel() else 0.0
    return (Q - Q[:, :1]).abs().amax((0, 1)) > _MOVED * largest


def rotary_pairs(Q: Float[Tensor, "h n d_k"]) -> Pairs:
    """Return the pairs of components that a rotation by position mixes; none for queries that change otherwise.

    A text of one token repeated gives each position the same query before the rotation. A rotation then changes the
    components and leaves the norm of each pair as it is. Two layouts are tried on every even range of components that
    holds all that changed: halves (i, i + r/2), and neighbours (2i, 2i + 1). The fastest pairs decide between them,
    because with any wrong partner their norms change. What stands still (partial rotary) is in no pair.
    """
    moved = turned(Q).nonzero()[:, 0].tolist()
    if not moved:
        return ()
    first, last, d_k = moved[0], moved[-1], Q.shape[-1]
    most = _KEPT * float(Q.abs().max())
    for r in range(2, d_k - first + 1, 2):
        half = r // 2
        if first + r <= last:
            continue
        within = torch.arange(first, first + r)
        for one, other in (within.unflatten(0, (2, half)), within.unflatten(0, (half, 2)).T):
            norms = torch.hypot(Q[..., one], Q[..., other])
            if bool((norms - norms[:, :1]).abs().max() <= most):
                return tuple(zip(one.tolist(), other.tolist(), strict=True))
    return ()
