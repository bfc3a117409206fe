"""The loss of a number format: what its attention differs by from that in float32, and what it saves.

The reference has the same draw or the same tensors, unrounded, every step in float32 and the maximum subtracted. So the
difference is all that choosing the format changes, the rounding of Q, K and V included.
"""

from dataclasses import dataclass, replace
from typing import Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact import formats
from attention_core.result.compute import compute, compute_rows
from attention_core.result.dense import FormatCells
from attention_core.result.result import AttentionResult

__all__ = ["FormatLoss", "format_loss"]

FLOAT: Final = 4
"""Bytes of a float32."""


@dataclass(frozen=True)
class FormatLoss:
    """Counts of what left a format, and differences from float32.

    Attributes
    ----------
    cells
        The number of weights that the mask allows, of all heads.
    infinite_scores, infinite, not_a_number, lost, subnormal
        The number of scaled scores that are ±∞, of exponentials that are ∞, of weights that are NaN, of weights that
        are 0 (of entmax, although their root is above 0), and of weights below the smallest normal number.
    divided
        The number of `lost` weights that are x/∞ = 0, with x more than 0; the others underflowed.
    overflowed_rows
        The number of rows with an infinite exponential.
    rows, broken
        The number of rows that have a key, and of those that are no distribution.
    total_error
        The largest |Σp − 1| of the other rows; NaN if there are none.
    weight, weight_mean, output, output_mean
        The largest and the mean |difference| of an allowed weight, and of a component of a head's output, over the
        rows that are distributions; NaN if there are none.
    bytes, reference_bytes
        The memory of the weights in the format and in float32.
    """

    cells: int
    infinite_scores: int
    infinite: int
    not_a_number: int
    lost: int
    subnormal: int
    divided: int
    overflowed_rows: int
    rows: int
    broken: int
    total_error: float
    weight: float
    weight_mean: float
    output: float
    output_mean: float
    bytes: int
    reference_bytes: int


def format_loss(result: AttentionResult, device: str = "cpu") -> FormatLoss | None:
    """Compare a result with float32; None if it is float32 with the maximum subtracted, or of a long sequence.

    Parameters
    ----------
    result
        A result of `compute` or `compute_rows`.
    device
        Name for `resolve`: where the reference is computed.

    Returns
    -------
    FormatLoss or None
        The comparison, all heads together.
    """
    cells = result.cells
    if not isinstance(cells, FormatCells):
        return None
    with torch.no_grad():
        return _compared(result, cells, device)


def _compared(result: AttentionResult, cells: FormatCells, device: str) -> FormatLoss:
    h, n_q, n_k = cells.weights.shape
    allowed = torch.ones(n_q, n_k, dtype=torch.bool) if cells.mask is None else cells.mask
    open_rows = allowed.any(-1)
    sound = open_rows & ~cells.rows.broken
    counts = torch.zeros(len(formats.MARKS) + 1, dtype=torch.int64)
    infinite_scores = overflowed = nan = divided = 0
    for head in range(h):
        checkpoint()
        own, exponentials = cells.weights[head][allowed], cells.exponentials[head].isinf() & allowed
        counts += torch.bincount(cells.marks_of_weights(head)[allowed].long(), minlength=len(counts))
        infinite_scores += int((cells.scaled[head].isinf() & allowed).sum())
        overflowed += int(exponentials.any(-1).sum())
        nan += int(own.isnan().sum())
        total = None if cells.total is None else cells.total[head]
        divided += int((formats.divided(cells.weights[head], cells.exponentials[head], total) & allowed).sum())
    totals = cells.rows.excess[sound]
    weight, output = _differences(result, cells, device, allowed, sound)
    return FormatLoss(
        cells=h * int(allowed.sum()),
        infinite_scores=infinite_scores,
        infinite=int(counts[formats.INFINITE]),
        not_a_number=nan,
        lost=int(counts[formats.LOST]),
        subnormal=int(counts[formats.SUBNORMAL]),
        divided=divided,
        overflowed_rows=overflowed,
        rows=h * int(open_rows.sum()),
        broken=int(cells.rows.broken.sum()),
        total_error=float(totals.max()) if len(totals) else torch.nan,
        weight=weight[0],
        weight_mean=weight[1],
        output=output[0],
        output_mean=output[1],
        bytes=cells.exponentials.element_size() * h * n_q * n_k,
        reference_bytes=FLOAT * h * n_q * n_k,
    )


def _differences(
    result: AttentionResult, cells: FormatCells, device: str, allowed: Tensor, sound: Tensor
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (largest, mean) of |difference| of the weights and of the outputs, over sound rows."""
    if not sound.any():
        return (torch.nan, torch.nan), (torch.nan, torch.nan)
    reference = _reference(result, device)
    V, found = reference.V, ([0.0, 0.0, 0], [0.0, 0.0, 0])  # of weights and outputs: the largest, the sum, the count
    for head, rows in enumerate(sound):
        checkpoint()
        if not rows.any():
            continue
        own, exact = cells.weights[head], reference.weights[head]
        made = (own @ V[head].to(cells.exponentials.dtype).float()).to(cells.exponentials.dtype).float()
        for of, apart in zip(found, ((own - exact)[rows][allowed[rows]], (made - exact @ V[head])[rows]), strict=True):
            of[0] = max(of[0], float(apart.abs().max()))
            of[1] += float(apart.abs().sum(dtype=torch.float64))
            of[2] += apart.numel()
    weight, output = ((most, total / count) for most, total, count in found)
    return weight, output


def _reference(result: AttentionResult, device: str) -> AttentionResult:
    """Return the same rows in float32 with the maximum subtracted."""
    config = replace(result.config, dtype="float32", subtract_max=True)
    if result.rows is None:
        return compute(config, result.inputs, device)
    return compute_rows(config, result.rows, result.inputs, device)
