"""The scores of a result as counts, and how many of them the softmax turns into next to nothing."""

import math
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.result import AttentionResult
from visualiser.view import View

MOST_BINS: Final = 48
SATURATION: Final = math.log(100)
"""A score this far below its row's largest gets less than a hundredth of the largest weight."""


def allowed_scores(result: AttentionResult) -> Tensor:
    """h × m: the scaled scores of every cell that the mask allows, in the order of the cells."""
    if result.mask is None:
        return result.scaled.flatten(1)
    return result.scaled[:, result.mask]


def pooled_moments(result: AttentionResult) -> tuple[float, float]:
    """Mean and variance of the allowed scaled scores of all heads together (every head has equally many)."""
    mean, variance = result.score_mean, result.score_variance
    return float(mean.mean()), float(variance.mean() + mean.var(correction=0))


def bins(m: int) -> int:
    """How many bins a head's `m` scores fill without being mostly noise: 2·∛m (Rice's rule), 12 to 48."""
    return min(MOST_BINS, max(12, round(2 * m ** (1 / 3))))


def histograms(scores: Tensor) -> tuple[NDArray, NDArray]:
    """Edges of the bins over the range of all `scores` (h × m), and the density of each head (h × bins).

    Every score is counted. Scores that are all equal lie in the middle of a range of width 1.
    """
    h, m = scores.shape
    count = bins(m)
    if m == 0:
        return np.linspace(-1.0, 1.0, count + 1, dtype=np.float64), np.zeros((h, count))
    low, high = (float(end) for end in torch.aminmax(scores))
    if high - low < 1e-6 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    step = (high - low) / count
    # Bin numbers in one byte each: counting those takes a quarter of the time of torch.histc.
    places = ((scores - low) * (1 / step)).to(torch.uint8).clamp_(max=count - 1).numpy()
    counts = np.stack([np.bincount(head, minlength=count) for head in places]).astype(np.float64)
    return low + step * np.arange(count + 1), counts / (m * step)


def threshold(result: AttentionResult, view: View) -> float:
    """The score below which a key gets under 1/100 of the largest weight: of the locked row, else of the median row."""
    h, n_q, _ = result.scaled.shape
    row = view.locked(n_q)
    if row is not None:
        allowed = result.masked[view.focus(h) - 1, row]
        largest = float(allowed.max())
    else:
        heads = [head - 1 for head in view.heads(h)]
        largest = float(result.masked[heads].amax(-1).median())
    return largest - SATURATION


def saturated_share(result: AttentionResult, view: View) -> float:
    """The share of the allowed scores, over the rows shown, more than ln 100 below *their own* row's largest."""
    h, n_q, _ = result.scaled.shape
    row = view.locked(n_q)
    heads = [head - 1 for head in view.heads(h)]
    masked = result.masked[heads] if row is None else result.masked[view.focus(h) - 1, row]
    allowed = torch.isfinite(masked)
    far = (masked < masked.amax(-1, keepdim=True) - SATURATION) & allowed
    return float(far.sum()) / max(1, int(allowed.sum()))
