"""The size of what a head adds to the stream for each key that it reads: its weight times a norm.

    p · ‖f(x)‖,   f(x) = (x W_V + b_V) W_O        Kobayashi et al. 2020, "Attention is not only a weight", section 3

x W_V + b_V is the key's value as attention gets it, so the bias of the values is within; W_O is the head's part of the
output projection. The bias of W_O is left out: it is added once for all heads and keys. A norm behind attention is left
out as well. A weight that the head gives a key with a small value adds little: rows of p · ‖f(x)‖ need not add up to 1.
"""

from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.learned.run import LearnedLayer, LearnedModel
from attention_core.validation import whole_number

__all__ = ["ProjectingModel", "unprojected", "value_norms"]


@runtime_checkable
class ProjectingModel(LearnedModel, Protocol):
    """A model whose output projections are known."""

    def projection(self, layer: int) -> Float[Tensor, "h d_v d_model"]:
        """Return W_O of each head of a layer, from 1: what a component of its output adds to the stream.

        Raises `InvalidInput`: `norms_unread` if the heads' outputs do not go through one linear map that is found;
        `out_of_range` for the layer.
        """
        ...


def value_norms(layer: LearnedLayer, W_O: Float[Tensor, "h d_v d_model"], head: int) -> Float[Tensor, " n_k"]:
    """Return ‖f(x)‖ of each key, in float32. Times the weights of `layer` it is the norm of what the head adds.

    `head` counts from 1; heads of one group have the same values. Raises `InvalidInput`: `norms_unread` for a layer
    without values, or with others than those of `W_O`; `out_of_range` for the head.
    """
    h, d_v, _ = W_O.shape
    head = whole_number("head", head, 1, h) - 1
    if layer.V is None or layer.V.dim() != 3 or layer.V.shape[-1] != d_v:
        raise unprojected(layer.name)
    values = layer.V[head * layer.V.shape[0] // h].to(W_O.device).float()
    return (values @ W_O[head].float()).norm(dim=-1).cpu()


def unprojected(name: str) -> InvalidInput:
    """Return the error for a layer or a model of which the norms are not known."""
    return InvalidInput(
        "norms_unread",
        f"The norms of {name} are not known: no values, or no linear map behind them, are found. Its weights are.",
        value=name,
    )
