"""Consequences of n_q, n_k and the mask alone: the number of computed cells, and the squares without any."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionConfig
from attention_core.exact import mask_choices
from attention_core.exact.masks import position
from attention_core.normalisations import softmax_of

Edges = NDArray[np.int64]


def options(config: AttentionConfig) -> Mapping[str, Any]:
    """Return the config's scaling and mask as arguments of `attention_statistics` and its kin: softmaxes."""
    softmax_of(config)
    return {"scale": config.factor, "mask": mask_choices.of(config)}


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
