"""The interface of a normalisation to the rest of the core and the pages."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from attention_core.exact.row_sums import Law
from attention_core.exact.softmax import Normalise


@dataclass(frozen=True, kw_only=True)
class Normalisation:
    """One way to turn the masked scores of a row into weights.

    weights    (masked, mask) → the weights; −inf marks a forbidden key, `mask` is None if none is. Zeros in a row
               without keys
    rows       the statistics of rows from sums over their scores, in memory and in passes; their `logsumexp` is the
               logarithm of what e^s is divided by. None: statistics and long sequences are refused by name
    jacobian   a row of masked scores → ∂pᵢ/∂sⱼ; None if it is refused by name
    softmax    True if a weight is e^s / Σ e^s of its row and nothing more. Number formats, the walk, studies of a
               factor, maps, scripts and the sentences of the pages are of such weights, and refuse others by name
    """

    weights: Normalise
    rows: Law | None = None
    jacobian: Callable[[Tensor], Tensor] | None = None
    softmax: bool = False
