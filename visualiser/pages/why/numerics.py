"""One softmax in three number formats: every row as a line of a table, and a sentence for each format."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from attention_core import AttentionResult, SoftmaxAccuracy
from attention_core.studies.numerics import FORMATS
from visualiser.locale import text
from visualiser.tables import Column, Table


def table(found: Sequence[SoftmaxAccuracy], lang: str) -> Table:
    """List each row of the head, by format and way: its losses and its sum."""
    rows = found[0].total.shape[-1]

    def laid(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name)[0].numpy() for one in found])

    formats = [one.dtype for one in found for _ in range(rows)]
    ways = [text(lang, f"why.numerics.{_way(one)}") for one in found for _ in range(rows)]
    columns = [
        Column(text(lang, "table.query"), np.tile(np.arange(rows), len(found))),
        Column(text(lang, "table.format"), formats),
        Column(text(lang, "table.maximum"), ways),
        *(
            Column(text(lang, f"table.numerics.{name}"), laid(name))
            for name in ("overflowed", "underflowed", "not_a_number")
        ),
        Column(text(lang, "table.numerics.total"), laid("total")),
        Column(text(lang, "table.numerics.error"), laid("error")),
    ]
    return Table(text(lang, "table.numerics.caption"), columns)


def summary(found: Sequence[SoftmaxAccuracy], result: AttentionResult, lang: str) -> str:
    """Name the largest score, then for each format what broke without and with the maximum subtracted."""
    sentences = [
        text(
            lang,
            "why.numerics.scores",
            largest=float(result.masked.max()),
            d_k=result.config.d_k,
            factor=result.config.factor,
        )
    ]
    for dtype in FORMATS:
        plain, subtracted = (
            next(one for one in found if one.dtype == dtype and one.subtracted is way) for way in (False, True)
        )
        items = "; ".join(
            text(lang, f"why.numerics.{_way(one)}") + ": " + _told(one, lang) for one in (plain, subtracted)
        )
        sentences.append(text(lang, "why.numerics.line", format=dtype, items=items))
    return " ".join(sentences)


def _told(one: SoftmaxAccuracy, lang: str) -> str:
    """Count the rows with an infinite exponential and with a weight lost to zero, and describe the sums."""
    rows = one.total.numel()
    broken = int(one.broken.sum())
    said = []
    if overflowed := _rows(one.overflowed):
        said.append(text(lang, "why.numerics.overflow", count=overflowed, rows=rows))
    if underflowed := _rows(one.underflowed):
        said.append(text(lang, "why.numerics.underflow", count=underflowed, rows=rows))
    if broken:
        said.append(text(lang, "why.numerics.broken", count=broken, rows=rows))
    else:
        said.append(text(lang, "why.numerics.sums", off=float(one.total_error.max())))
    return ", ".join(said)


def _rows(counts: Tensor) -> int:
    return int((counts > 0).sum())


def _way(one: SoftmaxAccuracy) -> str:
    return "subtracted" if one.subtracted else "plain"
