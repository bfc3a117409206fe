"""What the page Model says of one head in a model of a folder, held to the tensors of its run: numpy in float64.

Ids, queries, keys, weights and masks are data; every measure is a plain loop over them.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.checker.checking import Claim, near
from tests.checker.folder_truth import State
from tests.checker.head_behaviour import KEYS
from tests.checker.learned import Numbers

CLOSE: Final = 2e-4
"""What float32 leaves of a sum of terms of both signs, as a share of the largest."""


class Head:
    """One head of the run that is shown, from 1, in float64."""

    def __init__(self, state: State, layer: int, head: int) -> None:
        of, self.head = state.shown.run.layers[layer - 1], head
        self.weights: Numbers = of.weights[head - 1].double().numpy()
        self.allowed: NDArray[np.bool_] = of.allowed[head - 1].numpy()
        self.scores: Numbers = of.scores[head - 1].double().numpy()
        sunk = of.sink is not None and of.sink_score is not None and bool((of.sink_score[head - 1] > -math.inf).any())
        self.sink = of.sink[head - 1].double().numpy() if sunk and of.sink is not None else None
        self.loose = head - 1 in of.unnormalised
        self.muted = self.loose and not self.weights.any()
        self.products: Numbers | None = None
        self.d_k = 0
        if of.Q is not None and of.K is not None:
            group = (head - 1) // (len(of.Q) // len(of.K))
            self.products = of.Q[head - 1].double().numpy() @ of.K[group].double().numpy().T
            self.d_k = of.Q.shape[-1]

    @property
    def readable(self) -> NDArray[np.bool_]:
        return np.asarray(self.allowed.any(-1))

    @property
    def entropies(self) -> Numbers:
        p = self.weights if self.sink is None else np.concatenate([self.weights, self.sink[:, None]], -1)
        return -(p * np.log(np.where(p > 0, p, 1.0))).sum(-1)

    @property
    def variance(self) -> float:
        """Var(q · k)/d_k over the cells that the mask leaves; NaN with fewer than two."""
        if self.products is None or self.allowed.sum() < 2:
            return math.nan
        return float(self.products[self.allowed].var()) / self.d_k

    def measured(self, state: State, measure: str) -> tuple[float, float, int]:
        """Return a measure over this text, its chance, and how many rows it is a mean of."""
        rows = int(self.readable.sum())
        if measure == "variance":
            return self.variance, math.nan, rows
        if self.loose:
            return math.nan, math.nan, 0
        if measure == "entropy":
            return float(self.entropies[self.readable].mean()), math.nan, rows
        if measure == "distance":
            return self._distance(), math.nan, rows
        ids = list(state.shown.run.ids)
        parting = [at for at in range(1, len(ids)) if ids[at] in state.delimiters]
        sums, evens, count = 0.0, 0.0, 0
        for row in range(len(ids)):
            marked = np.zeros(len(ids), dtype=bool)
            marked[parting if measure == "delimiter" else KEYS[measure](ids, row)] = True
            if (marked & self.allowed[row]).any():
                sums += float(self.weights[row][marked].sum())
                evens += float((marked & self.allowed[row]).sum() / self.allowed[row].sum())
                count += 1
        return (sums / count, evens / count, count) if count else (math.nan, math.nan, 0)

    def _distance(self) -> float:
        apart = np.abs(np.arange(len(self.weights))[:, None] - np.arange(self.weights.shape[-1]))
        whole = self.weights.sum(-1)
        rows = self.readable & (whole > 0)
        return float(((self.weights * apart).sum(-1)[rows] / whole[rows]).mean()) if rows.any() else math.nan


def _chosen(state: State) -> Head:
    return Head(state, state.shown.layer, state.shown.head)


def _near(claimed: float, true: float, size: float = 0.0) -> bool:
    """Return True for equal numbers, within what float32 leaves of terms as large as `size`."""
    both = math.isnan(claimed) and math.isnan(true)
    return both or near(claimed, true) or abs(claimed - true) <= max(1e-5, CLOSE * size)


def _off(facts: Mapping[str, Any], size: float = 0.0, **true: Any) -> Iterator[str]:
    """Yield the facts that differ from the truth."""
    for name, value in true.items():
        if name in facts and not (
            _near(facts[name], value, size) if isinstance(value, float) else facts[name] == value
        ):
            yield f"{name} is {value}, not {facts[name]}"


def _names(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.shown.name, query=state.shown.row)


def _not_measured(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the largest share of weight of a head over this text, its rows and its chance."""
    head = _chosen(state)
    measure = facts["measure"].key.removeprefix("measure.")
    score, chance, rows = head.measured(state, measure)
    yield from _off(facts, head=state.shown.name, score=score, chance=chance, rows=rows, of=int(head.readable.sum()))
    shares = {name: head.measured(state, name)[0] for name in state.shown.measures if name in (*KEYS, "delimiter")}
    best = max((value for value in shares.values() if not math.isnan(value)), default=math.nan)
    if not _near(score, best):
        yield f"the shares are {shares}"


