"""The language model: attention and nothing else (no MLP), with every layer's Q, K, V, scores and weights kept.

    x⁰ = E[token];   y = LayerNorm(xˡ), without gains
    Q = z W_Q, K = z W_K, V = y W_V;   xˡ⁺¹ = xˡ + Concat(head₁, …, head_h) W_O;   logits = LayerNorm(xᴸ) U

Each head is scaled dot-product attention with the factor 1/√d_k and a causal mask. The positions P are sinusoids
(section 3.5) of wavelengths 3 to 200 tokens: the paper's reach 63,000, and with those neighbours hardly differ. They
enter queries and keys alone. In the last layer z = y + P. In a layer below z = P: its heads read places, whatever the
words are, so that a head of the token before can form.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.changes import Change, Changing, LayerChanges, MuteEach, PatchEach, attend, replaced
from attention_core.changes.attending import ChangedAttention
from attention_core.errors import InvalidInput
from attention_core.exact.attention import scaled_dot_product_attention
from attention_core.inputs.random_streams import draw
from attention_core.language.words import BEGINNING, WORDS, Reading, read
from attention_core.validation import whole_number

__all__ = ["CONTEXT", "LanguageModel", "LanguagePass", "LayerPass", "forward", "initial"]

D_MODEL: Final = 64
HEADS: Final = 4
CONTEXT: Final = 96
"""Most tokens of a text: half as many again as a reading holds, because places late in a text are met less often."""

_WAVELENGTHS: Final = (3.0, 200.0)  # tokens
_EMBEDDING: Final = 0.3  # standard deviation at the start: small beside what a layer adds

Parameters = dict[str, Tensor]


@dataclass(frozen=True, eq=False)
class LayerPass:
    """One layer's attention over one text, under the names that a captured layer of any model has.

    name        "layer 1", "layer 2"; `index` counts from 0
    kind        "self"
    scale       the factor, 1/√d_k
    scores      before the softmax: scaled, −∞ where the mask forbids
    softcap, sink, sink_score   this model has neither a softcap nor a learned sink
    Only a training has several texts, on an axis before the heads. With changes all is as `CapturedLayer` says.
    """

    name: str
    index: int
    kind: str
    Q: Float[Tensor, "... h n d_k"] | None
    K: Float[Tensor, "... h n d_k"] | None
    V: Float[Tensor, "... h n d_v"]
    scale: float | None
    scores: Float[Tensor, "... h n n"]
    weights: Float[Tensor, "... h n n"]
    softcap: float | None = 0.0
    sink: Float[Tensor, "... h n"] | None = None
    sink_score: Float[Tensor, "... h n"] | None = None
    unnormalised: frozenset[int] = frozenset()

    @property
    def allowed(self) -> Bool[Tensor, "... h n n"]:
        """True where the query may read the key."""
        return self.scores > -torch.inf


@dataclass(frozen=True, eq=False)
class LanguagePass:
    """A text, each layer's attention over it, and the logits of the token after each."""

    ids: Int[Tensor, " n"]
    layers: tuple[LayerPass, ...]
    logits: Float[Tensor, "n words"]


