"""The table of one row, which the maps and the row in detail share."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core import AttentionResult, treatments
from attention_core.exact.formats import MARKS
from visualiser.drawing.cells import NORMS, quantity, stage_of, sunk
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_row
from visualiser.reasons.kinds import kind_of
from visualiser.state.view import View
from visualiser.tables import Column, column, key_columns, made_of_row


def row_table(result: AttentionResult, view: View) -> tuple[str, list[Column]]:
    """Return the caption and the columns of a table of every key of the locked row (else the last), and its sink."""
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    weights, scores = result.weights[head - 1, row].numpy(), result.scaled[head - 1, row].numpy()
    allowed = np.ones(n_k, bool) if result.mask is None else result.mask[row].numpy()
    made, weighed = (made_of_row(result, stage, view) for stage in ("scaled", "weights"))

    def scored(key: int) -> Message | None:
        return made(key) if allowed[key] else message("reason.made.forbidden")

    capped = []
    if treatments.acting(result.config):
        after = np.where(allowed, result.masked[head - 1, row].numpy(), np.nan)
        capped = [column(lang, "capped", after, "capped", made_of_row(result, "masked", view))]
    columns = [
        column(lang, "key", np.arange(n_k)),
        *key_columns(result, view),
        column(lang, "score", np.where(allowed, scores, np.nan), "score", scored),
        *capped,
        column(lang, "weight", np.where(allowed, weights, np.nan), kind_of(result.config, "weight"), weighed),
    ]
    if view.stage == NORMS:
        shown = np.where(allowed, stage_of(result, NORMS)[head - 1, row].numpy(), np.nan)
        explained = made_of_row(result, NORMS, view)
        columns.append(Column(quantity(result, view), shown, kind=weighted_kind(result), made=explained))
    marks = result.marks("weights")
    if marks is not None:
        words = ["", *(text(lang, f"figure.marks.{name}") for name in MARKS)]
        columns.append(column(lang, "marks.mark", [words[code] for code in marks[head - 1, row].tolist()]))
    sinks = sunk(result, "weights")
    if sinks is not None:
        columns = _with_sink(columns, result, head - 1, row, float(sinks[head - 1, row]), lang)
    return text(lang, "table.heat_maps.row_caption", head=head, query=row), columns


def weighted_kind(result: AttentionResult) -> str:
    """Return the kind of quantity that weights times norms of what is read are."""
    return "weighted_norm" if result.has_projection else "weighted_value"


def _with_sink(
    columns: Sequence[Column], result: AttentionResult, head: int, row: int, weight: float, lang: str
) -> list[Column]:
    """Return the columns with the sink's line: its name, its score b, which no softcap bends, and its weight."""
    n_k, b = result.weights.shape[2], result.config.sink
    own: dict[str, tuple[float, Message | None]] = {
        text(lang, "table.score"): (b, message("reason.made.sink_score", value=b)),
        text(lang, "table.weight"): (weight, of_row.of_row(result, "sink_weight", head, row)),
    }

    def ended(each: Column) -> Column:
        if each.label == text(lang, "table.key"):
            return replace(each, values=[*map(str, range(n_k)), text(lang, "figure.sink")])
        if isinstance(each.values, list):
            return replace(each, values=[*each.values, ""])
        value, reason = own.get(each.label, (math.nan, None))
        of_keys = each.made
        made = of_keys and (lambda line: of_keys(line) if line < n_k else reason)
        return replace(each, values=np.append(each.values, np.float32(value)), made=made)

    return [ended(each) for each in columns]
