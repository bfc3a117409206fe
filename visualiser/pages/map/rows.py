"""One query of a kept map: its weights and statistics, from Q, K and its log-sum-exp."""

from collections.abc import Iterator

import numpy as np

from attention_core import attention_tile
from attention_core.validation import whole_number
from visualiser.figures.plots.row import Row, drawing
from visualiser.locale import text
from visualiser.pages.map.geometry import options
from visualiser.pages.map.kept import Kept
from visualiser.pages.map.store import STORE
from visualiser.row_statistics import ROW_FACTS, also_said, label
from visualiser.server.live import parts
from visualiser.server.live.asking import Ask
from visualiser.tables import Column, Table


def row(ask: Ask) -> Iterator[bytes]:
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
        tables={"row": _table(found, lang)},
        summaries={"row": _summary(found, lang)},
        row=found.row,
        head=found.head,
        statistics={**found.statistics, "largest_at": int(found.top[0]) if len(found.top) else None},
        facts=[{"name": each.name, "label": label(lang, each)} for each in ROW_FACTS],
    )


def row_of(kept: Kept, head: object, row: object) -> Row:
    """Return query `row` (from 0) of head `head` (from 1)."""
    h, n_q, _ = kept.Q.shape
    head, row = whole_number("head", head, 1, h), whole_number("row", row, 0, n_q - 1)
    Q, K = kept.Q[head - 1], kept.K[head - 1]
    tile = attention_tile(Q, K, slice(row, row + 1), slice(0, len(K)), None, stage="scores", **options(kept.config))
    scores = tile[0].cpu().numpy()
    forbidden = np.isneginf(scores)
    logsumexp = 0.0 if forbidden.all() else kept.statistics.logsumexp[head - 1, row].numpy()
    weights = np.minimum(np.exp(scores - logsumexp), 1.0)  # above 1 by rounding alone
    return Row(
        head,
        row,
        np.where(forbidden, np.float32(np.nan), scores),
        np.where(forbidden, np.float32(np.nan), weights),
        {each.name: float(kept.statistics.statistic(each.name)[head - 1, row]) for each in ROW_FACTS},
        kept.tokens,
    )


def _table(row: Row, lang: str) -> Table:
    top = row.top
    columns = [
        Column(text(lang, "table.key"), top),
        Column(text(lang, "table.weight"), row.weights[top]),
        Column(text(lang, "table.score"), row.scores[top]),
    ]
    if row.tokens is not None:
        tokens = [row.tokens[key] for key in top.tolist()]
        columns.insert(1, Column(text(lang, "table.token"), tokens, typed=True))
    return Table(text(lang, "table.row.caption", head=row.head, query=row.row, keys=len(top)), columns)


def _summary(row: Row, lang: str) -> str:
    if not len(row.top):
        return text(lang, "insight.row_masked", query=row.row)
    key = int(row.top[0])
    of = row.statistics
    sentence = text(
        lang,
        "table.row.summary",
        query=_position(row, row.row),
        head=row.head,
        entropy=of["entropy"],
        ceiling=of["ceiling"],
        effective=of["effective_keys"],
        norm=of["jacobian_norm"],
        key=_position(row, key),
        weight=float(row.weights[key]),
    )
    return also_said(lang, sentence, ROW_FACTS[5:], lambda each: of[each.name])


def _position(row: Row, position: int) -> str:
    return str(position) if row.tokens is None else f"{position} “{row.tokens[position]}”"
