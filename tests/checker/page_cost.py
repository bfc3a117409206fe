"""The Cost page: what it says of measured times and bytes, recomputed from the points alone.

A state is a link and, behind #, a set of points: drawn at random (power laws with noise, and what may go wrong with a
measurement), shipped with the page, or measured here on tiny sizes.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from attention_core import CostConfig, CostPoint, measure_costs
from attention_core.mechanisms.operations import Operations
from tests.checker.checking import Cell, Page, near
from tests.checker.terms import off
from visualiser.figures.measurement import Measurement, sentence, table
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.pages.cost import live, reasons
from visualiser.pages.cost import sentences as page
from visualiser.reasons.explained import How, Reason
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View
from visualiser.tables import Table

WAYS = ("additive_naive", "additive_chunked", "explicit", "fused")
ANSWERS = {"same": (0.0, 2.0), "few": (2.0, 5.0), "tens": (5.0, 50.0), "more": (50.0, np.inf)}
KINDS = ("clean", "noisy", "wild", "equal", "partial", "gaps", "few", "skipped", "empty", "instant", "edge")
REAL = (
    CostConfig(sizes=(2, 3, 5, 9), d_k=2, measuring=0.0),
    CostConfig(varied="d_k", sizes=(1, 2, 4), n=3, measuring=0.0),
    CostConfig(varied="d_k", sizes=(8, 64), n=2, measuring=0.0),
    CostConfig(sizes=(8, 32, 48, 64), d_k=8, measuring=0.0, bytes=60_000),
)


def link(rng: random.Random) -> str:
    """Draw a state."""
    if rng.random() < 0.02:
        return f"page=cost&varied={rng.choice(('n', 'd_k'))}#shipped"
    if rng.random() < 0.02:
        return f"page=cost#real-{rng.randrange(len(REAL))}"
    varied = rng.choice(("n", "d_k"))
    n, d_k = 32 * rng.choice((1, 1, 2, 8, 32)), 8 * rng.choice((1, 1, 4, 8, 32))
    return f"page=cost&varied={varied}&n={n}&d_k={d_k}#{rng.choice(KINDS)}-{rng.randrange(2**32)}"


@cache
def measured_here(which: int) -> tuple[CostPoint, ...]:
    return tuple(measure_costs(REAL[which]))


def state(link: str) -> tuple[CostConfig, list[CostPoint]]:
    """Return the measurement of a link and its points."""
    query, _, source = link.partition("#")
    kind, _, seed = source.partition("-")
    if kind == "real":
        return REAL[int(seed)], list(measured_here(int(seed)))
    reading = share.read(query).state
    config = live.experiment(reading.config, str(reading.own["varied"]))
    if kind == "shipped":
        return config, [live.point_from(entry) for entry in shipped(live.SHIPPED[config.varied]).results]
    return config, _points(config, kind, random.Random(seed))


def operations(way: str, n: int, d: int, backward: bool) -> int:
    """Count by hand: products of matrices, the pairs' hidden units, the scores."""
    pairs = n * n
    count = pairs * (2 * d + 5)  # P V; maximum, difference, exponential, sum, quotient
    if way.startswith("additive"):
        count += 4 * n * d * d + pairs * d * (1 + 1 + 2)
    else:
        count += pairs * (2 * d + 1)
    if backward:
        count += pairs * (4 * d + 4)
        count += 8 * n * d * d + 8 * pairs * d if way.startswith("additive") else pairs * (4 * d + 1)
    return count


def _points(config: CostConfig, kind: str, rng: random.Random) -> list[CostPoint]:
    noise = {"noisy": 0.3, "wild": 1.5, "equal": 0.0}.get(kind, 0.02)
    laws = {way: (rng.uniform(0.5, 3.0), 10 ** rng.uniform(-8, -5)) for way in WAYS}
    if kind == "equal":
        laws = dict.fromkeys(WAYS, (2.0, 1e-7))
    if kind == "edge":  # a ratio at the border of two answers
        factor, apart = 1e-7, rng.choice((1.0, 1.96, 2.0, 2.04, 5.0, 50.0, 50.5))
        laws |= {"fused": (2.0, factor), "additive_chunked": (2.0, apart * factor)}
    gone = set(rng.sample(WAYS, rng.randrange(1, 4))) if kind == "gaps" else set()
    points: list[CostPoint] = []
    for place, size in enumerate(config.sizes):
        n, d_k = config.shape(size)
        for way in WAYS:
            for passes in ("forward", "forward_backward"):
                slope, factor = laws[way]
                backward = passes == "forward_backward"
                fastest = factor * size**slope * float(np.exp(abs(rng.gauss(0, noise))))
                seconds = fastest * float(np.exp(abs(rng.gauss(0, noise))))
                if kind == "instant" and rng.random() < 0.5:
                    seconds = fastest = 0.0
                bytes_ = live.CONTENDERS[way].bytes(n, d_k, backward)
                exact = operations(way, n, d_k, backward)
                point = CostPoint(way, passes, size, n, d_k, Operations(exact, 0, 0), seconds, bytes_)
                late = kind == "few" and place >= rng.choice((1, 2, 3))
                skip = kind == "skipped" or way in gone or late or rng.random() < 0.02
                if bytes_ > config.bytes or skip:
                    points.append(replace(point, skipped=rng.choice(("time", "memory"))))
                else:
                    points.append(replace(point, seconds=seconds, fastest=fastest, bytes=bytes_, calls=3))
    if kind == "empty":
        return []
    return points[: rng.randrange(len(points) + 1)] if kind == "partial" else points


