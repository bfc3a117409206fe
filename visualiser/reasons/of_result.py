"""The reasons of the numbers of an attention result: of all its rows, of one row, of its scores and of its sizes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_core import AttentionConfig, AttentionResult
from attention_core.result.dense import FormatCells
from visualiser.figures.boxes import mean_ceiling, mean_over_heads, open_rows
from visualiser.figures.saturation import allowed_scores, pooled_moments
from visualiser.locale import exact
from visualiser.locale.message import Message, message
from visualiser.reasons import table
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.told import Reason
from visualiser.state.view import View
from visualiser.summaries import sharers


@dataclass(frozen=True)
class Shown:
    """A result and the view of it: what the reasons are made from."""

    result: AttentionResult
    view: View

    @property
    def row(self) -> int:
        """The row of the figures of one row."""
        return self.view.inspected(self.result.weights.shape[1])

    @property
    def head(self) -> int:
        """The head of the figures of one row, from 0."""
        return self.view.single(self.result.weights.shape[0]) - 1

    def of_rows(self, name: str) -> Tensor:
        """Return a statistic of all heads over the rows that have a key."""
        values, rows = self.result.statistic(name), open_rows(self.result)
        found = (values if rows is None else values[..., rows]).flatten().double()
        return found if self.result.broken is None else found[~found.isnan()]

    @property
    def open_keys(self) -> Tensor:
        """The number of keys of each row that the means are taken over, once a head if rows differ by head."""
        keys = self.keys
        if self.result.broken is None:
            return keys[keys > 0]
        every = keys.expand(self.result.broken.shape)
        return every[~self.result.broken & (every > 0)]

    @property
    def made(self) -> bool:
        """True if a number format made the weights."""
        return isinstance(self.result.cells, FormatCells)

    @property
    def keys(self) -> Tensor:
        """The number of keys of each row."""
        n_q, n_k = self.result.weights.shape[1:]
        return torch.full((n_q,), n_k) if self.result.mask is None else self.result.mask.sum(-1)


_NEARLY_ONE: Final = 1 - 1e-9
"""The entropy's term of a larger weight has lost its digits."""
_TINY: Final = 1e-300
_LEAST: Final = 2.0**-126
"""Smaller numbers have fewer digits in float32, or none."""

Why = table.Why[Shown]


def mean(name: str) -> Why:
    """Return the reason of a mean over all rows."""

    def reason(shown: Shown, said: Message) -> Reason:
        return averaged(name, mean_over_heads(shown.result, name), shown.of_rows(name))

    return reason


def averaged(kind: str, value: float, rows: Tensor) -> Reason:
    """Return the reason of `value`, the mean of `rows`."""
    count = rows.numel()
    if not count:
        return Reason(kind, message("reason.made.no_row", value=value))
    total = consistent_digits(value, lambda sum: sum / count, sum=value * count)
    ends = {"least": float(rows.min()), "most": float(rows.max())}
    return Reason(kind, message("reason.made.mean", value=value, rows=count, **total, **ends))


