"""Layers as the model has them: whose keys a layer reads, and what its layers are called if some have no map."""

import re
from typing import Final

import torch

from attention_core.learned import ModelRun
from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import Message, message

_NUMBER: Final = re.compile(r"(?<=\.)\d+(?=\.)")
"""Of a layer among those of the model, in the path of a module."""


def said(shown: ReadHead) -> list[Message]:
    """Say from which layer the chosen one takes its keys, and the layers' own numbers if they are not those here."""
    found = []
    if (shared := keys_of(shown.run, shown.layer)) is not None:
        found.append(message("layers.shared_keys", layer=str(shown.layer), other=str(shared)))
    own = own_numbers(shown.run)
    if own != tuple(range(1, len(own) + 1)):
        found.append(message("layers.numbered", layer=str(shown.layer), own=str(own[shown.layer - 1]), all=list(own)))
    return found


def keys_of(run: ModelRun, layer: int) -> int | None:
    """Return the first layer before this one, both from 1, that reads the very same keys and values; None without."""
    K, V = run.layers[layer - 1].K, run.layers[layer - 1].V
    if K is None or V is None:
        return None
    for number, other in enumerate(run.layers[: layer - 1], start=1):
        if other.K is not None and other.V is not None and torch.equal(K, other.K) and torch.equal(V, other.V):
            return number
    return None


def own_numbers(run: ModelRun) -> tuple[int, ...]:
    """Return the number of each layer among those of the model, from 1; those here if their names do not tell."""
    here = tuple(range(1, len(run.layers) + 1))
    if run.parts:
        return here
    found = [_NUMBER.findall(layer.name) for layer in run.layers]
    own = tuple(int(numbers[0]) + 1 for numbers in found if len(numbers) == 1)
    return own if len(own) == len(here) and own == tuple(sorted(set(own))) else here
