"""What the sentences on quality against d_k claim, held to the snapshots."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tests.checker.checking import near
from tests.checker.train_truth import UNCLEAR, Facts, Truth, differing, last_accuracies, one_of
from visualiser.locale.message import Message


def plan_quality(true: Truth, facts: Facts) -> Iterable[str]:
    wanted = true.wanted
    yield from one_of(not true.heads)
    stated = (list(facts["d_k"]), facts["curves"], facts["seeds"], facts["steps"])
    if stated != (list(wanted.d_k), len(wanted.d_k) * len(wanted.mechanism), wanted.seeds, wanted.steps):
        yield "another plan"


def task_of(name: str) -> Any:
    return lambda true, facts: one_of(not true.heads and true.wanted.task == name)


def outcome(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if (facts["low"], facts["high"]) != (low, high) or low == high:
        yield f"the widths go from {low} to {high}"
        return
    yield from _curves(true, facts["curves"], ("from", "to"), (low, high))


def outcome_one(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if facts["d_k"] != low or low != high:
        yield f"the widths go from {low} to {high}"
        return
    yield from _curves(true, facts["curves"], ("value",), (low,))


def _curves(true: Truth, curves: Sequence[Message], names: Sequence[str], sizes: Sequence[int]) -> Iterable[str]:
    if [mechanism_of(curve.facts["name"]) for curve in curves] != list(true.wanted.mechanism):
        yield "other mechanisms were trained"
    for curve in curves:
        mechanism = mechanism_of(curve.facts["name"])
        for name, size in zip(names, sizes, strict=True):
            if not near(curve.facts[name], float(true.accuracy(mechanism, size).mean())):
                yield f"{mechanism} at {size} is another number"


def mechanism_of(label: Message) -> str:
    return label.key.rpartition(".")[2]


def _pair(true: Truth) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the accuracies of additive and unscaled at the largest of several widths."""
    low, high = true.ends
    if low == high or not {"additive", "unscaled"} <= set(true.wanted.mechanism):
        return None
    return true.accuracy("additive", high), true.accuracy("unscaled", high)


def claim_of(better: int) -> Any:
    """Check "every seed of one is better than every seed of the other", beyond the evaluation's error."""

    def check(true: Truth, facts: Facts) -> Iterable[str]:
        pair = _pair(true)
        if pair is None or true.wanted.seeds < 2:
            yield "no several seeds of both, or no larger width"
        elif facts["d_k"] != true.ends[1]:
            yield "not the largest width"
        elif pair[better].min() <= pair[1 - better].max() + UNCLEAR:
            yield f"the seeds overlap: {pair}"

    return check


def claim_open(true: Truth, facts: Facts) -> Iterable[str]:
    pair = _pair(true)
    if pair is None or true.wanted.seeds < 2 or facts["d_k"] != true.ends[1]:
        yield "no several seeds of both, or no larger width"
        return
    additive, unscaled = pair
    if additive.min() > unscaled.max() + 0.0201 or unscaled.min() > additive.max() + 0.0201:
        yield "the seeds lie clearly apart"
    ranges = (additive.min(), additive.max(), unscaled.min(), unscaled.max())
    stated = (facts["additive_least"], facts["additive_most"], facts["unscaled_least"], facts["unscaled_most"])
    if not all(near(one, float(other)) for one, other in zip(stated, ranges, strict=True)):
        yield f"the ranges are {ranges}"


def claim_alone(true: Truth, facts: Facts) -> Iterable[str]:
    pair = _pair(true)
    if pair is None or true.wanted.seeds != 1 or facts["d_k"] != true.ends[1]:
        yield "there are several seeds, or not both mechanisms"
    elif not (near(facts["additive"], float(pair[0][0])) and near(facts["unscaled"], float(pair[1][0]))):
        yield "other numbers"


