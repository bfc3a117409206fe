"""How each query shares its weight among text, pictures, the first position and a learned sink. The shares add up to 1.

The first position is counted apart, be it a token or a patch: many heads rest there when they read nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.learned.positions import Line
from attention_core.learned.run import LearnedLayer

__all__ = ["SHARES", "Shares", "shares"]

SHARES: Final = ("text", "picture", "first", "sink")
"""The parts of a row, in the order in which they are shown."""


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of a layer, under the names of `SHARES`, and of each picture apart.

    parts     `text`: tokens behind the first position; `picture`: patches behind it; `first`; `sink`: a learned one
    pictures  the share of each picture's patches, by its number; the first position is in none
    """

    parts: Mapping[str, Float[Tensor, "h n_q"]]
    pictures: Mapping[int, Float[Tensor, "h n_q"]]


def shares(layer: LearnedLayer, keys: Line) -> Shares:
    """Return how each query of a layer shares its weight among what its keys are.

    A row that its mask forbids everything has the shares of its equal weights.

    Parameters
    ----------
    layer
        A layer of a run.
    keys
        What it attends to, with as many positions as the layer has keys.
    """
    weights = layer.weights if layer.weights.dtype == torch.float64 else layer.weights.float()
    n = weights.shape[-1]
    pictures: dict[int, list[int]] = {}
    for grid in keys.grids:
        pictures.setdefault(grid.picture, []).extend(position for position in grid.positions if position)
    of_each = {number: weights[..., positions].sum(-1) for number, positions in pictures.items()}
    patches = sorted(position for positions in pictures.values() for position in positions)
    is_patch = torch.zeros(n, dtype=torch.bool)
    is_patch[patches] = True
    is_text = ~is_patch
    is_text[:1] = False
    parts = {
        "text": weights[..., is_text].sum(-1),
        "picture": weights[..., is_patch].sum(-1),
        "first": weights[..., 0],
        "sink": torch.zeros_like(weights[..., 0]) if layer.sink is None else layer.sink.to(weights.dtype),
    }
    return Shares(parts, of_each)
