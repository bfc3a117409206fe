"""What follows from n_q, n_k and the mask alone: how many cells a pass computes, and which squares hold none."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionConfig

Edges = NDArray[np.int64]


def options(config: AttentionConfig) -> Mapping[str, Any]:
    """The config's scaling and mask as `attention_statistics` and its kin take them."""
    window = config.window if config.mask == "window" else None
    return {"scale": config.factor, "causal": config.mask == "causal", "window": window}


def reach(config: AttentionConfig, queries: NDArray, n_q: int, n_k: int) -> tuple[NDArray, NDArray]:
    """The first key each query may look at, and the one after its last; the last query stands at the last key."""
    at = np.asarray(queries) + (n_k - n_q)
    first, stop = np.zeros_like(at), np.full_like(at, n_k)
    if config.mask == "causal":
        stop = np.minimum(stop, at + 1)
    if config.mask == "window":
        first, stop = np.maximum(first, at - config.window), np.minimum(stop, at + config.window + 1)
    return first, np.maximum(first, stop)


def cells(config: AttentionConfig, n_q: int, n_k: int, queries: int | None = None) -> float:
    """How many cells the mask lets through in the first `queries` rows, all of them where it is None."""
    first, stop = reach(config, np.arange(n_q if queries is None else queries), n_q, n_k)
    return float((stop - first).sum())


def hidden(config: AttentionConfig, row_edges: Edges, column_edges: Edges, n_q: int, n_k: int) -> NDArray[np.bool_]:
    """rows × columns: squares in which the mask forbids every cell; False everywhere without a mask.

    Both masks let through one run of keys that moves with the query, so a square is open when the runs of its first
    and its last query, and all between them, meet its keys.
    """
    if config.mask == "none":
        return np.zeros((len(row_edges) - 1, len(column_edges) - 1), dtype=bool)
    first, _ = reach(config, row_edges[:-1], n_q, n_k)
    _, stop = reach(config, row_edges[1:] - 1, n_q, n_k)
    open_ = (first[:, None] < column_edges[None, 1:]) & (stop[:, None] > column_edges[None, :-1])
    return ~open_
