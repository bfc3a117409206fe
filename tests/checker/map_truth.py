"""A map in float64: the weights of scale · QKᵀ, and what of them the page tells."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.inputs.structured import motif_length, motif_starts
from attention_core.learned import LearnedLayer
from tests.checker.checking import near
from tests.checker.other_rows import OtherRows
from visualiser.maps.kept import Kept

SINK: Final = 0.2
"""The share of a head's weight that makes a key a sink."""

ALIKE: Final = 0.01
"""Mean entropies that differ by less, as a share of the ceiling, say nothing about heads."""

UNIFORM: Final = 1e-3
"""Nats below the ceiling: a row with less lost is uniform, its weights within about 5 % of each other."""

DIAGONAL: Final = 2.0
"""A diagonal is seen if its cells hold this many times an even share."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Weights, entropies and ceilings of every row in float64."""

    kept: Kept
    head: int
    row: int
    layer: LearnedLayer | None = None

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        config, (n_q, n_k) = self.kept.config, self.sizes
        if self.layer is not None:
            return self.layer.allowed[0].numpy()
        query, key = np.arange(n_q)[:, None] + n_k - n_q, np.arange(n_k)[None]
        if config.mask == "causal":
            return key <= query
        if config.mask == "window":
            return np.abs(key - query) <= config.window
        return np.ones((n_q, n_k), bool)

    @property
    def sizes(self) -> tuple[int, int]:
        return self.kept.Q.shape[1], self.kept.K.shape[1]

    @cached_property
    def factor(self) -> float:
        config = self.kept.config
        d_k = self.kept.Q.shape[-1]
        grown = math.log(self.sizes[1]) / math.log(32) if config.log_n else 1.0
        if self.layer is not None:
            return config.scale * float(self.layer.scale or np.nan) * grown
        return {"sqrt_d_k": d_k**-0.5, "none": 1.0, "d_k": 1 / d_k, "custom": config.scale}[config.scaling] * grown

    @cached_property
    def every(self) -> NDArray[np.float64]:
        """The scaled scores of all cells, those that the mask forbids too."""
        Q, K = self.compared
        return self.factor * Q @ K.transpose(0, 2, 1)

    @cached_property
    def compared(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Queries and keys as they are compared: a model's own, or those that the map keeps."""
        if self.layer is None or self.layer.Q is None or self.layer.K is None:
            return self.kept.Q.double().numpy(), self.kept.K.double().numpy()
        config, found = self.kept.config, []
        for vectors in (self.layer.Q, self.layer.K):
            own = vectors.double().numpy()
            own = own / np.sqrt((own**2).mean(-1, keepdims=True)) if config.qk_norm else own
            found.append(torch.from_numpy(own).to(getattr(torch, config.dtype)).double().numpy())
        return found[0], found[1]

    @cached_property
    def rows(self) -> OtherRows:
        return self._rows(self.every, self.allowed)

    @cached_property
    def one(self) -> OtherRows:
        """The open row alone, whose Jacobian is small enough."""
        return self._rows(self.every[self.head - 1 : self.head, self.row : self.row + 1], self.allowed[self.row][None])

    def _rows(self, scores: NDArray[np.float64], allowed: NDArray[np.bool_]) -> OtherRows:
        config = self.kept.config
        return OtherRows(scores, allowed, config.normalisation, config.sink, config.softcap)

    @property
    def spread(self) -> bool:
        return self.kept.config.normalisation != "sigmoid"

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        return np.where(self.allowed, self.every, -np.inf)

    @cached_property
    def treated(self) -> NDArray[np.float64]:
        """The scores that are weighed."""
        return np.where(self.allowed, self.rows.treated, -np.inf)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        return self.rows.weights

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        return self.rows.entropy

    def mean_of(self, name: str) -> NDArray[np.float64]:
        """Each head's mean of what sinks take (`sunk`) or gates add up to (`mass`), over the queries with keys."""
        return getattr(self.rows, name)[:, self.seeing].mean(-1)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The number of keys of each query."""
        return self.allowed.sum(-1)

    @cached_property
    def seeing(self) -> NDArray[np.bool_]:
        return self.keys > 0

    @cached_property
    def ceiling(self) -> NDArray[np.float64]:
        return self.rows.ceiling

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Each head's mean entropy over the queries with keys."""
        return self.entropy[:, self.seeing].mean(-1)

    @cached_property
    def mean_ceiling(self) -> float:
        return float(self.ceiling[self.seeing].mean())

    @cached_property
    def uniform(self) -> bool:
        return bool((self.ceiling - self.entropy)[:, self.seeing].max() <= UNIFORM)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of a head's weight on each key."""
        return self.weights.sum(1) / self.seeing.sum()

    @cached_property
    def meetings(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Queries and keys of the allowed cells where two copies of the phrase meet."""
        starts, length = motif_starts(self.kept.config).tolist(), motif_length(self.kept.config)
        cells = [(a + t, b + t) for a in starts for b in starts if a != b for t in range(length)]
        query, key = np.array(cells, dtype=np.int64).reshape(-1, 2).T
        seen = self.allowed[query, key]
        return query[seen], key[seen]

    @cached_property
    def diagonals(self) -> list[float]:
        """By head the mean weight of these cells, in even shares; NaN if there is none."""
        query, key = self.meetings
        if not len(query):
            return [np.nan] * len(self.weights)
        return (self.weights[:, query, key] * self.keys[query]).mean(-1).tolist()


def close_to(name: str, claimed: float, true: float, off: float = 2e-4) -> Iterator[str]:
    """Hold a number against the true one; `off` is what a pass in float32 may be off by."""
    if not (near(claimed, true) or abs(claimed - true) <= off):
        yield f"{name} is {true}, not {claimed}"


def ceiling(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from close_to("the mean ceiling", facts["ceiling"], truth.mean_ceiling)
