"""Multi-head attention (section 3.2.2, Figure 2 right), with every step.

head_i = Attention(X_q W_Q[i], X_kv W_K[i], X_kv W_V[i])
MultiHead(X_q, X_kv) = Concat(head_1, …, head_h) W_O
"""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.exact.attention import Attention, at_least_float32, scaled_dot_product_attention
from attention_core.exact.products import product
from attention_core.shapes import require_shapes

__all__ = ["MultiHeadAttention", "multi_head_attention"]


@dataclass(frozen=True, eq=False)
class MultiHeadAttention:
    """Every intermediate of Figure 2, heads on the axis h; `heads` holds their outputs, `output` the final one."""

    Q: Float[Tensor, "*batch h n_q d_k"]
    K: Float[Tensor, "*batch h n_k d_k"]
    V: Float[Tensor, "*batch h n_k d_v"]
    scores: Float[Tensor, "*batch h n_q n_k"]
    scaled: Float[Tensor, "*batch h n_q n_k"]
    masked: Float[Tensor, "*batch h n_q n_k"]
    weights: Float[Tensor, "*batch h n_q n_k"]
    heads: Float[Tensor, "*batch h n_q d_v"]
    concatenation: Float[Tensor, "*batch n_q h_d_v"]
    output: Float[Tensor, "*batch n_q d_out"]


def multi_head_attention(
    X_q: Float[Tensor, "*batch n_q d_model"],
    X_kv: Float[Tensor, "*batch n_k d_model_kv"],
    W_Q: Float[Tensor, "h d_model d_k"],
    W_K: Float[Tensor, "h d_model_kv d_k"],
    W_V: Float[Tensor, "h d_model_kv d_v"],
    W_O: Float[Tensor, "h_d_v d_out"],
    *,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
    attention: Callable[..., Attention] = scaled_dot_product_attention,
) -> MultiHeadAttention:
    """Compute Concat(head_1, …, head_h) W_O.

    Parameters
    ----------
    X_q, X_kv
        Activations for the queries, and for the keys and values. Self-attention is X_kv = X_q.
    W_Q, W_K, W_V, W_O
        The projections.
    mask
        True where attention is allowed. It has no axis for heads: one mask serves them all, as in the paper.
    attention
        A function of Q, K and V with the keyword `mask`, such as `dot_product_attention`.

    Returns
    -------
    MultiHeadAttention
        `output` is n_q × d_out, the heads' outputs h × n_q × d_v.

    Raises
    ------
    InvalidInput
        `shape` if the axes do not fit each other.
    """
    sizes = require_shapes(
        {},
        X_q=(X_q, "n_q d_model"),
        X_kv=(X_kv, "n_k d_model_kv"),
        W_Q=(W_Q, "h d_model d_k"),
        W_K=(W_K, "h d_model_kv d_k"),
        W_V=(W_V, "h d_model_kv d_v"),
    )
    require_shapes({"h·d_v": sizes["h"] * sizes["d_v"]}, W_O=(W_O.mT, "h·d_v"))
    X_q, X_kv, W_Q, W_K, W_V, W_O = (at_least_float32(tensor) for tensor in (X_q, X_kv, W_Q, W_K, W_V, W_O))
    Q = _projected(X_q, W_Q)  # … h n_q d_k
    K = _projected(X_kv, W_K)  # … h n_k d_k
    V = _projected(X_kv, W_V)  # … h n_k d_v
    per_head = attention(Q, K, V, mask=None if mask is None else mask.unsqueeze(-3))
    return joined(Q, K, V, per_head, W_O)


def joined(
    Q: Float[Tensor, "*batch h n_q d_k"],
    K: Float[Tensor, "*batch h n_k d_k"],
    V: Float[Tensor, "*batch h n_k d_v"],
    per_head: Attention,
    W_O: Float[Tensor, "h_d_v d_out"] | None,
) -> MultiHeadAttention:
    """Concatenate the heads and multiply them with W_O; without one, the heads side by side are the output."""
    concatenation = per_head.output.transpose(-3, -2).flatten(-2)  # … n_q (h · d_v)
    return MultiHeadAttention(
        Q=Q,
        K=K,
        V=V,
        scores=per_head.scores,
        scaled=per_head.scaled,
        masked=per_head.masked,
        weights=per_head.weights,
        heads=per_head.output,
        concatenation=concatenation,
        output=concatenation if W_O is None else product(concatenation, W_O),
    )


def _projected(
    X: Float[Tensor, "*batch n d_in"], W: Float[Tensor, "h d_in d_out"]
) -> Float[Tensor, "*batch h n d_out"]:
    """Return X W for every head."""
    return product(X.unsqueeze(-3).expand(*X.shape[:-2], len(W), *X.shape[-2:]), W)
