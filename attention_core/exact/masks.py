"""Boolean masks, True where a query may attend to a key.

When n_q ≠ n_k the last query stands at the last key, as in decoding with earlier keys kept: query i is at position
i + n_k − n_q. (torch's `is_causal` aligns the first query with the first key instead.)
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def causal(n_q: int, n_k: int) -> Bool[Tensor, "n_q n_k"]:
    """No query sees a key after its own position (section 3.2.3); with n_q > n_k the first queries see none."""
    return _offsets(n_q, n_k) <= 0


def window(n_q: int, n_k: int, width: int) -> Bool[Tensor, "n_q n_k"]:
    """Keys at most `width` positions before or after the query: 2 · width + 1 keys away from the ends."""
    return _offsets(n_q, n_k).abs() <= width


def padding(lengths: Int[Tensor, "*batch"], n_k: int) -> Bool[Tensor, "*batch 1 n_k"]:
    """The first `lengths` keys of each sequence in a batch; the rest is padding. The axis of size 1 is the queries'."""
    return torch.arange(n_k, device=lengths.device) < lengths[..., None, None]


def combine(*masks: Bool[Tensor, "..."] | None) -> Bool[Tensor, "..."] | None:
    """Allowed where every mask allows it; None allows everything."""
    combined = None
    for mask in masks:
        if mask is not None:
            combined = mask if combined is None else combined & mask
    return combined


def _offsets(n_q: int, n_k: int) -> Int[Tensor, "n_q n_k"]:
    """Position of the key minus position of the query."""
    return torch.arange(n_k) - (torch.arange(n_q).unsqueeze(-1) + n_k - n_q)
