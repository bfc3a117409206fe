"""The scores of a result as counts, and the share that the softmax turns into next to nothing."""

import math
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionConfig, AttentionResult
from visualiser.drawing.once import once
from visualiser.drawing.weighed import faint_below, weighed
from visualiser.state.view import View

MOST_BINS: Final = 48
CACHED: Final = 65_536
"""Larger tensors are handled head by head, so that intermediate values stay in a core's cache."""


def allowed_scores(result: AttentionResult) -> Tensor:
    """Return h × m: the scaled scores of every cell that the mask allows, in the order of the cells."""
    if result.mask is None:
        return result.scaled.flatten(1)
    return result.scaled[:, result.mask]


@once
def pooled_moments(result: AttentionResult) -> tuple[float, float]:
    """Return mean and variance of the allowed scaled scores of all heads together (every head has equally many)."""
    mean, variance = result.score_mean, result.score_variance
    if mean.isnan().any():  # a head without a finite score
        mean, variance = mean[~mean.isnan()], variance[~mean.isnan()]
        if not len(mean):
            return math.nan, math.nan
    return float(mean.mean()), float(variance.mean() + mean.var(correction=0))


def bins(m: int) -> int:
    """Return the number of bins for a head's `m` scores: 2·∛m (Rice's rule), 12 to 48; more would be mostly noise."""
    return min(MOST_BINS, max(12, round(2 * m ** (1 / 3))))


def histograms(scores: Tensor) -> tuple[NDArray, NDArray]:
    """Return the bin edges over the range of all `scores` (h × m), and the density of each head (h × bins).

    Every finite score is counted. If all scores are equal, they lie in the middle of a range of width 1.
    """
    h, m = scores.shape
    count = bins(m)
    if m == 0:
        return np.linspace(-1.0, 1.0, count + 1, dtype=np.float64), np.zeros((h, count))
    low, high = (float(end) for end in torch.aminmax(scores))
    if not (math.isfinite(low) and math.isfinite(high)):
        return _finite_histograms(scores, count)
    if high - low < 1e-6 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    step = (high - low) / count
    counts = np.empty((h, count))
    together = h if h * m <= CACHED else 1
    for at, heads in enumerate(scores.split(together)):
        # Bin numbers in one byte each: counting those takes a quarter of the time of torch.histc.
        places = (heads - low).mul_(1 / step).to(torch.uint8).clamp_(max=count - 1).numpy()
        counts[at * together : at * together + len(places)] = [_counted(head, count) for head in places]
    return low + step * np.arange(count + 1), counts / (m * step)


def _finite_histograms(scores: Tensor, count: int) -> tuple[NDArray, NDArray]:
    """Return `histograms` of scores some of which are ±∞ or NaN, which have no bin."""
    heads = [head[head.isfinite()].double().numpy() for head in scores]
    every = np.concatenate(heads)
    if not len(every):
        return histograms(scores[:, :0])
    low, high = float(every.min()), float(every.max())
    if high - low < 1e-6 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, count + 1)
    counts = np.stack([np.histogram(head, edges)[0] for head in heads])
    return edges, counts / (np.maximum(1, counts.sum(-1, keepdims=True)) * (edges[1] - edges[0]))


def _counted(places: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Count the bin numbers 0, 1, …, count − 1."""
    if len(places) < CACHED // 4:
        return np.bincount(places, minlength=count)
    # Many are counted in pairs, as one number of two bytes, which takes half the time.
    even = len(places) // 2 * 2
    pairs = np.bincount(places[:even].view(np.uint16), minlength=256 * count).reshape(-1, 256)
    return pairs.sum(0)[:count] + pairs.sum(1)[:count] + np.bincount(places[even:], minlength=count)


def threshold(result: AttentionResult, view: View) -> float:
    """Return the score below which a key gets under 1/100 of the largest weight, in the locked, else the median row."""
    weighed(result.config)
    h, n_q, _ = result.scaled.shape
    row = view.locked(n_q)
    below = faint_below(result)
    found = float(below[view.single(h) - 1, row] if row is not None else _shown(below, view).median())
    return -math.inf if math.isnan(found) else _before_treatment(result.config, found)


def _before_treatment(config: AttentionConfig, score: float) -> float:
    """Return the scaled score that the softcap makes `score` of; −∞ or ∞ beyond its reach."""
    cap = config.softcap
    if not cap:
        return score
    return math.copysign(math.inf, score) if abs(score) >= cap else cap * math.atanh(score / cap)


def saturated_share(result: AttentionResult, view: View) -> float:
    """Return the share of allowed scores, over the rows shown, more than ln 100 below *their own* row's largest."""
    h, n_q, _ = result.scaled.shape
    row = view.locked(n_q)
    masked, below = result.masked, faint_below(result)
    if row is None:
        masked, below = _shown(masked, view), _shown(below, view)
    else:
        masked, below = masked[None, view.single(h) - 1, row], below[None, view.single(h) - 1, row]
    together = len(masked) if masked.numel() <= CACHED else 1
    far = allowed = 0
    for head, least in zip(masked.split(together), below.split(together), strict=True):
        finite = torch.isfinite(head)
        far += np.count_nonzero(((head < least.unsqueeze(-1)) & finite).numpy())
        allowed += np.count_nonzero(finite.numpy())
    return far / max(1, allowed)


def _shown(values: Tensor, view: View) -> Tensor:
    """Return the heads shown of h × …; a view and no copy."""
    heads = view.heads(len(values))
    return values[heads[0] - 1 : heads[-1]]