def _unmeasured(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    head = _chosen(state)
    yield from _off(facts, head=state.shown.name)
    for name in state.shown.measures:
        if name in (*KEYS, "delimiter") and not math.isnan(head.measured(state, name)[0]):
            yield f"{name} is measured"


def _sizes(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    run = state.shown.run
    yield from _off(facts, layers=len(run.layers), heads=len(state.heads), n=len(run.ids))


def _scatter(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    head = _chosen(state)
    yield from _off(facts, head=state.shown.name, heads=len(state.heads))
    for axis in ("x", "y"):
        measure = facts[axis].key.removeprefix("measure.")
        if measure != "cost":
            true = head.measured(state, measure)[0]
            yield from _off(facts, abs(true) if measure == "variance" else 0.0, **{f"of_{axis}": true})


def _score(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the score of the chosen query and key: what the softmax receives, or the product where it is unused."""
    head, row, key = _chosen(state), state.shown.row, facts["key"]
    yield from _names(state, facts)
    if key != state.shown.key:
        yield f"the key is {state.shown.key}"
    if not head.allowed[row, key]:
        yield "the mask forbids it"
    known = [float(head.scores[row, key])]
    layer = state.shown.attention
    if head.products is not None and layer.scale is not None:
        known.append(float(head.products[row, key]) * layer.scale)
    size = float(np.abs(head.scores[head.allowed]).max())
    if not any(_near(facts["score"], one, size) for one in known):
        yield f"the score is {known}"
    if "count" in facts and facts["count"] not in (head.d_k, head.d_k - len(state.shown.pairs)):
        yield f"there are {head.d_k} components"


def _forbidden(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _names(state, facts)
    if _chosen(state).allowed[state.shown.row, facts["key"]]:
        yield "the mask allows it"


def _changed_layer(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if not state.changes:
        yield "nothing is changed"


def _moments(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    head = _chosen(state)
    there = head.scores[head.allowed]
    yield from _off(facts, head=state.shown.name)
    yield from _off(facts, float(np.abs(there).max()), mean=float(there.mean()))
    yield from _off(facts, float((there**2).mean()), variance=float(there.var()))


def _entropy(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    head = _chosen(state)
    rows = head.readable
    most = np.log(head.allowed.sum(-1)[rows] + (head.sink is not None))
    yield from _off(
        facts, head=state.shown.name, entropy=float(head.entropies[rows].mean()), ceiling=float(most.mean())
    )


def _on_map(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.shown.name)
    if (facts["made"] is None) != ((state.shown.layer, state.shown.head) not in state.shown.decided):
        yield "a change decides for this head, or none does"


def _row(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if not facts["query"].startswith(f"{state.shown.row} “"):
        yield f"the query is {state.shown.row}"


def _footnote(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    ratios = {f"{layer}.{head}": Head(state, layer, head).variance for layer, head in state.heads}
    known = np.array([one for one in ratios.values() if not math.isnan(one)])
    yield from _off(facts, heads=len(known))
    yield from _off(facts, float(known.max()), median=float(np.median(known)), largest=float(known.max()))
    if not _near(ratios[facts["where"]], float(known.max()), float(known.max())):
        yield f"the ratios are {ratios}"
    bordering = any(abs(one / border - 1) < 1e-4 for one in known for border in (0.5, 2.0))
    if not bordering:
        yield from _off(facts, near=int(((known >= 0.5) & (known <= 2)).sum()))


def _muted(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.shown.name)
    if f"mute@{state.shown.name}" not in state.changes or not _chosen(state).muted:
        yield "it is not muted"


def _uniform(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    head = _chosen(state)
    yield from _off(facts, head=state.shown.name)
    even = head.allowed / np.maximum(head.allowed.sum(-1, keepdims=True), 1)
    if not np.allclose(head.weights[head.readable], even[head.readable], atol=1e-6):
        yield f"it reads {head.weights}"


def _replaced(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.shown.name)
    if f"replace:{facts['other']}@{state.shown.name}" not in state.changes:
        yield "no such head gives its weights"


def _weightless(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _names(state, facts)
    if _chosen(state).weights[state.shown.row].any():
        yield "a key has weight"


def _reads_nothing(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _names(state, facts)
    if _chosen(state).readable[state.shown.row]:
        yield "the mask allows a key"


def _on_this_head(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, head=state.shown.name)


def _count(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _off(facts, count=len(state.changes))


def _pinned(differs: bool) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        if state.is_changed != differs:
            yield "A and B are the same, or differ"

    return claim


def _sums(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    head = _chosen(state)
    sums = head.weights.sum(-1)
    yield from _off(facts, float(sums.max()), least=float(sums.min()), most=float(sums.max()))
    yield from _off(facts, head=state.shown.name)


HEAD_CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "model.pinned": _pinned(differs=True),
    "model.pinned_same": _pinned(differs=False),
    "model.changed": _count,
    "model.not_measured": _not_measured,
    "model.unmeasured": _unmeasured,
    "model.footnote": _footnote,
    "model.muted": _muted,
    "model.uniform": _uniform,
    "model.replace": _replaced,
    "model.rows_sum": _sums,
    "model.way_back": _on_this_head,
    "model.unused_score": _score,
    "model.reads_nothing": _reads_nothing,
    "table.model_heads.unmeasured": _sizes,
    "table.head_scatter.summary": _scatter,
    "table.head_row.nothing": _weightless,
    "table.why_key.summary": _score,
    "table.why_key.forbidden": _forbidden,
    "table.why_key.rebuilt": _changed_layer,
    "table.head_scores.summary": _moments,
    "table.head_entropy.summary": _entropy,
    "brief.head_map": _on_map,
    "brief.head_map_made": _on_map,
    "brief.head_row": _row,
    "brief.why_key.score": _score,
    "brief.why_key.forbidden": _forbidden,
    "brief.score_distribution": _moments,
    "brief.scores_unused": _moments,
    "brief.entropy": _entropy,
}
