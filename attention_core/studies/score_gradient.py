"""The gradient of a loss at the scores, through the softmax and the values.

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
    """Draw the correct key t of every query: a permutation for each head, so that every key is correct once.

    The draw does not depend on d_k or on the mechanism, so that all of them face the same task.
    """
    return draws(seed, [f"correct_key/{head}" for head in range(h)], n, 1)[..., 0].argsort(-1)


def score_gradient(
    scores: Float[Tensor, "*batch n_q n_k"],
    gram: Float[Tensor, "*batch n_k n_k"],
    correct: Int[Tensor, "*batch n_q"],
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return dL/ds in float64, from the scores before the softmax and `gram` = V Vᵀ / d_v.

    Without scaling weights of 1e-27 are usual, and float32 ends at 1e-45: hence float64, and sums whose terms do not
    cancel. o − v_t = Σⱼ pⱼ (vⱼ − v_t) leaves the correct key out. The g of the largest weight is subtracted from all g,
    since J ignores a constant added to g.
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
    """Return |dL/ds| at each query's correct key, the one score that learning should raise."""
    return gradient.gather(-1, correct.unsqueeze(-1)).squeeze(-1).abs()


def row_medians(values: Float[Tensor, "seeds h n_q"]) -> Float[Tensor, " seeds"]:
    """Return the median over all rows of all heads. The few unsaturated rows would dominate a mean."""
    return torch.quantile(values.flatten(1), 0.5, dim=-1)
