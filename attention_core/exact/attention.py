"""Scaled dot-product, dot-product and additive attention (section 3.2.1), with every step of Figure 2 (left).

    MatMul    scores  = QKᵀ  (or w · tanh(q W_q + k W_k))
    Scale     scaled  = scores · scale
    Mask      masked  = scaled, −inf where attention is not allowed
    SoftMax   weights = softmax over the keys; zeros in a row without an allowed key
    MatMul    output  = weights V

Half-precision tensors are multiplied in float32, and no result is rounded to half precision again.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.products import product
from attention_core.exact.scores import additive_scores, dot_product_scores
from attention_core.exact.softmax import Normalise, softmax
from attention_core.shapes import require_shapes, shape_error
from attention_core.treatments import Curve

__all__ = ["Attention", "additive_attention", "dot_product_attention", "scaled_dot_product_attention"]


@dataclass(frozen=True, eq=False)
class Attention:
    """Every intermediate of one attention function."""

    scores: Float[Tensor, "*batch n_q n_k"]
    scaled: Float[Tensor, "*batch n_q n_k"]
    masked: Float[Tensor, "*batch n_q n_k"]
    weights: Float[Tensor, "*batch n_q n_k"]
    output: Float[Tensor, "*batch n_q d_v"]


def scaled_dot_product_attention(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*batch n_k d_k"],
    V: Float[Tensor, "*batch n_k d_v"],
    *,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: float | None = None,
) -> Attention:
    """Compute softmax(QKᵀ / √d_k) V, equation 1.

    Parameters
    ----------
    Q, K, V
        Queries, keys and values.
    mask
        True where attention is allowed; None allows everything.
    scale
        Factor of the scores; 1/√d_k if None.

    Returns
    -------
    Attention
        Scores and weights are n_q × n_k, the output is n_q × d_v, after the axes of `batch`.

    Raises
    ------
    InvalidInput
        `shape` if the axes do not fit each other.
    """
    sizes = require_shapes({}, Q=(Q, "n_q d_k"), K=(K, "n_k d_k"), V=(V, "n_k d_v"))
    Q, K, V = (at_least_float32(tensor) for tensor in (Q, K, V))
    return attend(dot_product_scores(Q, K), V, mask, 1 / sqrt(sizes["d_k"]) if scale is None else scale)


def dot_product_attention(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*batch n_k d_k"],
    V: Float[Tensor, "*batch n_k d_v"],
    *,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
) -> Attention:
    """Compute softmax(QKᵀ) V, the multiplicative attention of section 3.2.1 without the factor 1/√d_k.

    Parameters
    ----------
    Q, K, V
        Queries, keys and values.
    mask
        True where attention is allowed; None allows everything.

    Returns
    -------
    Attention
        As from `scaled_dot_product_attention`; `scaled` equals `scores`.

    Raises
    ------
    InvalidInput
        `shape` if the axes do not fit each other.
    """
    return scaled_dot_product_attention(Q, K, V, mask=mask, scale=1.0)


def additive_attention(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*batch n_k d_k"],
    V: Float[Tensor, "*batch n_k d_v"],
    W_q: Float[Tensor, "*#batch d_k hidden"],
    W_k: Float[Tensor, "*#batch d_k hidden"],
    w: Float[Tensor, "*#batch hidden"],
    *,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None = None,
) -> Attention:
    """Compute softmax(w · tanh(q W_q + k W_k)) V: compatibility by a network with one hidden layer (section 3.2.1).

    There is no scaling: `scaled` is `scores`.

    Parameters
    ----------
    Q, K, V
        Queries, keys and values.
    W_q, W_k, w
        Parameters of the hidden layer.
    mask
        True where attention is allowed; None allows everything.

    Returns
    -------
    Attention
        Scores and weights are n_q × n_k, the output is n_q × d_v, after the axes of `batch`.

    Raises
    ------
    InvalidInput
        `shape` if the axes do not fit each other.
    """
    require_shapes(
        {},
        Q=(Q, "n_q d_k"),
        K=(K, "n_k d_k"),
        V=(V, "n_k d_v"),
        W_q=(W_q, "d_k hidden"),
        W_k=(W_k, "d_k hidden"),
        w=(w, "hidden"),
    )
    Q, K, V, W_q, W_k, w = (at_least_float32(tensor) for tensor in (Q, K, V, W_q, W_k, w))
    return attend(additive_scores(Q, K, W_q, W_k, w), V, mask, 1.0)


def attend(
    scores: Float[Tensor, "*batch n_q n_k"],
    V: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None,
    scale: float,
    normalise: Normalise = softmax,
    curve: Curve | None = None,
) -> Attention:
    """Scale, treat, mask and normalise the scores and multiply them with V, as every mechanism does."""
    scaled, masked, weights = weigh(scores, mask, scale, normalise, curve)
    return Attention(scores=scores, scaled=scaled, masked=masked, weights=weights, output=product(weights, V))


def weigh(
    scores: Float[Tensor, "*batch n_q n_k"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None,
    scale: float,
    normalise: Normalise = softmax,
    curve: Curve | None = None,
) -> tuple[Float[Tensor, "*batch n_q n_k"], Float[Tensor, "*batch n_q n_k"], Float[Tensor, "*batch n_q n_k"]]:
    """Return (scaled, masked, weights); `curve` acts between the first two. A step that does nothing copies nothing."""
    checkpoint()
    scaled = scores if scale == 1.0 else scores * scale
    checkpoint()
    treated = scaled if curve is None else curve.value(scaled)
    if mask is None:
        return scaled, treated, normalise(treated, None)
    _require_mask(mask, scores)
    # Adding 0 or −inf is exact and broadcasts over heads. On a CPU, filling by a boolean takes several times as long.
    masked = treated + treated.new_zeros(mask.shape).masked_fill(~mask, -torch.inf)
    checkpoint()
    return scaled, masked, normalise(masked, mask)


def at_least_float32(tensor: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Widen half precision, so that products accumulate in float32; return float32 and float64 unchanged."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _require_mask(mask: Tensor, scores: Tensor) -> None:
    try:
        mask.expand(scores.shape)  # torch.broadcast_shapes would first load sympy, which takes a third of a second
    except RuntimeError:
        sizes = " × ".join(map(str, scores.shape))
        raise shape_error("mask", f"broadcastable to the scores, {sizes}", tuple(mask.shape)) from None
