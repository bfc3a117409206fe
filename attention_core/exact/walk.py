"""Figure 2 one step at a time: every tensor between the activations that enter a layer and those that leave it.

    input          aⁱ, a row of X: an embedding, or the layer before's output ("input or hidden layer")
    queries …      qⁱ = aⁱ W_Q, kⁱ = aⁱ W_K, vⁱ = aⁱ W_V for each head
    terms          qⁱ ∘ kʲ, whose sum is the score qⁱ · kʲ; additive: qⁱ W_q + kʲ W_k, its tanh, and w ∘ tanh
    scaled         times the config's factor
    masked         −inf where the mask forbids
    shifted        less the row's maximum, so that no exponential overflows; the weights are the same
    exponentials   and their sum; weights = exponentials / sum
    weighted       α′ᵢⱼ vʲ, whose sum over j is bⁱ of one head
    concatenation  of all heads' bⁱ; times W_O it is bⁱ, the layer's output

The layers are `multi_head_attention` itself; what it does not keep is worked out here from what it keeps.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.config import AttentionConfig
from attention_core.exact import mask_choices
from attention_core.exact.attention import Attention, additive_attention, scaled_dot_product_attention
from attention_core.exact.multi_head import MultiHeadAttention, joined, multi_head_attention
from attention_core.inputs import sources
from attention_core.validation import whole_number


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of self-attention with its parameters and everything it computed.

    X and its projections are None where the config draws Q, K and V themselves. W_q, W_k and w are the hidden layer of
    additive attention, None for dot products.
    """

    config: AttentionConfig
    number: int
    X: Float[Tensor, "n d_model"] | None
    W_Q: Float[Tensor, "h d_model d_k"] | None
    W_K: Float[Tensor, "h d_model d_k"] | None
    W_V: Float[Tensor, "h d_model d_v"] | None
    W_O: Float[Tensor, "h_d_v d_model"]
    W_q: Float[Tensor, "h d_k hidden"] | None
    W_k: Float[Tensor, "h d_k hidden"] | None
    w: Float[Tensor, "h hidden"] | None
    attention: MultiHeadAttention

    @property
    def output(self) -> Float[Tensor, "n d_model"]:
        """What leaves the layer, and enters the next as its X."""
        return self.attention.output


@dataclass(frozen=True, eq=False)
class Walk:
    """One query of one head, worked through; `hidden_q` to `terms` are the way from its query to its scores.

    With dot products `terms` are the products q ∘ kʲ and `hidden_q` to `tanh` are None; with additive attention they
    are w ∘ tanh(…). Either way each row of `terms` adds up to one score.
    """

    row: int
    head: int
    hidden_q: Float[Tensor, "n hidden"] | None
    hidden_k: Float[Tensor, "n hidden"] | None
    hidden: Float[Tensor, "n hidden"] | None
    tanh: Float[Tensor, "n hidden"] | None
    terms: Float[Tensor, "n width"]
    maximum: Float[Tensor, "n 1"]
    shifted: Float[Tensor, "n n"]
    exponentials: Float[Tensor, "n n"]
    sums: Float[Tensor, "n 1"]
    weighted: Float[Tensor, "n d_v"]


def layers(config: AttentionConfig, count: int) -> tuple[Layer, ...]:
    """`count` layers on top of each other, each fed with the output of the one below, parameters drawn for each.

    The first layer's numbers are those of `compute(config)`. There is no residual connection and no normalisation, so
    that every number follows from section 3.2 alone. Raises `InvalidInput`: `inputs_missing` for a source whose tensors
    come from outside, `out_of_range` for a count below 1.
    """
    return tuple(_upwards(config, count))


def top_layer(config: AttentionConfig, count: int) -> Layer:
    """The last of `layers`, without keeping the parameters of those below it."""
    (layer,) = deque(_upwards(config, count), maxlen=1)
    return layer


def _upwards(config: AttentionConfig, count: int) -> Iterator[Layer]:
    X = sources.activations(config)
    for number in range(1, whole_number("layer", count, 1) + 1):
        checkpoint()
        layer = _layer(config, X, number)
        X = layer.output
        yield layer
        del layer


def walk(layer: Layer, row: int, head: int = 1) -> Walk:
    """The query `row` (from 0) of head `head` (from 1). Raises `InvalidInput` (`out_of_range`) where there is none."""
    attention = layer.attention
    h, n = attention.Q.shape[:2]
    row, head = whole_number("row", row, 0, n - 1), whole_number("head", head, 1, h)
    Q, K, V = (tensor[head - 1] for tensor in (attention.Q, attention.K, attention.V))
    hidden_q = hidden_k = hidden = tanh = None
    if layer.W_q is None or layer.W_k is None or layer.w is None:
        terms = Q[row] * K
    else:
        hidden_q, hidden_k = Q @ layer.W_q[head - 1], K @ layer.W_k[head - 1]
        hidden = hidden_q[row] + hidden_k
        tanh = hidden.tanh()
        terms = layer.w[head - 1] * tanh
    masked = attention.masked[head - 1]
    maximum = masked.amax(-1, keepdim=True)
    # A row without any key has no maximum to subtract: its exponentials are exp(−inf) = 0 as they stand.
    shifted = masked - maximum.masked_fill(maximum == -torch.inf, 0.0)
    checkpoint()
    exponentials = shifted.exp()
    return Walk(
        row=row,
        head=head,
        hidden_q=hidden_q,
        hidden_k=hidden_k,
        hidden=hidden,
        tanh=tanh,
        terms=terms,
        maximum=maximum,
        shifted=shifted,
        exponentials=exponentials,
        sums=exponentials.sum(-1, keepdim=True),
        weighted=attention.weights[head - 1, row].unsqueeze(-1) * V,
    )


def _layer(config: AttentionConfig, X: Float[Tensor, "n d_model"] | None, number: int) -> Layer:
    W_O = sources.output_projection(config, config.h * config.d_k, number)
    W_q = W_k = w = None
    attention: Callable[..., Attention] = partial(scaled_dot_product_attention, scale=config.factor)
    if config.mechanism == "additive":
        W_q, W_k, w = sources.additive_parameters(config, number)
        attention = partial(additive_attention, W_q=W_q, W_k=W_k, w=w)
    mask = mask_choices.dense(config, config.n, config.n)
    if X is None:
        W_Q = W_K = W_V = None
        Q, K, V = (sources.per_head(config, None, name) for name in "QKV")
        done = joined(Q, K, V, attention(Q, K, V, mask=mask), W_O)
    else:
        W_Q, W_K, W_V = (sources.projection(config, name, number) for name in ("W_Q", "W_K", "W_V"))
        done = multi_head_attention(X, X, W_Q, W_K, W_V, W_O, mask=mask, attention=attention)
    return Layer(config, number, X, W_Q, W_K, W_V, W_O, W_q, W_k, w, done)