def normed(true: Truth) -> dict[str, set[tuple[str, int]]]:
    """Return the mechanisms and widths that every seed of QK-norm beats, those that beat it, and the others."""
    found: dict[str, set[tuple[str, int]]] = {"beats": set(), "beaten": set(), "open": set()}
    for name in set(true.wanted.mechanism) - {"qk_norm_unscaled"}:
        for size in true.wanted.d_k:
            one, other = true.accuracy("qk_norm_unscaled", size), true.accuracy(name, size)
            way = "beats" if (one[:, None] > other + UNCLEAR).all() else "open"
            found["beaten" if (other[:, None] > one + UNCLEAR).all() else way].add((name, size))
    return found


def norm_of(way: str) -> Any:
    """Check that exactly those are listed that QK-norm beats, or that beat it, or that the seeds leave open."""

    def check(true: Truth, facts: Facts) -> Iterable[str]:
        if "qk_norm_unscaled" not in true.wanted.mechanism or true.wanted.seeds < 2:
            yield "QK-norm was not trained, or with one seed"
            return
        listed = [(mechanism_of(one.facts["name"]), size) for one in facts["others"] for size in one.facts["d_k"]]
        if len(listed) != len(set(listed)) or set(listed) != normed(true)[way]:
            yield f"{way}: {normed(true)[way]}"

    return check


def norm_alone(true: Truth, facts: Facts) -> Iterable[str]:
    yield from one_of(true.wanted.seeds == 1, "qk_norm_unscaled" in true.wanted.mechanism)
    yield from one_of(len(true.wanted.mechanism) > 1)


def norm_starts(true: Truth, facts: Facts) -> Iterable[str]:
    high = true.ends[1]
    if facts["d_k"] != high or "qk_norm_unscaled" not in true.wanted.mechanism:
        yield "QK-norm was not trained, or this is not the largest width"
        return
    for name, measure in (("scores", "score_gradient"), ("weights", "projection_gradient")):
        if not near(facts[name], true.start("qk_norm_unscaled", high, measure)):
            yield f"the {measure} is {true.start('qk_norm_unscaled', high, measure)}"


def gradients(true: Truth, facts: Facts) -> Iterable[str]:
    high = true.ends[1]
    if facts["d_k"] != high or not {"scaled", "unscaled"} <= set(true.wanted.mechanism):
        yield "not both mechanisms, or not the largest width"
        return
    for name in ("unscaled", "scaled"):
        for which, measure in (("scores", "score_gradient"), ("weights", "projection_gradient")):
            if not near(facts[f"{name}_{which}"], true.start(name, high, measure)):
                yield f"the {measure} of {name} is {true.start(name, high, measure)}"


def vanishes(true: Truth, facts: Facts) -> Iterable[str]:
    yield from gradients(true, facts)
    high = true.ends[1]
    if not true.start("unscaled", high, "score_gradient") <= true.start("scaled", high, "score_gradient") / 1000:
        yield "nothing vanishes"
    if true.start("scaled", high, "score_gradient") == 0:
        yield "with scaling there is no gradient either"
    if true.start("unscaled", high, "projection_gradient") < true.start("scaled", high, "projection_gradient") / 2:
        yield "the gradient that reaches the projections shrinks as well"


def several_last(true: Truth, facts: Facts) -> Iterable[str]:
    last = last_accuracies(true).values()
    yield from differing(true, [(facts["least"], min(last)), (facts["most"], max(last))], not true.heads)


def two_last(true: Truth, facts: Facts) -> Iterable[str]:
    last = last_accuracies(true)
    if [mechanism_of(curve.facts["name"]) for curve in facts["curves"]] != list(last):
        yield "other mechanisms were trained"
    pairs = [(curve.facts["value"], last[mechanism_of(curve.facts["name"])]) for curve in facts["curves"]]
    yield from differing(true, pairs, not true.heads)


def one_grows(true: Truth, facts: Facts) -> Iterable[str]:
    (name,), ends = true.wanted.mechanism, true.ends
    first, last = (float(true.accuracy(name, end).mean()) for end in ends)
    yield from differing(true, [(facts["from"], first), (facts["to"], last)], not true.heads, ends[0] < ends[1])


def one_alone(true: Truth, facts: Facts) -> Iterable[str]:
    (value,) = last_accuracies(true).values()
    yield from differing(true, [(facts["value"], value)], not true.heads, true.ends == (facts["d_k"], facts["d_k"]))
