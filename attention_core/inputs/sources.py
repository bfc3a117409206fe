"""Queries, keys, values and parameters drawn from a config's seed.

gaussian    components of q, k and v independent N(0, 1), of which footnote 4 needs mean and variance; d_v = d_k.
structured  the same, with a repeated phrase, a sliding topic and a sink planted in q and k (`planted`).
text        X holds one random N(0, 1) embedding for each token, the same for equal tokens (no language model: nothing
            was learned), plus sinusoids when `positions` is on; Q = X W_Q and so on with entries N(0, 1/d_model), so
            that the components of q and k have variance about 1 again.

Every draw has the head in its name, so that more heads, components or tokens keep earlier numbers if possible.
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.config import AttentionConfig
from attention_core.errors import InvalidInput
from attention_core.inputs.random_streams import draw, draws
from attention_core.inputs.structured import planted
from attention_core.inputs.tensors import AttentionInputs
from attention_core.text import tokens

__all__ = ["draw_inputs", "embeddings", "per_head"]


def draw_inputs(config: AttentionConfig) -> AttentionInputs:
    """Draw Q, K, V and W_O from the config's seed; for a text, also X with W_Q, W_K and W_V.

    Parameters
    ----------
    config
        The experiment: its seed, shapes and source.

    Returns
    -------
    AttentionInputs
        Tensors for each head, in float32 on the CPU.

    Raises
    ------
    InvalidInput
        `inputs_missing` for a source that needs tensors from outside.
    """
    X = activations(config)
    W_Q, W_K, W_V = (None if X is None else projection(config, name) for name in ("W_Q", "W_K", "W_V"))
    Q, K, V = (per_head(config, X, name) for name in "QKV")
    return AttentionInputs(Q, K, V, labels(config), X, W_Q, W_K, W_V, output_projection(config, config.h * config.d_k))


def labels(config: AttentionConfig) -> tuple[str, ...] | None:
    """Return the tokens of a text; None if the source has no words."""
    return tokens(config.text, config.split) if config.source == "text" else None


def activations(config: AttentionConfig) -> Float[Tensor, "n d_model"] | None:
    """Return X, the embeddings of the text's tokens; None for gaussian and structured sources, which have no X."""
    if config.source in ("gaussian", "structured"):
        return None
    if config.source != "text":
        raise InvalidInput(
            "inputs_missing",
            f"source {config.source!r} needs inputs=AttentionInputs(…): its Q, K and V come from outside.",
            field="source",
            value=config.source,
        )
    return embeddings(config, tokens(config.text, config.split))


def embeddings(config: AttentionConfig, sequence: Sequence[str]) -> Float[Tensor, "n d_model"]:
    """Return one N(0, 1) embedding per token, equal for equal tokens, plus sinusoids if `positions` is on."""
    index = {token: i for i, token in enumerate(dict.fromkeys(sequence))}
    embeddings = draws(config.seed, [f"token/{token}" for token in index], 1, config.d_model)[:, 0]
    X = embeddings[[index[token] for token in sequence]]
    return X + sinusoids(len(sequence), config.d_model) if config.positions else X


def per_head(config: AttentionConfig, X: Float[Tensor, "n d_model"] | None, name: str) -> Float[Tensor, "h n d_k"]:
    """Return Q, K or V (`name`) of every head: projected from X, or drawn if X is None.

    Gaussian numbers are drawn component by component, so that a larger d_k keeps the components of a smaller one and
    only d_k changes. Projections are made head by head, since W_Q of all heads is up to 16 times as large.
    """
    if X is None:
        noise = draws(config.seed, [f"{name}/{head}" for head in range(config.h)], config.d_k, config.n).mT
        return planted(config, noise, name) if config.source == "structured" else noise
    projected = X.new_empty(config.h, len(X), config.d_k)
    for head, there in enumerate(projected):
        checkpoint()
        torch.mm(X, head_projection(config, f"W_{name}", head), out=there)
    return projected


def projection(config: AttentionConfig, name: str, layer: int = 1) -> Float[Tensor, "h d_model d_k"]:
    """Return W_Q, W_K or W_V (`name`) of all heads; every layer has its own."""
    projections = torch.empty(config.h, config.d_model, config.d_k)
    for head, there in enumerate(projections):
        there.copy_(head_projection(config, _of(layer, name), head))
    return projections


def head_projection(config: AttentionConfig, name: str, head: int) -> Float[Tensor, "d_model d_k"]:
    """Return one head's W_Q, W_K or W_V, entries N(0, 1/d_model)."""
    return draw(config.seed, f"{name}/{head}", config.d_model, config.d_k).div_(math.sqrt(config.d_model))


def output_projection(config: AttentionConfig, width: int, layer: int = 1) -> Float[Tensor, "h_d_v d_model"]:
    """Return W_O for concatenated heads of h · d_v = `width` components, entries N(0, 1/width)."""
    return draw(config.seed, _of(layer, "W_O"), width, config.d_model).div_(math.sqrt(width))


def additive_parameters(
    config: AttentionConfig, layer: int = 1
) -> tuple[Float[Tensor, "h d_k d_k"], Float[Tensor, "h d_k d_k"], Float[Tensor, "h d_k"]]:
    """Return (W_q, W_k, w) of every head's hidden layer of d_k units, entries N(0, 1/d_k)."""
    W_q, W_k, w = (additive_parameter(config, name, range(config.h), layer) for name in ("W_q", "W_k", "w"))
    return W_q, W_k, w[:, 0]


def additive_parameter(
    config: AttentionConfig, name: str, heads: Sequence[int], layer: int = 1
) -> Float[Tensor, "h d_in d_k"]:
    """Return W_q, W_k or w (`name`; w has d_in = 1) of some heads, counted from 0."""
    rows = 1 if name == "w" else config.d_k
    names = [_of(layer, f"{name}/{head}") for head in heads]
    return draws(config.seed, names, rows, config.d_k).div_(math.sqrt(config.d_k))


def rounded(config: AttentionConfig, tensor: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Round `tensor` to the config's precision, held in float32 so that products accumulate there."""
    return tensor.to(getattr(torch, config.dtype)).float()


def sinusoids(n: int, d_model: int) -> Float[Tensor, "n d_model"]:
    """Return PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i + 1) = cos of the same angle (section 3.5)."""
    frequencies = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(n, dtype=torch.float64).unsqueeze(-1) * frequencies
    found = torch.empty(n, d_model)
    found[:, 0::2] = angles.sin()
    found[:, 1::2] = angles[:, : d_model // 2].cos()
    return found


def _of(layer: int, name: str) -> str:
    """Return the name of a draw in a layer; the first layer uses plain names."""
    return name if layer == 1 else f"layer {layer}/{name}"
