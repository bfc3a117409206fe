"""The arithmetic of single cells: a score, a weight, a cell of the Jacobian, a change from A to B."""

import math
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionConfig, AttentionResult
from attention_core.config import SCALED
from attention_core.exact.formats import is_reference
from attention_core.normalisations import softmax_of
from attention_core.result.dense import FormatCells
from visualiser.locale.message import Message, message
from visualiser.locale.required_texts import of_mechanism
from visualiser.reasons.digits import consistent_digits

_LEAST: Final = 2.0**-126
"""Smaller numbers have fewer digits in float32, or none."""


def of_stage(result: AttentionResult, stage: str, head: int, row: int, key: int) -> Message:
    """Return the arithmetic of one cell of a stage (head, row and key from 0)."""
    if stage == "scores":
        return product(result.config, float(result.scores[head, row, key]))
    if stage != "scaled" and result.mask is not None and not result.mask[row, key]:
        return message("reason.made.forbidden")
    if stage == "weights":
        return _of_weights(result, head, row, key)
    return score(result.config, float(result.scores[head, row, key]), float(result.scaled[head, row, key]))


def product(config: AttentionConfig, value: float) -> Message:
    """Explain how a score comes from q and k."""
    return message(f"reason.made.scores.{of_mechanism(config)}", value=value, d_k=config.d_k)


def score(config: AttentionConfig, unscaled: float, value: float) -> Message:
    """Explain how the factor makes the score that the softmax receives."""
    factor, value = float(config.factor), value + 0.0  # a product may be −0
    if not SCALED[config.mechanism]:
        return product(config, value)
    if not is_reference(config) or not math.isfinite(value):
        terms = {"format": config.dtype, "factor": factor, "product": unscaled, "value": value}
        return message(f"reason.made.format_score.{of_mechanism(config)}", **terms)
    exact = value / factor if factor else unscaled
    terms = consistent_digits(value, lambda factor, product: factor * product + 0.0, factor=factor, product=exact)
    return message(f"reason.made.scaled.{of_mechanism(config)}", value=value, **terms)


def weight(scores: NDArray, key: int, value: float) -> Message:
    """Explain how the scores of a row (NaN or −∞ where the mask forbids) make the weight of one key."""
    own = scores.astype(np.float64)
    most = float(np.nanmax(own))
    below = float(own[key]) - most
    total = float(np.exp(own[np.isfinite(own)] - most).sum())
    true = math.exp(below) / total
    if true < _LEAST:
        return message("reason.made.underflow", true=true, value=value)
    terms = consistent_digits(value, lambda below, sum: math.exp(below) / sum, below=below, sum=math.exp(below) / value)
    return message("reason.made.weight", value=value, score=float(own[key]), most=most, **terms)


def _of_weights(result: AttentionResult, head: int, row: int, key: int) -> Message:
    softmax_of(result.config)
    value, cells = float(result.weights[head, row, key]), result.cells
    if isinstance(cells, FormatCells):
        e = cells.exponentials[head, row]
        terms = {"e": float(e[key]), "sum": float(e.sum()), "format": result.config.dtype}
        return message("reason.made.format_row", value=value, **terms)
    return weight(result.masked[head, row].numpy(), key, value)


def own_response(weight: float, value: float) -> Message:
    """Write p (1 − p): the response of a weight to its own score."""
    rest = value / weight if weight else 1.0
    value += 0.0
    terms = consistent_digits(value, lambda weight, rest: weight * rest + 0.0, weight=weight, rest=rest)
    return message("reason.made.own_response", value=value, **terms)


def other_response(weight: float, value: float) -> Message:
    """Write −pᵢ pⱼ: the response of a weight to another key's score."""
    other = -value / weight if weight else 0.0
    value += 0.0
    terms = consistent_digits(value, lambda weight, other: 0.0 - weight * other, weight=weight, other=other + 0.0)
    return message("reason.made.other_response", value=value, **terms)


def change(before: float, after: float, value: float, query: int, key: int) -> Message:
    """Write the difference of one cell, the larger number first."""
    less = min(before, after)
    terms = consistent_digits(value, lambda more, less: more - less, more=less + value, less=less)
    return message("reason.made.change", value=value, query=query, key=key, **terms)


def largest_change(difference: torch.Tensor, head: int) -> tuple[int, int]:
    """Return the query and the key of a head's largest change."""
    size = difference[head].abs().nan_to_num(-1.0)
    return divmod(int(size.argmax()), size.shape[1])
