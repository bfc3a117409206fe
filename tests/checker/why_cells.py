"""What the arithmetic behind the numbers of Why's tables claims, recomputed from Q, K and the seeds' values alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch

from attention_core import SweepPoint
from tests.checker.checking import Cell, near
from tests.checker.softmax_rows import Numbers, Rows
from visualiser.locale import text
from visualiser.reasons.digits import parse_number

_STATISTICS: Final = {
    "entropy": "entropy",
    "effective_keys": "effective",
    "jacobian_norm": "norm",
    "jacobian_trace": "trace",
    "largest_weight": "largest",
}
_MEASURES: Final = {
    "score_variance": "variance",
    "score_gradient": "gradient",
    "score_gradient_norm": "gradient_norm",
    "largest_of_row": "largest_weight",
    "share_of_ceiling": "entropy_share",
}

True_ = dict[str, Any]


def cell(
    of: Sequence[Rows], raw: Numbers, present: torch.Tensor, points: Sequence[SweepPoint], d_k: int, asked: Cell
) -> Iterator[str]:
    """Yield what is false in the terms of the arithmetic of a number of a table."""
    key = asked.made.key.removeprefix("reason.made.")
    if key in ("control", "unscaled", "octaves", "plan"):
        return
    if asked.table == "sweep":
        true = _of_seeds(points[asked.line], asked)
    elif key in ("row.count", "row.total", "row.error"):
        true = _of_format(present, asked)
    elif key == "mean_of_rows":
        rows = Rows(raw * float(asked.beside(text("en", "table.factor"))), np.ones(raw.shape[1:], bool))
        values = getattr(rows, _STATISTICS[asked.column.kind])
        true = {"rows": values.size, "sum": values.sum()}
    else:
        true = {"d_k": d_k} if key.startswith(("predicted", "root_factor")) else _OF_RESULT[key](of[asked.line], asked)
    for term, value in true.items():
        claimed = asked.made.facts[term]
        shown = parse_number(claimed) if isinstance(claimed, str) else float(claimed)
        both_nan = np.isnan(shown) and np.isnan(value)
        if not (
            both_nan or near(shown, float(value), 2 if term in ("sum", "value") else 3) or abs(shown - value) < 1e-5
        ):
            yield f"{term} is {value!r}"


def _mean(rows: Rows, asked: Cell) -> True_:
    values = getattr(rows, _STATISTICS[asked.column.kind])
    return {"rows": values.size, "sum": values.sum(), "least": values.min(), "most": values.max()}


def _score_mean(rows: Rows, asked: Cell) -> True_:
    scores, total = rows.every_score, parse_number(asked.made.facts["sum"])
    blur = 1e-5 * np.abs(scores).max() * scores.size
    return {"count": scores.size, "sum": total if abs(total - scores.sum()) <= blur else scores.sum()}


def _score_variance(rows: Rows, asked: Cell) -> True_:
    scores = rows.every_score
    return {"count": scores.size, "sum": ((scores - scores.mean()) ** 2).sum()}


_OF_RESULT: Final[Mapping[str, Callable[[Rows, Cell], True_]]] = {
    "mean": _mean,
    "mean_of_scores": _score_mean,
    "variance_of_scores": _score_variance,
}


def _of_seeds(point: SweepPoint, asked: Cell) -> True_:
    values = getattr(point, _MEASURES.get(asked.column.kind, asked.column.kind)).numpy()
    facts, key = asked.made.facts, asked.made.key.removeprefix("reason.made.")
    true = {"seeds": values.size, "least": values.min(), "most": values.max(), "sum": values.sum()}
    true["value"] = {"seeds_median": np.median(values), "end.least": values.min(), "end.most": values.max()}.get(
        key, values.mean()
    )
    return {name: value for name, value in true.items() if name in facts}


def _of_format(present: torch.Tensor, asked: Cell) -> True_:
    """Compute one row step by step, every result rounded to the format."""
    row = int(asked.beside(text("en", "table.query")))
    scores = present[0, row]
    made = scores.to(getattr(torch, asked.beside(text("en", "table.format"))))
    if asked.beside(text("en", "table.maximum")) == text("en", "why.numerics.subtracted"):
        made = made - made.max()
    powers = made.exp()
    weights = (powers / powers.sum()).double()
    exact = torch.from_numpy(Rows(present[:, row : row + 1].double().numpy(), np.ones((1, len(scores)), bool)).weights)
    true: True_ = {"keys": len(scores)}
    if asked.made.key.endswith("row.total"):
        return {**true, "value": float(weights.sum())}
    if asked.made.key.endswith("row.error"):
        return {**true, "value": float((weights - exact[0, 0]).abs().max())}
    lost, by_infinity = (weights == 0) & (exact[0, 0] > 0), (powers > 0) & powers.sum().isinf()
    counts = {
        "overflowed": powers.isinf().sum(),
        "divided": (lost & by_infinity).sum(),
        "underflowed": (lost & ~by_infinity).sum(),
        "not_a_number": weights.isnan().sum(),
    }
    name = next(one for one in counts if asked.column.label == text("en", f"table.numerics.{one}"))
    if int(counts[name]) != int(asked.column.values[asked.line]):  # pyright: ignore[reportArgumentType]
        return {"keys": np.nan}
    return true
