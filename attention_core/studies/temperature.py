"""The effect of a factor on the scores, such as 1/√d_k: softmax(factor · s) from uniform to one-hot.

Physicists write the factor as 1/T: a high temperature T makes weights uniform, a low one picks the largest score. The
entropy falls as the factor rises, since dH/df = −f · Var_p(s) ≤ 0. *Collapse* means the one-hot end alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core import normalisations
from attention_core.blocks.row_statistics import statistic
from attention_core.cancellation import checkpoint
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.result.result import AttentionResult
from attention_core.validation import real_number, whole_number

__all__ = ["MEASURES", "Temperature", "temperature"]

# Quarter octaves, from below 1/d_k at d_k = 1024 to the largest factor of the page.
FACTORS: Final = tuple(2.0 ** (step / 4) for step in range(-48, 17))
MEASURES: Final = ("entropy", "largest_weight", "jacobian_norm", "jacobian_trace")
"""The row statistics that are followed."""
COLLAPSED_KEYS: Final = 1.5
"""Rows have collapsed if their mean entropy leaves at most this many effective keys."""
UNIFORM_SHARE: Final = 0.9
"""Rows are close to uniform if their mean entropy leaves at least this share of the allowed keys."""


@dataclass(frozen=True, eq=False)
class Temperature:
    """The means over `queries` rows of each head, at every factor.

    `ceiling` is the mean over these rows of ln(allowed keys). Both it and the entropy are in nats.
    """

    factors: Float[Tensor, " factors"]
    entropy: Float[Tensor, "factors h"]
    largest_weight: Float[Tensor, "factors h"]
    jacobian_norm: Float[Tensor, "factors h"]
    jacobian_trace: Float[Tensor, "factors h"]
    ceiling: float
    queries: int

    @property
    def uniform_below(self) -> float | None:
        """The factor below which weights are close to uniform; None if no factor here is small enough."""
        return self._crossing(self.ceiling + math.log(UNIFORM_SHARE), falling=False)

    @property
    def collapsed_above(self) -> float | None:
        """The factor above which weights have collapsed on about one key; None if no factor here is large enough."""
        return self._crossing(math.log(COLLAPSED_KEYS), falling=True)

    def _crossing(self, level: float, falling: bool) -> float | None:
        """Return the factor at which the heads' mean entropy passes `level`, interpolated on a logarithmic axis."""
        entropy = self.entropy.double().mean(-1)
        above = entropy > level if falling else entropy >= level
        count = int(above.sum())  # entropy falls with the factor, so those above come first
        if count == (len(entropy) if falling else 0):
            return None
        if count in (0, len(entropy)):
            return self.factors[0 if count == 0 else -1].item()
        high, low = entropy[count - 1].item(), entropy[count].item()
        left, right = (math.log(self.factors[i].item()) for i in (count - 1, count))
        return math.exp(left + (right - left) * (high - level) / (high - low))


def temperature(result: AttentionResult, factors: Sequence[float] = FACTORS, most_queries: int = 64) -> Temperature:
    """Compute the rows of `result` with every factor instead of its own.

    The work is factors · h · most_queries · n_k exponentials.

    Parameters
    ----------
    result
        Its unscaled scores and its mask are used.
    factors
        Factors from 10⁻⁶ to 10⁶.
    most_queries
        If more rows have an allowed key, at most this many evenly spaced ones stand for all.

    Returns
    -------
    Temperature
        The factors in order, with the means of each head (factors × h); entropies in nats.

    Raises
    ------
    InvalidInput
        `not_a_number` or `out_of_range` for a factor or `most_queries`; `streamed` for a result without matrices;
        `unknown_choice` for weights that are not the softmax's.
    """
    normalisations.softmax_of(result.config, "to follow a factor")
    values = torch.tensor([real_number("factor", factor, 1e-6, 1e6) for factor in factors]).sort().values
    scores = result.scores
    keys = torch.full(scores.shape[1:2], scores.shape[2])
    if result.mask is not None:
        keys = result.mask.sum(-1)
        scores, keys = scores.masked_fill(~result.mask, -torch.inf)[:, keys > 0], keys[keys > 0]
    spaced = -(-scores.shape[1] // whole_number("most_queries", most_queries, 1))
    scores, keys = scores[:, :: max(1, spaced)], keys[:: max(1, spaced)]
    below = scores - scores.amax(-1, keepdim=True)  # h queries n_k; 0 at the largest, −∞ where the mask forbids
    rows = [_measured(below, factor, keys) for factor in values.tolist()]
    means = {name: torch.stack(column) for name, column in zip(MEASURES, zip(*rows, strict=True), strict=True)}
    return Temperature(factors=values, **means, ceiling=keys.double().log().mean().item(), queries=scores.shape[1])


def _measured(
    below: Float[Tensor, "h queries n_k"], factor: float, keys: Int[Tensor, " queries"]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the mean over rows of each of `MEASURES` for each head."""
    checkpoint()
    rows = SummedRows(row_sums(below * factor), keys, below.dtype)
    return tuple(statistic(name).of_rows(rows).mean(-1) for name in MEASURES)  # type: ignore[return-value]