@dataclass(frozen=True)
class Truth:
    """The points of a state, forward, as plain numbers."""

    config: CostConfig
    points: list[CostPoint]

    def at(self, way: str, passes: str = "forward") -> dict[int, CostPoint]:
        return {p.size: p for p in self.points if p.contender == way and p.passes == passes and p.skipped is None}

    def last_common(self, one: str, other: str) -> tuple[CostPoint, CostPoint] | None:
        mine, theirs = self.at(one), self.at(other)
        sizes = sorted(set(mine) & set(theirs))
        return (mine[sizes[-1]], theirs[sizes[-1]]) if sizes else None

    @property
    def times(self) -> tuple[float, float, float] | None:
        """The ratio of the medians, and the smallest and largest ratio that calls of these times may have."""
        pair = self.last_common("additive_chunked", "fused")
        if pair is None or not pair[1].fastest or not pair[0].fastest:
            return None
        a, b = ((float(p.seconds or 0), float(p.fastest or 0)) for p in pair)
        return a[0] / b[0], a[1] / b[0], a[0] / b[1]

    def laws(self) -> tuple[list[int], dict[str, tuple[float, float]]] | None:
        """The upper half of the sizes measured for both, and each one's exponent with its standard error."""
        both = {way: self.at(way) for way in ("additive_chunked", "fused")}
        sizes = sorted(set.intersection(*(set(found) for found in both.values())))
        upper = sizes[min(len(sizes) // 2, max(len(sizes) - 3, 0)) :]
        if len(upper) < 3:
            return None
        found = {}
        for way, points in both.items():
            times = np.array([points[size].seconds for size in upper], dtype=np.float64)
            if not (times > 0).all():
                return None
            x, y = np.log(np.array(upper, dtype=np.float64)), np.log(times)
            design = np.stack([x, np.ones_like(x)], 1)
            (slope, height), *_ = np.linalg.lstsq(design, y, rcond=None)
            left = y - slope * x - height
            error = np.sqrt((left @ left) / (len(x) - 2) / ((x - x.mean()) ** 2).sum())
            found[way] = (float(slope), float(error))
        return upper, found


def truth(link: str) -> Truth:
    return Truth(*state(link))


def sentences_of(link: str) -> Sequence[Message]:
    """Return every sentence of the page in a state, with the verdict on each answer."""
    config, points = state(link)
    facts = page.facts(points)
    found = [*page.plan(config), *page.insight(facts, config)]
    found += [sentence(points, quantity) for quantity in ("time", "memory")]
    for answer in ANSWERS:
        verdict = page.verdict(facts, {"prediction": {"name": "cost_ratio", "answer": answer}})
        if verdict:
            found += verdict.sentences
    return found


Facts = Mapping[str, Any]


def _lead(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["varied"] != true.config.varied:
        yield "another quantity is varied"


def _plan(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _lead(true, facts)
    sizes = facts["sizes"]
    if [int(size) for size in (sizes.split(", ") if isinstance(sizes, str) else sizes)] != list(true.config.sizes):
        yield "other sizes"
    if not near(float(facts["megabytes"]), true.config.bytes / 1e6):
        yield f"the bound is {true.config.bytes / 1e6} MB, as the figure's axis counts"
    if (float(facts["seconds"]), float(facts["total"])) != (true.config.seconds, true.config.total):
        yield "other bounds"


def _where(pair: tuple[CostPoint, CostPoint] | None, facts: Facts) -> Iterable[str]:
    if pair is None:
        yield "no size was measured for both"
    elif (facts["n"], facts["d_k"]) != (pair[0].n, pair[0].d_k):
        yield "not the largest common size"


def _compared(true: Truth, facts: Facts) -> Iterable[str]:
    pair = true.last_common("additive_chunked", "fused")
    yield from _where(pair, facts)
    if pair is None:
        return
    if not near(facts["operations"], _counts(pair)):
        yield f"the operations' ratio is {_counts(pair)}"
    if true.times is None:
        yield "a time below the clock's tick has no ratio"
    elif not near(facts["time"], true.times[0]):
        yield f"the times' ratio is {true.times[0]}"


def _counts(pair: tuple[CostPoint, CostPoint]) -> float:
    one, other = (operations(p.contender, p.n, p.d_k, False) for p in pair)
    return one / other


def _ratio(true: Truth, facts: Facts) -> Iterable[str]:
    """Check "similar in theory, not in practice": at most thrice the operations, surely twice as slow as they tell."""
    yield from _compared(true, facts)
    pair = true.last_common("additive_chunked", "fused")
    if pair and _counts(pair) > 3:
        yield f"{_counts(pair):.3g} times the operations are not similar"
    if pair and true.times and true.times[1] <= 2 * _counts(pair):
        yield f"practice ({true.times[1]:.3g} times at least) is as theory says ({_counts(pair):.3g})"


def _ratio_projections(true: Truth, facts: Facts) -> Iterable[str]:
    """Check "most of them for W_q q and W_k k": 4 n d² of all."""
    yield from _compared(true, facts)
    pair = true.last_common("additive_chunked", "fused")
    if pair:
        p = pair[0]
        part = 100 * 4 * p.n * p.d_k**2 / operations("additive", p.n, p.d_k, False)
        if round(part) != facts["share"] or part < 50:
            yield f"{part} % of the operations are projections"


def _dearer(true: Truth, facts: Facts) -> Iterable[str]:
    """Check both counts, that the first is more, and that the time is more too."""
    pair = true.last_common("additive_chunked", "fused")
    yield from _where(pair, facts)
    if pair is None:
        return
    additive, dot = (operations(p.contender, p.n, p.d_k, False) for p in pair)
    if not (near(facts["additive"], additive) and near(facts["dot"], dot)):
        yield f"the operations are {additive} and {dot}"
    if additive <= dot or true.times is None or true.times[0] <= 1:
        yield "it is not dearer"


def _memory(true: Truth, facts: Facts) -> Iterable[str]:
    pair = true.last_common("additive_naive", "explicit")
    yield from _where(pair, facts)
    if pair is None:
        return
    naive = (pair[0].bytes or 0) / (pair[1].bytes or np.nan)
    if not near(facts["naive"], naive):
        yield f"the memories' ratio is {naive}"
    chunked = true.at("additive_chunked").get(pair[0].size)
    if "chunked" in facts:
        own = np.nan if chunked is None else (chunked.bytes or 0) / (pair[1].bytes or np.nan)
        if not near(facts["chunked"], own):
            yield f"in blocks it is {own}"


def _slopes(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _lead(true, facts)
    laws = true.laws()
    if laws is None:
        yield "less than three sizes have no spread"
        return
    sizes, found = laws
    if (facts.get("first"), facts.get("last")) != (sizes[0], sizes[-1]):
        yield "the sizes that were fitted are not said"
    for way, (slope, error) in found.items():
        if abs(facts[way] - slope) > 0.0051:
            yield f"{way} grows to the power {slope}"
        if not abs(facts.get(f"{way}_error", np.nan) - max(error, 0.01)) <= 0.0051:
            yield f"the error of {way} is {error}"
        if error > 0.25:
            yield f"the times of {way} follow no power (standard error {error:.2g})"


def _scattered(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _lead(true, facts)
    laws = true.laws()
    if laws is None or max(error for _, error in laws[1].values()) <= 0.25:
        yield "the times follow a power"
    elif (facts["first"], facts["last"]) != (laws[0][0], laws[0][-1]):
        yield "other sizes were fitted"
    elif not near(facts["error"], max(error for _, error in laws[1].values())):
        yield "another error"


def _uneven(true: Truth, facts: Facts) -> Iterable[str]:
    pair = true.last_common("additive_chunked", "fused")
    if pair is None:
        yield "nothing is compared"
        return
    worst = max(_unevenness(p) for p in pair)
    if not near(facts["factor"], worst) or worst < 1.5:
        yield f"the median call takes {worst} times the fastest"


def _unevenness(point: CostPoint) -> float:
    return float(point.seconds or 0) / float(point.fastest or np.nan)


def _skipped(true: Truth, facts: Facts) -> Iterable[str]:
    count = sum(point.skipped is not None for point in true.points)
    if facts["count"] != count or not count:
        yield f"{count} points were not run"


def _nothing(true: Truth, facts: Facts) -> Iterable[str]:
    if any(point.skipped is None for point in true.points):
        yield "something is measured"


def _nothing_forward(true: Truth, facts: Facts) -> Iterable[str]:
    if any(true.at(way) for way in WAYS):
        yield "a forward pass is measured"
    if not true.points:
        yield "nothing was tried"


def _summary(true: Truth, facts: Facts, value: Any) -> Iterable[str]:
    by_size: dict[int, dict[str, CostPoint]] = {}
    for way in WAYS:
        for size, point in true.at(way).items():
            by_size.setdefault(size, {})[way] = point
    most = max((len(found) for found in by_size.values()), default=0)
    if not most:
        yield "nothing is measured"
        return
    size = max(size for size, found in by_size.items() if len(found) == most)
    there = by_size[size]
    first = next(iter(there.values()))
    if (facts["n"], facts["d_k"]) != (first.n, first.d_k):
        yield f"the largest size that most ways reached is {size}"
    ways = facts.get("ways")
    claimed = {s.key.rpartition(".")[2]: s.facts["value"] for s in ways} if ways else {w: facts[w] for w in WAYS}
    if list(claimed) != list(there):
        yield f"there are {list(there)}"
    elif not all(near(claimed[way], value(point)) for way, point in there.items()):
        yield "other values"


def _summary_time(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _summary(true, facts, lambda point: 1e3 * (point.seconds or 0.0))


def _summary_memory(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _summary(true, facts, lambda point: (point.bytes or 0) / 1e6)


def _holds(true: Truth, label: Message) -> bool:
    low, high = ANSWERS[label.key.rpartition(".")[2]]
    times = true.times
    return times is not None and times[1] <= high and low <= times[2]


def _right(true: Truth, facts: Facts) -> Iterable[str]:
    if not _holds(true, facts["real"]):
        yield "this answer is wrong"


def _differs(true: Truth, facts: Facts) -> Iterable[str]:
    if _holds(true, facts["answer"]):
        yield "the visitor is right, within what the calls leave open"
    yield from _right(true, facts)


def _open(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _right(true, facts)
    low, high = ANSWERS[facts["real"].key.rpartition(".")[2]]
    if true.times and low < true.times[0] < high:
        yield "the medians have this ratio"


def _differs_open(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _differs(true, facts)
    yield from _open(true, facts)


def _because(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _compared(true, facts)
    if true.times and not ("least" in facts and near(facts["least"], true.times[1])):
        yield "the spread is not said"
    if true.times and not ("most" in facts and near(facts["most"], true.times[2])):
        yield "the spread is not said"


def _whole(true: Truth, sentences: Sequence[Message]) -> Iterable[str]:
    keys = {sentence.key for sentence in sentences}
    if true.times and not any(key.startswith("cost.ratio") for key in keys):
        yield "the ratio is not said"
    if true.times and true.times[0] > 1.001 and "cost.dearer" not in keys:
        yield "nobody says why it takes longer"
    if any(point.skipped for point in true.points) and "cost.skipped" not in keys:
        yield "nobody tells what was not run"
    pair = true.last_common("additive_chunked", "fused")
    if true.times and "cost.uneven" not in keys and max(_unevenness(p) for p in pair or ()) >= 1.5:
        yield "calls that differ much are kept secret"


def _first(link: str) -> Sequence[Message]:
    config, points = state(link)
    return [page.plan(config)[0], page.insight(page.facts(points), config)[0]]


def _asked(link: str) -> tuple[Sequence[Message], How]:
    config, points = state(link)
    found = page.facts(points)
    sentences = [*page.plan(config), *page.insight(found, config)]
    for answer in ANSWERS:
        verdict = page.verdict(found, {"prediction": {"name": "cost_ratio", "answer": answer}})
        if verdict:
            sentences += verdict.sentences
    return sentences, reasons.reasons(config, points)


def _reason(true: Truth, sentence: Message, name: str, given: Reason) -> Iterable[str]:
    """Check the terms of the ratios against the points, and those of the fits against numpy's."""
    key, pair = given.made.key, true.last_common("additive_chunked", "fused")
    if key.startswith("reason.made.ratio.time") and pair:
        a, b = pair
        one = a.fastest if key.endswith("least") else a.seconds
        other = b.fastest if key.endswith("most") else b.seconds
        yield from off(given, one=1e3 * (one or 0), other=1e3 * (other or 0))
    elif key == "reason.made.ratio.operations" and pair:
        counts = [operations(p.contender, p.n, p.d_k, False) for p in pair]
        yield from off(given, one=counts[0], other=counts[1])
    elif key == "reason.made.operation_sum" and pair:
        counted = operations(pair[name == "dot"].contender, pair[0].n, pair[0].d_k, False)
        if sum(given.made.facts[kind] for kind in ("matrix", "elementwise", "transcendental")) != counted:
            yield f"there are {counted} operations"
    elif key == "reason.made.projections" and pair:
        a, _ = pair
        yield from off(given, n=a.n, d_k=a.d_k, total=operations(a.contender, a.n, a.d_k, False))
        if round(given.made.facts["exact"]) != sentence.facts["share"]:
            yield f"the sentence says {sentence.facts['share']}"
    elif key == "reason.made.ratio.memory":
        size = (sentence.facts["n"], sentence.facts["d_k"])
        held = {p.contender: p.bytes for p in true.points if (p.n, p.d_k, p.passes) == (*size, "forward")}
        way = "additive_naive" if name == "naive" else "additive_chunked"
        yield from off(given, one=float(held[way] or 0), other=float(held["explicit"] or 0))
    elif key == "reason.made.ratio.unevenness" and pair:
        yield from off(given, one=[1e3 * (p.seconds or 0) for p in pair], other=[1e3 * (p.fastest or 0) for p in pair])
    elif key == "reason.made.slope":
        if not abs(given.made.facts["exact"] - sentence.facts[name]) <= 0.00501:
            yield f"the sentence says {sentence.facts[name]}"
    elif key == "reason.made.slope_error":
        if not abs(max(0.01, given.made.facts["exact"]) - sentence.facts[name]) <= 0.00501:
            yield f"the sentence says {sentence.facts[name]}"
    elif key == "reason.made.skipped":
        yield from off(given, skipped=sum(p.skipped is not None for p in true.points), points=len(true.points))
    elif key not in ("reason.made.plan", "reason.made.largest_size", "reason.made.fitted"):
        yield f"nobody checks {key}"


def _tables(link: str) -> dict[str, Table]:
    return {"cost-time": table(Measurement(*state(link)), View())}


def _cell(true: Truth, asked: Cell) -> Iterator[str]:
    """Check the calls, bytes and operations behind a point."""
    key, facts = asked.made.key.removeprefix("reason.made."), asked.made.facts
    n, d_k = (int(asked.beside(name)) for name in ("n", "d_k"))
    named = {text("en", f"figure.cost.{way}"): way for way in WAYS}
    way = named[asked.beside(text("en", "cost.column.contender"))]
    backward = asked.beside(text("en", "cost.column.passes")) == text("en", "figure.cost.forward_backward")
    if key == "operation_sum":
        total = sum(facts[name] for name in ("matrix", "elementwise", "transcendental"))
        if total != operations(way, n, d_k, backward):
            yield f"there are {operations(way, n, d_k, backward)} operations"
    elif key == "calls":
        if facts["calls"] != int(asked.beside(text("en", "cost.column.calls"))):
            yield "another number of calls"
    elif key == "millions":
        if not near(facts["bytes"] / 1e6, float(asked.beside(text("en", "cost.column.megabytes")))):
            yield "other bytes"
    elif key not in ("plan", "repeated"):
        yield f"nobody checks {key}"


PAGE = Page(
    link,
    sentences_of,
    truth,
    {
        "cost.lead": _lead,
        "cost.plan": _plan,
        "cost.ratio": _ratio,
        "cost.ratio_alike": _compared,
        "cost.ratio_projections": _ratio_projections,
        "cost.dearer": _dearer,
        "cost.memory": _memory,
        "cost.memory_one": _memory,
        "cost.slopes": _slopes,
        "cost.scattered": _scattered,
        "cost.uneven": _uneven,
        "cost.skipped": _skipped,
        "cost.nothing": _nothing,
        "cost.nothing_forward": _nothing_forward,
        "cost.summary.time": _summary_time,
        "cost.summary.memory": _summary_memory,
        "predict.right": _right,
        "predict.differs": _differs,
        "predict.right_open": _open,
        "predict.differs_open": _differs_open,
        "predict.cost_ratio.because": _because,
    },
    _whole,
    asked=_asked,
    names=frozenset({"varied", "answer", "real"}),
    reason=_reason,
    tables=_tables,
    cell=_cell,
    first=_first,
)
