"""What follows from n_q, n_k and the mask alone: how many cells a pass computes, and which squares hold none."""

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

Edges = NDArray[np.int64]


def options(config: AttentionConfig) -> Mapping[str, Any]:
    """The config's scaling and mask as `attention_statistics` and its kin take them."""
    return {"scale": config.factor, "mask": mask_choices.of(config)}


def masked(config: AttentionConfig) -> bool:
    """Whether the mask forbids any cell at all."""
    return not mask_choices.of(config).everything


def keys(config: AttentionConfig, n_q: int, n_k: int, queries: int | None = None) -> Int[Tensor, " queries"]:
    """The number of keys of each of the first `queries` queries, of all of them where it is None."""
    at = position(torch.arange(n_q if queries is None else queries), n_q, n_k)
    return mask_choices.of(config).counts(at, n_k)


def cells(config: AttentionConfig, n_q: int, n_k: int, queries: int | None = None) -> float:
    """How many cells the mask lets through in the first `queries` rows, all of them where it is None."""
    return float(keys(config, n_q, n_k, queries).sum())


def hidden(config: AttentionConfig, row_edges: Edges, column_edges: Edges, n_q: int, n_k: int) -> NDArray[np.bool_]:
    """rows × columns: squares in which the mask forbids every cell; False everywhere without a mask."""
    at = position(torch.from_numpy(row_edges), n_q, n_k)
    return ~mask_choices.of(config).opens(at, torch.from_numpy(column_edges)).numpy()
