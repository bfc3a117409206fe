"""The arithmetic of single cells: a score, a weight, a cell of the Jacobian, a change from A to B."""

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionConfig, AttentionResult, normalisations, treatments
from attention_core.config import SCALED
from attention_core.exact.entmax import roots
from attention_core.exact.formats import is_reference
from attention_core.result.dense import FormatCells
from visualiser.drawing.weighed import is_plain, weighed
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
    if stage == "norms":
        return _weighted(result, head, row, key)
    if stage == "weights":
        return _of_weights(result, head, row, key)
    scaled = float(result.scaled[head, row, key])
    if stage == "masked" and treatments.acting(result.config):
        return capped(result.config, scaled, float(result.masked[head, row, key]))
    return score(result.config, float(result.scores[head, row, key]), scaled)


def _weighted(result: AttentionResult, head: int, row: int, key: int) -> Message:
    """Explain a weight times the norm of what is read; of a weight that is no number, how it came to be."""
    weight, length = float(result.weights[head, row, key]), float(result.value_norms[head, key])
    if math.isnan(weight):
        return _of_weights(result, head, row, key)
    value = float(result.weights[head, row, key] * result.value_norms[head, key])
    terms = consistent_digits(value, lambda weight, length: weight * length, weight=weight, length=length)
    name = "weighted_norm" if result.has_projection else "weighted_value"
    return message(f"reason.made.{name}", value=value, **terms)


def capped(config: AttentionConfig, scaled: float, value: float) -> Message:
    """Explain what the softcap makes of a scaled score."""
    cap, value = config.softcap, value + 0.0
    if not is_reference(config) or not math.isfinite(value):
        return message("reason.made.format_capped", cap=cap, scaled=scaled + 0.0, value=value, format=config.dtype)
    terms = consistent_digits(value, lambda scaled: cap * math.tanh(scaled / cap) + 0.0, scaled=scaled + 0.0)
    return message("reason.made.capped", cap=cap, value=value, **terms)


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


def sunk_weight(config: AttentionConfig, scores: NDArray, key: int | None, value: float) -> Message:
    """Explain the weight of one key beside a sink, or that of the sink itself if `key` is None."""
    return beside_sink(config.sink, scores, key, value)


def beside_sink(sink: float, scores: NDArray, key: int | None, value: float) -> Message:
    """Explain the same beside a sink of this score."""
    own = scores.astype(np.float64)
    there = np.append(own[np.isfinite(own)], sink)
    most, at = float(there.max()), sink if key is None else float(own[key])
    below, total = at - most, float(np.exp(there - there.max()).sum())
    true = math.exp(below) / total
    if true < _LEAST:
        return message("reason.made.underflow", true=true, value=value)
    terms = consistent_digits(value, lambda below, sum: math.exp(below) / sum, below=below, sum=math.exp(below) / value)
    name = "reason.made.sink_weight" if key is None else "reason.made.weight_sink"
    return message(name, value=value, score=at, most=most, sink=sink, **terms)


def gate(config: AttentionConfig, scores: NDArray, key: int, value: float) -> Message:
    """Explain the gate of one key."""
    own, n = float(scores[key]), len(scores)
    true = 1 / (1 + n * math.exp(-own)) if own > -700 else 0.0
    if true < _LEAST:
        return message("reason.made.underflow", true=true, value=value)
    terms = consistent_digits(value, lambda score: 1 / (1 + n * math.exp(-score)), score=own + 0.0)
    return message("reason.made.gate", value=value, n=n, **terms)


def root(config: AttentionConfig, scores: NDArray, key: int, value: float) -> Message:
    """Explain the weight of one key under entmax: the square of what half its score has above the threshold."""
    own = torch.from_numpy(scores.astype(np.float64)).unsqueeze(0)
    u = roots(own)
    half, threshold = float(own[0, key]) / 2, float(u.largest[0, 0] / 2 - u.top[0, 0])
    if value == 0:
        return message("reason.made.root_none", half=half, threshold=threshold, value=0)
    if value < _LEAST:
        return message("reason.made.underflow", true=float(u.every[0, key] ** 2), value=value)
    terms = consistent_digits(value, lambda root: root * root, root=math.sqrt(value))
    return message("reason.made.root_weight", value=value, half=half, threshold=threshold, **terms)


_WEIGHT: Final[Mapping[str, Callable[[AttentionConfig, NDArray, int, float], Message]]] = {
    "softmax": lambda config, scores, key, value: weight(scores, key, value),
    "sink": sunk_weight,
    "sigmoid": gate,
    "entmax": root,
}


def weight_of(config: AttentionConfig, scores: NDArray, key: int, value: float) -> Message:
    """Explain how the masked scores of a row (NaN or −∞ where the mask forbids) make the weight of one key."""
    written = normalisations.chosen(config, _WEIGHT)
    return written(config, np.where(np.isnan(scores), -np.inf, scores), key, value)


def _of_weights(result: AttentionResult, head: int, row: int, key: int) -> Message:
    weighed(result.config)
    value, cells = float(result.weights[head, row, key]), result.cells
    if isinstance(cells, FormatCells):
        return of_format(cells, head, row, key, value)
    return weight_of(result.config, result.masked[head, row].numpy(), key, value)


def of_format(cells: FormatCells, head: int, row: int, key: int, value: float) -> Message:
    """Explain a weight that a number format has made."""
    return normalisations.chosen(cells.config, _IN_FORMAT)(cells, head, row, key, value)


def _quotient(cells: FormatCells, head: int, row: int, key: int, value: float) -> Message:
    e = cells.exponentials[head, row]
    total = float(e.sum()) if cells.total is None else float(cells.total[head, row])
    return message("reason.made.format_row", value=value, e=float(e[key]), sum=total, format=cells.dtype)


def _rounded_gate(cells: FormatCells, head: int, row: int, key: int, value: float) -> Message:
    own = cells.masked[head, row]
    score = float(own[key]) + 0.0
    return message("reason.made.format_gate", value=value, score=score, n=len(own), format=cells.dtype)


def _rounded_root(cells: FormatCells, head: int, row: int, key: int, value: float) -> Message:
    root, half = float(cells.exponentials[head, row, key]), float(cells.masked[head, row, key]) / 2 + 0.0
    if root == 0:
        return message("reason.made.format_root_none", value=0, half=half, format=cells.dtype)
    return message("reason.made.format_root", value=value, root=root, half=half, format=cells.dtype)


_IN_FORMAT: Final[Mapping[str, Callable[[FormatCells, int, int, int, float], Message]]] = {
    "softmax": _quotient,
    "sink": _quotient,
    "sigmoid": _rounded_gate,
    "entmax": _rounded_root,
}


def response(config: AttentionConfig, own: bool, weight: float, value: float) -> Message:
    """Write the response of a weight to its own score, or the strongest to another key's; plain for a softmax alone."""
    if is_plain(config):
        return own_response(weight, value) if own else other_response(weight, value)
    return message("reason.made.response", value=value + 0.0)


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
