"""Measures of a model while it learns."""

from itertools import combinations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.exact.softmax import entropy
from attention_core.experiments.seed_stack import Parameters


def score_gradient(
    weights: Float[Tensor, "*#batch n_k"], weight_gradient: Float[Tensor, "*batch n_k"]
) -> Float[Tensor, "*batch n_k"]:
    """Return dL/ds = J dL/dp with J = diag(p) − p pᵀ, without forming J: dL/dsᵢ = pᵢ (gᵢ − Σⱼ pⱼ gⱼ), g = dL/dp.

    J ignores a constant added to g, so the g of the heaviest key is first subtracted from all. Near a one-hot row the
    difference is then between small numbers and keeps its digits.
    """
    top = weights.argmax(-1, keepdim=True).expand_as(weight_gradient[..., :1])
    relative = weight_gradient - weight_gradient.gather(-1, top)
    return weights * (relative - (weights * relative).sum(-1, keepdim=True))


def row_gradient(
    weights: Float[Tensor, "S N n_q n_k"],
    contributions: Float[Tensor, "S classes answers"],
    logits: Float[Tensor, "S B n_q answers"],
    values: Int[Tensor, "S B n_k"],
    target: Int[Tensor, "S B n_q"],
) -> Float[Tensor, "S B n_q n_k"]:
    """Return dL/ds of every row; L is that row's own cross-entropy."""
    residual = logits.softmax(-1)
    residual.scatter_add_(-1, target.unsqueeze(-1), -torch.ones_like(residual[..., :1]))  # dL/d logits
    by_class = residual @ contributions.mT.unsqueeze(1)  # S B n_q classes
    index = values.unsqueeze(-2).expand(*by_class.shape[:-1], values.shape[-1])
    return score_gradient(weights, by_class.gather(-1, index))


def projection_gradient_norm(parameters: Parameters) -> Float[Tensor, " S"]:
    """Return ‖(dL/dW_Q, dL/dW_K)‖ of each seed, both as one vector; L is the seed's mean loss over the batch."""
    squares = [
        gradient.square().sum((-2, -1))
        for gradient in (parameters[name].grad for name in ("W_Q", "W_K"))
        if gradient is not None
    ]
    return torch.stack(squares).sum(0).sqrt()


def divergence(weights: Float[Tensor, "*batch h n_k"]) -> Float[Tensor, "*batch"]:
    """Return the Jensen–Shannon divergence in bits, H((p + p′)/2) − (H(p) + H(p′))/2, averaged over pairs of heads.

    It is 0 if all heads are equal, 1 if no two share a key, and NaN for a single head.
    """
    h = weights.shape[-2]
    if h == 1:
        return weights.new_full(weights.shape[:-2], torch.nan)
    own = entropy(weights)  # … h, nats
    found = [
        entropy((weights[..., i, :] + weights[..., j, :]) / 2) - (own[..., i] + own[..., j]) / 2
        for i, j in combinations(range(h), 2)
    ]
    return torch.stack(found).mean(0).clamp_min(0) / torch.log(torch.tensor(2.0))


def mass_on(weights: Float[Tensor, "*batch h n_k"], named: Int[Tensor, "*batch m"]) -> Float[Tensor, "*batch h m"]:
    """Return the weight of each head on each named position."""
    h = weights.shape[-2]
    return weights.gather(-1, named.unsqueeze(-2).expand(*named.shape[:-1], h, named.shape[-1]))


def mean_maps(
    weights: Float[Tensor, "S B h n_k"], named: Int[Tensor, "S B m"], positions: int
) -> Float[Tensor, "S h m positions n_k"]:
    """Return each head's maps. Row p of map r: the mean weights if the r-th name is position p; NaN if it never is."""
    chosen = torch.nn.functional.one_hot(named, positions).to(weights.dtype)  # S B m positions
    sums = torch.einsum("sbmp,sbhk->shmpk", chosen, weights)
    return sums / chosen.sum(1)[:, None, :, :, None]
