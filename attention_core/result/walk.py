"""Figure 2 one step at a time: every tensor from a layer's input to its output.

    input          aⁱ, a row of X: an embedding, or the output of the layer below ("input or hidden layer")
    queries …      qⁱ = aⁱ W_Q, kⁱ = aⁱ W_K, vⁱ = aⁱ W_V for each head
    normed_q …     with `qk_norm`: Σ (qⁱ)² / d_k, its root, and q̂ⁱ = qⁱ / root; so too k̂ⁱ. Below, q and k are these
    terms          qⁱ ∘ kʲ, whose sum is the score qⁱ · kʲ; additive: qⁱ W_q + kʲ W_k, its tanh, and w ∘ tanh
    scaled         times the config's factor
    capped         c · tanh(s/c), if the config has a softcap
    masked         −inf where the mask forbids
    weighing       from the masked scores to the weights. softmax: less the row's maximum, so that no exponential
                   overflows; exponentials and their sum; weights = exponentials / sum. A sink's exponential joins
                   maximum and sum. sigmoid: less ln n, then σ. entmax: half, less τ, squared
    weighted       α′ᵢⱼ vʲ, whose sum over j is bⁱ of one head
    concatenation  of all heads' bⁱ; times W_O it is bⁱ, the layer's output

The layers are `multi_head_attention` itself. Steps that it does not keep are computed here from those it keeps.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import mechanisms, normalisations, treatments
from attention_core.cancellation import checkpoint
from attention_core.config import AttentionConfig, having
from attention_core.errors import InvalidInput
from attention_core.exact import mask_choices
from attention_core.exact.attention import Attention, attend
from attention_core.exact.multi_head import MultiHeadAttention, joined, multi_head_attention
from attention_core.exact.rms_norm import mean_squares, rms_norm
from attention_core.inputs import sources
from attention_core.inputs.tensors import AttentionInputs
from attention_core.mechanisms import Walked
from attention_core.mechanisms.mechanism import Parameters
from attention_core.normalisations import WalkedWeights
from attention_core.result.compute import adopted, require_finite
from attention_core.validation import whole_number

__all__ = ["Layer", "Walk", "brought_layer", "layers", "top_layer", "walk", "walked", "weighing_of"]

_PURPOSE: Final = "to be walked through"


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of self-attention with its parameters and every intermediate tensor.

    X and its projections are None if the config draws Q, K and V themselves, or a trained model brings them; so is W_O
    if a model gives none: the output is then the heads side by side. `parameters` are the mechanism's own: W_q, W_k and
    w of additive attention's hidden layer, none for dot products.
    """

    config: AttentionConfig
    number: int
    X: Float[Tensor, "n d_model"] | None
    W_Q: Float[Tensor, "h d_model d_k"] | None
    W_K: Float[Tensor, "h d_model d_k"] | None
    W_V: Float[Tensor, "h d_model d_v"] | None
    W_O: Float[Tensor, "h_d_v d_model"] | None
    parameters: Parameters
    attention: MultiHeadAttention

    @property
    def output(self) -> Float[Tensor, "n width"]:
        """The output of the layer; a drawn one is the X of the next."""
        return self.attention.output


