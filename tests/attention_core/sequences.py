"""Queries, keys and their float64 truth, for tests of streaming code."""

import torch
from torch import Tensor

from attention_core.exact import softmax


def drawn(batch=(2, 6), n_q=37, n_k=53, d_k=11, groups=3, seed=0, dtype=torch.float32) -> tuple[Tensor, Tensor]:
    """Return Q, and K with `groups` times fewer heads."""
    generator = torch.Generator().manual_seed(seed)
    fewer = (*batch[:-1], batch[-1] // groups) if batch else ()
    Q = torch.randn(*batch, n_q, d_k, generator=generator)
    K = torch.randn(*fewer, n_k, d_k, generator=generator)
    return Q.to(dtype), K.to(dtype)


def per_head(Q: Tensor, K: Tensor) -> Tensor:
    """Return K with as many heads as Q."""
    return K if Q.dim() == 2 else K.repeat_interleave(Q.shape[-3] // K.shape[-3], -3)


def scores_of(Q: Tensor, K: Tensor, scale: float) -> Tensor:
    """Return the scores in the precision of Q and K."""
    return Q @ per_head(Q, K).mT * scale


def statistics_of(scores: Tensor, mask: Tensor | None) -> dict[str, Tensor]:
    """Return all statistics from the whole matrix, in its precision."""
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    masked = scores.masked_fill(~allowed, -torch.inf)
    weights = softmax.masked_softmax(masked)
    square, cube = (weights.double().pow(exponent).sum(-1) for exponent in (2, 3))
    cells = [head[head_allowed] for head, head_allowed in zip(_heads(scores), _heads(allowed), strict=True)]
    return {
        "logsumexp": masked.logsumexp(-1),
        "entropy": softmax.entropy(weights),
        "sum_of_squares": weights.square().sum(-1),
        "jacobian_norm": (square - 2 * cube + square**2).clamp_min(0).sqrt().to(weights.dtype),
        "jacobian_trace": (weights.double().sum(-1) - square).to(weights.dtype),
        "largest_weight": weights.amax(-1),
        "score_mean": torch.stack([head.mean() for head in cells]).view(scores.shape[:-2]),
        "score_variance": torch.stack([head.var(unbiased=False) for head in cells]).view(scores.shape[:-2]),
    }


def _heads(tensor: Tensor) -> Tensor:
    return tensor.reshape(-1, *tensor.shape[-2:])
