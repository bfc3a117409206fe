"""What the captions of the Map's figures claim, held to the map in float64."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tests.checker.map_truth import Truth, close_to
from visualiser.maps.kept import BINS


def of_map(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.spread:
        yield from close_to("the mean entropy", facts["entropy"], truth.means.mean())
    else:
        yield from close_to("the mean sum of gates", facts["mass"], truth.mean_of("mass").mean())
    squares = [len(range(0, n, -(-n // BINS))) for n in truth.sizes]
    if [facts[name] for name in ("heads", "n_q", "n_k", "rows", "columns")] != [
        len(truth.weights), *truth.sizes, *squares
    ]:  # fmt: skip
        yield "other sizes"


def of_strips(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    means = truth.means if truth.spread else truth.mean_of("mass")
    for name, low_or_high in (("low", means.min()), ("high", means.max())):
        yield from close_to(name, facts.get(name, facts.get("entropy", facts.get("mass"))), low_or_high)
    if truth.spread:
        yield from close_to("the greatest ceiling", facts["ceiling"], truth.ceiling.max())


def strip_sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from close_to("the mean weight of the sink", facts["sink"], truth.mean_of("sunk").mean())


def row_caption(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if (facts["head"], facts["query"]) != (truth.head, truth.row) or facts["keys"] != min(16, truth.keys[truth.row]):
        yield "another row or number of keys"


def of_row(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    weights = truth.weights[truth.head - 1, truth.row]
    entropy = float(truth.entropy[truth.head - 1, truth.row])
    if facts["head"] != truth.head or int(str(facts["query"]).split()[0]) != truth.row:
        yield "another row"
    if truth.spread:
        yield from close_to("entropy", facts["entropy"], entropy)
        yield from close_to("ceiling", facts["ceiling"], truth.ceiling[truth.row])
    else:
        yield from close_to("sum of gates", facts["mass"], truth.one.mass.item())
    if truth.rows.outcomes:
        yield from close_to("the sink's weight", facts["sink"], truth.one.sunk.item())
    if "effective" in facts:
        yield from close_to("e^H", facts["effective"], math.exp(entropy), 5e-4 * math.exp(entropy))
    if truth.spread != ("mass" not in facts) or truth.rows.outcomes != ("sink" in facts):
        yield "these are other weights"
    yield from close_to("norm", facts["norm"], truth.one.norm.item(), 1e-4)
    yield from close_to("weight", facts["weight"], weights.max(), 1e-4)
    loose = 1e-4 + 1e-5 * abs(truth.scores[truth.head - 1, truth.row][truth.allowed[truth.row]]).max()
    if "key" in facts:
        key = int(str(facts["key"]).split()[0])
        if weights[key] < weights.max() * (1 - loose) or (weights >= weights.max() * (1 - 1e-7)).sum() > 1:
            yield "the largest weight is elsewhere too"
    elif not 1 < facts["count"] <= (weights >= weights.max() * (1 - loose)).sum():
        yield "not so many keys share the largest weight"


def row_masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["query"] != truth.row or truth.keys[truth.row]:
        yield "it sees a key"
