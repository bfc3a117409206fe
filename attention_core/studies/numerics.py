"""One softmax in three floating-point formats, with and without subtracting the maximum, against float64.

    plain        p = exp(s) / Σ exp(s)
    subtracted   p = exp(s − max s) / Σ exp(s − max s), the same number in exact arithmetic

The largest x with a finite exp(x) is 11.09 in float16, and 88.7 in float32 and bfloat16. bfloat16 has float32's range
but only 8 bits of precision: between 64 and 128 its numbers are ½ apart.
"""

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.formats import divided, softmax_steps
from attention_core.exact.softmax import masked_softmax
from attention_core.exact.weighed_rows import OFF

__all__ = ["FORMATS", "SoftmaxAccuracy", "softmax_accuracies"]

FORMATS: Final = ("float16", "bfloat16", "float32")
_WAYS: Final = tuple((dtype, subtract) for dtype in FORMATS for subtract in (False, True))
_CELLS = 2**18
"""Weights that are compared at once: a dozen tensors of at most 2 MiB."""


@dataclass(frozen=True, eq=False)
class SoftmaxAccuracy:
    """Each row of one softmax, compared with the float64 softmax of the unrounded scores.

    Attributes
    ----------
    overflowed
        The number of the row's exponentials that are ∞.
    divided
        The number of its weights that are x/∞ = 0, with x more than 0, but not 0 in float64.
    underflowed
        The number of its other weights that are 0 but not in float64.
    not_a_number
        The number of its weights that are NaN (∞/∞, or 0/0 if every exponential underflowed).
    total
        Σ p, added up in float64; NaN if a weight is.
    error
        The largest |p − p in float64|; NaN if a weight is.
    """

    dtype: str
    subtracted: bool
    overflowed: Int[Tensor, "*batch"]
    divided: Int[Tensor, "*batch"]
    underflowed: Int[Tensor, "*batch"]
    not_a_number: Int[Tensor, "*batch"]
    total: Float[Tensor, "*batch"]
    error: Float[Tensor, "*batch"]

    @property
    def total_error(self) -> Float[Tensor, "*batch"]:
        """|Σ p − 1|."""
        return (self.total - 1).abs()

    @property
    def broken(self) -> Bool[Tensor, "*batch"]:
        """True if the row is no distribution: a weight is NaN, or the sum is off by more than a hundredth."""
        return ~(self.total_error <= OFF)


def softmax_accuracy(masked: Float[Tensor, "*batch n_q n_k"], dtype: str, subtract: bool) -> SoftmaxAccuracy:
    """Measure one format with or without the subtraction, row by row.

    `masked` are scores with −∞ where a mask forbids. A row without an allowed key is left out by decision, as in
    `masked_softmax`: its counts are 0 and its total is 1.
    """
    return _accuracy(masked, masked_softmax(masked.double()), dtype, subtract)


def softmax_accuracies(masked: Float[Tensor, "*batch n_q n_k"]) -> tuple[SoftmaxAccuracy, ...]:
    """Measure every format of `FORMATS`, first plain, then with the maximum subtracted, a few rows at a time.

    Parameters
    ----------
    masked
        Scores, −inf where the mask forbids.

    Returns
    -------
    tuple of SoftmaxAccuracy
        Two for each format, one value for each row (`*batch n_q`).
    """
    rows = masked.reshape(-1, masked.shape[-1])
    found: list[list[SoftmaxAccuracy]] = [[] for _ in _WAYS]
    for some in rows.split(max(1, _CELLS // max(1, rows.shape[-1]))):
        checkpoint()
        exact = masked_softmax(some.double())
        for way, parts in zip(_WAYS, found, strict=True):
            checkpoint()
            parts.append(_accuracy(some, exact, *way))
    return tuple(_joined(parts, masked.shape[:-1]) for parts in found)


def _accuracy(
    masked: Float[Tensor, "*batch n_k"], exact: Float[Tensor, "*batch n_k"], dtype: str, subtract: bool
) -> SoftmaxAccuracy:
    steps = softmax_steps(masked, dtype, subtract)
    weights = steps.weights.double()
    closed = masked.amax(-1) == -torch.inf
    lost = (weights == 0) & (exact > 0)
    by_infinity = divided(steps.weights, steps.exponentials) & lost
    total, error = weights.sum(-1), (weights - exact).abs().amax(-1)
    return SoftmaxAccuracy(
        dtype=dtype,
        subtracted=subtract,
        overflowed=steps.exponentials.isinf().sum(-1),
        divided=by_infinity.sum(-1),
        underflowed=(lost & ~by_infinity).sum(-1),
        not_a_number=weights.isnan().sum(-1).masked_fill(closed, 0),
        total=total.masked_fill(closed, 1.0),
        error=error.masked_fill(closed, 0.0),
    )


def _joined(parts: list[SoftmaxAccuracy], batch: torch.Size) -> SoftmaxAccuracy:
    names = ("overflowed", "divided", "underflowed", "not_a_number", "total", "error")
    values = {name: torch.cat([getattr(part, name) for part in parts]).view(batch) for name in names}
    return SoftmaxAccuracy(dtype=parts[0].dtype, subtracted=parts[0].subtracted, **values)
