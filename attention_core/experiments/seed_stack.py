"""Parameters of several models, stacked along a first axis of seeds: one product trains them all."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.inputs.random_streams import draw

Parameters = dict[str, Tensor]


def normal(seeds: Sequence[int], name: str, rows: int, columns: int) -> Float[Tensor, "S rows columns"]:
    """Draw N(0, 1) numbers for each seed. The same name gives the same numbers in every model."""
    return torch.stack([draw(seed, name, rows, columns) for seed in seeds])


def projection(seeds: Sequence[int], name: str, d_in: int, d_out: int) -> Float[Tensor, "S d_in d_out"]:
    """Draw W ~ N(0, 1/d_in), which keeps components of variance 1. A wider W contains the narrower one's columns."""
    return normal(seeds, name, d_out, d_in).mT.contiguous() / d_in**0.5


def looked_up(rows: Float[Tensor, "S R d"], index: Int[Tensor, "S ..."]) -> Float[Tensor, "S ... d"]:
    """Look up the rows at `index`, each seed in its own table."""
    S, R = rows.shape[:2]
    own = torch.arange(S, device=index.device).mul(R).view(S, *[1] * (index.dim() - 1))
    return torch.nn.functional.embedding(index + own, rows.flatten(0, 1))


def learned(parameters: Parameters, place: torch.device | str = "cpu") -> Parameters:
    """Return the same numbers on a device, as leaves with gradients."""
    return {name: value.detach().to(place, copy=True).requires_grad_() for name, value in parameters.items()}
