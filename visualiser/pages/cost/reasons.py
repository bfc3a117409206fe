"""Where the numbers of the Cost page's sentences come from: times, memory and operations of the measured points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from attention_core import CostConfig, CostPoint
from attention_core.studies.cost_fit import measured, upper_half
from visualiser.figures.measurement import Measurement
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.table import Why, from_table


def _plan(run: Measurement, sentence: Message) -> Reason:
    return Reason("bound", message("reason.made.plan"))


def _size(run: Measurement, sentence: Message) -> Reason:
    return Reason("size", message("reason.made.largest_size"))


def _ratio(kind: str, value: float, one: float, other: float) -> Reason:
    terms = consistent_digits(value, lambda one, other: one / other, one=one, other=other)
    return Reason(kind, message(f"reason.made.ratio.{kind}", value=value, **terms))


def _time(run: Measurement, sentence: Message) -> Reason:
    a, b = run.compared(sentence, "additive_chunked", "fused")
    return _ratio("time", float(sentence.facts["time"]), 1e3 * (a.seconds or 0), 1e3 * (b.seconds or math.nan))


def _least(run: Measurement, sentence: Message) -> Reason:
    a, b = run.compared(sentence, "additive_chunked", "fused")
    return _ratio("time_least", float(sentence.facts["least"]), 1e3 * (a.fastest or 0), 1e3 * (b.seconds or math.nan))


def _most(run: Measurement, sentence: Message) -> Reason:
    a, b = run.compared(sentence, "additive_chunked", "fused")
    return _ratio("time_most", float(sentence.facts["most"]), 1e3 * (a.seconds or 0), 1e3 * (b.fastest or math.nan))


def _operations(run: Measurement, sentence: Message) -> Reason:
    a, b = run.compared(sentence, "additive_chunked", "fused")
    value, terms = float(sentence.facts["operations"]), {"one": a.operations.total, "other": b.operations.total}
    return Reason("operations", message("reason.made.ratio.operations", value=value, **terms))


def _count(contender: str) -> Why[Measurement]:
    def reason(run: Measurement, sentence: Message) -> Reason:
        counted = run.at(contender, sentence.facts["n"], sentence.facts["d_k"]).operations
        terms = {**asdict(counted), "value": float(counted.total)}
        return Reason("operation_count", message("reason.made.operation_sum", **terms))

    return reason


def _share(run: Measurement, sentence: Message) -> Reason:
    a, _ = run.compared(sentence, "additive_chunked", "fused")
    terms = {"n": a.n, "d_k": a.d_k, "total": a.operations.total}
    exact = 100 * 4 * a.n * a.d_k**2 / a.operations.total
    return Reason("projections", message("reason.made.projections", exact=exact, **terms))


def _uneven(run: Measurement, sentence: Message) -> Reason:
    value = float(sentence.facts["factor"])
    a, b = (measured(run.points, name, "forward") for name in ("additive_chunked", "fused"))
    common = max({point.size for point in a} & {point.size for point in b})
    worst = max((point for point in (*a, *b) if point.size == common), key=_unevenness)
    return _ratio("unevenness", value, 1e3 * (worst.seconds or 0), 1e3 * (worst.fastest or math.nan))


def _unevenness(point: CostPoint) -> float:
    return (point.seconds or 0) / (point.fastest or math.nan)


def _memory(name: str, contender: str) -> Why[Measurement]:
    def reason(run: Measurement, sentence: Message) -> Reason:
        a, b = run.compared(sentence, contender, "explicit")
        value, terms = float(sentence.facts[name]), {"one": a.bytes or 0, "other": b.bytes or 0}
        return Reason("memory", message("reason.made.ratio.memory", value=value, **terms))

    return reason


def _fitted(run: Measurement, contender: str) -> tuple[list[float], list[float]]:
    """Return the logarithms of the fitted sizes and times."""
    found = {name: {p.size: p for p in measured(run.points, name, "forward")} for name in ("additive_chunked", "fused")}
    sizes = sorted(found["additive_chunked"].keys() & found["fused"].keys())
    pairs = upper_half([(size, found[contender][size].seconds or 0.0) for size in sizes])
    return [math.log(size) for size, _ in pairs], [math.log(cost) for _, cost in pairs]


def _sums(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Return Σ (x − x̄)(y − ȳ), Σ (x − x̄)² and the sum of the squared residuals."""
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    across = math.fsum((a - mean_x) ** 2 for a in x)
    along = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    left = math.fsum((b - mean_y - along / across * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True))
    return along, across, left


