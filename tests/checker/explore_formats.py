"""What is claimed of a number format: what left it, and what it differs by from float32."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tests.checker.checking import Claim, near
from tests.checker.explore_truth import State, off, scores
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import MadeRows, Numbers

_MOST: Final = {"float16": 65504.0, "float32": float(np.finfo(np.float32).max), "bfloat16": 255 / 128 * 2.0**127}
_TINY: Final = {"float16": 2.0**-14, "float32": 2.0**-126, "bfloat16": 2.0**-126}
_BYTES: Final = {"float16": 2, "float32": 4, "bfloat16": 2}


def _rows(state: State) -> MadeRows:
    assert isinstance(state.rows, MadeRows), "float32 with the maximum subtracted is the reference"
    return state.rows


def _format(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    rows = _rows(state)
    if facts.get("format", state.config.dtype) != state.config.dtype:
        yield f"the format is {state.config.dtype}"
    yield from off(facts, cells=rows.every_score.size)


def _scores(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _format(state, facts)
    yield from off(facts, count=int((~np.isfinite(_rows(state).every_score)).sum()))
    if not facts["count"]:
        yield "every score is finite"


def _overflow(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _format(state, facts)
    rows, limit = _rows(state), math.log(_MOST[state.config.dtype])
    infinite = np.isinf(state.made.powers)
    yield from off(facts, count=int(infinite.sum()), overflowed=int(infinite.any(-1).sum()), limit=limit)
    yield from off(facts, rows=len(rows.scores) * int(rows.open.sum()))
    treated = (rows.treated if isinstance(rows, OtherRows) else rows.scores)[:, rows.allowed]
    if (treated > limit).sum() != facts["count"] or state.config.subtract_max:
        yield "the scores do not lie above the limit"


def _broken(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    rows = _rows(state)
    yield from off(facts, broken=int((~rows.sound & rows.open).sum()), rows=len(rows.scores) * int(rows.open.sum()))


def _left_out(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check what a caption leaves out: of the heads shown or of all."""
    rows = _rows(state)
    for some in (state.heads, slice(None)):
        broken = (~rows.sound & rows.open)[some]
        if facts["broken"] == broken.sum() and facts["rows"] == len(broken) * int(rows.open.sum()):
            return
    yield "other rows are left out"


