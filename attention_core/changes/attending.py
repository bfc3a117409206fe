"""Attention with changes, for a model whose attention is computed here."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.changes.layer_changes import LayerChanges
from attention_core.exact.softmax import masked_softmax

__all__ = ["ChangedAttention", "attend"]


@dataclass(frozen=True, eq=False)
class ChangedAttention:
    """One layer with its changes: masked scores, −∞ where a query may not read, weights, and the heads' outputs.

    sink, sink_score  what a sink beside the keys takes of each row, and its score; None without one
    """

    masked: Float[Tensor, "*batch h n_q n_k"]
    weights: Float[Tensor, "*batch h n_q n_k"]
    output: Float[Tensor, "*batch h n_q d_v"]
    sink: Float[Tensor, "*batch h n_q"] | None
    sink_score: Float[Tensor, "*batch h n_q"] | None


def attend(
    changes: LayerChanges,
    Q: Float[Tensor, "*batch h n_q d_k"],
    K: Float[Tensor, "*batch h n_k d_k"],
    V: Float[Tensor, "*batch h n_k d_v"],
    scale: float,
    allowed: Bool[Tensor, "n_q n_k"],
) -> ChangedAttention:
    """Return softmax(QKᵀ · scale + mask) V of a layer of self-attention as its changes have it."""
    factors = changes.handed(K.shape[-2])
    asking = Q if factors is None else Q * factors.to(Q)[:, None, None]
    scores = asking @ K.mT * scale
    if changes.rebuilds:
        scores = changes.scores(Q, K, scale, _same, scores)
    may = changes.allowed(allowed.expand(scores.shape), lined=True)
    masked = scores.masked_fill(~may, -torch.inf)
    weights = changes.weights(masked, masked_softmax(masked), may)
    sunk = changes.beside(weights, None, None)
    return ChangedAttention(masked, weights, changes.output(weights @ V), sunk.get("sink"), sunk.get("sink_score"))


def _same(scores: Tensor) -> Tensor:
    return scores
