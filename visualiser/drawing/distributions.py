"""Rows in sentences: their means over the heads shown, and what a number format left of them."""

import math
from typing import Final

from attention_core import AttentionResult
from attention_core.result.dense import FormatCells
from visualiser.drawing.boxes import mean_over_heads, open_rows
from visualiser.drawing.weighed import worded
from visualiser.locale.message import Message, message
from visualiser.state.view import View

ALIKE: Final = 1e-5
"""Weights that differ by less than this share are the same: float32 has few more digits after a sum."""


def sharers(result: AttentionResult, head: int, row: int) -> int:
    """Return the number of keys that have the largest weight of a row that sees one; `head` counts from 1."""
    weights = result.weights[head - 1, row]
    if result.mask is not None:
        weights = weights[result.mask[row]]  # a format may have made 0 of the weights of all keys
    return int((weights >= weights.max() * (1 - ALIKE)).sum())


def mean_shown(result: AttentionResult, name: str, view: View) -> float:
    """Average a statistic over the heads shown and the rows that may attend to some key."""
    heads = view.heads(result.weights.shape[0])
    return mean_over_heads(result, name, slice(heads[0] - 1, heads[-1]))


def left_out(result: AttentionResult, view: View) -> tuple[int, int]:
    """Return the number of rows that are no distribution, and of all rows with a key, of the heads shown."""
    if result.broken is None:
        return 0, 1
    heads, rows = view.heads(result.weights.shape[0]), open_rows(result)
    broken = result.broken[heads[0] - 1 : heads[-1]]
    return int(broken.sum()), len(broken) * (broken.shape[1] if rows is None else int(rows.sum()))


def of_distributions(sentences: list[Message], result: AttentionResult, view: View) -> list[Message]:
    """Return the sentences and the number of rows that their means leave out; only the latter if nothing is left."""
    broken, rows = left_out(result, view)
    if not broken:
        return sentences
    return [
        *(sentences if broken < rows else []),
        message(worded(result.config, "table.broken"), broken=broken, rows=rows),
    ]


def without_undefined(brief: Message, result: AttentionResult) -> list[Message]:
    """Return the few numbers beside a title; if a number format left none of them, a sentence."""
    if not any(isinstance(fact, float) and math.isnan(fact) for fact in brief.facts.values()):
        return [brief]
    return [] if result.broken is None else [message(worded(result.config, "brief.broken"))]


def broken_row(result: AttentionResult, head: int, row: int) -> Message | None:
    """Return the sentence on why a row is no distribution; None if it is one. `head` counts from 1."""
    if result.broken is None or not result.broken[head - 1, row]:
        return None
    weights = result.weights[head - 1, row]
    weights = weights if result.mask is None else weights[result.mask[row]]
    nan, facts = int(weights.isnan().sum()), {"head": head, "keys": len(weights)}
    if nan:
        return message(worded(result.config, "table.row_nan"), **facts, nan=nan)
    total, cells = float(weights.double().sum()), result.cells
    if not isinstance(cells, FormatCells) or cells.beside is None:
        return message("table.row_sum", **facts, total=total)
    sink = float(cells.beside[head - 1, row])
    if math.isnan(sink):
        return message("table.row_sink_nan", head=head)
    return message("table.row_sum_sink", **facts, total=total + sink)
