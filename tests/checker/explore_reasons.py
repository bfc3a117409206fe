"""What the arithmetic behind Explore's numbers claims, recomputed from the scores alone.

Equations are checked by themselves (`equations`); here the terms in them are held against the truth.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from tests.checker.explore_truth import LOST, State, alike, factor
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import MadeRows, Numbers, to_format
from visualiser.locale.message import Message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason

_OF_ROWS: Final = {
    "entropy": "entropy",
    "effective_keys": "effective",
    "jacobian_norm": "norm",
    "jacobian_trace": "trace",
    "largest_weight": "largest",
    "sink_weight": "sunk",
    "mass": "mass",
    "support": "support",
}


def base(kind: str) -> str:
    """Return the quantity that a kind is of, whatever made the weights."""
    kind = kind.removesuffix("_capped")
    for normalisation in ("_sink", "_sigmoid", "_entmax"):
        kind = kind.removesuffix(normalisation)
    return kind


def reason(state: State, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Yield what is false in the terms of the arithmetic."""
    made = given.made
    check = _TERMS.get(made.key)
    if check is None:
        if made.key not in _PLAIN:
            yield f"nobody checks {made.key}"
        return
    for term, true in check(state, given, {**made.facts, "of": sentence.facts}).items():
        if not _close(made.facts[term], true):
            yield f"{term} is {true!r}"


def _close(claimed: Any, true: float) -> bool:
    """Return True if a term is the truth's at three digits; a sum that nearly vanishes may be off by its rounding."""
    shown = parse_number(claimed) if isinstance(claimed, str) else float(claimed)
    return alike(shown, float(true)) or abs(shown - true) < max(LOST, 1e-5)


def _rows(state: State, given: Reason) -> Numbers:
    values = getattr(state.rows, _OF_ROWS[base(given.kind)])
    return values[state.rows.sound] if isinstance(state.rows, MadeRows) else values[:, state.rows.open].ravel()