@dataclass(frozen=True, eq=False)
class Walk:
    """Every step of one query of one head; `own` are the mechanism's tensors from the query to its scores.

    For dot products they are `terms` alone, the products q ∘ kʲ. For additive attention they are `hidden_q` to `tanh`,
    and `terms` are w ∘ tanh(…). Each row of `terms` adds up to one score.

    `normed` is empty without `qk_norm`. With it, it holds for queries and keys (`_q`, `_k`): `squares`, each vector's
    mean of squares; `root`, the root of that; and `normed`, the vector divided by it, which the mechanism compares.

    `capped` are the scores that a treatment has bent, None if none acts. `weighing` are the normalisation's tensors
    from the masked scores to the weights, by name; for a softmax `maximum`, `shifted`, `exponentials` and `sums`.
    """

    config: AttentionConfig
    row: int
    head: int
    normed: Mapping[str, Float[Tensor, "n _"]]
    own: Mapping[str, Float[Tensor, "n width"]]
    capped: Float[Tensor, "n n"] | None
    weighing: Mapping[str, Float[Tensor, "n _"]]
    weighted: Float[Tensor, "n d_v"]

    @property
    def terms(self) -> Float[Tensor, "n width"]:
        """The terms of the scores, one row for each key."""
        return self.own["terms"]

    @property
    def maximum(self) -> Float[Tensor, "n 1"]:
        """The largest score of each row, or a sink's that is larger. Raises as the next three if there is none."""
        return self._of_exponentials("maximum")

    @property
    def shifted(self) -> Float[Tensor, "n n"]:
        """The masked scores less `maximum`."""
        return self._of_exponentials("shifted")

    @property
    def exponentials(self) -> Float[Tensor, "n n"]:
        """The exponential of each of them."""
        return self._of_exponentials("exponentials")

    @property
    def sums(self) -> Float[Tensor, "n 1"]:
        """The sum of each row's exponentials, a sink's included."""
        return self._of_exponentials("sums")

    def _of_exponentials(self, name: str) -> Tensor:
        """Raises `InvalidInput` (`unknown_choice`) for weights that are no exponentials over their sum."""
        normalisations.part(
            self.config, lambda one: one.walk if one.walk and name in one.walk.formulas else None, f"to have `{name}`"
        )
        return self.weighing[name]


def layers(config: AttentionConfig, count: int) -> tuple[Layer, ...]:
    """Compute `count` layers, each on the output of the one below and with its own parameters.

    The first layer's numbers are those of `compute(config)`. There is no residual connection and no normalisation, so
    that every number follows from section 3.2 alone.

    Parameters
    ----------
    config
        The experiment.
    count
        Number of layers.

    Returns
    -------
    tuple of Layer
        The layers from the lowest to the top.

    Raises
    ------
    InvalidInput
        `inputs_missing` for a source whose tensors come from outside; `out_of_range` for a count below 1.
    """
    return tuple(_upwards(config, count))


def top_layer(config: AttentionConfig, count: int) -> Layer:
    """Return the last of `layers`, without keeping the layers below it.

    Parameters
    ----------
    config, count
        As in `layers`.

    Returns
    -------
    Layer
        The layer with the number `count`.

    Raises
    ------
    InvalidInput
        As `layers`.
    """
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


def brought_layer(config: AttentionConfig, inputs: AttentionInputs) -> Layer:
    """Return the layer whose Q, K and V are `inputs`; its numbers are those of `compute(config, inputs)`.

    Parameters
    ----------
    config
        The experiment; it adopts sizes, factor, mask, softcap and sink of `inputs` (`adopted`).
    inputs
        Q, K and V of one layer of self-attention.

    Returns
    -------
    Layer
        The layer with the number `config.layer`, without X; its W_O is that of `inputs`.

    Raises
    ------
    InvalidInput
        `not_self_attention` if there is not one key for each query; `learned_mask_twice`; `overflow`.
    """
    n, n_k = inputs.Q.shape[1], inputs.K.shape[1]
    if n != n_k:
        raise InvalidInput(
            "not_self_attention",
            f"Q and K must be of one sequence to be walked through; got {n} and {n_k}.",
            n=n,
            n_k=n_k,
        )
    own = adopted(config, inputs)
    Q, K, V = (tensor.float() for tensor in (inputs.Q, inputs.K, inputs.V))
    parameters = mechanisms.of(own).parameters(own, 1)
    per_head = _attention(own, parameters)(Q, K, V, mask_choices.dense(own, n, n))
    require_finite("Q and K", per_head.scaled, own)
    done = joined(Q, K, V, per_head, inputs.W_O)
    return Layer(own, own.layer, None, None, None, None, inputs.W_O, parameters, done)


