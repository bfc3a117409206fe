"""What the Map's sentences claim, held to the map in float64: heads, sinks, the phrase, repeated words."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core.inputs.structured import motif_length, motif_starts
from tests.checker.checking import Claim
from tests.checker.map_figures import of_map, of_row, of_strips, row_caption, row_masked, strip_sunk
from tests.checker.map_truth import ALIKE, DIAGONAL, SINK, UNIFORM, Truth, ceiling, close_to
from visualiser.maps.kept import BINS


def _heads(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    means = truth.means
    yield from ceiling(truth, facts)
    yield from close_to("the least mean entropy", facts["few"], means.min())
    yield from close_to("the greatest mean entropy", facts["many"], means.max())
    for heads, end in ((facts["narrow"], means.min()), (facts["wide"], means.max())):
        near_end = 2e-3 * truth.mean_ceiling
        if any(abs(means[head - 1] - end) > near_end for head in heads):
            yield f"of the heads {heads} one is not at the end {end}"
        if {int(head) + 1 for head in np.flatnonzero(abs(means - end) < 5e-6)} - set(heads):
            yield f"another head beside {heads} is at the end {end}"
    if set(facts["narrow"]) & set(facts["wide"]) or np.ptp(means) < ALIKE * truth.mean_ceiling:
        yield "heads are compared that are alike"


def _heads_alike(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from ceiling(truth, facts)
    yield from close_to("the mean entropy", facts["entropy"], truth.means.mean())
    if facts["heads"] != len(truth.means) or len(truth.means) < 2:
        yield "there are other heads"
    if np.ptp(truth.means) > 0.03 * truth.mean_ceiling:
        yield "the heads differ"


def _one_head(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from ceiling(truth, facts)
    yield from close_to("the mean entropy", facts["entropy"], float(truth.means[0]))
    if len(truth.means) > 1:
        yield "there are several heads"
    yield from close_to("e^H", facts["effective"], math.exp(truth.means[0]), 1e-3 * math.exp(truth.means[0]))


def _uniform(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from close_to("the mean entropy", facts["entropy"], truth.means.mean())
    if (truth.ceiling - truth.entropy)[:, truth.seeing].max() > 1.1 * UNIFORM + 2e-4:
        yield "a row is not uniform"


def _uniform_sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _uniform(truth, facts)
    if not truth.rows.outcomes:
        yield "there is no learned sink"


def _gates(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    masses = truth.mean_of("mass")
    for heads, end, name in ((facts["narrow"], masses.min(), "low"), (facts["wide"], masses.max(), "high")):
        yield from close_to(name, facts[name], end)
        if any(abs(masses[head - 1] - end) > 2e-3 * masses.max() + 1e-6 for head in heads):
            yield f"of the heads {heads} one is not at the end {end}"
        if {int(head) + 1 for head in np.flatnonzero(abs(masses - end) < 5e-6 * masses.max())} - set(heads):
            yield f"another head beside {heads} is at the end {end}"
    if set(facts["narrow"]) & set(facts["wide"]) or np.ptp(masses) < ALIKE * masses.max() or truth.spread:
        yield "heads are compared that are alike, or no gates"


def _gates_alike(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    masses = truth.mean_of("mass")
    yield from close_to("the mean sum of gates", facts["mass"], masses.mean())
    if np.ptp(masses) > 0.03 * masses.max() or truth.spread or facts.get("heads", 1) != len(masses):
        yield "the heads differ, or there are others, or no gates"


def _sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    shares = truth.mean_of("sunk")
    ends = {"low": shares.min(), "high": shares.max()} if "low" in facts else {"sink": shares.mean()}
    for name, end in ends.items():
        yield from close_to(name, facts[name], end)
    if "sink" in facts and np.ptp(shares) > 6e-3 * shares.max() + 2e-4:
        yield "the heads differ"
    if not truth.rows.outcomes:
        yield "there is no learned sink"


def _sink(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    key, stated = facts["key"], {share.facts["head"]: share.facts["share"] for share in facts["shares"]}
    for head, share in stated.items():
        yield from close_to(f"the share in head {head}", share, 100 * float(truth.shares[head - 1, key]), 0.02)
        if truth.shares[head - 1, key] < SINK - 1e-3:
            yield f"key {key} is no sink in head {head}"
    if others := {int(head) + 1 for head in np.flatnonzero(truth.shares[:, key] > SINK + 1e-3)} - stated.keys():
        yield f"key {key} is a sink in heads {others} too"


def _one_sink(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    surely, perhaps = ((truth.shares > SINK + off).any(0).sum() for off in (1e-3, -1e-3))
    if not surely <= 1 <= perhaps:
        yield f"there are {surely} sinks"
    yield from close_to("the share", facts["share"], 100 * float(truth.shares[facts["head"] - 1, facts["key"]]), 0.02)
    yield from close_to("the largest share", facts["share"], 100 * truth.shares.max(), 0.02)


def _sinks(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    surely, perhaps = ((truth.shares > SINK + off).any(0).sum() for off in (1e-3, -1e-3))
    if not surely <= facts["count"] <= perhaps:
        yield f"there are {surely} sinks"
    yield from close_to("the share", facts["share"], 100 * float(truth.shares[facts["head"] - 1, facts["key"]]), 0.02)
    yield from close_to("the largest share", facts["share"], 100 * truth.shares.max(), 0.02)
    if facts["least"] != 100 * SINK:
        yield "another share makes a sink"


def _phrase(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the phrase itself by the queries: a code that copies share makes them alike."""
    config = truth.kept.config
    starts, length = list(motif_starts(config)), motif_length(config)
    if config.source != "structured" or facts["length"] != length or length < 2:
        yield "there is no such phrase"
    if facts["starts"] != starts or len(set(map(int, starts))) < len(starts):
        yield "it does not stand there"


