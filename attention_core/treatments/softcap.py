"""c · tanh(s/c): no score leaves ±c, and small ones stay as they are (Gemma 2, arXiv 2408.00118, with c = 50)."""

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.treatments.treatment import Treatment

_LEAST: Final = 1e-30
"""Scores are divided by at least this, which is a normal number of float32; smaller caps make the same weights."""


@dataclass(frozen=True)
class Softcap:
    """The `Curve` for one cap c > 0. Its derivative is 1 − tanh²(s/c) = 4u/(1 + u)² with u = e^(−2|s|/c)."""

    cap: float

    @property
    def _divisor(self) -> float:
        return max(self.cap, _LEAST)

    def value(self, scaled: Float[Tensor, "*shape"], out: Tensor | None = None) -> Float[Tensor, "*shape"]:
        """Return c · tanh(s/c), each of its three steps in the dtype of `scaled`."""
        if out is None:
            return (scaled / self._divisor).tanh() * self.cap
        return torch.div(scaled, self._divisor, out=out).tanh_().mul_(self.cap)

    def slope(self, scaled: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return 1 − tanh²(s/c) in float64. Near ±c, 1 − tanh² itself would lose every digit."""
        u = scaled.double().abs().mul_(-2 / self._divisor).exp_()
        return (4 * u / (1 + u) ** 2).clamp_max_(1.0)  # above 1 by rounding alone

    def treat(
        self, scaled: Float[Tensor, "*shape"], out: Float[Tensor, "*shape"], slopes: Float[Tensor, "*shape"]
    ) -> None:
        """Write c · tanh(s/c) and 1 − tanh²(s/c) from one exponential, the latter at least 4e^−80 (float64: 4e^−700).

        With w = e^(2|s|/c) − 1 and ρ = 2/(2 + w) they are ± c wρ/2 and ρ(2 − ρ), where nothing cancels.
        """
        farthest = 700.0 if scaled.dtype == torch.float64 else 80.0
        torch.abs(scaled, out=out)
        out.mul_(2 / self._divisor).clamp_max_(farthest).expm1_()
        torch.add(out.new_tensor(1.0), out, alpha=0.5, out=slopes).reciprocal_()
        out.mul_(slopes).mul_(self.cap / 2).copysign_(scaled)
        slopes.addcmul_(slopes, slopes, value=-0.5).mul_(2.0)


TREATMENT = Treatment(
    acts=lambda config: config.softcap > 0,
    curve=lambda config: Softcap(config.softcap),
)
