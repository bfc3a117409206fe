"""The arithmetic of the numbers of trained heads: their measures, one query's weights and scores, and a score's terms.

A head, a query and a key are counted from 0 here.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionConfig
from attention_core.learned import LearnedLayer, Part, Score, Why
from visualiser.locale.message import Message, message
from visualiser.reasons import of_cell, of_head, of_rows
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason

MEASURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "entropy": "entropy",
        "distance": "mean_distance",
        "variance": "variance_ratio",
        "sink": "sink_share",
        **dict.fromkeys(("previous_token", "own_token", "next_token", "induction", "same_token"), "induction_share"),
        "patch_distance": "mean_distance",
        **dict.fromkeys(
            ("delimiter", "local", "picture", "agreement", "bracket", "end", "class_token", "neighbours"), "head_share"
        ),
        "monotone": "monotone",
    }
)
"""The kind of each measure."""


def measure(name: str, score: Score, corpus: bool) -> Message:
    """Explain a measure of one head over the corpus, or over a text: its rows, and its chance if it has one."""
    value, rows = score.value, score.rows
    if math.isnan(value):
        return message("reason.made.learned_no_row")
    facts: dict[str, Any] = {"value": value, "rows": rows, "of": score.of}
    kind = "learned_corpus" if corpus else "learned_text"
    if not corpus:
        if name == "variance":
            return message("reason.made.learned_variance", value=value)
        facts |= consistent_digits(value, lambda sum: sum / rows, sum=value * rows)
    if not math.isnan(score.chance):
        kind, facts = f"{kind}_chance", {**facts, "chance": score.chance}
    return message(f"reason.made.{kind}", **facts)


def chance(score: Score) -> Message:
    """Explain the chance of a measure of one head."""
    return message("reason.made.learned_chance", value=score.chance, rows=score.rows)


def weight(layer: LearnedLayer, head: int, row: int, key: int | None) -> Reason:
    """Explain the weight of one key by the scores of its row; that of the sink if `key` is None."""
    scores = open_scores(layer, head)[row]
    if layer.sink is None or layer.sink_score is None or not has_sink(layer, head):
        value = float(layer.weights[head, row, key or 0])
        return Reason("weight", of_cell.weight(scores, key or 0, value))
    given = layer.sink if key is None else layer.weights[..., key]
    value, sink = float(given[head, row]), float(layer.sink_score[head, row])
    kind = "sink_weight" if key is None else "weight_sink"
    return Reason(kind, of_cell.beside_sink(sink, scores, key, value))


def has_sink(layer: LearnedLayer, head: int) -> bool:
    """Return True if there is a sink beside the keys of a head, from 0: a change may have given or taken it."""
    return layer.sink_score is not None and not bool(layer.sink_score[head].isneginf().all())


def open_scores(layer: LearnedLayer, head: int) -> NDArray[np.float32]:
    """Return the scores of a head, NaN where the mask forbids and where they are not known."""
    return torch.where(layer.allowed[head], layer.scores[head].float(), torch.nan).numpy()


def score(layer: LearnedLayer, found: Why | None) -> Message | None:
    """Explain a score: the factor times q · k, and what a softcap and a bias add; None without queries and keys."""
    if found is None or layer.scale is None or found.forbidden:
        return None
    value, rest = found.score + 0.0, found.softcap + found.bias
    if rest:
        terms = consistent_digits(value, lambda dot, rest: dot + rest, dot=value - rest, rest=rest)
        return message("reason.made.learned_score", value=value, **terms)
    product = value / layer.scale if layer.scale else 0.0
    terms = consistent_digits(
        value, lambda factor, product: factor * product + 0.0, factor=layer.scale, product=product
    )
    return message("reason.made.scaled.dot_product", value=value, **terms)


def term(layer: LearnedLayer, head: int, row: int, key: int, part: Part) -> Message | None:
    """Explain a term of a score: a component of q and one of k, or a pair that turns together."""
    if layer.Q is None or layer.K is None or layer.scale is None:
        return None
    q, k = layer.Q[head, row].double(), layer.K[head * layer.K.shape[0] // layer.Q.shape[0], key].double()
    value = part.value + 0.0
    if len(part.components) == 1:
        at = part.components[0]
        terms = consistent_digits(
            value, lambda factor, q, k: factor * q * k + 0.0, factor=layer.scale, q=float(q[at]), k=float(k[at])
        )
        return message("reason.made.learned_term", value=value, **terms)
    first, second = (float(q[at] * k[at]) for at in part.components)
    pair = consistent_digits(
        value, lambda factor, first, second: factor * (first + second) + 0.0, factor=layer.scale, first=first,
        second=second,
    )  # fmt: skip
    return message("reason.made.learned_pair", value=value, **pair)


def entropy(weights: NDArray[np.float32], sink: float | None, value: float) -> Message:
    """Explain the entropy of one row by its largest term."""
    p = weights.astype(np.float64)
    keys = int((p > 0).sum())
    if sink is not None:
        return message("reason.made.terms_sink", keys=keys, value=value)
    terms = -p * np.log(np.where(p > 0, p, 1.0))
    if not terms.max() > 1e-9:
        return message("reason.made.terms", keys=keys, value=value)
    key = int(terms.argmax())
    one = float(terms[key])
    given = consistent_digits(one, lambda weight: -weight * math.log(weight), weight=float(p[key]))
    return message("reason.made.entropy_row", value=value, key=key, keys=keys, term=one, **given)


def mean_entropy(rows: NDArray[np.float64], value: float, sunk: bool) -> Reason:
    """Explain the mean entropy of a head's rows."""
    return of_rows.averaged("entropy_sink" if sunk else "entropy", value, torch.from_numpy(rows))


def ceiling(keys: int, sunk: bool, value: float) -> Reason:
    """Explain the largest entropy of a row with so many keys."""
    return of_rows.ceiling_of(_weights(sunk), max(keys, 0 if sunk else 1), value)


def mean_ceiling(keys: NDArray[np.int64], sunk: bool, value: float) -> Reason:
    """Explain the mean of the largest entropies of a head's rows."""
    return of_rows.mean_of_ceilings(_weights(sunk), torch.from_numpy(np.maximum(keys, 0 if sunk else 1)), value)


def score_mean(value: float, count: int) -> Message:
    """Explain the mean of a head's scores."""
    return of_head.summed("reason.made.mean_of_scores", value, count)


def score_variance(value: float, mean: float, count: int) -> Message:
    """Explain the variance of a head's scores."""
    return of_head.summed("reason.made.variance_of_scores", value, count, mean=mean)


def median(ratios: Sequence[float], value: float) -> Message:
    """Explain the middle one of all heads' ratios."""
    ordered, count = sorted(ratios), len(ratios)
    if count % 2:
        return message("reason.made.learned_middle", heads=count, value=value)
    low, high = ordered[count // 2 - 1], ordered[count // 2]
    terms = consistent_digits(value, lambda low, high: (low + high) / 2, low=low, high=high)
    return message("reason.made.learned_middle_even", heads=count, value=value, **terms)


def _weights(sunk: bool) -> AttentionConfig:
    return AttentionConfig(normalisation="sink" if sunk else "softmax")