def _mean(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    rows = _rows(state, given)
    return {"sum": rows.sum(), "rows": rows.size, "least": rows.min(), "most": rows.max()}


def _median(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    rows = np.sort(_rows(state, given))
    ends = {"rows": rows.size, "least": rows[0], "most": rows[-1]}
    low, high = rows[(rows.size - 1) // 2], rows[rows.size // 2]
    return {**ends, "value": (low + high) / 2} if "low" not in facts else {**ends, "low": low, "high": high}


def _ceilings(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    keys = state.rows.keys[state.rows.open]
    if isinstance(state.rows, MadeRows) and not state.rows.sound[:, state.rows.open].all():
        keys = np.broadcast_to(state.rows.keys, state.rows.sound.shape)[state.rows.sound]
    keys = keys + _outcomes(state)
    return {"sum": np.log(keys).sum(), "rows": keys.size, "few": keys.min(), "many": keys.max()}


def _outcomes(state: State) -> int:
    return state.rows.outcomes if isinstance(state.rows, OtherRows) else 0


def _logarithm(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    of_row = state.view.row is not None and facts["of"].keys() & {"keys", "sink"} and "weight" in facts["of"]
    keys = state.rows.keys
    if isinstance(state.rows, MadeRows) and base(given.kind) == "ceiling" and "value" not in facts["of"] and not of_row:
        sound = np.broadcast_to(keys, state.rows.sound.shape)[state.rows.sound]
        if sound.size and sound.min() == sound.max() and not facts["of"].keys() & {"keys", "query"}:
            return {"keys": sound[0] + _outcomes(state)}
    return {"keys": (keys[state.row] if of_row else keys.max()) + _outcomes(state)}


def _keys(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"cells": state.rows.allowed.sum(), "rows": state.rows.open.sum()}


def _keys_of_row(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"n_k": state.rows.allowed.shape[1], "value": state.rows.keys[state.row]}


def _mask(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    n_q, n_k = state.rows.allowed.shape
    return {"n_q": n_q, "n_k": n_k}


def _share(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    largest = state.of_choosing("largest")
    at_the_edge = int((np.abs(largest - 0.9) < 1e-6).sum())
    count = int((largest > 0.9).sum())
    return {"count": facts["count"] if abs(facts["count"] - count) <= at_the_edge else count, "rows": largest.size}


def _score_mean(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    scores = state.rows.every_score
    blur = 1e-5 * float(np.abs(scores).max()) * scores.size  # float32 adds up a mean to so many digits
    total = parse_number(facts["sum"])
    return {"sum": total if abs(total - scores.sum()) <= blur else scores.sum(), "count": scores.size}


def _score_variance(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    scores = state.rows.every_score
    blur = (1e-5 * float(np.abs(scores).max())) ** 2 * scores.size
    true, total = ((scores - scores.mean()) ** 2).sum(), parse_number(facts["sum"])
    return {"sum": total if abs(total - true) <= blur else true, "count": scores.size}


def _equal(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    scores = state.rows.every_score
    return {"count": scores.size, "least": scores.min(), "most": scores.max()}


def _predicted(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    custom = {"factor": factor(state.config)} if given.made.key.endswith("custom") else {}
    return {"d_k": state.config.d_k, **custom}


def _width(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    config = state.config
    value = config.d_model / config.h if given.made.key.endswith("quotient") else max(1, config.d_model // config.h)
    return {"d_model": config.d_model, "h": config.h, "value": value}


def _entropy_row(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    weights = state.rows.weights[state.head, state.row]
    p = weights[int(facts["key"])]
    return {"keys": state.rows.keys[state.row], "weight": p, "term": -p * math.log(p)}


def _effective_row(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"entropy": state.rows.entropy[state.head, state.row]}


def _largest_row(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    scores = treated(state)
    return {"sum": np.exp(scores - scores.max()).sum()}


def _norm_row(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    p = state.rows.weights[state.head, state.row]
    square = float(state.rows.norm[state.head, state.row] ** 2)
    beside = float(sum(p[i] ** 2 * p[j] ** 2 for i in range(len(p)) for j in range(len(p)) if i != j))
    return {"diagonal": square - beside, "beside": beside}


def _underflow(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"true": getattr(state.rows, _OF_ROWS[base(given.kind)])[state.head, state.row]}


def _format_row(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    row, total = state.made.powers[state.head, state.row], state.made.total[state.head, state.row]
    return {"e": row.max(), "sum": total[0], "value": to_format(row.max() / total, state.config.dtype)[0]}


def format_terms(state: State, key: int) -> dict[str, float]:
    """Return the terms of a gate or a root of the row in detail that a format has made."""
    score = treated(state)[key]
    if state.config.normalisation == "sigmoid":
        return {"score": score, "n": state.rows.scores.shape[-1]}
    root = float(state.made.powers[state.head, state.row, key])
    return {"half": score / 2, "root": root} if root else {"half": score / 2}


def _format_other(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    weights = np.nan_to_num(state.rows.weights[state.head, state.row], nan=-1.0)
    terms = format_terms(state, int(weights.argmax()))
    if (weights == weights.max()).sum() > 1:
        terms.pop("score", None)  # several gates, or weights, are as large
        terms.pop("half", None)
    return terms


def _format_sink(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"value": _other(state).sunk[state.head, state.row]}


def _square_limit(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"value": facts["of"]["square_limit"]}


def _format_cells(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return dict(zip(("h", "n_q", "n_k"), state.rows.scores.shape, strict=True))


def _cut(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    assert state.rows.weights[state.head, state.row].sum() > 1
    return {"value": 0.5}


def _tokens(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    assert state.tokens
    return {"tokens": len(state.tokens)}


def _other(state: State) -> OtherRows:
    assert isinstance(state.rows, OtherRows)
    return state.rows


def _bent(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    scores = np.abs(state.rows.every_score / state.config.softcap)
    edge = (np.abs(np.tanh(scores) - 0.9 * scores) < 1e-5 * scores).sum()
    count = (np.tanh(scores) < 0.9 * scores).sum()
    shown = facts["count"] if abs(facts["count"] - count) <= edge else count
    return {"scores": scores.size, "cap": state.config.softcap, "count": shown}


def treated(state: State) -> Numbers:
    """Return the masked scores of the row in detail."""
    rows = state.rows
    found = rows.treated if isinstance(rows, OtherRows) else rows.scores
    return np.where(rows.allowed, found, -np.inf)[state.head, state.row]


def weight_terms(state: State, key: int | None, facts: Mapping[str, Any]) -> dict[str, float]:
    """Return the terms of a weight of the row in detail; those of the sink for no key."""
    scores, config = treated(state), state.config
    own = config.sink if key is None else scores[key]
    if config.normalisation == "sink":
        most = max(scores.max(), config.sink)
        total = np.exp(scores - most).sum() + np.exp(config.sink - most)
        return {"below": own - most, "sum": total, "most": most, "sink": config.sink}
    if config.normalisation == "sigmoid":
        return {"score": own, "n": len(scores)}
    p = _other(state).weights[state.head, state.row]
    threshold = scores.max() / 2 - math.sqrt(p.max())
    root = {"root": math.sqrt(p[key])} if "root" in facts else {}
    return {"half": own / 2, "threshold": threshold, **root}


def _largest_other(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    terms, weights = weight_terms(state, int(treated(state).argmax()), facts), _other(state).weights
    own = weights[state.head, state.row]
    if "score" in terms and (own >= own.max() * (1 - 1e-6)).sum() > 1:
        del terms["score"]  # several gates are as large
    return terms


def _sink_weight(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return weight_terms(state, None, facts)


def _norm_cells(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"squares": state.rows.norm[state.head, state.row] ** 2}


def _counted(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    return {"value": _other(state).support[state.head, state.row]}


def _terms_of(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    name = _OF_ROWS[base(given.kind)]
    return {"keys": state.rows.keys[state.row], "value": getattr(state.rows, name)[state.head, state.row]}


_PLAIN: Final = {
    "reason.made.root",
    "reason.made.alike",
    "reason.made.control",
    "reason.made.before",
    "reason.made.file",
    "reason.made.text",
    "reason.made.model_size",
    "reason.made.model_tokens",
    "reason.made.model_own",
    "reason.made.no_row",
    "reason.made.no_key",
    "reason.made.limit",
    "reason.made.bytes",
    "reason.made.format_largest",
    "reason.made.format_mean",
    "reason.made.format_sums",
    "reason.made.format_tiny",
}
"""Arithmetic without terms of its own: the sentence's numbers alone, or a place."""


def _growth(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    n_k = state.K.shape[1]
    return {"n_k": n_k, "value": math.log(n_k) / math.log(32)}


def _trained(state: State, given: Reason, facts: Mapping[str, Any]) -> dict[str, float]:
    trained = state.Q.shape[-1] ** -0.5
    return {"scale": state.config.scale, "trained": trained, "value": state.config.scale * trained}


_TERMS: Final[Mapping[str, Callable[[State, Reason, Mapping[str, Any]], dict[str, float]]]] = {
    "reason.made.mean": _mean,
    "reason.made.median": _median,
    "reason.made.median_even": _median,
    "reason.made.ceilings": _ceilings,
    "reason.made.logarithm": _logarithm,
    "reason.made.keys": _keys,
    "reason.made.keys_of_row": _keys_of_row,
    "reason.made.mask": _mask,
    "reason.made.share": _share,
    "reason.made.score_mean": _score_mean,
    "reason.made.score_variance": _score_variance,
    "reason.made.equal": _equal,
    "reason.made.bent": _bent,
    "reason.made.weight_sink": _largest_other,
    "reason.made.sink_weight": _sink_weight,
    "reason.made.gate": _largest_other,
    "reason.made.root_weight": _largest_other,
    "reason.made.norm_cells": _norm_cells,
    "reason.made.support": _counted,
    "reason.made.terms_sink": _terms_of,
    "reason.made.terms": _terms_of,
    "reason.made.growth": _growth,
    "reason.made.model_factor": _trained,
    "reason.made.predicted.sqrt_d_k": _predicted,
    "reason.made.predicted.none": _predicted,
    "reason.made.predicted.d_k": _predicted,
    "reason.made.predicted.custom": _predicted,
    "reason.made.width.whole": _width,
    "reason.made.width.floored": _width,
    "reason.made.width.least": _width,
    "reason.made.quotient": _width,
    "reason.made.entropy_row": _entropy_row,
    "reason.made.effective_row": _effective_row,
    "reason.made.largest_row": _largest_row,
    "reason.made.norm_row": _norm_row,
    "reason.made.underflow": _underflow,
    "reason.made.tokens": _tokens,
    "reason.made.format_row": _format_row,
    "reason.made.format_gate": _format_other,
    "reason.made.format_root": _format_other,
    "reason.made.format_sink": _format_sink,
    "reason.made.square_limit": _square_limit,
    "reason.made.format_cells": _format_cells,
    "reason.made.cut": _cut,
}