def walk(layer: Layer, row: int, head: int = 1) -> Walk:
    """Walk the query `row` (from 0) of head `head` (from 1) through the layer.

    Parameters
    ----------
    layer
        A layer from `layers` or `top_layer`.
    row
        The query, from 0.
    head
        The head, from 1.

    Returns
    -------
    Walk
        Every step of this query; `terms` has a row for each key.

    Raises
    ------
    InvalidInput
        `not_a_number` or `out_of_range` for a query or head that the layer lacks; `unknown_choice` for a mechanism
        or a normalisation without steps.
    """
    attention = layer.attention
    h, n = attention.Q.shape[:2]
    row, head = whole_number("row", row, 0, n - 1), whole_number("head", head, 1, h)
    Q, K, V = (tensor[head - 1] for tensor in (attention.Q, attention.K, attention.V))
    normed = _normed(layer.config, Q, K)
    Q, K = normed.get("normed_q", Q), normed.get("normed_k", K)
    parameters = {name: tensor[head - 1] for name, tensor in layer.parameters.items()}
    own = walked(layer.config).tensors(row, Q, K, parameters)
    checkpoint()
    curve = treatments.of(layer.config)
    weighing = weighing_of(layer.config).tensors
    return Walk(
        config=layer.config,
        row=row,
        head=head,
        normed=normed,
        own=own,
        # of all heads, as the layer does: one head's numbers could end in other digits
        capped=None if curve is None else curve.value(attention.scaled)[head - 1],
        weighing=weighing(layer.config, attention.masked[head - 1], attention.weights[head - 1]),
        weighted=attention.weights[head - 1, row].unsqueeze(-1) * V,
    )


def walked(config: AttentionConfig) -> Walked:
    """Return the mechanism's steps to the scores. Raises `InvalidInput` (`unknown_choice`) if it has none."""
    walks = {name: one.walk for name, one in mechanisms.MECHANISMS.items()}
    return having("mechanism", config.mechanism, walks, _PURPOSE)


def weighing_of(config: AttentionConfig) -> WalkedWeights:
    """Return the normalisation's steps to the weights. Raises `InvalidInput` (`unknown_choice`) if it has none."""
    return normalisations.part(config, lambda one: one.walk, _PURPOSE)


def _compared(config: AttentionConfig, *vectors: Float[Tensor, "*h n d_k"]) -> tuple[Float[Tensor, "*h n d_k"], ...]:
    """Return queries and keys as they are compared; the walk rounds nothing."""
    return tuple(map(rms_norm, vectors)) if config.qk_norm else vectors


def _normed(
    config: AttentionConfig, Q: Float[Tensor, "n d_k"], K: Float[Tensor, "n d_k"]
) -> Mapping[str, Float[Tensor, "n _"]]:
    """Return what normalises queries and keys, and what becomes of them; nothing without `qk_norm`."""
    found: dict[str, Tensor] = {}
    for name, vectors in (("q", Q), ("k", K)) if config.qk_norm else ():
        squares = mean_squares(vectors)
        found |= {f"squares_{name}": squares, f"root_{name}": squares.sqrt(), f"normed_{name}": rms_norm(vectors)}
    return found


def _layer(config: AttentionConfig, X: Float[Tensor, "n d_model"] | None, number: int) -> Layer:
    W_O = sources.output_projection(config, config.h * config.d_k, number)
    parameters = mechanisms.of(config).parameters(config, number)
    attention, mask = _attention(config, parameters), mask_choices.dense(config, config.n, config.n)
    if X is None:
        W_Q = W_K = W_V = None
        Q, K, V = (sources.per_head(config, None, name) for name in "QKV")
        done = joined(Q, K, V, attention(Q, K, V, mask=mask), W_O)
    else:
        W_Q, W_K, W_V = (sources.projection(config, name, number) for name in ("W_Q", "W_K", "W_V"))
        done = multi_head_attention(X, X, W_Q, W_K, W_V, W_O, mask=mask, attention=attention)
    here = config if config.layer == number else replace(config, layer=number)
    return Layer(here, number, X, W_Q, W_K, W_V, W_O, parameters, done)


def _attention(config: AttentionConfig, parameters: Parameters) -> Callable[..., Attention]:
    """Return the config's attention as a function of Q, K, V and the mask."""
    scores, normalise, curve = mechanisms.of(config).scores, normalisations.weights(config), treatments.of(config)

    def attention(
        Q: Float[Tensor, "h n d_k"],
        K: Float[Tensor, "h n d_k"],
        V: Float[Tensor, "h n d_v"],
        mask: Bool[Tensor, "*#h n n"] | None,
    ) -> Attention:
        Q, K = _compared(config, Q, K)
        return attend(scores(Q, K, parameters), V, mask, config.factor, normalise, curve)

    return attention
