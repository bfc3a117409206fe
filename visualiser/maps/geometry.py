"""A config as arguments of the core's passes and tiles, and what follows from n_q, n_k and the mask alone."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionConfig, normalisations, treatments
from attention_core.exact import mask_choices
from attention_core.exact.masks import position

Edges = NDArray[np.int64]


_PASSES: Final[Mapping[str, Callable[[AttentionConfig], Mapping[str, Any]]]] = {
    "softmax": lambda config: {},
    "sink": lambda config: {"sink": config.sink},
    "sigmoid": lambda config: {"sigmoid": True},
}
_TILES: Final[Mapping[str, Mapping[str, Any]]] = {"softmax": {}, "sink": {}, "sigmoid": {"sigmoid": True}}
"""A row's `logsumexp`, which a tile is given, has the sink in it."""


def options(config: AttentionConfig) -> Mapping[str, Any]:
    """Return the config's scaling, mask and weights as arguments of `attention_statistics` and its kin.

    Raises `InvalidInput` (`unknown_choice`) for a normalisation that no pass computes.
    """
    return {**_common(config), **normalisations.chosen(config, _PASSES)(config)}


def tile_options(config: AttentionConfig) -> Mapping[str, Any]:
    """Return them as arguments of `attention_tile` and `pooled_tile`. Raises as `options`."""
    return {**_common(config), **normalisations.chosen(config, _TILES)}


def _common(config: AttentionConfig) -> Mapping[str, Any]:
    treated = {name: getattr(config, name) for name in treatments.TREATMENTS}
    return {"scale": config.factor, "mask": mask_choices.of(config), **treated}


def masked(config: AttentionConfig) -> bool:
    """Return True if the mask forbids any cell."""
    return not mask_choices.of(config).everything


def keys(config: AttentionConfig, n_q: int, n_k: int, queries: int | None = None) -> Int[Tensor, " queries"]:
    """Return the number of keys of each of the first `queries` queries; of all queries if it is None."""
    at = position(torch.arange(n_q if queries is None else queries), n_q, n_k)
    return mask_choices.of(config).counts(at, n_k)


def cells(config: AttentionConfig, n_q: int, n_k: int, queries: int | None = None) -> float:
    """Return the number of cells that the mask allows in the first `queries` rows; in all rows if it is None."""
    return float(keys(config, n_q, n_k, queries).sum())


def hidden(config: AttentionConfig, row_edges: Edges, column_edges: Edges, n_q: int, n_k: int) -> NDArray[np.bool_]:
    """Return rows × columns: True if the mask forbids every cell of a square; False everywhere without a mask."""
    at = position(torch.from_numpy(row_edges), n_q, n_k)
    return ~mask_choices.of(config).opens(at, torch.from_numpy(column_edges)).numpy()
