"""The numbers of a result from which Explore's sentences follow."""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_core import AttentionResult
from attention_core.cached import cached_property
from visualiser.drawing.boxes import mean_ceiling, mean_over_heads, open_rows
from visualiser.drawing.distributions import ALIKE
from visualiser.drawing.saturation import allowed_scores, pooled_moments
from visualiser.drawing.weighed import weighed

ONE_HOT: Final = 0.9
"""A row gives one key nearly all if its largest weight is above this."""


@dataclass(frozen=True)
class Facts:
    """Means over heads and the rows that have a key, as in the captions, unless a property says otherwise.

    A row with one key has weight 1 whatever its score, and counting it would call a causal mask saturation. So what
    the state is called depends on the *choosing* rows, which have two keys or more.
    """

    result: AttentionResult

    def __post_init__(self) -> None:
        weighed(self.result.config)

    @cached_property
    def keys(self) -> Tensor:
        """n_q: the number of keys that each row may attend to."""
        n_q, n_k = self.result.weights.shape[1:]
        return torch.full((n_q,), n_k) if self.result.mask is None else self.result.mask.sum(-1)

    @cached_property
    def choosing(self) -> Tensor:
        """n_q: True for rows with two keys or more."""
        return self.keys > 1

    @property
    def empty(self) -> int:
        """The number of rows without a key."""
        return int((self.keys == 0).sum())

    @property
    def single(self) -> int:
        """The number of rows with one key."""
        return int((self.keys == 1).sum())

    @property
    def mean_keys(self) -> float:
        """The mean number of keys of the rows that have one."""
        return float(self.keys[self.keys > 0].double().mean())

    def mean(self, name: str) -> float:
        """Return the mean of a row statistic."""
        return mean_over_heads(self.result, name)

    def median(self, name: str) -> float:
        """Return the median of a row statistic over heads and the rows that have a key."""
        values, rows = self.result.statistic(name), open_rows(self.result)
        return float((values if rows is None else values[:, rows]).flatten().quantile(0.5))

    @property
    def ceiling(self) -> float:
        """The mean of the rows' largest possible entropies."""
        return mean_ceiling(self.result)

    def of_choosing(self, name: str) -> Tensor:
        """Return a statistic of the choosing rows of every head, in one row."""
        return self.result.statistic(name)[:, self.choosing].flatten()

    @cached_property
    def one_hot(self) -> float:
        """The share of the choosing rows that give one key more than `ONE_HOT`."""
        return float((self.of_choosing("largest_weight") > ONE_HOT).float().mean())

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the scaled scores of all allowed cells."""
        return pooled_moments(self.result)

    @cached_property
    def one_score(self) -> bool:
        """True if all allowed scores are the same."""
        low, high = (float(end) for end in torch.aminmax(allowed_scores(self.result)))
        return high - low <= min(1e-3, ALIKE * max(abs(low), abs(high)))