class LanguageModel:
    """A trained or a new model.

    Parameters
    ----------
    parameters
        Tensors in float32, named and shaped as in `shapes(layers)`.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.layers = sum(name.startswith("W_Q/") for name in parameters)

    def __call__(self, text: "str | Reading | Sequence[int] | Tensor", changes: Sequence[Change] = ()) -> LanguagePass:
        """Run the model on a text as typed, a reading, or ids. Nothing of it is recorded for a gradient.

        Raises `InvalidInput`: as `read` for a text; `shape` unless there are 1 to `CONTEXT` ids; `not_a_word` for an id
        outside the vocabulary; of `changes` as `attention_core.models.capture` does.
        """
        ids = _checked(read(text).ids if isinstance(text, str) else text.ids if isinstance(text, Reading) else text)
        changing = Changing(changes, self._weights_of(ids, replaced(changes))) if changes else None
        with torch.no_grad():
            logits, layers = forward(self.parameters, ids, changing)
        if changing is not None:
            changing.require_acted()
        return LanguagePass(ids, layers, logits)

    def each_muted(
        self, ids: Int[Tensor, " n"], heads: Sequence[tuple[int, int]], changes: Sequence[Change] = ()
    ) -> Float[Tensor, "heads n words"]:
        """Return the logits of a run without each of these layers and heads, from 0, beside other changes."""
        changing = Changing((*changes, MuteEach(tuple(heads))), self._weights_of(ids, replaced(changes)))
        with torch.no_grad():
            return forward(self.parameters, ids.expand(len(heads), -1), changing)[0]

    def each_patched(
        self, ids: Int[Tensor, " n"], other: Int[Tensor, " n"], each: PatchEach, changes: Sequence[Change] = ()
    ) -> Float[Tensor, "heads n words"]:
        """Return the logits of a run with each patch from a run over other ids, beside other changes of both."""
        count = len(each.patched)
        both = torch.cat([ids.expand(count, -1), other[None]])
        changing = Changing((*changes, each), self._weights_of(both, replaced(changes)))
        with torch.no_grad():
            return forward(self.parameters, both, changing)[0][:count]

    def _weights_of(
        self, ids: Int[Tensor, "*batch n"], heads: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], Float[Tensor, "*texts n n"]]:
        """Return the weights of these layers and heads, from 0, in the model as it is."""
        if not heads:
            return {}
        with torch.no_grad():
            _, layers = forward(self.parameters, ids)
        return {
            (layer, head): layers[whole_number("by_layer", layer, 0, self.layers - 1)].weights[
                ..., whole_number("by_head", head, 0, HEADS - 1), :, :
            ]
            for layer, head in heads
        }


def shapes(layers: int) -> dict[str, tuple[int, int]]:
    """Return the name and shape of every parameter."""
    square = (D_MODEL, D_MODEL)
    found = {f"{name}/{layer}": square for layer in range(1, layers + 1) for name in ("W_Q", "W_K", "W_V", "W_O")}
    return {"E": (len(WORDS), D_MODEL), **found, "U": (D_MODEL, len(WORDS))}


def initial(seed: int, layers: int) -> Parameters:
    """Return the parameters before the first step; U is small, so that every word begins equally likely."""
    spread = {"E": _EMBEDDING, "U": 0.02}
    return {
        name: draw(seed, f"language/{name}", *shape) * spread.get(name, 1 / math.sqrt(D_MODEL))
        for name, shape in shapes(layers).items()
    }


def positions(n: int, dtype: torch.dtype = torch.float32) -> Float[Tensor, "n d_model"]:
    """Return the sinusoids of the first n positions: the sines of all wavelengths, then their cosines."""
    shortest, longest = _WAVELENGTHS
    waves = D_MODEL // 2
    lengths = shortest * (longest / shortest) ** (torch.arange(waves, dtype=torch.float64) / (waves - 1))
    angles = 2 * math.pi * torch.arange(n, dtype=torch.float64).unsqueeze(1) / lengths
    return torch.cat([angles.sin(), angles.cos()], 1).to(dtype)


def forward(
    parameters: Parameters, ids: Int[Tensor, "*batch n"], changing: Changing | None = None
) -> tuple[Float[Tensor, "*batch n words"], tuple[LayerPass, ...]]:
    """Return the logits and each layer's attention.

    With a batch, a layer below the last has Q, K, scores and weights without the batch's axes: they are the same for
    all texts. Gradients are recorded if they are asked for.
    """
    n = ids.shape[-1]
    count = sum(name.startswith("W_Q/") for name in parameters)
    x = torch.nn.functional.embedding(ids, parameters["E"])  # *batch n d_model
    P = positions(n, x.dtype).to(x.device)
    allowed = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
    layers = []
    for layer in range(1, count + 1):
        checkpoint()
        y = _normed(x)
        z = y + P if layer == count else P
        Q, K, V = (
            _heads(source @ parameters[f"{name}/{layer}"]) for name, source in (("W_Q", z), ("W_K", z), ("W_V", y))
        )
        scale = 1 / math.sqrt(Q.shape[-1])
        changes = changing and changing.of(layer - 1, HEADS, n, lined=True)
        if changes:
            Q, K = (one.expand(*V.shape[:-1], -1) for one in (Q, K))  # texts of a batch may differ now
            changed = attend(changes, Q, K, V, scale, allowed)
            x = x + changed.output.transpose(-3, -2).flatten(-2) @ parameters[f"W_O/{layer}"]
            layers.append(_changed(layer, changes, Q, K, V, changed))
            continue
        folded = _folded(V) if layer < count else V
        found = scaled_dot_product_attention(Q, K, folded, mask=allowed)
        output = _unfolded(found.output, V) if layer < count else found.output
        x = x + output.transpose(-3, -2).flatten(-2) @ parameters[f"W_O/{layer}"]
        layers.append(LayerPass(f"layer {layer}", layer - 1, "self", Q, K, V, scale, found.masked, found.weights))
    return _normed(x) @ parameters["U"], tuple(layers)


def _changed(layer: int, changes: LayerChanges, Q: Tensor, K: Tensor, V: Tensor, found: ChangedAttention) -> LayerPass:
    Q, scale = changes.described(Q, 1 / math.sqrt(Q.shape[-1]), Q.shape[-2])
    given = (None, None) if changes.rebuilds else (Q, K)
    return LayerPass(
        f"layer {layer}", layer - 1, "self", *given, V, None if changes.rebuilds else scale, found.masked,
        found.weights, None if changes.rebuilds else 0.0, found.sink, found.sink_score, changes.unnormalised,
    )  # fmt: skip


def _normed(x: Float[Tensor, "*batch n d_model"]) -> Float[Tensor, "*batch n d_model"]:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def _heads(joined: Float[Tensor, "*batch n d_model"]) -> Float[Tensor, "*batch h n d"]:
    return joined.unflatten(-1, (HEADS, -1)).transpose(-3, -2)


def _folded(V: Float[Tensor, "*batch h n d"]) -> Float[Tensor, "h n columns"]:
    """Put the values of all texts beside each other: one product with the weights that they share."""
    return V.flatten(0, -4).permute(1, 2, 0, 3).flatten(2) if V.dim() > 3 else V


def _unfolded(output: Float[Tensor, "h n columns"], V: Float[Tensor, "*batch h n d"]) -> Float[Tensor, "*batch h n d"]:
    if V.dim() == 3:
        return output
    return output.unflatten(2, (-1, V.shape[-1])).permute(2, 0, 1, 3).reshape(V.shape)


def _checked(ids: "Sequence[int] | Tensor") -> Int[Tensor, " n"]:
    found = torch.as_tensor(ids)
    if found.dim() != 1 or not 1 <= len(found) <= CONTEXT:
        sizes = " × ".join(map(str, found.shape)) or "a single number"
        raise InvalidInput(
            "shape",
            f"ids must be 1 to {CONTEXT} whole numbers, {BEGINNING} first; got {sizes}.",
            field="ids",
            value=sizes,
        )
    if found.is_floating_point() or found.min() < 0 or found.max() >= len(WORDS):
        raise InvalidInput(
            "not_a_word", f"ids must be whole numbers from 0 to {len(WORDS) - 1}.", maximum=len(WORDS) - 1
        )
    return found.long()
