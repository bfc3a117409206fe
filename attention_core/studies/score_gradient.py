"""The gradient of a loss at the scores: what learning would do to them, seen through the softmax and the values.

The loss asks every query i to fetch the value of one key t(i), its correct key:

    L_i = ½ ‖o_i − v_t(i)‖² / d_v,   o_i = Σⱼ p_ij v_j

so that dL_i/ds_i = J_i g_i with J = diag(p) − p pᵀ and g_ij = v_j · (o_i − v_t(i)) / d_v. A loss at the weights, such
as −ln p at the correct key, would not show saturation: its gradient p − onehot does not vanish where J does.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.inputs.random_streams import draws


def correct_keys(seed: int, h: int, n: int) -> Int[Tensor, "h n"]:
    """t: for every query of every head a key, drawn from the seed as a permutation, so that every key is wanted once.

    The draw knows nothing of d_k or of the mechanism: they are all asked the same question.
    """
    return draws(seed, [f"correct_key/{head}" for head in range(h)], n, 1)[..., 0].argsort(-1)


def score_gradient(
    scores: Float[Tensor, "*batch n_q n_k"],
    gram: Float[Tensor, "*batch n_k n_k"],
    correct: Int[Tensor, "*batch n_q"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """dL/ds in float64, from the scores that the softmax receives and `gram` = V Vᵀ / d_v.

    Weights of 1e-27 are usual where scores are not scaled, and float32 ends at 1e-45: hence float64, and sums whose
    terms do not cancel. o − v_t = Σⱼ pⱼ (vⱼ − v_t) leaves the correct key out, and g counts from its value at the
    largest weight, since J forgets a constant added to g.
    """
    weights, gram = scores.double().softmax(-1), gram.double()
    others = weights.scatter(-1, correct.unsqueeze(-1), 0.0)
    wanted = gram.gather(-2, correct.unsqueeze(-1).expand(*correct.shape, gram.shape[-1]))  # rows t(i) of V Vᵀ / d_v
    checkpoint()
    g = others @ gram - others.sum(-1, keepdim=True) * wanted
    checkpoint()
    g = g - g.gather(-1, weights.argmax(-1, keepdim=True))
    return weights * (g - (weights * g).sum(-1, keepdim=True))


def at_correct_key(
    gradient: Float[Tensor, "*batch n_q n_k"], correct: Int[Tensor, "*batch n_q"]
) -> Float[Tensor, "*batch n_q"]:
    """|dL/ds| at each query's correct key: how strongly learning pulls on the one score that should rise."""
    return gradient.gather(-1, correct.unsqueeze(-1)).squeeze(-1).abs()


def row_medians(values: Float[Tensor, "seeds h n_q"]) -> Float[Tensor, " seeds"]:
    """The median over all rows of all heads. A mean would report the few rows that are not saturated."""
    return torch.quantile(values.flatten(1), 0.5, dim=-1)
