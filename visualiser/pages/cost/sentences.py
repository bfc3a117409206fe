"""The sentences of the Cost page, from facts of the measured points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attention_core import CostConfig, CostPoint, CostRatio, PowerLaw, cost_ratio, power_law
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost_fit import measured
from visualiser import predictions
from visualiser.locale.message import Message, message, short
from visualiser.pages.cost import QUESTIONS

RATIO: Final = predictions.Choice(*QUESTIONS, ("same", "few", "tens", "more"))
"""The ratio of additive to dot-product time."""

_ANSWERS: Final = {"same": (0.0, 2.0), "few": (2.0, 5.0), "tens": (5.0, 50.0), "more": (50.0, math.inf)}
"""The ratios that each answer stands for."""

_SIMILAR: Final = 3.0
"""The ratio of operations up to which theory calls two ways similar; theirs is ³⁄₂ + d_k / n."""

_SLOWER: Final = 2.0
"""Practice differs from theory if the time's ratio is more than this many times the operations' ratio."""

_UNEVEN: Final = 1.5
"""The ratio of the median to the fastest call from which a measurement is called uneven."""


@dataclass(frozen=True)
class Facts:
    """What the points show, forward; None where nothing was measured that shows it.

    times           additive attention in blocks beside torch's fused kernel
    counts          the operations of these two at that size
    projections     the share of its operations that project queries and keys
    unevenness      the median call over the fastest one, at worst of the two
    memory          additive attention with one tensor beside softmax(QKᵀ/√d_k)V
    chunked_memory  additive attention in blocks beside the same, at the same size
    powers          the growth of the times of `times`, over sizes measured for both
    skipped         the number of points that were not run
    """

    times: CostRatio | None
    counts: tuple[int, int]
    projections: float
    unevenness: float
    memory: CostRatio | None
    chunked_memory: float | None
    powers: tuple[PowerLaw, PowerLaw] | None
    skipped: int


def facts(points: Sequence[CostPoint]) -> Facts:
    """Return the facts of measured points."""
    blocks, fused, explicit = (_forward(points, name) for name in ("additive_chunked", "fused", "explicit"))
    times = cost_ratio(points, "additive_chunked", "fused", "forward")
    times = times if times is not None and times.time_least > 0 and math.isfinite(times.time_most) else None
    memory = cost_ratio(points, "additive_naive", "explicit", "forward")
    memory = memory if memory is not None and math.isfinite(memory.memory) else None
    return Facts(
        times=times,
        counts=(0, 0) if times is None else _counts(blocks[times.size], fused[times.size]),
        projections=math.nan if times is None else _projections(blocks[times.size]),
        unevenness=math.nan if times is None else max(_unevenness(found[times.size]) for found in (blocks, fused)),
        memory=memory,
        chunked_memory=_held(blocks, explicit, memory.size) if memory is not None else None,
        powers=_powers(blocks, fused),
        skipped=sum(point.skipped is not None for point in points),
    )


def plan(config: CostConfig) -> list[Message]:
    """Describe the plan of a run and its bounds."""
    bounds = {"seconds": config.seconds, "megabytes": config.bytes / 1e6, "total": config.total}
    return [_lead(config), message("cost.plan", varied=config.varied, sizes=list(config.sizes), **bounds)]


def insight(found: Facts, config: CostConfig) -> list[Message]:
    """Give the gist of what was measured, then all sentences; without a ratio the question itself stands first."""
    return [*_short(found), *in_full(found, config)]


def in_full(found: Facts, config: CostConfig) -> list[Message]:
    """Write the paper's sentence ("similar in theoretical complexity, much faster in practice") with these numbers."""
    sentences = [_lead(config)]
    if found.times is not None:
        sentences.append(_ratio(found.times, found.projections))
        if found.times.time > 1:
            sentences.append(_dearer(found.times, found.counts))
        if found.unevenness >= _UNEVEN:
            sentences.append(message("cost.uneven", factor=found.unevenness))
    if found.memory is not None:
        sentences.append(_memory(found.memory, found.chunked_memory))
    if found.powers is not None:
        sentences.append(_growth(config, *found.powers))
    if found.skipped:
        sentences.append(message("cost.skipped", count=found.skipped))
    return sentences


def summary(points: Sequence[CostPoint], quantity: str) -> Message:
    """Write one sentence: the cost of each way at the largest size that most of them reached."""
    by_size: dict[int, list[CostPoint]] = {}
    for name in CONTENDERS:
        for point in measured(points, name, "forward"):
            by_size.setdefault(point.size, []).append(point)
    if not by_size:
        tried = any(point.skipped is None for point in points)
        return message("cost.nothing_forward" if tried else "cost.nothing")
    there = by_size[max(by_size, key=lambda size: (len(by_size[size]), size))]
    ways = [message(f"cost.way.{point.contender}", value=_cost(point, quantity)) for point in there]
    return message(f"cost.summary.{quantity}", n=there[0].n, d_k=there[0].d_k, ways=ways)