def _small(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _format(state, facts)
    rows, tiny = _rows(state), _TINY[state.config.dtype]
    weights, powers = rows.made[:, rows.allowed], state.made.powers
    zero = rows.made == 0
    if state.config.normalisation == "entmax":
        zero &= powers > 0
    lost, subnormal = int(zero[:, rows.allowed].sum()), int(((weights > 0) & (weights < tiny)).sum())
    yield from off(facts, lost=lost, subnormal=subnormal, tiny=tiny)
    if lost:
        beyond = np.isinf(state.made.total) & rows.allowed
        divided = int(((rows.made == 0) & (powers > 0) & beyond).sum())
        causes = {"insight.format.divided": divided, "insight.format.underflowed": lost - divided}
        found = {cause.key: cause.facts["count"] for cause in facts["causes"]}
        if found != {key: count for key, count in causes.items() if count}:
            yield f"the causes are {causes}"
    if ("lost" in facts, "subnormal" in facts) != (lost > 0, subnormal > 0):
        yield f"{lost} weights are 0, {subnormal} subnormal"


def _cost(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    rows = _rows(state)
    own, wide = state.computed(state.config), state.computed(replace(state.config, dtype="float32", subtract_max=True))
    apart = np.abs((own.weights - wide.weights).numpy().astype(np.float64))[rows.sound]
    apart = apart[np.broadcast_to(rows.allowed, rows.scores.shape)[rows.sound]]
    outputs = np.abs((own.output - wide.output).numpy().astype(np.float64))[rows.sound]
    for name, values in (("weight", apart), ("output", outputs)):
        for fact, value in ((name, values.max()), (f"{name}_mean", values.mean())):
            size = max(1.0, own.V.abs().max().item())
            if not near(facts[fact], float(value)) and abs(facts[fact] - value) > 1e-6 * size:
                yield f"{fact} is {value}, not {facts[fact]}"
    sums = rows.weights.sum(-1) + (rows.sunk if isinstance(rows, OtherRows) and rows.outcomes else 0.0)
    yield from off(facts, total=float(np.abs(sums - 1)[rows.sound].max()))
    if ("total" in facts) != (state.config.normalisation != "sigmoid"):
        yield "gates have no sum to be off, and others have"


def _cost_all(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _cost(state, facts)
    if (~_rows(state).sound & _rows(state).open).any():
        yield "some rows are no distributions"


def _cost_sound(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _cost(state, facts)
    if _rows(state).sound[:, _rows(state).open].all():
        yield "there are no other rows"


def _bytes(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    cells = _rows(state).scores.size
    yield from off(facts, bytes=_BYTES[state.config.dtype] * cells, wide=4 * cells)


def _row(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    rows = _rows(state)
    weights = rows.made[state.head, state.row][rows.allowed[state.row]]
    yield from off(facts, head=state.head + 1, keys=len(weights))
    if not str(facts["query"]).startswith(str(state.row)):
        yield f"the row is {state.row}"
    if rows.sound[state.head, state.row]:
        yield "the row is a distribution"
    nan, total = int(np.isnan(weights).sum()), float(weights.sum())
    yield from off(facts, nan=nan, total=total + _share(state))
    if ("nan" in facts) != (nan > 0):
        yield "another reason"


def _share(state: State) -> float:
    """Return the sink's weight in the row in detail."""
    rows = state.rows
    return float(rows.sunk[state.head, state.row]) if isinstance(rows, OtherRows) and rows.outcomes else 0.0


def _sunk_row(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _row(state, {"keys": state.rows.keys[state.row], **facts})
    if not math.isnan(_share(state)):
        yield "the sink's weight is a number"


def _sink(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from off(facts, sink=state.config.sink, limit=math.log(_MOST[state.config.dtype]))
    if state.config.normalisation != "sink" or state.config.subtract_max or not np.isnan(_sunk(state)).all():
        yield "some row's sink has a weight"


def _sunk(state: State) -> Numbers:
    assert isinstance(state.rows, OtherRows)
    return state.rows.sunk[:, state.rows.open]


def _threshold(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _format(state, facts)
    yield from off(facts, square_limit=2 * math.sqrt(_MOST[state.config.dtype]))
    rows = _rows(state)
    if rows.sound[:, rows.open].all() or state.config.normalisation != "entmax":
        yield "every row is a distribution, or has no threshold"
    if not np.isfinite(rows.every_score).all() or ("square_limit" in facts) == state.config.subtract_max:
        yield "another cause is known"


def _sizes(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    h, n_q, n_k = state.rows.scores.shape
    yield from off(facts, heads=len(range(h)[state.heads]), n_q=n_q, n_k=n_k)
    if _rows(state).sound[state.heads].any():
        yield "some rows have means"


def _moments(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from scores(state, facts)
    if _rows(state).sound[:, _rows(state).open].all():
        yield "the share of small weights could be said"


def _no_distribution(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if _rows(state).sound.all():
        yield "every row is a distribution"


def _of(*normalisations: str, check: Claim[State]) -> Claim[State]:
    """Return a check that also holds what the weights are made by."""

    def checked(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from check(state, facts)
        if state.config.normalisation not in normalisations:
            yield f"the weights are those of {state.config.normalisation}"

    return checked


_ALL: Final[Mapping[str, Claim[State]]] = {
    "broken": _broken,
    "lost": _small,
    "both": _small,
    "cost": _cost_all,
    "cost_sound": _cost_sound,
}

CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "insight.format.scores": _scores,
    "insight.format.overflow": _overflow,
    "insight.format.broken": _broken,
    "insight.format.lost": _small,
    "insight.format.subnormal": _small,
    "insight.format.both": _small,
    "insight.format.cost": _cost_all,
    "insight.format.cost_sound": _cost_sound,
    "insight.format.bytes": _bytes,
    **{
        f"insight.format.{name}_{of}": _of(of, check=check)
        for name, check in _ALL.items()
        for of in ("sink", "sigmoid", "entmax")
    },
    "insight.format.sink": _sink,
    "insight.format.threshold": _threshold,
    "insight.format.threshold_rounded": _threshold,
    **{
        f"{where}.{name}": check
        for where in ("insight", "table")
        for name, check in {
            "row_nan": _row,
            "row_sum": _of("softmax", "entmax", check=_row),
            "row_nan_sigmoid": _of("sigmoid", check=_row),
            "row_sum_sink": _of("sink", check=_row),
            "row_sink_nan": _of("sink", check=_sunk_row),
        }.items()
    },
    "brief.broken": _no_distribution,
    "brief.broken_sigmoid": _of("sigmoid", check=_no_distribution),
    "table.broken": _left_out,
    "table.broken_sigmoid": _of("sigmoid", check=_left_out),
    "table.heat_maps.sizes": _sizes,
    "table.score_distribution.moments": _moments,
}
