"""A measurement of time and memory: the subject of its figures, their sentence and their table."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from attention_core import CostConfig, CostPoint
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost_fit import measured
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table


@dataclass(frozen=True)
class Measurement:
    """A measurement: its plan, and its points."""

    config: CostConfig
    points: Sequence[CostPoint]

    def at(self, contender: str, n: int, d_k: int) -> CostPoint:
        """Return the forward pass of a contender at one size."""
        found = measured(self.points, contender, "forward")
        return next(point for point in found if (point.n, point.d_k) == (n, d_k))

    def compared(self, named: Message, one: str, other: str) -> tuple[CostPoint, CostPoint]:
        """Return the points of two contenders at the size that a sentence names."""
        size = (named.facts["n"], named.facts["d_k"])
        return self.at(one, *size), self.at(other, *size)


def sentence(points: Sequence[CostPoint], quantity: str) -> Message:
    """Write one sentence: the cost of each way at the largest size that most of them reached."""
    by_size: dict[int, list[CostPoint]] = {}
    for name in CONTENDERS:
        for point in measured(points, name, "forward"):
            by_size.setdefault(point.size, []).append(point)
    if not by_size:
        tried = any(point.skipped is None for point in points)
        return message("cost.nothing_forward" if tried else "cost.nothing")
    there = by_size[max(by_size, key=lambda size: (len(by_size[size]), size))]
    ways = [message(f"cost.way.{point.contender}", value=_cost(point, quantity)) for point in there]
    return message(f"cost.summary.{quantity}", n=there[0].n, d_k=there[0].d_k, ways=ways)


def table(run: Measurement, view: View) -> Table:
    """List every point: its measurement, theory's count, and the reason if it was skipped."""
    points, lang = run.points, view.lang
    columns = {
        "contender": [text(lang, f"figure.cost.{point.contender}") for point in points],
        "passes": [text(lang, f"figure.cost.{point.passes}") for point in points],
        "n": np.array([point.n for point in points], dtype=np.int64),
        "d_k": np.array([point.d_k for point in points], dtype=np.int64),
        "milliseconds": _numbers([None if p.seconds is None else 1e3 * p.seconds for p in points]),
        "megabytes": _numbers([None if p.bytes is None else p.bytes / 1e6 for p in points]),
        "operations": _numbers([float(point.operations.total) for point in points]),
        "calls": np.array([point.calls for point in points], dtype=np.int64),
        "outcome": [text(lang, f"cost.outcome.{point.skipped or 'measured'}") for point in points],
    }
    return Table(
        text(lang, "cost.table"),
        [Column(text(lang, f"cost.column.{key}"), values, **_why(key, points)) for key, values in columns.items()],
    )


def _why(key: str, points: Sequence[CostPoint]) -> dict[str, Any]:
    """Return the quantity of a column's numbers and their arithmetic."""
    kind = _KINDS.get(key)
    return {"kind": kind, "made": lambda line: _made(kind, points[line])} if kind else {}


_KINDS: Final = {
    "n": "size",
    "d_k": "size",
    "milliseconds": "milliseconds",
    "megabytes": "megabytes",
    "operations": "operation_count",
    "calls": "calls",
}
"""The quantity of each column with numbers."""


def _made(kind: str, point: CostPoint) -> Message | None:
    if kind == "milliseconds":
        if point.seconds is None:
            return None
        return message("reason.made.calls", calls=point.calls, value=1e3 * point.seconds)
    if kind == "megabytes":
        return (
            None if point.bytes is None else message("reason.made.millions", bytes=point.bytes, value=point.bytes / 1e6)
        )
    if kind == "operation_count":
        return message("reason.made.operation_sum", **asdict(point.operations), value=point.operations.total)
    return message("reason.made.plan" if kind == "size" else "reason.made.repeated")


def _numbers(values: Sequence[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _cost(point: CostPoint, quantity: str) -> float:
    return 1e3 * (point.seconds or 0.0) if quantity == "time" else (point.bytes or 0) / 1e6
