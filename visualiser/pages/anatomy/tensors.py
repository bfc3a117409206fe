"""The tensors of one head of one layer for the browser: exact if small, else pooled.

Each is a matrix. A tensor with a third axis (the keys of every query times the hidden units) comes for the walked
query alone; if everything fits in print, `tanh_all` holds it for all queries, n · n lines of d_k.
"""

from typing import Any, Final

import torch
from torch import Tensor

from attention_core import Layer, walk
from attention_core.result.walk import walked
from visualiser.pages.anatomy.subject import at

FITS: Final = 8
"""Up to this n and this d_k the page prints every number and the arithmetic behind it; beyond, it draws heat maps."""

MOST_NUMBERS: Final = 65_536
"""A larger tensor is pooled to at most `POOLED` rows and columns."""

POOLED: Final = 128


def fits(layer: Layer) -> bool:
    """Return True if the numbers of this layer fit in print."""
    return layer.config.n <= FITS and layer.config.d_k <= FITS


def tensors(layer: Layer, row: int, head: int) -> dict[str, Tensor]:
    """Return every tensor of the walk of query `row` in head `head` (from 1), by its name on the page."""
    head = at(layer, head)
    attention, steps, own = layer.attention, walk(layer, row, head), head - 1
    found: dict[str, Tensor | None] = {
        "X": layer.X,
        "W_Q": None if layer.W_Q is None else layer.W_Q[own],
        "W_K": None if layer.W_K is None else layer.W_K[own],
        "W_V": None if layer.W_V is None else layer.W_V[own],
        "Q": attention.Q[own],
        "K": attention.K[own],
        "V": attention.V[own],
        **{name: torch.atleast_2d(tensor[own]) for name, tensor in layer.parameters.items()},
        **steps.normed,
        **steps.own,
        "scores": attention.scores[own],
        "scaled": attention.scaled[own],
        "masked": attention.masked[own],
        "capped": steps.capped,
        **steps.weighing,
        "weights": attention.weights[own],
        "weighted": steps.weighted,
        "head": attention.heads[own],
        "concatenation": attention.concatenation,
        "W_O": layer.W_O,
        "output": None if layer.W_O is None else attention.output,
    }
    if fits(layer):
        every = [walk(layer, query, head).own for query in range(layer.config.n)]
        found |= {f"{name}_all": torch.cat([one[name] for one in every]) for name in walked(layer.config).every}
        # the concatenation shows all heads, one below the other
        found |= {"all_weights": attention.weights.flatten(0, 1), "all_values": attention.V.flatten(0, 1)}
    return {name: tensor for name, tensor in found.items() if tensor is not None}


def tree(named: dict[str, Tensor]) -> dict[str, Any]:
    """Return the tensors for `wire.entry`: their numbers, their true shape, and the cells behind each number."""
    return {name: _entry(tensor.detach().cpu().float()) for name, tensor in named.items()}


def _entry(tensor: Tensor) -> dict[str, Any]:
    rows, columns = tensor.shape
    block = (1, 1) if tensor.numel() <= MOST_NUMBERS else (-(-rows // POOLED), -(-columns // POOLED))
    return {"values": pooled(tensor, *block).numpy(), "rows": rows, "columns": columns, "block": block}


def pooled(tensor: Tensor, rows: int, columns: int) -> Tensor:
    """Average blocks of rows × columns cells; the last block of either axis may be smaller."""
    if (rows, columns) == (1, 1):
        return tensor
    kept = tensor.new_ones(tensor.shape)
    padding = (0, -tensor.shape[1] % columns, 0, -tensor.shape[0] % rows)
    total, count = (
        torch.nn.functional.avg_pool2d(torch.nn.functional.pad(one, padding).unsqueeze(0), (rows, columns))[0]
        for one in (tensor, kept)
    )
    return total / count
