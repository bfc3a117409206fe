"""The reasons of the statistics of one row of a result."""

import math
from collections.abc import Mapping
from typing import Final

import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionConfig, AttentionResult, normalisations
from attention_core.result.dense import FormatCells
from visualiser.drawing.distributions import sharers
from visualiser.locale.message import Message, message
from visualiser.reasons import of_cell
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_rows import ceiling_of
from visualiser.reasons.shown import Shown, Why
from visualiser.state.view import View

_NEARLY_ONE: Final = 1 - 1e-9
"""The entropy's term of a larger weight has lost its digits."""
_TINY: Final = 1e-300
_LEAST: Final = 2.0**-126
"""Smaller numbers have fewer digits in float32, or none."""


def keys_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the number of keys of one row."""
    n_k = shown.result.weights.shape[2]
    return Reason("keys", message("reason.made.keys_of_row", n_k=n_k, value=int(shown.keys[shown.row])))


def entropy_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the entropy of one row by its largest term that needs no more digits than a page has."""
    if not shown.plain:
        return _of_other_weights(shown, "entropy", float(shown.result.entropy[shown.head, shown.row]))
    e = _exponentials(shown)
    p = _weights(shown) if shown.made else e / e.sum()
    terms = -torch.xlogy(p, p)
    terms[p > _NEARLY_ONE] = 0.0
    key, keys = int((terms + p * _TINY).argmax()), int(shown.keys[shown.row])
    value, term = float(shown.result.entropy[shown.head, shown.row]), float(terms[key])
    weight = consistent_digits(term, lambda weight: -weight * math.log(weight), weight=float(p[key]))
    return Reason("entropy", message("reason.made.entropy_row", value=value, key=key, keys=keys, term=term, **weight))


def effective_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the effective keys of one row: e to the power of its entropy."""
    value = float(shown.result.effective_keys[shown.head, shown.row])
    entropy = math.log(value) if 0 < value < math.inf else float(shown.result.entropy[shown.head, shown.row])
    power = consistent_digits(value, lambda entropy: math.exp(entropy), entropy=entropy)
    return Reason("effective_keys", message("reason.made.effective_row", value=value, **power))


def ceiling_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the largest possible entropy of one row."""
    return ceiling_of(shown.result.config, int(shown.keys[shown.row]), float(shown.result.ceiling[shown.row]))


def largest_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the largest weight of one row: its exponential is 1 once its score is subtracted."""
    value = float(_weights(shown).max())
    if not shown.softmax:
        return _of_other_weights(shown, "largest_weight", value)
    if shown.made:
        return Reason("largest_weight", _made_row(shown, value))
    under = consistent_digits(value, lambda sum: 1 / sum, sum=1 / value)
    return Reason("largest_weight", message("reason.made.largest_row", value=value, **under))


def norm_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the Jacobian's norm of one row by the squares of its cells, on the diagonal and beside it."""
    value = float(shown.result.jacobian_norm[shown.head, shown.row])
    if not shown.plain:
        return _of_other_weights(shown, "jacobian_norm", value)
    e = _exponentials(shown)
    total = e.sum()
    p, rest = e / total, _without_each(e) / total  # 1 − p, also where p is nearly 1
    if shown.made:
        p = _weights(shown)
        top = int(p.argmax())
        rest = 1 - p
        rest[top] = _without_each(p)[top]
    diagonal, beside = float((p * rest).square().sum()), float((p.square() * _without_each(p.square())).sum())
    true = math.sqrt(diagonal + beside)
    if shown.made and true > value * (1 + 1e-6):
        return Reason("jacobian_norm", message("reason.made.cut", value=value))
    if true < _LEAST and not (shown.made and true == 0):
        return Reason("jacobian_norm", message("reason.made.underflow", true=true, value=value))
    rounded = (value / true) ** 2 if true else 1.0  # of float32
    diagonal, beside = diagonal * rounded, beside * rounded
    squares = consistent_digits(
        value, lambda diagonal, beside: math.sqrt(diagonal + beside), diagonal=diagonal, beside=beside
    )
    return Reason("jacobian_norm", message("reason.made.norm_row", value=value, **squares))


def trace_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the Jacobian's trace of one row: what the squares leave of 1."""
    value = float(shown.result.jacobian_trace[shown.head, shown.row])
    if not shown.plain:
        return _of_other_weights(shown, "jacobian_trace", value)
    if shown.made or value < 1 - _NEARLY_ONE:
        return Reason("jacobian_trace", message("reason.made.terms", keys=int(shown.keys[shown.row]), value=value))
    squares = consistent_digits(value, lambda squares: 1 - squares, squares=1 - value)
    return Reason("jacobian_trace", message("reason.made.trace_row", value=value, **squares))


def sink_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the weight of the sink in one row."""
    return _of_other_weights(shown, "sink_weight", float(shown.result.statistic("sink_weight")[shown.head, shown.row]))


def mass_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the sum of a row's gates."""
    return _of_other_weights(shown, "mass", float(shown.result.statistic("mass")[shown.head, shown.row]))


