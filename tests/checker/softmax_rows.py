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
        return (self.weights * _others(self.weights)).sum(-1)

    @cached_property
    def norm(self) -> Numbers:
        """The Frobenius norm of diag(p) − p pᵀ: Σ (p(1 − p))² on the diagonal, Σ pᵢ²pⱼ² beside it."""
        p = self.weights
        return np.sqrt(((p * _others(p)) ** 2).sum(-1) + (p**2 * _others(p**2)).sum(-1))

    def _pairs(self, head: Numbers) -> list[tuple[Numbers, NDArray[np.bool_]]]:
        return list(zip(head, self.allowed, strict=True))


def _others(terms: Numbers) -> Numbers:
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
