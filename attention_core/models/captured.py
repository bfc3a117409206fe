"""What one run of a model leaves: its output and the attention of its layers, or what somebody else kept of one."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

__all__ = ["Capture", "CapturedLayer", "GivenLayer", "PassageLayer"]


@dataclass(frozen=True, eq=False)
class CapturedLayer:
    """One call of attention: scores = cap(Q Kᵀ · scale) + bias + mask, weights = softmax(scores).

    A batch of one has no axis. A larger one is a leading axis of every tensor: several sequences, or the windows into
    which a Swin cuts one picture. All tensors are on the CPU, in the model's own number format.

    name        path of the module and number of its call: `encoder.layer.0.attention.self#1`
    index       number of the call in the run, from 0: what `layers=` takes
    kind        `self`, or `cross` if the keys come from another sequence
    Q, K, V     as attention gets them: after norms and the rotation by positions. K and V have fewer heads if queries
                are grouped. A query that the model multiplied by its factor before is divided by it, to rounding. None
                for a family that does not hand them to transformers' common interface
    scale       the factor that the model applies to q · k: 1 if it has none. None without Q and K
    softcap     c of c · tanh(s/c), between factor and bias; 0 without one, None without Q and K
    scores      what enters the softmax, after bias, cap and mask. A masked cell has what the model puts there
    weights     what leaves it, in the model's format; rows add up to 1 less `sink`. Without Q and K before rounding
    sink        the weight that a sink beside the keys takes from each row. None without one
    sink_score  the score of that sink
    unnormalised  the heads that a change left without weights, or with such that need not add up to 1

    With changes (`attention_core.changes`) all is as it became; a factor of all heads is in `scale`, one of some in
    their Q. Q, K, scale and softcap are None where scores were made anew of changed queries and keys.
    """

    name: str
    index: int
    kind: str
    Q: Float[Tensor, "*batch h n_q d_k"] | None
    K: Float[Tensor, "*batch h_k n_k d_k"] | None
    V: Float[Tensor, "*batch h_k n_k d_v"] | None
    scale: float | None
    softcap: float | None
    scores: Float[Tensor, "*batch h n_q n_k"]
    weights: Float[Tensor, "*batch h n_q n_k"]
    sink: Float[Tensor, "*batch h n_q"] | None = None
    sink_score: Float[Tensor, "*batch h n_q"] | None = None
    unnormalised: frozenset[int] = frozenset()

    @property
    def allowed(self) -> Bool[Tensor, "*batch h n_q n_k"]:
        """True where the query may read the key: a model's mask adds −∞ or its format's least number."""
        return self.scores > torch.finfo(self.scores.dtype).min / 2


@dataclass(frozen=True, eq=False)
class GivenLayer(CapturedLayer):
    """A call of attention of which somebody handed over the weights alone: its scores are NaN."""

    @property
    def allowed(self) -> Bool[Tensor, "*batch h n_q n_k"]:
        """True where the query may read the key, as far as weights tell.

        Masked is what no head of the layer reads: whole rows, whole columns, and the cells from a corner to a diagonal,
        as a causal mask and a window leave them. Any other zero may be of dropout or a top k.
        """
        read = (self.weights > 0).any(-3, keepdim=True)
        n_q, n_k = self.weights.shape[-2:]
        diagonal = (torch.arange(n_k) - torch.arange(n_q).unsqueeze(1) + n_q - 1).flatten()  # of each cell, numbered
        count = torch.zeros(*read.shape[:-2], n_q + n_k - 1, dtype=torch.int32)
        used = count.index_add(-1, diagonal, read.flatten(-2).int()) > 0
        between = used.cummax(-1).values & used.flip(-1).cummax(-1).values.flip(-1)
        seen = between[..., diagonal].unflatten(-1, (n_q, n_k))
        return (seen & read.any(-1, keepdim=True) & read.any(-2, keepdim=True)).expand_as(self.weights)


@dataclass(frozen=True, eq=False)
class PassageLayer(GivenLayer):
    """A text in a head's file of HeadVis, sparse: a weight of 0 is one that the file leaves out.

    head      as the page calls heads, "4.6"; empty if nothing says which it is
    interval  the band of its largest weight among all texts, 1 the lowest
    id        its number among the texts of the run
    tokens    its own
    """

    head: str = ""
    interval: int = 1
    id: int = 0
    tokens: tuple[str, ...] = ()

    @property
    def allowed(self) -> Bool[Tensor, "h n_q n_k"]:
        """True where the query may read the key: up to its own place, if no weight is behind it."""
        n = self.weights.shape[-1]
        every = torch.ones(1, n, n, dtype=torch.bool)
        return every if bool(self.weights.triu(1).any()) else every.tril()


@dataclass(frozen=True, eq=False)
class Capture:
    """One run of a model.

    output  what the model returned
    layers  the calls of attention in their order; only those that `layers=` chose
    names   the name of every call, kept or not
    """

    output: Any
    layers: tuple[CapturedLayer, ...]
    names: tuple[str, ...]