def median(name: str) -> Why:
    """Return the reason of a median over all rows."""

    def reason(shown: Shown, said: Message) -> Reason:
        ordered = shown.of_rows(name).sort().values
        value = float(ordered.float().quantile(0.5))
        low = float(ordered[(len(ordered) - 1) // 2])
        high = 2 * value - low  # the other middle one, as float32 has rounded their mean
        middle = consistent_digits(value, lambda low, high: (low + high) / 2, low=low, high=high)
        key = "reason.made.median_even" if len(ordered) % 2 == 0 else "reason.made.median"
        ends = {"least": float(ordered[0]), "most": float(ordered[-1])}
        return Reason(name, message(key, value=value, rows=len(ordered), **middle, **ends))

    return reason


def ceiling(shown: Shown, said: Message) -> Reason:
    """Explain the mean of the rows' largest possible entropies."""
    keys = shown.open_keys
    if len(keys) and int(keys.min()) == int(keys.max()):
        return logarithm(int(keys[0]), float(mean_ceiling(shown.result)))
    value = mean_ceiling(shown.result)
    total = consistent_digits(value, lambda sum: sum / len(keys), sum=value * len(keys))
    ends = {"few": int(keys.min()), "many": int(keys.max())} if len(keys) else {"few": 0, "many": 0}
    return Reason("ceiling", message("reason.made.ceilings", value=value, rows=len(keys), **total, **ends))


def logarithm(keys: int, value: float) -> Reason:
    """Explain the largest possible entropy of a row with so many keys."""
    return Reason("ceiling", message("reason.made.logarithm", keys=keys, value=value))


def largest_ceiling(shown: Shown, said: Message) -> Reason:
    """Explain the ceiling of the row with the most keys."""
    return logarithm(int(shown.keys.max()), float(shown.result.ceiling.max()))


def mean_keys(shown: Shown, said: Message) -> Reason:
    """Explain the mean number of keys of the rows that have one."""
    keys = shown.keys[shown.keys > 0]
    value = exact(float(keys.double().mean()))
    return Reason("keys", message("reason.made.keys", cells=int(keys.sum()), rows=len(keys), value=value))


def keys_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the number of keys of one row."""
    n_k = shown.result.weights.shape[2]
    return Reason("keys", message("reason.made.keys_of_row", n_k=n_k, value=int(shown.keys[shown.row])))


def counted(shown: Shown, said: Message) -> Reason:
    """Explain a number of keys or rows that is counted in the mask."""
    _, n_q, n_k = shown.result.weights.shape
    return Reason("keys", message("reason.made.mask", n_q=n_q, n_k=n_k))


def one_hot(shown: Shown, said: Message) -> Reason:
    """Explain the share of rows that give one key nearly everything."""
    choosing = shown.result.statistic("largest_weight")[:, shown.keys > 1]
    rows, value = choosing.numel(), float(said.facts["share"])
    return Reason("one_hot", message("reason.made.share", count=round(value / 100 * rows), rows=rows, value=value))


def score_mean(shown: Shown, said: Message) -> Reason:
    """Explain the mean of all allowed scores."""
    value, count = pooled_moments(shown.result)[0], allowed_scores(shown.result).numel()
    total = consistent_digits(value, lambda sum: sum / max(1, count), sum=value * count)
    return Reason("score_mean", message("reason.made.score_mean", value=value, count=count, **total))


def score_variance(shown: Shown, said: Message) -> Reason:
    """Explain the variance of all allowed scores."""
    average, value = pooled_moments(shown.result)
    count = allowed_scores(shown.result).numel()
    total = consistent_digits(value, lambda sum: sum / max(1, count), sum=value * count)
    return Reason(
        "score_variance", message("reason.made.score_variance", value=value, count=count, mean=average, **total)
    )


def score_deviation(shown: Shown, said: Message) -> Reason:
    """Explain the standard deviation of all allowed scores."""
    variance = pooled_moments(shown.result)[1]
    value = variance**0.5
    under = consistent_digits(value, _root, variance=variance)
    return Reason("score_deviation", message("reason.made.root", value=value, **under))


def _root(variance: float) -> float:
    return math.sqrt(variance)


def equal_score(shown: Shown, said: Message) -> Reason:
    """Explain the one value of all scores."""
    scores = allowed_scores(shown.result)
    ends = {"least": float(scores.min()), "most": float(scores.max())}
    return Reason("score", message("reason.made.equal", count=scores.numel(), **ends))


def predicted(shown: Shown, said: Message) -> Reason:
    """Explain footnote 4's variance of the scores: d_k times the square of the factor."""
    value = exact(float(said.facts["predicted"]))
    return Reason("predicted_variance", predicted_of(shown.result.config, value))


def predicted_of(config: AttentionConfig, value: float) -> Message:
    """Say footnote 4's variance of the scores."""
    if config.scaling == "custom":
        factor = consistent_digits(value, lambda factor: config.d_k * factor**2, factor=config.factor)
        return message("reason.made.predicted.custom", d_k=config.d_k, value=value, **factor)
    return message(f"reason.made.predicted.{config.scaling}", d_k=config.d_k, value=value)


def no_mean(config: AttentionConfig) -> Message:
    """Say footnote 4's mean of the scores: components of q and k have mean 0."""
    return message("reason.made.no_mean", d_k=config.d_k, value=0)


def width(shown: Shown, said: Message) -> Reason:
    """Explain the width of a head."""
    return Reason("d_k", width_of(shown.result))


def width_of(result: AttentionResult) -> Message:
    """Say how wide a head is, and why."""
    config = result.config
    if config.source == "upload":
        return message("reason.made.file")
    return _tied(config) if config.tie else message("reason.made.control", name="d_k")


def tied_width(shown: Shown, said: Message) -> Reason:
    """Explain the width that a head has if it is tied to d_model and h."""
    return Reason("d_k", _tied(shown.result.config))


def quotient(shown: Shown, said: Message) -> Reason:
    """Explain d_model / h before it is rounded down."""
    config = shown.result.config
    return Reason("d_k", message("reason.made.quotient", d_model=config.d_model, h=config.h, value=said.facts["exact"]))


def _tied(config: AttentionConfig) -> Message:
    value = {"d_model": config.d_model, "h": config.h, "value": max(1, config.d_model // config.h)}
    key = "least" if config.d_model < config.h else "floored" if config.d_model % config.h else "whole"
    return message(f"reason.made.width.{key}", **value)


def entropy_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the entropy of one row by its largest term that needs no more digits than a page has."""
    e = _exponentials(shown)
    p = _weights(shown) if shown.made else e / e.sum()
    terms = -torch.xlogy(p, p)
    terms[p > _NEARLY_ONE] = 0.0
    key, keys = int((terms + p * _TINY).argmax()), int(shown.keys[shown.row])
    value, term = float(shown.result.entropy[shown.head, shown.row]), float(terms[key])
    weight = consistent_digits(term, lambda weight: -weight * math.log(weight), weight=float(p[key]))
    return Reason("entropy", message("reason.made.entropy_row", value=value, key=key, keys=keys, term=term, **weight))


def effective_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the effective keys of one row: e to the power of its entropy."""
    value = float(shown.result.effective_keys[shown.head, shown.row])
    entropy = math.log(value) if 0 < value < math.inf else float(shown.result.entropy[shown.head, shown.row])
    power = consistent_digits(value, lambda entropy: math.exp(entropy), entropy=entropy)
    return Reason("effective_keys", message("reason.made.effective_row", value=value, **power))


def ceiling_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the largest possible entropy of one row."""
    return logarithm(int(shown.keys[shown.row]), float(shown.result.ceiling[shown.row]))


def largest_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the largest weight of one row: its exponential is 1 once its score is subtracted."""
    value = float(_weights(shown).max())
    if shown.made:
        return Reason("largest_weight", _made_row(shown, value))
    under = consistent_digits(value, lambda sum: 1 / sum, sum=1 / value)
    return Reason("largest_weight", message("reason.made.largest_row", value=value, **under))


def norm_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the Jacobian's norm of one row by the squares of its cells, on the diagonal and beside it."""
    value = float(shown.result.jacobian_norm[shown.head, shown.row])
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


def trace_of_row(shown: Shown, said: Message) -> Reason:
    """Explain the Jacobian's trace of one row: what the squares leave of 1."""
    value = float(shown.result.jacobian_trace[shown.head, shown.row])
    if shown.made or value < 1 - _NEARLY_ONE:
        return Reason("jacobian_trace", message("reason.made.terms", keys=int(shown.keys[shown.row]), value=value))
    squares = consistent_digits(value, lambda squares: 1 - squares, squares=1 - value)
    return Reason("jacobian_trace", message("reason.made.trace_row", value=value, **squares))


def alike_in_row(shown: Shown, said: Message) -> Reason:
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


def format_kind(kind: str, made: str) -> Why:
    """Return the reason of a number about the format itself."""

    def reason(shown: Shown, said: Message) -> Reason:
        h, n_q, n_k = shown.result.weights.shape
        return Reason(
            kind, message(f"reason.made.{made}", **({"h": h, "n_q": n_q, "n_k": n_k} if "cells" in made else {}))
        )

    return reason


def format_limit(shown: Shown, said: Message) -> Reason:
    """Explain the largest score whose exponential a format has: ln of its largest number."""
    value = float(said.facts["limit"])
    largest = torch.finfo(getattr(torch, shown.result.config.dtype)).max
    return Reason(
        "format_limit", message("reason.made.limit", value=value, **consistent_digits(value, _logarithm, most=largest))
    )


def _logarithm(most: float) -> float:
    return math.log(most)


def format_bytes(name: str) -> Why:
    """Return the reason of the bytes of all weights."""

    def reason(shown: Shown, said: Message) -> Reason:
        cells, value = shown.result.weights.numel(), int(said.facts[name])
        return Reason("format_bytes", message("reason.made.bytes", cells=cells, each=value // cells, value=value))

    return reason


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

    def reason(shown: Shown, said: Message) -> Reason | None:
        return why(shown, said) if int(shown.keys[shown.row]) else Reason("keys", message("reason.made.no_key"))

    return reason


def size(kind: str, control: str) -> Why:
    """Return the reason of a size that a control sets, or the text or file."""

    def reason(shown: Shown, said: Message) -> Reason:
        source = shown.result.config.source
        if source == "upload":
            return Reason(kind, message("reason.made.file"))
        if source == "text" and kind == "n":
            return Reason(kind, message("reason.made.text"))
        return Reason(kind, message("reason.made.control", name=control))

    return reason


MEANS: Final[Mapping[str, Why]] = {
    "entropy": mean("entropy"),
    "ceiling": ceiling,
    "effective": mean("effective_keys"),
    "norm": mean("jacobian_norm"),
    "trace": mean("jacobian_trace"),
    "largest": mean("largest_weight"),
    "keys": mean_keys,
}
MEDIANS: Final[Mapping[str, Why]] = {
    **MEANS,
    "norm": median("jacobian_norm"),
    "trace": median("jacobian_trace"),
}
SCORES: Final[Mapping[str, Why]] = {
    "mean": score_mean,
    "measured": score_variance,
    "variance": score_variance,
    "deviation": score_deviation,
    "predicted": predicted,
    "score": equal_score,
    "d_k": width,
}
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
    }.items()
}
FORMAT: Final[Mapping[str, Why]] = {
    **{name: format_kind("format_count", "format_cells") for name in ("count", "cells", "lost", "subnormal", "nan")},
    **{name: format_kind("format_row", "format_cells") for name in ("overflowed", "broken", "rows")},
    **{name: format_kind("format_weight", "format_largest") for name in ("weight",)},
    **{name: format_kind("format_output", "format_largest") for name in ("output",)},
    "weight_mean": format_kind("format_weight", "format_mean"),
    "output_mean": format_kind("format_output", "format_mean"),
    "total": format_kind("format_sum", "format_sums"),
    "tiny": format_kind("format_tiny", "format_tiny"),
    "limit": format_limit,
    "bytes": format_bytes("bytes"),
    "wide": format_bytes("wide"),
    "keys": keys_of_row,
}
_OF_STATISTIC: Final[Mapping[str, Why]] = {
    "entropy": entropy_of_row,
    "effective_keys": effective_of_row,
    "ceiling": ceiling_of_row,
    "largest_weight": largest_of_row,
    "jacobian_norm": norm_of_row,
    "jacobian_trace": trace_of_row,
}


def of_row(result: AttentionResult, name: str, head: int, row: int) -> Message | None:
    """Say the arithmetic of a statistic of one row (head and row from 0); None if the row is no distribution."""
    shown = Shown(result, View(head=head + 1, row=row))
    keys, value = int(shown.keys[row]), float(result.statistic(name)[..., row].expand(len(result.weights))[head])
    if not keys:
        return message("reason.made.no_key")
    if math.isnan(value):
        return None
    why = _OF_STATISTIC.get(name)
    found = why(shown, message("reason.made.terms", keys=keys, value=value)) if why else None
    return found.made if found else message("reason.made.terms", keys=keys, value=value)


SIZES: Final[Mapping[str, Why]] = {
    "h": size("h", "h"),
    "n_q": size("n", "n"),
    "n_k": size("n", "n"),
    "d_k": width,
    "d_v": width,
    "d_model": size("d_model", "d_model"),
    "tied": tied_width,
    "exact": quotient,
}
