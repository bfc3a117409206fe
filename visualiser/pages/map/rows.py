"""One query of a kept map: its weights from Q and K, and its statistics from the pass."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core import AttentionConfig, treatments
from attention_core.validation import whole_number
from visualiser.figures.mapped import Mapped
from visualiser.figures.open_row import Row
from visualiser.listed_statistics import ROW_FACTS, label, of_rows
from visualiser.maps.kept import Kept
from visualiser.maps.scores import scores_of, weights_of
from visualiser.pages.map import OF_MAP, OF_ROW
from visualiser.pages.map.reasons import of_row
from visualiser.pages.map.store import STORE
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest

UNIT: Final = 2.0**-24
"""The rounding of one float32 operation: a score is a sum of products, each as large as ‖q‖ ‖k‖ allows, and equal keys
at different places add it up in different orders.
"""


def row(request: PageRequest) -> Iterator[bytes]:
    """Yield the row's figure, a table of its largest weights, a sentence, and its statistics as numbers.

    Raises `Gone`, and `InvalidInput` for a head or a row that the map does not have.
    """
    kept = STORE.get(request.extra.get("id"))
    state = request.reading.state
    found = row_of(kept, request.extra.get("head"), request.extra.get("row"))
    lang = state.lang
    yield parts.shown(
        OF_ROW,
        found,
        state.view,
        parts.Structures(request.known),
        row=found.row,
        head=found.head,
        statistics={**found.statistics, "largest_at": int(found.top[0]) if len(found.top) else None},
        facts=[
            {"name": each.name, "label": label(lang, each), "reason": of_row(found, each.name).explanation(lang)}
            for each in of_rows(found.config, ROW_FACTS)
        ],
    )


def arithmetic_of(request: PageRequest) -> Iterator[bytes]:
    """Yield the arithmetic of one line of a table of the map, or of an open row. Raise as `row` does."""
    kept, view = STORE.get(request.extra.get("id")), request.reading.state.view
    if request.extra.get("table") in [figure.name for figure in OF_ROW]:
        yield parts.arithmetic_of(
            OF_ROW, row_of(kept, request.extra.get("head"), request.extra.get("row")), view, request
        )
    else:
        yield parts.arithmetic_of(OF_MAP, Mapped(kept), view, request)


def row_of(kept: Kept, head: object, row: object) -> Row:
    """Return query `row` (from 0) of head `head` (from 1)."""
    h, n_q, _ = kept.Q.shape
    head, row = whole_number("head", head, 1, h), whole_number("row", row, 0, n_q - 1)
    of = scores_of(kept, head - 1, row)
    forbidden, treated = np.isneginf(of.scaled), bool(treatments.acting(kept.config))
    scaled, scores, weights = (
        np.where(forbidden, np.float32(np.nan), values)
        for values in (of.scaled, of.masked, weights_of(kept, of.masked))
    )
    listed = of_rows(kept.config, ROW_FACTS)
    known = {each.name: float(kept.statistics.statistic(each.name)[head - 1, row]) for each in listed}
    before = scaled if treated else None
    found = Row(head, row, scores, weights, known, kept.config, kept.tokens, scaled=before, line=kept.line)
    return replace(
        found, apart=_apart(kept.config, kept.Q[head - 1, row], kept.K[head - 1, torch.from_numpy(found.top)])
    )


def _apart(config: AttentionConfig, query: Float[Tensor, " d_k"], keys: Float[Tensor, "some d_k"]) -> float:
    """Return how far the scores of these keys may differ by rounding alone."""
    lengths = keys.double().norm(dim=1)
    return abs(float(config.factor)) * float(query.double().norm() * lengths.max()) * UNIT if len(keys) else 0.0
