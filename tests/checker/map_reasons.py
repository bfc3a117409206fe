"""The arithmetic behind the Map's numbers, in sentences and in tables, held to the map in float64."""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.checker.checking import Cell, near
from tests.checker.map_truth import Truth
from tests.checker.softmax_rows import others
from tests.checker.terms import of_values, off
from visualiser.locale.message import Message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason

SAID: Final = "statistic.said"
"""A row's number stands beside its name."""


def reason(truth: Truth, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check means over queries and heads, a sink's weight, and the sums of an open row."""
    key, kept = given.made.key, truth.kept
    of_rows, outcomes = truth.rows, truth.rows.outcomes
    named = {"mass": "mass", "sink_weight": "sunk"}.get(given.kind, "entropy")
    if key == "reason.made.mean":
        yield from of_values(given, "rows", list(getattr(of_rows, named)[:, truth.seeing]))
    elif key == "reason.made.heads":
        yield from of_values(given, "heads", [truth.means if named == "entropy" else truth.mean_of(named)])
    elif key == "reason.made.ceilings":
        keys = truth.keys[truth.seeing] + outcomes
        h = len(kept.Q) if len(keys) else 1
        yield from off(given, rows=[keys.size, keys.size * h], few=int(keys.min()), many=int(keys.max()))
    elif key == "reason.made.logarithm":
        yield from off(given, keys=[int(truth.keys[truth.row]) + outcomes, int(truth.keys.max()) + outcomes])
    elif key == "reason.made.sink":
        weights = truth.weights[:, truth.seeing].sum(1).ravel()
        yield from off(given, queries=int(truth.seeing.sum()), weight=weights.tolist())
    elif key == "reason.made.largest_row":
        yield from off(given, sum=float(1 / truth.weights[truth.head - 1, truth.row].max()))
    elif key == "reason.made.norm_of_powers":
        p = truth.weights[truth.head - 1, truth.row]
        yield from off(given, two=float((p**2).sum()), three=float((p**3).sum()))
    elif key in ("reason.made.weight_sink", "reason.made.sink_weight"):
        s = np.append(truth.treated[truth.head - 1, truth.row], kept.config.sink)
        own = float(s[:-1].max()) if key == "reason.made.weight_sink" else kept.config.sink
        blur = 2e-6 * (1 + abs(s[np.isfinite(s)]).max())
        below, shown = own - s.max(), parse_number(str(given.made.facts["below"]))
        yield from off(
            given,
            sum=float(np.exp(s - s.max()).sum()),
            below=shown if abs(shown - below) <= blur else below,
            most=float(s.max()),
            sink=kept.config.sink,
        )
    elif key == "reason.made.gate":
        yield from off(given, n=truth.sizes[1], score=float(truth.treated[truth.head - 1, truth.row].max()))
    elif key == "reason.made.weight":
        s = truth.treated[truth.head - 1, truth.row]
        yield from off(
            given, below=0.0, sum=float(np.exp(s - s.max()).sum()), score=float(s.max()), most=float(s.max())
        )
    elif key == "reason.made.norm_cells":
        yield from off(given, squares=truth.one.norm.item() ** 2)
    elif key == "reason.made.underflow":
        true = {"largest_weight": truth.one.weights.max(), "sink_weight": truth.one.sunk.item() if outcomes else 0.0}
        of = next((float(value) for what, value in true.items() if given.kind.startswith(what)), truth.one.norm.item())
        yield from off(given, true=of)
    elif key in ("reason.made.terms_sink", "reason.made.terms"):
        yield from off(given, keys=int(truth.keys[truth.row]))
    elif key == "reason.made.tokens":
        yield from off(given, tokens=len(kept.tokens or ()))
    elif key == "reason.made.of_model":
        yield from off(given, value=len(truth.compared[0]), layer=kept.config.layer)
    elif key not in _PLAIN:
        yield f"nobody checks {key}"


def cell(truth: Truth, asked: Cell) -> Iterator[str]:
    """Check the sums, ranks and exponentials behind the tables' numbers."""
    key, facts = asked.made.key.removeprefix("reason.made."), asked.made.facts
    given = Reason(asked.column.kind, asked.made)
    if asked.table == "row":
        scaled, scores = (of[truth.head - 1, truth.row] for of in (truth.scores, truth.treated))
        at, config = int(asked.beside("key")), truth.kept.config
        if key == "capped":
            yield from off(given, cap=config.softcap, scaled=scaled[at])
        elif key == "gate":
            yield from off(given, n=truth.sizes[1], score=scores[at])
        elif key == "weight_sink":
            s = np.append(scores, config.sink)
            blur = 1e-6 * (1 + abs(s[np.isfinite(s)]).max())
            below, shown = scores[at] - s.max(), parse_number(str(facts["below"]))
            below = shown if abs(shown - below) <= blur else below
            total = float(np.exp(s - s.max()).sum())
            yield from off(given, below=below, sum=total, score=scores[at], most=float(s.max()), sink=config.sink)
        elif key == "weight":
            total = np.exp(scores - scores.max()).sum()
            below, shown = scores[at] - scores.max(), parse_number(str(facts["below"]))
            blur = 1e-6 * abs(scores).max()  # float32 scores, each rounded by itself
            below = shown if abs(shown - below) <= blur else below
            yield from off(given, below=below, sum=total, score=scores[at], most=scores.max())
        elif key == ("scaled.dot_product_normed" if truth.kept.config.qk_norm else "scaled.dot_product"):
            yield from off(given, factor=truth.factor)
            if truth.factor:
                yield from off(given, product=scaled[at] / truth.factor)
        elif key == "underflow":
            yield from off(given, true=truth.weights[truth.head - 1, truth.row, at])
        else:
            yield f"nobody checks {key}"
        return
    rows, seeing = truth.rows, truth.seeing
    p = truth.weights[asked.line, seeing]
    kind = asked.column.kind
    if key == "mean":
        if kind.startswith("jacobian_norm"):
            yield from of_values(given, "rows", [_norms(truth, asked.line)])
        else:
            of = {"sink_weight": "sunk", "mass": "mass"}.get(kind)
            entropy = rows.entropy[asked.line, seeing]
            values = getattr(rows, of)[asked.line, seeing] if of else entropy
            yield from of_values(given, "rows", [np.exp(entropy) if kind == "effective_keys" else values])
    elif key == "ranked":
        ordered = np.sort((rows.entropy if truth.spread else rows.mass)[asked.line, seeing])
        yield from off(given, rows=ordered.size, value=float(ordered[facts["rank"] - 1]))
    elif key in ("gate", "weight_sink", "underflow"):
        yield from _largest(truth, asked, given)
    elif key == "variance_of_scores":
        scores = truth.scores[asked.line][truth.allowed]
        true, total = ((scores - scores.mean()) ** 2).sum(), parse_number(str(facts["sum"]))
        yield from off(given, count=scores.size)
        if not near(total, true, 2) and abs(total - true) > 1e-4:
            yield f"sum is {true}"
    elif key == "largest_row":
        yield from off(given, sum=1 / p.max())
    else:
        yield f"nobody checks {key}"


def _norms(truth: Truth, head: int) -> NDArray[np.float64]:
    """The norm of each Jacobian of a head, without its n_k × n_k cells: √Σⱼ (dⱼ pⱼ)² ((1 − pⱼ)² + Σᵢ≠ⱼ pᵢ²)."""
    p, slopes = truth.weights[head, truth.seeing], truth.rows.slopes[head, truth.seeing]
    if not truth.spread:
        x = truth.treated[head, truth.seeing] - math.log(truth.sizes[1])
        return np.sqrt(((slopes * p / (1 + np.exp(x.clip(-700, 700)))) ** 2).sum(-1))
    rest = others(p) + (truth.rows.sunk[head, truth.seeing][:, None] if truth.rows.outcomes else 0.0)
    return np.sqrt(((slopes * p) ** 2 * (rest**2 + others(p**2))).sum(-1))


def _largest(truth: Truth, asked: Cell, given: Reason) -> Iterator[str]:
    """Check the largest weight of a head: a gate, or a weight beside a sink."""
    head, config = asked.line, truth.kept.config
    s, query = truth.treated[head], int(asked.beside("at query"))
    key = int(asked.beside("at key"))
    at = float(s[query, key])
    if given.made.key.endswith("gate"):
        yield from off(given, n=truth.sizes[1], score=at)
    elif given.made.key.endswith("underflow"):
        yield from off(given, true=float(truth.weights[head, query, key]))
    else:
        all_of = np.append(s[query], config.sink)
        most, blur = float(all_of.max()), 1e-6 * (1 + abs(all_of[np.isfinite(all_of)]).max())
        below, shown = at - most, parse_number(str(given.made.facts["below"]))
        below = shown if abs(shown - below) <= blur else below
        yield from off(
            given, below=below, sum=float(np.exp(all_of - most).sum()), score=at, most=most, sink=config.sink
        )


_PLAIN: Final = {
    *("reason.made.control", "reason.made.planted", "reason.made.even_share", "reason.made.sinks"),
    *("reason.made.no_key", "reason.made.effective_row"),
}
