"""One factor on the scores, 1/√d_k among others: what softmax(factor · s) does between uniform and one-hot.

Physicists write the factor as 1/T: a high temperature T makes weights uniform, a low one picks the largest score. The
entropy falls as the factor rises, since dH/df = −f · Var_p(s) ≤ 0. *Collapse* is the one-hot end alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact import softmax
from attention_core.result.result import AttentionResult
from attention_core.validation import real_number, whole_number

# Quarter octaves from below 1/d_k at d_k = 1024 to the largest factor that the page offers.
FACTORS: Final = tuple(2.0 ** (step / 4) for step in range(-48, 17))
COLLAPSED_KEYS: Final = 1.5
"""Rows whose mean entropy leaves at most this many effective keys are called collapsed."""
UNIFORM_SHARE: Final = 0.9
"""Rows whose mean entropy leaves at least this share of the allowed keys are called close to uniform."""
_FARTHEST: Final = -1e4  # exp is 0 there in every precision, and 0 · 1e4 is 0 where 0 · ∞ would be NaN


@dataclass(frozen=True, eq=False)
class Temperature:
    """Means over `queries` rows of each head, at every factor.

    `ceiling` is the mean over these rows of ln(allowed keys), in nats as the entropy is.
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
        """The factor below which weights are close to uniform; None where no factor here is small enough."""
        return self._crossing(self.ceiling + math.log(UNIFORM_SHARE), falling=False)

    @property
    def collapsed_above(self) -> float | None:
        """The factor above which weights have collapsed on about one key; None where no factor is large enough."""
        return self._crossing(math.log(COLLAPSED_KEYS), falling=True)

    def _crossing(self, level: float, falling: bool) -> float | None:
        """Where the heads' mean entropy passes `level`, read between two factors on the logarithmic axis."""
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
    """The rows of `result` with every factor in place of its own, from its unscaled scores and its mask.

    With more than `most_queries` rows that may attend to some key, as many evenly spaced ones stand for all: the work
    is factors · h · most_queries · n_k exponentials. Raises `InvalidInput` with the code `not_a_number` or
    `out_of_range` for a factor that is not above 0 and at most 10⁶.
    """
    values = torch.tensor([real_number("factor", factor, 1e-6, 1e6) for factor in factors]).sort().values
    scores, ceiling = result.scores, result.ceiling
    if result.mask is not None:
        opened = result.mask.any(-1)
        scores = scores.masked_fill(~result.mask, -torch.inf)[:, opened]
        ceiling = ceiling[opened]
    spaced = -(-scores.shape[1] // whole_number("most_queries", most_queries, 1))
    scores, ceiling = scores[:, :: max(1, spaced)], ceiling[:: max(1, spaced)]
    below = scores - scores.amax(-1, keepdim=True)  # h queries n_k; 0 at the largest, −∞ where the mask forbids
    rows = [_measured(below, factor, ceiling) for factor in values.tolist()]
    entropy, largest, norm, trace = (torch.stack(column) for column in zip(*rows, strict=True))
    return Temperature(values, entropy, largest, norm, trace, ceiling.mean().item(), scores.shape[1])


def _measured(
    below: Float[Tensor, "h queries n_k"], factor: float, ceiling: Float[Tensor, " queries"]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(entropy, largest weight, ‖J‖_F, trace J), each a mean over rows: h."""
    checkpoint()
    scaled = (below * factor).clamp_min(_FARTHEST)
    weights = scaled.softmax(-1)
    entropy = softmax.entropy_of_scores(scaled, weights, scaled.new_zeros(scaled.shape[:2])).minimum(ceiling)
    return tuple(t.mean(-1) for t in (entropy, weights.amax(-1), *softmax.jacobian_moments(weights)))  # type: ignore[return-value]