def _diagonals(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _phrase(truth, facts)
    met, cells = truth.diagonals, len(truth.meetings[0])
    planted = [head for head in range(1, len(met) + 1) if head % 4 in (1, 2)]
    if not cells or not set(facts["heads"]) <= set(planted):
        yield "nothing can be seen there"
        return
    least = min(met[head - 1] for head in facts["heads"])
    yield from close_to("the least weight there", facts["times"], least, 2e-3 * least)
    if least < DIAGONAL * 0.995:
        yield "there is no diagonal"
    if others := {head for head in planted if met[head - 1] > DIAGONAL * 1.005} - set(facts["heads"]):
        yield f"heads {others} have diagonals too"


def _pooled(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _diagonals(truth, facts)
    side = -(-truth.sizes[0] // BINS)
    if side == 1:
        yield "no square holds several cells"
        return
    weights = truth.weights[facts["heads"][0] - 1]
    squares = [
        weights[row // side * side :, column // side * side :][:side, :side]
        for row, column in zip(*truth.meetings, strict=True)
    ]
    if not sum(square.mean() for square in squares) < sum(square.max() for square in squares):
        yield "the average pales nothing"


def _unseen(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _phrase(truth, facts)
    met, cells = truth.diagonals, len(truth.meetings[0])
    planted = [head for head in range(1, len(met) + 1) if head % 4 in (1, 2)]
    most = max(met[head - 1] for head in planted)
    if facts["heads"] != planted:
        yield "other heads hold it"
    yield from close_to("the largest weight there", facts["times"], most, 2e-3 * most)
    if most > DIAGONAL * 1.005 or not cells:
        yield "there is a diagonal, or no cell"


def _masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _phrase(truth, facts)
    if len(truth.meetings[0]):
        yield "the mask leaves places where copies meet"


def _repeated(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    tokens = truth.kept.tokens or ()
    counts = Counter(tokens)
    if counts[facts["token"]] != facts["count"] or facts["count"] < 2:
        yield "another count"
    if max(counts.values()) > facts["count"]:
        yield "another token is commoner"


def _equal(truth: Truth, facts: Mapping[str, Any], cells: NDArray[np.float64], off: float) -> Iterator[str]:
    at = [place for place, token in enumerate(truth.kept.tokens or ()) if token == facts["token"]]
    if abs(cells[:, at] - cells[:, at[:1]]).max() > off or abs(cells[:, :, at] - cells[:, :, at[:1]]).max() > off:
        yield "its rows or columns differ"


def _repeated_alike(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    yield from _equal(truth, facts, truth.weights, 1e-4)


def _repeated_masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    scores = truth.every
    yield from _equal(truth, facts, scores, 1e-5 * max(1.0, abs(scores).max()))
    if truth.allowed.all():
        yield "no mask tells them apart"


def _repeated_positions(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    if not truth.kept.config.positions or truth.layer is not None:
        yield "no positions are added"


def _repeated_read(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    if truth.layer is None:
        yield "no model reads the text"


CLAIMS: Final[Mapping[str, Claim[Truth]]] = {
    "insight.map_heads": _heads,
    "insight.map_heads_alike": _heads_alike,
    "insight.map_one_head": _one_head,
    "insight.map_uniform": _uniform,
    "insight.map_uniform_sunk": _uniform_sunk,
    "insight.map_gates": _gates,
    "insight.map_gates_alike": _gates_alike,
    "insight.map_gates_one": _gates_alike,
    "insight.map_sunk": _sunk,
    "insight.map_sunk_one": _sunk,
    "insight.map_sink": _sink,
    "short.insight.map_sink": _one_sink,
    "insight.map_sinks": _sinks,
    "insight.map_phrase": _diagonals,
    "insight.map_phrase_pooled": _pooled,
    "insight.map_phrase_unseen": _unseen,
    "insight.map_phrase_masked": _masked,
    "insight.map_repeated": _repeated_alike,
    "insight.map_repeated_masked": _repeated_masked,
    "insight.map_repeated_positions": _repeated_positions,
    "insight.map_repeated_read": _repeated_read,
    "table.map.summary": of_map,
    "table.map.gates": of_map,
    "table.strips.summary": of_strips,
    "table.strips.summary_one": of_strips,
    "table.strips.gates": of_strips,
    "table.strips.gates_one": of_strips,
    "table.strips.sunk": strip_sunk,
    "table.row.caption": row_caption,
    "table.row.summary": of_row,
    "table.row.summary_alike": of_row,
    "table.row.gates": of_row,
    "table.row.gates_alike": of_row,
    "table.row.sunk": of_row,
    "table.row.sunk_alike": of_row,
    "insight.row_masked": row_masked,
}
