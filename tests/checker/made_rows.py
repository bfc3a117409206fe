"""Rows of other weights in a number format: its steps in numpy, and the statistics of the weights as they are.

Each step is rounded to the format once (`to_format`), sums after they were added up.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionConfig
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import MadeRows, Numbers, made_in, to_format


@dataclass(frozen=True)
class MadeSteps:
    """The weights, what they are made of (e^s, gates, roots), and of a sink the sum of a row and its own weight."""

    powers: Numbers
    weights: Numbers
    total: Numbers
    sunk: Numbers | None = None


def capped_in(scaled: Numbers, cap: float, dtype: str) -> Numbers:
    """Return c tanh(s/c) with each step rounded, or the scores themselves."""
    if not cap:
        return scaled
    cap = float(np.float32(cap))
    return to_format(to_format(np.tanh(to_format(scaled / cap, dtype)), dtype) * cap, dtype)


def made_steps(config: AttentionConfig, masked: Numbers) -> MadeSteps:
    """Return what a format makes of rows of scores in it; a masked score is −∞."""
    dtype, subtract, n = config.dtype, config.subtract_max, masked.shape[-1]
    with np.errstate(all="ignore"):
        match config.normalisation:
            case "sigmoid":
                x = to_format(masked - float(np.float32(math.log(n))), dtype)
                gates = to_format(1 / (1 + np.exp(-x)), dtype)
                return MadeSteps(gates, gates, gates.sum(-1, keepdims=True))
            case "entmax":
                roots = _roots(masked, dtype, subtract)
                return MadeSteps(roots, to_format(roots * roots, dtype), roots.sum(-1, keepdims=True))
            case "sink":
                b = to_format(np.full((*masked.shape[:-1], 1), config.sink), dtype)
                powers, weights = made_in(np.concatenate([masked, b], -1), dtype, subtract)
                total = to_format(powers.sum(-1, keepdims=True), dtype)
                return MadeSteps(powers[..., :-1], weights[..., :-1], total, weights[..., -1])
        powers, weights = made_in(masked, dtype, subtract)
        return MadeSteps(powers, weights, to_format(powers.sum(-1, keepdims=True), dtype))


def _roots(masked: Numbers, dtype: str, subtract: bool) -> Numbers:
    """Return [z − τ]₊ of half the scores, less the largest half if it is subtracted; τ by the sorted sums."""
    z = to_format(masked / 2, dtype)
    z = to_format(z - z.max(-1, keepdims=True), dtype) if subtract else z
    ordered = -np.sort(-z, -1)
    k = np.arange(1, z.shape[-1] + 1)
    mean = to_format(to_format(ordered.cumsum(-1), dtype) / k, dtype)
    squares = to_format(to_format(to_format(ordered * ordered, dtype).cumsum(-1), dtype) / k, dtype)
    spread = to_format(k * to_format(squares - to_format(mean * mean, dtype), dtype), dtype)
    share = to_format(np.maximum(to_format(1 - spread, dtype), 0) / k, dtype)
    tau = to_format(mean - to_format(np.sqrt(share), dtype), dtype)
    size = (tau <= ordered).sum(-1, keepdims=True)
    threshold = np.take_along_axis(tau, np.maximum(size - 1, 0), -1)
    threshold = np.where(np.isnan(z).any(-1, keepdims=True), np.nan, threshold)
    return np.maximum(to_format(z - threshold, dtype), 0)


@dataclass(frozen=True)
class MadeOtherRows(MadeRows, OtherRows):
    """Rows of other weights that a format made; `held` are the scores after a softcap, `share` a sink's weight."""

    held: Numbers
    share: Numbers | None

    @cached_property
    def treated(self) -> Numbers:
        return self.held

    @cached_property
    def sunk(self) -> Numbers:
        assert self.share is not None
        return self.share

    @cached_property
    def sound(self) -> NDArray[np.bool_]:
        """True for a row with a key that is a distribution, or whose gates are numbers."""
        total = self.weights.sum(-1)
        if self.normalisation == "sigmoid":
            return ~np.isnan(total) & self.open
        return (np.abs(total + (self.sunk if self.outcomes else 0) - 1) <= 0.01) & self.open

    @cached_property
    def entropy(self) -> Numbers:
        p = np.concatenate([self.weights, self.sunk[..., None]], -1) if self.outcomes else self.weights
        return np.minimum(-(p * np.log(np.where(p > 0, p, 1.0))).sum(-1), self.ceiling)

    @cached_property
    def jacobian(self) -> Numbers:
        if self.normalisation == "sigmoid":
            p = self.weights
            return np.eye(p.shape[-1]) * (p * (1 - p) * self.slopes)[..., None, :]
        return OtherRows.jacobian.func(self)

    @cached_property
    def norm(self) -> Numbers:
        k = np.maximum(self.keys, 1)
        most = {"sigmoid": np.inf, "entmax": np.sqrt(1 - 1 / k)}.get(self.normalisation, 0.5)
        return np.minimum(np.sqrt((self.jacobian**2).sum((-2, -1))), most)

    @cached_property
    def trace(self) -> Numbers:
        k = np.maximum(self.keys, 1)
        lone = (k == 1) / 4 if self.outcomes else 0
        most = {"sigmoid": np.inf, "entmax": np.sqrt(k) - 1 / np.sqrt(k)}.get(self.normalisation, 1 - 1 / k + lone)
        return np.minimum(np.trace(self.jacobian, axis1=-2, axis2=-1), most)
