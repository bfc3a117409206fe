"""One query of a kept map: its weights from Q and K, and its statistics from the pass."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core import AttentionConfig, attention_tile
from attention_core.validation import whole_number
from visualiser.figures.plots.row import Row, drawing
from visualiser.listed_statistics import ROW_FACTS, further_statistics, label
from visualiser.locale import text
from visualiser.locale.message import Message, message, write_all
from visualiser.pages.map.geometry import options
from visualiser.pages.map.head_tables import HEADS
from visualiser.pages.map.kept import Kept
from visualiser.pages.map.reasons import of_row
from visualiser.pages.map.store import STORE
from visualiser.reasons import of_cell
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.tables import Column, Table

EQUAL: Final = 1e-6
"""The share by which two weights may differ and be called equal, for scores up to 1; in proportion beyond."""

UNIT: Final = 2.0**-24
"""The rounding of one float32 operation: a score is a sum of products, each as large as ‖q‖ ‖k‖ allows, and equal keys
at different places add it up in different orders.
"""


def row(ask: PageRequest) -> Iterator[bytes]:
    """Yield the row's figure, a table of its largest weights, a sentence, and its statistics as numbers.

    Raises `Gone`, and `InvalidInput` for a head or a row that the map does not have.
    """
    kept = STORE.get(ask.extra.get("id"))
    state = ask.reading.state
    found = row_of(kept, ask.extra.get("head"), ask.extra.get("row"))
    lang = state.lang
    yield parts.figures(
        {"row": drawing(found, lang, state.view)},
        parts.Structures(ask.known),
        lang=lang,
        tables={"row": row_table(found, kept.config, lang)},
        summaries={"row": " ".join(write_all(summary(found), lang))},
        row=found.row,
        head=found.head,
        statistics={**found.statistics, "largest_at": int(found.top[0]) if len(found.top) else None},
        facts=[
            {"name": each.name, "label": label(lang, each), "reason": of_row(found, each.name).asked(lang)}
            for each in ROW_FACTS
        ],
    )


def arithmetic_of(ask: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a table of the map, or of an open row. Raise as `row` does."""
    kept, lang = STORE.get(ask.extra.get("id")), ask.reading.state.lang
    name, shown = ask.extra.get("table"), None
    if isinstance(name, str) and name in HEADS:
        shown = HEADS[name](kept, lang)
    elif name == "row":
        shown = row_table(row_of(kept, ask.extra.get("head"), ask.extra.get("row")), kept.config, lang)
    yield parts.arithmetic(shown, ask)


def row_of(kept: Kept, head: object, row: object) -> Row:
    """Return query `row` (from 0) of head `head` (from 1)."""
    h, n_q, _ = kept.Q.shape
    head, row = whole_number("head", head, 1, h), whole_number("row", row, 0, n_q - 1)
    Q, K = kept.Q[head - 1], kept.K[head - 1]
    tile = attention_tile(Q, K, slice(row, row + 1), slice(0, len(K)), None, stage="scores", **options(kept.config))
    scores = tile[0].cpu().numpy()
    forbidden = np.isneginf(scores)
    # its own sum, not the pass's: large scores differ in their last bits, which the exponential magnifies
    most = 0.0 if forbidden.all() else float(scores.max())
    exponentials = np.exp(scores.astype(np.float64) - most)
    weights = (exponentials / max(1.0, exponentials.sum())).astype(np.float32)
    found = Row(
        head,
        row,
        np.where(forbidden, np.float32(np.nan), scores),
        np.where(forbidden, np.float32(np.nan), weights),
        {each.name: float(kept.statistics.statistic(each.name)[head - 1, row]) for each in ROW_FACTS},
        kept.tokens,
    )
    return replace(found, apart=_apart(kept.config, Q[row], K[torch.from_numpy(found.top)]))


def _apart(config: AttentionConfig, query: Float[Tensor, " d_k"], keys: Float[Tensor, "some d_k"]) -> float:
    """Return how far the scores of these keys may differ by rounding alone."""
    lengths = keys.double().norm(dim=1)
    return abs(float(config.factor)) * float(query.double().norm() * lengths.max()) * UNIT if len(keys) else 0.0


def row_table(row: Row, config: AttentionConfig, lang: str) -> Table:
    """List the keys with the largest weights, their weights and scores."""
    top = row.top
    in_float32 = replace(config, dtype="float32", subtract_max=True)  # as a pass computes; the format is Q's and K's

    def weight(line: int) -> Message:
        return of_cell.weight(row.scores, int(top[line]), float(row.weights[top[line]]))

    def score(line: int) -> Message:
        value = float(row.scores[top[line]])
        return of_cell.score(in_float32, value / (float(config.factor) or 1.0), value)

    columns = [
        Column(text(lang, "table.key"), top),
        Column(text(lang, "table.weight"), row.weights[top], kind="weight", made=weight),
        Column(text(lang, "table.score"), row.scores[top], kind="score", made=score),
    ]
    if row.tokens is not None:
        tokens = [row.tokens[key] for key in top.tolist()]
        columns.insert(1, Column(text(lang, "table.token"), tokens, typed=True))
    return Table(caption(row).written(lang), columns)


def caption(row: Row) -> Message:
    """Say what the table lists."""
    if not len(row.top):
        return message("insight.row_masked", query=row.row)
    return message("table.row.caption", head=row.head, query=row.row, keys=len(row.top))


def summary(row: Row) -> list[Message]:
    """Say a row's statistics and the key with the largest weight, or how many keys share it."""
    if not len(row.top):
        return [message("insight.row_masked", query=row.row)]
    of, key = row.statistics, int(row.top[0])
    weight = float(row.weights[key])
    # large scores are rounded more, and the exponential magnifies that; masked keys are NaN
    rounding = max(row.apart, EQUAL * max(1.0, float(np.nanmax(np.abs(row.scores)))))
    equal = int((row.weights >= weight * (1 - rounding)).sum())
    known = {
        "query": _position(row, row.row),
        "head": row.head,
        "entropy": of["entropy"],
        "ceiling": of["ceiling"],
        "effective": of["effective_keys"],
        "norm": of["jacobian_norm"],
        "weight": weight,
    }
    first = (
        message("table.row.summary", key=_position(row, key), **known)
        if equal == 1
        else message("table.row.summary_alike", count=equal, **known)
    )
    return [first, *further_statistics(ROW_FACTS[5:], lambda each: of[each.name])]


def _position(row: Row, position: int) -> str:
    return str(position) if row.tokens is None else f"{position} “{row.tokens[position]}”"