def support_of_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the number of a row's keys with any weight."""
    return _of_other_weights(shown, "support", float(shown.result.statistic("support")[shown.head, shown.row]))


def _of_other_weights(shown: Shown, name: str, value: float) -> Reason:
    """Explain a statistic of weights that are no plain softmax, without writing all of its terms."""
    config, cells, key = shown.result.config, shown.result.cells, int(_weights(shown).argmax())
    if isinstance(cells, FormatCells) and name in ("largest_weight", "sink_weight"):
        kind = kind_of(config, name)
        if name == "sink_weight":
            return Reason(kind, message("reason.made.format_sink", value=value, format=config.dtype))
        return Reason(kind, of_cell.of_format(cells, shown.head, shown.row, key, value))
    scores = shown.result.masked[shown.head, shown.row].numpy()
    return of_other_weights(config, name, scores, key, int(shown.keys[shown.row]), value)


def of_other_weights(config: AttentionConfig, name: str, scores: NDArray, key: int, keys: int, value: float) -> Reason:
    """Explain a statistic of a row of `keys` masked scores (NaN or −∞ where the mask forbids).

    `key` has the largest weight.
    """
    kind = kind_of(config, name)
    match name:
        case "largest_weight":
            return Reason(kind, of_cell.weight_of(config, scores, key, value))
        case "sink_weight":
            return Reason(kind, of_cell.sunk_weight(config, scores, None, value))
        case "jacobian_norm":
            if value < _LEAST:
                return Reason(kind, message("reason.made.underflow", true=value, value=value))
            squares = consistent_digits(value, lambda squares: math.sqrt(squares), squares=value * value)
            return Reason(kind, message("reason.made.norm_cells", value=value, **squares))
        case "support":
            return Reason(kind, message("reason.made.support", value=round(value)))
        case "entropy" if "sink_weight" in normalisations.of(config).statistics:
            return Reason(kind, message("reason.made.terms_sink", keys=keys, value=value))
    return Reason(kind, message("reason.made.terms", keys=keys, value=value))


def alike_in_row(shown: Shown, sentence: Message) -> Reason:
    """Explain the number of keys that share the largest weight."""
    count = sharers(shown.result, shown.head + 1, shown.row)
    return Reason("counted", message("reason.made.alike", count=count, weight=float(_weights(shown).max())))


def _made_row(shown: Shown, value: float) -> Message:
    cells = shown.result.cells
    assert isinstance(cells, FormatCells)
    e = cells.exponentials[shown.head, shown.row]
    at = int(_weights(shown).argmax())
    terms = {"e": float(e[at]), "sum": float(e.sum()), "format": shown.result.config.dtype}
    return message("reason.made.format_row", value=value, **terms)


def _weights(shown: Shown) -> Tensor:
    return shown.result.weights[shown.head, shown.row].double()


def _exponentials(shown: Shown) -> Tensor:
    scores = shown.result.masked[shown.head, shown.row].double()
    return (scores - scores.max()).exp()


def _without_each(values: Tensor) -> Tensor:
    """Return for each value the sum of the others, without a difference of nearly equal numbers."""
    before = torch.cat([values.new_zeros(1), values.cumsum(0)[:-1]])
    after = torch.cat([values.flip(0).cumsum(0)[:-1].flip(0), values.new_zeros(1)])
    return before + after


def _of_a_row(why: Why) -> Why:
    """Return the reason `why`, or that the row sees no key."""

    def reason(shown: Shown, sentence: Message) -> Reason | None:
        return why(shown, sentence) if int(shown.keys[shown.row]) else Reason("keys", message("reason.made.no_key"))

    return reason


ROW: Final[Mapping[str, Why]] = {
    name: _of_a_row(why)
    for name, why in {
        "weight": largest_of_row,
        "entropy": entropy_of_row,
        "ceiling": ceiling_of_row,
        "effective": effective_of_row,
        "keys": keys_of_row,
        "norm": norm_of_row,
        "count": alike_in_row,
        "sink": sink_of_row,
        "mass": mass_of_row,
        "support": support_of_row,
    }.items()
}
_OF_STATISTIC: Final[Mapping[str, Why]] = {
    "entropy": entropy_of_row,
    "effective_keys": effective_of_row,
    "ceiling": ceiling_of_row,
    "largest_weight": largest_of_row,
    "jacobian_norm": norm_of_row,
    "jacobian_trace": trace_of_row,
    "sink_weight": sink_of_row,
    "mass": mass_of_row,
    "support": support_of_row,
}


def of_row(result: AttentionResult, name: str, head: int, row: int) -> Message | None:
    """Return the arithmetic of a statistic of one row (head and row from 0); None if the row is no distribution."""
    shown = Shown(result, View(head=head + 1, row=row))
    keys, value = int(shown.keys[row]), float(result.statistic(name)[..., row].expand(len(result.weights))[head])
    if not keys:
        return message("reason.made.no_key")
    if math.isnan(value):
        return None
    why = _OF_STATISTIC.get(name)
    found = why(shown, message("reason.made.terms", keys=keys, value=value)) if why else None
    return found.made if found else message("reason.made.terms", keys=keys, value=value)