def _slope(contender: str) -> Why[Measurement]:
    def reason(run: Measurement, sentence: Message) -> Reason:
        x, y = _fitted(run, contender)
        along, across, _ = _sums(x, y)
        exact = along / across
        terms = consistent_digits(exact, lambda along, across: along / across, along=along, across=across)
        return Reason("slope", message("reason.made.slope", exact=exact, sizes=len(x), **terms))

    return reason


def _error(contender: str) -> Why[Measurement]:
    def reason(run: Measurement, sentence: Message) -> Reason:
        x, y = _fitted(run, contender)
        _, across, left = _sums(x, y)
        return _of_error(left, across, len(x))

    return reason


def _of_error(left: float, across: float, sizes: int) -> Reason:
    free = sizes - 2
    exact = math.sqrt(left / free / across)
    terms = consistent_digits(exact, lambda left, across: math.sqrt(left / free / across), left=left, across=across)
    return Reason("slope_error", message("reason.made.slope_error", exact=exact, free=free, **terms))


def _worst_error(run: Measurement, sentence: Message) -> Reason:
    fits = [_fitted(run, name) for name in ("additive_chunked", "fused")]
    errors = [(*_sums(x, y)[1:], len(x)) for x, y in fits]
    across, left, sizes = max(errors, key=lambda one: one[1] / (one[2] - 2) / one[0])
    return _of_error(left, across, sizes)


def _fit_end(run: Measurement, sentence: Message) -> Reason:
    return Reason("size", message("reason.made.fitted"))


def _skipped(run: Measurement, sentence: Message) -> Reason:
    counts = {"skipped": sentence.facts["count"], "points": len(run.points)}
    return Reason("counted", message("reason.made.skipped", **counts))


_RATIO: Final[Mapping[str, Why[Measurement]]] = {
    "n": _size,
    "d_k": _size,
    "time": _time,
    "least": _least,
    "most": _most,
    "operations": _operations,
    "share": _share,
}
_MEMORY: Final[Mapping[str, Why[Measurement]]] = {
    "n": _size,
    "d_k": _size,
    "naive": _memory("naive", "additive_naive"),
    "chunked": _memory("chunked", "additive_chunked"),
}

TABLE: Final[Mapping[str, Mapping[str, Why[Measurement]]]] = {
    "cost.plan": {"sizes": _plan, "seconds": _plan, "megabytes": _plan, "total": _plan},
    "cost.ratio": _RATIO,
    "cost.ratio_alike": _RATIO,
    "cost.ratio_projections": _RATIO,
    "predict.cost_ratio.because": _RATIO,
    "cost.dearer": {"n": _size, "d_k": _size, "additive": _count("additive_chunked"), "dot": _count("fused")},
    "cost.uneven": {"factor": _uneven},
    "cost.memory": _MEMORY,
    "cost.memory_one": _MEMORY,
    "cost.scattered": {"first": _fit_end, "last": _fit_end, "error": _worst_error},
    "cost.slopes": {
        "first": _fit_end,
        "last": _fit_end,
        "additive_chunked": _slope("additive_chunked"),
        "fused": _slope("fused"),
        "additive_chunked_error": _error("additive_chunked"),
        "fused_error": _error("fused"),
    },
    "cost.skipped": {"count": _skipped},
}


def reasons(config: CostConfig, points: Sequence[CostPoint]) -> How:
    """Return where the facts of the sentences about a measurement come from."""
    return from_table(TABLE, Measurement(config, points))
