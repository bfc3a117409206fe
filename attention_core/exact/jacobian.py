"""The Jacobian of a row's softmax, J = diag(p) − p pᵀ: ∂pᵢ/∂sⱼ.

A cell of the diagonal is p(1 − p). Formed as p − p² it loses every digit near one-hot: where p is the largest weight,
1 − p is the sum of the other weights instead.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.softmax import masked_softmax

__all__ = ["jacobian_of_scores", "softmax_jacobian"]


def softmax_jacobian(
    weights: Float[Tensor, "*batch n_k"], beside: Float[Tensor, "*batch 1"] | None = None
) -> Float[Tensor, "*batch n_k n_k"]:
    """Return J = diag(p) − p pᵀ, the derivative of a row's weights by its scores: symmetric, its rows sum to 0.

    Each cell is as exact as the weights are: 1 − p of the largest weight is the sum of the others.

    Parameters
    ----------
    weights
        p, one row after the axes of `batch`.
    beside
        The weight that no key has but a sink. Rows and columns are of the keys alone.

    Returns
    -------
    Tensor
        n_k × n_k for each row.
    """
    checkpoint()
    at = weights.argmax(-1, keepdim=True)
    others = weights.scatter(-1, at, 0.0).sum(-1, keepdim=True)
    if beside is not None:
        others = others + beside
    matrix = torch.rsub(weights.unsqueeze(-1) * weights.unsqueeze(-2), 0)  # 0 − x, so that no cell is −0
    matrix.diagonal(dim1=-2, dim2=-1).copy_(weights * (1 - weights).scatter(-1, at, others))
    return matrix


def jacobian_of_scores(scores: Float[Tensor, "*batch n_k"]) -> Float[Tensor, "*batch n_k n_k"]:
    """Return the J of rows of scores. A score of −inf marks a key that the mask forbids.

    Everything is computed in float64 and rounded once, so a cell is within one unit in the last place of the true one
    of these scores. In float32, a cell below 1.2e-38 is rounded to a multiple of 1.4e-45, and is 0 below 7e-46.

    Parameters
    ----------
    scores
        s, one row after the axes of `batch`.

    Returns
    -------
    Tensor
        n_k × n_k for each row, in the dtype of `scores`.
    """
    held = scores.cpu() if scores.device.type == "mps" else scores  # mps has no float64
    weights = masked_softmax(held.double().unsqueeze(-2)).squeeze(-2)
    return softmax_jacobian(weights).to(scores) + 0.0  # no cell is −0
