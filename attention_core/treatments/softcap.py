"""c · tanh(s/c): no score leaves ±c, and small ones stay as they are (Gemma 2, arXiv 2408.00118, with c = 50)."""

import math
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
    def reach(self) -> float:
        """2c: values lie between −c and c."""
        return 2 * self.cap

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
        return 4 * u / (1 + u) ** 2

    def slope_(self, scaled: Float[Tensor, "*shape"], room: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return 1 − tanh²(s/c) in the place of `scaled`, at least 4e^−80 (in float64 4e^−700)."""
        farthest = -700.0 if scaled.dtype == torch.float64 else -80.0
        torch.add(_at(scaled, math.log(4)), scaled.abs_(), alpha=-2 / self._divisor, out=scaled)  # ln 4u
        scaled.clamp_min_(farthest).exp_()
        torch.add(_at(scaled, 1.0), scaled, alpha=0.25, out=room)  # 1 + u
        return scaled.div_(room.square_())


def _at(like: Tensor, value: float) -> Tensor:
    return like.new_tensor(value)


TREATMENT = Treatment(
    acts=lambda config: config.softcap > 0,
    curve=lambda config: Softcap(config.softcap),
)
