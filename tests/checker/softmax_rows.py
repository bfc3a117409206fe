"""Rows of a softmax in numpy's float64, written from the definitions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """The scores of every row (h × n_q × n_k) and the keys it may attend to (n_q × n_k)."""

    scores: Numbers
    allowed: NDArray[np.bool_]

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The number of allowed keys of each row."""
        return self.allowed.sum(-1)

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """True for a row with a key."""
        return self.keys > 0

    @cached_property
    def choosing(self) -> NDArray[np.bool_]:
        """True for a row with two keys or more."""
        return self.keys > 1

    @cached_property
    def every_score(self) -> Numbers:
        """The scores of all allowed cells, in one row."""
        return self.scores[:, self.allowed]

    @cached_property
    def weights(self) -> Numbers:
        """exp(s − max s) / Σ exp(s − max s) over the allowed keys; 0 elsewhere."""
        masked = np.where(self.allowed, self.scores, -np.inf)
        with np.errstate(invalid="ignore"):
            powers = np.exp(masked - masked.max(-1, keepdims=True))
        powers = np.where(self.allowed, powers, 0.0)
        return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300)

    @cached_property
    def entropy(self) -> Numbers:
        """−Σ p ln p, with ln p taken from the scores: a weight near 1 keeps the digits of 1 − p."""
        return np.stack([[_entropy(row[open_]) for row, open_ in self._pairs(head)] for head in self.scores])

    @cached_property
    def effective(self) -> Numbers:
        """e^H of each row."""
        return np.exp(self.entropy)

    @cached_property
    def ceiling(self) -> Numbers:
        """ln of each row's number of keys; 0 without keys."""
        return np.log(np.maximum(self.keys, 1))

    @cached_property
    def largest(self) -> Numbers:
        """The largest weight of each row."""
        return self.weights.max(-1)

    @cached_property
    def trace(self) -> Numbers:
        """Σ p(1 − p), 1 − p summed over the other weights."""
        return (self.weights * others(self.weights)).sum(-1)

    @cached_property
    def norm(self) -> Numbers:
        """The Frobenius norm of diag(p) − p pᵀ: Σ (p(1 − p))² on the diagonal, Σ pᵢ²pⱼ² beside it."""
        p = self.weights
        return np.sqrt(((p * others(p)) ** 2).sum(-1) + (p**2 * others(p**2)).sum(-1))

    def _pairs(self, head: Numbers) -> list[tuple[Numbers, NDArray[np.bool_]]]:
        return list(zip(head, self.allowed, strict=True))


@dataclass(frozen=True)
class MadeRows(Rows):
    """Rows whose weights a number format has made: `made`, h × n_q × n_k. Its statistics are those of these weights."""

    made: Numbers

    @cached_property
    def weights(self) -> Numbers:
        """The weights as they are; 0 where the mask forbids."""
        return np.where(self.allowed, self.made, 0.0)

    @cached_property
    def sound(self) -> NDArray[np.bool_]:
        """True for a row with a key whose weights are numbers that add up to 1, but for a hundredth."""
        return (np.abs(self.weights.sum(-1) - 1) <= 0.01) & self.open

    @cached_property
    def entropy(self) -> Numbers:
        """−Σ p ln p of the weights, at most the ceiling."""
        p = self.weights
        logs = np.log(np.where(p > 0, p, 1.0))
        return np.minimum(-(p * logs).sum(-1), self.ceiling)

    @cached_property
    def trace(self) -> Numbers:
        """Σ p(1 − p), at most that of a uniform row: the sum of the weights may be a little above 1."""
        most = 1 - 1 / np.maximum(self.keys, 1)
        return np.minimum((self.weights * others(self.weights)).sum(-1), most)

    @cached_property
    def norm(self) -> Numbers:
        """The norm of diag(p) − p pᵀ, at most ½."""
        p = self.weights
        return np.minimum(0.5, np.sqrt(((p * others(p)) ** 2).sum(-1) + (p**2 * others(p**2)).sum(-1)))


def made_in(masked: Numbers, dtype: str, subtract: bool) -> tuple[Numbers, Numbers]:
    """Return exponentials and weights of rows of scores, each step rounded to a format; a masked score is −∞."""
    with np.errstate(all="ignore"):
        shifted = to_format(masked - masked.max(-1, keepdims=True), dtype) if subtract else masked
        powers = to_format(np.exp(shifted), dtype)
        return powers, to_format(powers / to_format(powers.sum(-1, keepdims=True), dtype), dtype)


def to_format(numbers: Numbers, dtype: str) -> Numbers:
    """Round to a format and back: bfloat16 are the upper sixteen bits of a float32, to the nearest and to even."""
    with np.errstate(all="ignore"):
        single = numbers.astype(np.float32)
        if dtype == "float16":
            return single.astype(np.float16).astype(np.float64)
        if dtype == "bfloat16":
            bits = single.view(np.uint32)
            even = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
            return np.where(np.isfinite(single), even.view(np.float32), single).astype(np.float64)
        return single.astype(np.float64)


def others(terms: Numbers) -> Numbers:
    """Return for each term the sum of the row's others; the largest is left out and not subtracted."""
    found = terms.sum(-1, keepdims=True) - terms
    top = terms.argmax(-1, keepdims=True)
    rest = terms.copy()
    np.put_along_axis(rest, top, 0.0, -1)
    np.put_along_axis(found, top, rest.sum(-1, keepdims=True), -1)
    return found


def _entropy(scores: Numbers) -> float:
    """Return the entropy of one row's softmax: ln Σ e^(s − max) + Σ p (max − s)."""
    if not len(scores):
        return 0.0
    below = scores.max() - scores
    powers = np.exp(-below)
    top = int(scores.argmax())
    rest = np.delete(powers, top).sum()
    return float(np.log1p(rest) + (powers * below).sum() / powers.sum())


class SunkRows(Rows):
    """Rows whose last key is a sink: it takes part in every sum, and is no key."""

    @cached_property
    def largest(self) -> Numbers:
        """The largest weight of a key."""
        return self.weights[..., :-1].max(-1)

    @cached_property
    def sink(self) -> Numbers:
        """The weight of the sink."""
        return self.weights[..., -1]


def sunk(scores: Numbers) -> SunkRows:
    """Return rows of these scores beside a sink of score 0."""
    added = np.concatenate([scores, np.zeros((*scores.shape[:2], 1))], -1)
    return SunkRows(added, np.ones(added.shape[1:], bool))