def verdict(found: Facts, extra: Mapping[str, Any]) -> predictions.Verdict | None:
    """Compare the visitor's answer with the measured ratio."""
    times = found.times
    if times is None:
        return None
    fields: dict[str, Any] = {**_compared(times), "least": times.time_least, "most": times.time_most}
    return predictions.judged(RATIO, extra, answers(times), likeliest=_holder(times.time), **fields)


def answers(times: CostRatio) -> list[str]:
    """Return the answers that hold for a ratio that its calls may give, that of the medians first."""
    holding = [name for name, (low, high) in _ANSWERS.items() if times.time_least <= high and low <= times.time_most]
    return sorted(holding, key=lambda name: name != _holder(times.time))


def _holder(time: float) -> str:
    """Return the answer that a ratio of times is; a border belongs to the greater one."""
    return next(name for name, (low, high) in _ANSWERS.items() if low <= time < high)


def _lead(config: CostConfig) -> Message:
    """Ask what the page answers."""
    return message("cost.lead", varied=config.varied)


def _short(found: Facts) -> list[Message]:
    """Return the gist of what was measured, if a ratio of times or memory was."""
    if found.times is not None:
        return [message("short.cost.ratio_alike", **_compared(found.times))]
    return [] if found.memory is None else [short(_memory(found.memory, None))]


def _ratio(times: CostRatio, projections: float) -> Message:
    compared = _compared(times)
    if times.operations > _SIMILAR:
        return message("cost.ratio_projections", share=round(100 * projections), **compared)
    differs = times.time_least > _SLOWER * times.operations
    return message("cost.ratio" if differs else "cost.ratio_alike", **compared)


def _dearer(times: CostRatio, counts: tuple[int, int]) -> Message:
    """Say by the operations of both why additive attention takes longer."""
    additive, dot = map(float, counts)
    return message("cost.dearer", n=times.n, d_k=times.d_k, additive=additive, dot=dot)


def _compared(times: CostRatio) -> dict[str, Any]:
    return {"n": times.n, "d_k": times.d_k, "time": times.time, "operations": times.operations}


def _memory(memory: CostRatio, chunked: float | None) -> Message:
    held = {"n": memory.n, "d_k": memory.d_k, "naive": memory.memory}
    return message("cost.memory_one", **held) if chunked is None else message("cost.memory", **held, chunked=chunked)


def _growth(config: CostConfig, additive: PowerLaw, fused: PowerLaw) -> Message:
    sizes = {"varied": config.varied, "first": fused.first, "last": fused.last}
    if not (additive.holds and fused.holds):
        return message("cost.scattered", **sizes, error=max(additive.error, fused.error))
    laws = {"additive_chunked": additive, "fused": fused}
    slopes = {name: round(law.slope, 2) for name, law in laws.items()}
    errors = {f"{name}_error": max(0.01, round(law.error, 2)) for name, law in laws.items()}
    return message("cost.slopes", **sizes, **slopes, **errors)


def _forward(points: Sequence[CostPoint], name: str) -> dict[int, CostPoint]:
    return {point.size: point for point in measured(points, name, "forward")}


def _projections(point: CostPoint) -> float:
    return 4 * point.n * point.d_k**2 / point.operations.total


def _counts(additive: CostPoint, dot: CostPoint) -> tuple[int, int]:
    return additive.operations.total, dot.operations.total


def _unevenness(point: CostPoint) -> float:
    return (point.seconds or 0.0) / (point.fastest or math.nan)


def _held(blocks: Mapping[int, CostPoint], explicit: Mapping[int, CostPoint], size: int) -> float | None:
    mine, other = (found[size].bytes if size in found else None for found in (blocks, explicit))
    return mine / other if mine is not None and other else None


def _powers(blocks: Mapping[int, CostPoint], fused: Mapping[int, CostPoint]) -> tuple[PowerLaw, PowerLaw] | None:
    """Fit both over the sizes measured for both; None if they are too few to show a spread."""
    sizes = sorted(blocks.keys() & fused.keys())
    one, other = (power_law(sizes, [found[size].seconds or 0.0 for size in sizes]) for found in (blocks, fused))
    if one is None or other is None or math.isnan(one.error):
        return None
    return one, other


def _cost(point: CostPoint, quantity: str) -> float:
    return 1e3 * (point.seconds or 0.0) if quantity == "time" else (point.bytes or 0) / 1e6
