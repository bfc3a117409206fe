"""Rows with a sink: e^s / (e^b + Σ e^s), whose weights add up to less than 1; the sink has the rest.

It is one more outcome beside the keys, at the score b, and no key: it has no value, and nothing comes back from it.
With M = max(m, b) the denominator is e^M Z, Z = e^(m − M)(1 + R₁) + e^(b − M), so the sums of `row_sums` suffice:

    max p = e^(m − M)/Z        q = e^(b − M)/Z, the sink's weight        lse = M + ln Z
    H = Σ p (lse − s) + q (lse − b), the entropy of keys and sink together

Every term is non-negative. In trace J and ‖J‖_F the largest weight's 1 − p is the sum of the others and q.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.exact.row_sums import SummedRows


def sunk_softmax(
    masked: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "*#batch #n_q #n_k"] | None, sink: float
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return e^s / (e^sink + Σ e^s); 0 in a row without keys, whose sink takes everything."""
    return beside(masked, sink).softmax(-1)[..., :-1]


def beside(masked: Float[Tensor, "*batch n_q n_k"], sink: float) -> Float[Tensor, "*batch n_q n_k_and_sink"]:
    """Return the scores with the sink's as one more column, the last."""
    return torch.cat([masked, masked.new_full((*masked.shape[:-1], 1), sink)], -1)


@dataclass(frozen=True, eq=False)
class SunkRows(SummedRows):
    """Rows of keys and a sink at the score `sink`."""

    further = ("sink_weight",)
    filled = ("logsumexp",)
    """It is the sink's score in a row without keys."""

    sink: float = 0.0

    @cached_property
    def _high(self) -> Float[Tensor, "*rows"]:
        return self.sums.largest.clamp_min(self.sink)

    @cached_property
    def _own(self) -> Float[Tensor, "*rows"]:
        """e^(m − M), 1 if no score is above the sink's."""
        return (self.sums.largest - self._high).exp()

    @cached_property
    def _beside(self) -> Float[Tensor, "*rows"]:
        return (self.sink - self._high).exp()

    @cached_property
    def _total(self) -> Float[Tensor, "*rows"]:
        return self._own * (1 + self.sums.first) + self._beside

    @cached_property
    def _logarithm(self) -> Float[Tensor, "*rows"]:
        """ln Z. One of its two exponentials is 1, and stays out of the sum."""
        own = self._own * (1 + self.sums.first)
        return torch.where(self.sums.largest >= self.sink, self.sums.first + self._beside, own).log1p()

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        return self._own / self._total

    @cached_property
    def sink_weight(self) -> Float[Tensor, "*rows"]:
        """1 less the sum of the weights."""
        return self._beside / self._total

    @cached_property
    def rest(self) -> Float[Tensor, "*rows"]:
        return self.first + self.sink_weight

    @property
    def logsumexp(self) -> Float[Tensor, "*rows"]:
        return self._high + self._logarithm

    @cached_property
    def ceiling(self) -> Float[Tensor, "*#rows"]:
        """The largest possible entropy in nats: ln of the number of keys and the sink."""
        return (self.keys.cpu().double() + 1).log()

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        above = self._high - self.sums.largest.clamp_min(torch.finfo(torch.float64).min)
        keys = self.top * ((1 + self.sums.first) * (above + self._logarithm) + self.sums.gap)
        sink = self.sink_weight * (self._high - self.sink + self._logarithm)
        return (keys + sink).minimum(self.ceiling)
