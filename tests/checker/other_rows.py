"""Rows of weights that are no plain softmax, in numpy's float64, written from the definitions."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tests.checker.softmax_rows import Numbers, Rows, others


@dataclass(frozen=True)
class OtherRows(Rows):
    """Rows of `scores` before the softcap `cap` (0: none), which `normalisation` makes weights of; `sink` is its b."""

    normalisation: str
    sink: float
    cap: float

    @cached_property
    def treated(self) -> Numbers:
        """c tanh(s/c), or the scores themselves."""
        return self.cap * np.tanh(self.scores / self.cap) if self.cap else self.scores

    @cached_property
    def slopes(self) -> Numbers:
        """1 / cosh²(s/c): the derivative of the softcap."""
        x = np.minimum(np.abs(self.scores / self.cap), 350) if self.cap else np.zeros_like(self.scores)
        return 1 / np.cosh(x) ** 2

    @cached_property
    def outcomes(self) -> int:
        """The outcomes of a row beside its keys."""
        return int(self.normalisation == "sink")

    @cached_property
    def weights(self) -> Numbers:
        """The weights of every key; 0 where the mask forbids."""
        s, seen = np.where(self.allowed, self.treated, -np.inf), self.allowed
        n = s.shape[-1]
        match self.normalisation:
            case "sigmoid":
                return np.where(seen, 1 / (1 + n * np.exp(-np.where(seen, self.treated, 0.0).clip(-700, 700))), 0.0)
            case "entmax":
                return np.where(seen, _entmax(s), 0.0)
            case "softmax":
                return Rows(self.treated, self.allowed).weights
        most = np.maximum(s.max(-1, keepdims=True), self.sink)
        powers = np.exp(s - most)
        return powers / (powers.sum(-1, keepdims=True) + np.exp(self.sink - most))

    @cached_property
    def sunk(self) -> Numbers:
        """The weight of the sink in each row."""
        s = np.where(self.allowed, self.treated, -np.inf)
        most = np.maximum(s.max(-1), self.sink)
        return np.exp(self.sink - most) / (np.exp(s - most[..., None]).sum(-1) + np.exp(self.sink - most))

    @cached_property
    def mass(self) -> Numbers:
        """The sum of each row's weights."""
        return self.weights.sum(-1)

    @cached_property
    def support(self) -> Numbers:
        """The keys of each row with any weight, by the capped scores as float32 has them: near ±c they are ±c."""
        treated = self.treated.astype(np.float32).astype(np.float64) if self.cap else self.treated
        made = replace(self, scores=treated, cap=0.0)
        return (made.weights > 0).sum(-1).astype(float)

    @cached_property
    def entropy(self) -> Numbers:
        """−Σ p ln p over all outcomes."""
        p = self.weights
        if self.outcomes:
            p = np.concatenate([p, self.sunk[..., None]], -1)
        rest = others(p)  # ln p of a weight near 1 has the digits of what is left of 1
        logs = np.where(p > 0.5, np.log1p(-np.minimum(rest, 0.6)), np.log(np.where(p > 0, p, 1.0)))
        return -(p * logs).sum(-1)

    @cached_property
    def logs(self) -> Numbers:
        """ln of each weight, but for one number a row: what is far below 1e-300 keeps its order."""
        s = np.where(self.allowed, self.treated, -np.inf)
        if self.normalisation == "entmax":
            return np.log(np.maximum(self.weights, 1e-300))
        return -np.logaddexp(0, math.log(s.shape[-1]) - s) if self.normalisation == "sigmoid" else s

    @cached_property
    def ceiling(self) -> Numbers:
        """ln of each row's number of outcomes; 0 without any."""
        return np.log(np.maximum(self.keys + self.outcomes, 1))

    @cached_property
    def jacobian(self) -> Numbers:
        """∂pᵢ/∂sⱼ by the scores before the softcap, h × n_q × n_k × n_k."""
        p, one = self.weights, np.eye(self.scores.shape[-1])
        if self.normalisation == "sigmoid":
            x = np.where(self.allowed, self.treated, -np.inf) - math.log(p.shape[-1])
            found = one * (p / (1 + np.exp(x.clip(-700, 700))))[..., None]
        elif self.normalisation == "entmax":
            u = np.sqrt(p)
            whole = np.maximum(u.sum(-1, keepdims=True), 1e-300)
            found = (one - 1) * u[..., None] * (u / whole)[..., None, :] + one * (u * others(u) / whole)[..., None]
        else:
            rest = others(p) + (self.sunk[..., None] if self.outcomes else 0.0)
            found = (one - 1) * p[..., None] * p[..., None, :] + one * (p * rest)[..., None]
        return found * self.slopes[..., None, :]

    @cached_property
    def norm(self) -> Numbers:
        """The Frobenius norm of the Jacobian."""
        return np.sqrt((self.jacobian**2).sum((-2, -1)))

    @cached_property
    def trace(self) -> Numbers:
        """The trace of the Jacobian."""
        return np.trace(self.jacobian, axis1=-2, axis2=-1)


def _entmax(scores: Numbers) -> Numbers:
    """[s/2 − τ]₊², with τ by bisection: at it the row adds up to 1."""
    half = scores / 2
    most = half.max(-1, keepdims=True)
    half = np.where(np.isfinite(half), half - np.where(np.isfinite(most), most, 0.0), -np.inf)
    low, high = np.full(most.shape, -1.0), np.zeros(most.shape)
    for _ in range(80):
        middle = (low + high) / 2
        above = (np.maximum(half - middle, 0.0) ** 2).sum(-1, keepdims=True) >= 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    p = np.maximum(half - low, 0.0) ** 2
    return p / np.maximum(p.sum(-1, keepdims=True), 1e-300)
