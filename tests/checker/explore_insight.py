"""What is claimed above Explore's figures: of the scores, the softmax, the mask and the text."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tests.checker.checking import Claim
from tests.checker.explore_truth import LOST, State, by_the_footnote, factor, means, off, scores


def _footnote(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from scores(state, facts)
    yield from off(facts, predicted=state.config.d_k * factor(state.config) ** 2, d_k=state.config.d_k)
    if not by_the_footnote(state):
        yield "footnote 4 says nothing about these components"
    if state.config.qk_norm:
        yield "q and k are normalised"


def _directions(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _footnote(replace(state, config=replace(state.config, qk_norm=False)), facts)
    if not state.config.qk_norm:
        yield "q and k keep their lengths"
    lengths = np.linalg.norm(state.Q, axis=-1), np.linalg.norm(state.K, axis=-1)
    blur = 1e-5 if state.config.dtype == "float32" else 1e-2
    if any(np.abs(length / math.sqrt(state.config.d_k) - 1).max() > blur for length in lengths):
        yield "a length is not √d_k"


def _no_footnote(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from scores(state, facts)
    if by_the_footnote(state):
        yield "footnote 4 predicts these scores"


def _additive(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from scores(state, facts)
    yield from off(facts, d_k=state.config.d_k)
    if state.config.mechanism != "additive":
        yield "the scores are dot products"


def _equal(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    scores = state.rows.every_score
    yield from off(facts, score=float(scores.mean()))
    if not np.allclose(scores, facts["score"], rtol=1e-3, atol=1e-3):
        yield "the scores differ"
    weights = np.where(state.rows.allowed, state.rows.weights, np.nan)[:, state.rows.open]
    if not np.allclose(np.nanmin(weights, -1), np.nanmax(weights, -1), rtol=2e-2):
        yield "the weights differ"


def _zero(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if np.abs(state.rows.every_score).max() > 0 or factor(state.config) != 0:
        yield "the factor is not 0"


def _saturated(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, largest=state.mean("largest"))
    norms, traces = (np.sort(getattr(state.rows, name)[:, state.rows.open].ravel()) for name in ("norm", "trace"))
    for name, values in (("norm", norms), ("trace", traces)):
        low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
        if not (low * 0.99 - LOST <= facts[name] <= high * 1.01 + LOST):
            yield f"the median {name} lies in {low} … {high}, not at {facts[name]}"
    if state.of_choosing("largest").mean() < 0.899:
        yield "one key takes less than 0.9 in rows with a choice"
    if facts["norm"] > 0.101 or (norms < 0.101).mean() < 0.5:
        yield "half of the rows answer to a change"
    if state.mean("largest") < 0.899:
        yield "not saturated"


def _partly(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, largest=state.mean("largest"))
    largest = state.of_choosing("largest")
    least, most = ((100 * (largest > 0.9 + off)).mean() for off in (1e-3, -1e-3))
    if not (least * 0.99 <= facts["share"] <= most * 1.01):
        yield f"{least} to {most} % of the rows with a choice give one key more than 0.9"
    if facts["share"] < 24.9:
        yield "not in many rows"


def _partly_all(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _partly(state, facts)
    if (state.rows.open & ~state.rows.choosing).any():
        yield "some rows have one key alone"


def _uniform(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from means(state, facts)
    if state.mean("entropy") < 0.949 * state.mean_ceiling:
        yield "not uniform"


def _uniform_many(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _uniform(state, facts)
    if state.mean("norm") > 0.251 or state.of_choosing("norm").mean() > 0.251:
        yield "the norm is not small"
    if state.of_choosing("trace").mean() < 0.699:
        yield "the trace of one-hot rows"
    if state.mean("effective") < 8:
        yield "not spread over many keys"


def _still_moves(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from means(state, facts)
    keys = state.rows.keys[state.rows.open]
    yield from off(facts, keys=float(keys.mean()))
    if state.of_choosing("trace").mean() < 0.1:
        yield "the weights hardly move"


def _uniform_few(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _uniform(state, facts)
    yield from _still_moves(state, facts)


def _other(normalisation: str) -> Claim[State]:
    def check(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from means(state, facts)
        keys = state.rows.keys[state.rows.open]
        yield from off(facts, keys=float(keys.mean()))
        if state.config.normalisation != normalisation:
            yield f"the weights are those of {state.config.normalisation}"

    return check


def _capped(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from means(state, facts)
    yield from off(facts, keys=float(state.rows.keys[state.rows.open].mean()))
    if not state.config.softcap or state.config.normalisation != "softmax":
        yield "nothing bends the softmax's scores"


def _softcap(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, cap=state.config.softcap)
    scores = np.abs(state.rows.every_score / state.config.softcap)
    least, most = ((100 * (np.tanh(scores) < share * scores)).mean() for share in (0.9 - 1e-4, 0.9 + 1e-4))
    if not least * 0.99 <= facts["share"] <= most * 1.01:
        yield f"{least} to {most} % of the scores lose a tenth"


def _some_keys(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, keys=int(state.rows.keys.max()))
    if state.rows.allowed.all() or state.config.normalisation not in ("sink", "sigmoid"):
        yield "the mask hides nothing, or more could be said"


def _one_key(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.rows.choosing.any() or not state.rows.open.any():
        yield "a row has a choice, or none has a key"


def _causal(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    keys, (n_q, n_k) = state.rows.keys, state.rows.allowed.shape
    if state.config.mask != "causal":
        yield "no causal mask"
    for query in range(n_q):
        if state.rows.allowed[query, keys[query] :].any():
            yield f"query {query} sees other keys than the first {keys[query]}"
    yield from off(facts, ceiling=float(state.rows.ceiling.max()), keys=n_k, first=int(keys[0]), query=n_q - n_k)
    rising = np.diff(state.rows.ceiling[keys > 0])
    if not (rising > 0).all():
        yield "the ceiling does not rise from row to row"


def _causal_seen(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _causal(state, facts)
    if state.rows.allowed[0].tolist() != [True] + [False] * (len(state.rows.allowed) - 1):
        yield "query 0 does not see itself alone"


def _causal_square(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _causal(state, facts)
    if state.rows.allowed[0].tolist() != [True] + [False] * (len(state.rows.allowed) - 1):
        yield "query 0 does not see itself alone"
    if not np.allclose(state.rows.weights[:, 0, 0], 1):
        yield "its weight is not 1"


def _causal_more(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _causal(state, facts)
    if not (np.diff(state.rows.keys) == 1).all() or state.rows.keys[-1] != facts["keys"] or facts["first"] < 2:
        yield "each query does not see one key more than the one before"


def _causal_fewer(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _causal(state, facts)
    if state.rows.keys[: facts["query"] + 1].tolist() != [0] * facts["query"] + [1] or facts["query"] < 1:
        yield "the queries before it see keys"


def _empty(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, empty=int((~state.rows.open).sum()))
    if facts["empty"] < 1:
        yield "every query sees a key"


def _window(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    keys = state.rows.keys
    yield from off(facts, keys=int(keys.max()), ceiling=math.log(keys.max()))
    if state.config.mask != "window" or state.rows.allowed.all():
        yield "the window hides nothing"


def _hides_nothing(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.config.mask == "none" or not state.rows.allowed.all():
        yield "the mask hides keys"


def _repeated(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _count(state, facts)
    at = [i for i, token in enumerate(state.tokens or ()) if token == facts["token"]]
    for one in at[1:]:
        for axis in (1, 2):
            pair = state.rows.scores.take([at[0], one], axis)
            if not np.allclose(*np.split(pair, 2, axis), rtol=1e-4, atol=1e-4 * max(1, np.abs(pair).max())):
                yield "equal tokens have other rows or columns"
    if not state.rows.allowed.all():
        yield "the mask makes their rows differ"


def _repeated_positions(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _count(state, facts)
    at = [i for i, token in enumerate(state.tokens or ()) if token == facts["token"]]
    if not state.config.positions:
        yield "there are no positions"
    for one in at[1:]:
        if np.array_equal(state.Q[:, at[0]], state.Q[:, one]) or np.array_equal(state.K[:, at[0]], state.K[:, one]):
            yield "their queries or keys are equal"


def _count(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.tokens is None or state.config.source != "text":
        yield "no text"
    elif state.tokens.count(facts["token"]) != facts["count"] or facts["count"] < 2:
        yield f"it comes {state.tokens.count(facts['token'])} times"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "insight.variance": _footnote,
    "insight.variance_normed": _directions,
    "insight.scores.dot_product": _no_footnote,
    "insight.scores.additive": _additive,
    "insight.scores.equal": _equal,
    "insight.zero": _zero,
    "insight.saturated": _saturated,
    "insight.partly": _partly_all,
    "insight.partly_choosing": _partly,
    "insight.uniform": _uniform_many,
    "insight.uniform_few": _uniform_few,
    "insight.between": _still_moves,
    "insight.sink": _other("sink"),
    "insight.gates": _other("sigmoid"),
    "insight.sparse": _other("entmax"),
    "insight.softcap": _softcap,
    "insight.capped": _capped,
    "insight.mask.keys": _some_keys,
    "insight.one_key": _one_key,
    "insight.mask.causal": _causal_square,
    "insight.mask.causal_seen": _causal_seen,
    "insight.mask.causal_more": _causal_more,
    "insight.mask.causal_fewer": _causal_fewer,
    "insight.mask.window": _window,
    "insight.mask.empty": _empty,
    "insight.mask.nothing": _hides_nothing,
    "insight.repeated": _repeated,
    "insight.repeated_positions": _repeated_positions,
}
