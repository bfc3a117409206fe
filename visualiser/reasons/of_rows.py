"""The reasons of numbers of all rows of a result: means, medians, ceilings, counts of keys."""

from collections.abc import Mapping
from typing import Final

from torch import Tensor

from attention_core import AttentionConfig, normalisations
from visualiser.drawing.boxes import mean_ceiling, mean_over_heads
from visualiser.locale import exact
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.shown import Shown, Why


def mean(name: str) -> Why:
    """Return the reason of a mean over all rows."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        kind = kind_of(shown.result.config, name)
        return averaged(kind, mean_over_heads(shown.result, name), shown.of_rows(name))

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

    def reason(shown: Shown, sentence: Message) -> Reason:
        ordered = shown.of_rows(name).sort().values
        value = float(ordered.float().quantile(0.5))
        low = float(ordered[(len(ordered) - 1) // 2])
        high = 2 * value - low  # the other middle one, as float32 has rounded their mean
        middle = consistent_digits(value, lambda low, high: (low + high) / 2, low=low, high=high)
        key = "reason.made.median_even" if len(ordered) % 2 == 0 else "reason.made.median"
        ends = {"least": float(ordered[0]), "most": float(ordered[-1])}
        kind = kind_of(shown.result.config, name)
        return Reason(kind, message(key, value=value, rows=len(ordered), **middle, **ends))

    return reason


def ceiling(shown: Shown, sentence: Message) -> Reason:
    """Explain the mean of the rows' largest possible entropies."""
    return mean_of_ceilings(shown.result.config, shown.open_keys, float(mean_ceiling(shown.result)))


def mean_of_ceilings(config: AttentionConfig, keys: Tensor, value: float) -> Reason:
    """Explain the mean of the largest possible entropies of rows with so many `keys`."""
    outcomes = keys + _beside(config)
    if len(outcomes) and int(outcomes.min()) == int(outcomes.max()):
        return _logarithm(config, int(outcomes[0]), value)
    total = consistent_digits(value, lambda sum: sum / len(outcomes), sum=value * len(outcomes))
    ends = {"few": int(outcomes.min()), "many": int(outcomes.max())} if len(outcomes) else {"few": 0, "many": 0}
    made = message("reason.made.ceilings", value=value, rows=len(outcomes), **total, **ends)
    return Reason(kind_of(config, "ceiling"), made)


def _beside(config: AttentionConfig) -> int:
    """Return the outcomes that a row has beside its keys: 1 for a sink."""
    return int("sink_weight" in normalisations.of(config).statistics)


def ceiling_of(config: AttentionConfig, keys: int, value: float) -> Reason:
    """Explain the largest possible entropy of a row with so many keys."""
    return _logarithm(config, keys + _beside(config), value)


def _logarithm(config: AttentionConfig, outcomes: int, value: float) -> Reason:
    """Explain the largest possible entropy of so many outcomes: the keys, and a sink."""
    return Reason(kind_of(config, "ceiling"), message("reason.made.logarithm", keys=outcomes, value=value))


def largest_ceiling(shown: Shown, sentence: Message) -> Reason:
    """Explain the ceiling of the row with the most keys."""
    return ceiling_of(shown.result.config, int(shown.keys.max()), float(shown.result.ceiling.max()))


def mean_keys(shown: Shown, sentence: Message) -> Reason:
    """Explain the mean number of keys of the rows that have one."""
    keys = shown.keys[shown.keys > 0]
    value = exact(float(keys.double().mean()))
    return Reason("keys", message("reason.made.keys", cells=int(keys.sum()), rows=len(keys), value=value))


def counted(shown: Shown, sentence: Message) -> Reason:
    """Explain a number of keys or rows that is counted in the mask."""
    _, n_q, n_k = shown.result.weights.shape
    return Reason("keys", message("reason.made.mask", n_q=n_q, n_k=n_k))


def one_hot(shown: Shown, sentence: Message) -> Reason:
    """Explain the share of rows that give one key nearly everything."""
    choosing = shown.result.statistic("largest_weight")[:, shown.keys > 1]
    rows, value = choosing.numel(), float(sentence.facts["share"])
    return Reason("one_hot", message("reason.made.share", count=round(value / 100 * rows), rows=rows, value=value))


MEANS: Final[Mapping[str, Why]] = {
    "entropy": mean("entropy"),
    "ceiling": ceiling,
    "effective": mean("effective_keys"),
    "norm": mean("jacobian_norm"),
    "trace": mean("jacobian_trace"),
    "largest": mean("largest_weight"),
    "sink": mean("sink_weight"),
    "mass": mean("mass"),
    "support": mean("support"),
    "keys": mean_keys,
}
MEDIANS: Final[Mapping[str, Why]] = {
    **MEANS,
    "norm": median("jacobian_norm"),
    "trace": median("jacobian_trace"),
}
