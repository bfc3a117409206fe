"""One query of a long sequence: the subject of its figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionConfig
from attention_core.learned import Line

TOP: Final = 16
"""The number of largest weights that are named."""


@dataclass(frozen=True, eq=False)
class Row:
    """Query `row` of head `head` (from 1) of a map: scores and weights on all keys, and `statistics` by name.

    The scores are those that are weighed, and `scaled` those before a treatment, None without one; all are NaN where
    the mask forbids, as are the weights. `apart` is how far the scores of the largest weights may differ by rounding
    alone, and `config` is the map's: both serve the sentence and the table. `line` has what a model knows the tokens
    by.
    """

    head: int
    row: int
    scores: NDArray[np.float32]
    weights: NDArray[np.float32]
    statistics: Mapping[str, float]
    config: AttentionConfig
    tokens: tuple[str, ...] | None = None
    apart: float = 0.0
    scaled: NDArray[np.float32] | None = None
    line: Line | None = None

    @property
    def top(self) -> NDArray[np.int64]:
        """The keys with the largest weights, the largest first; fewer than `TOP` if fewer are allowed."""
        allowed = np.flatnonzero(~np.isnan(self.weights))
        order = np.argsort(-self.weights[allowed], kind="stable")
        return allowed[order[:TOP]]
