"""One softmax in three number formats: every row as a line of a table, and a sentence for each format."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from attention_core import AttentionResult, SoftmaxAccuracy
from attention_core.studies.numerics import FORMATS
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.pages.why.cells import losses
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
            Column(text(lang, f"table.numerics.{name}"), laid(name), kind="counted", made=losses(found, name))
            for name in ("overflowed", "underflowed", "not_a_number")
        ),
        Column(text(lang, "table.numerics.total"), laid("total"), kind="row_sum", made=losses(found, "total")),
        Column(text(lang, "table.numerics.error"), laid("error"), kind="row_error", made=losses(found, "error")),
        # last: lessons count the columns before it
        Column(text(lang, "table.numerics.divided"), laid("divided"), kind="counted", made=losses(found, "divided")),
    ]
    return Table(text(lang, "table.numerics.caption"), columns)


def summary(found: Sequence[SoftmaxAccuracy], result: AttentionResult) -> list[Message]:
    """Name the largest score, then for each format what broke without and with the maximum subtracted."""
    config = result.config
    ordered = [one for dtype in FORMATS for way in (False, True) for one in found if _is(one, dtype, way)]
    return [
        message("why.numerics.scores", largest=float(result.masked.max()), d_k=config.d_k, factor=config.factor),
        *(
            message(
                "why.numerics.line", format=one.dtype, way=message(f"why.numerics.{_way(one)}"), events=_events(one)
            )
            for one in ordered
        ),
    ]


def _is(one: SoftmaxAccuracy, dtype: str, subtracted: bool) -> bool:
    return one.dtype == dtype and one.subtracted is subtracted


def _events(one: SoftmaxAccuracy) -> list[Message]:
    """Count the rows with an infinite exponential and with a weight lost to zero, by its cause; describe the sums."""
    rows, broken, nan = one.total.numel(), int(one.broken.sum()), _rows(one.not_a_number)
    events = []
    if overflowed := _rows(one.overflowed):
        events.append(message("why.numerics.overflow", count=overflowed, rows=rows))
    if divided := _rows(one.divided):
        events.append(message("why.numerics.divided", count=divided))
    if underflowed := _rows(one.underflowed):
        events.append(message("why.numerics.underflow", count=underflowed))
    if not broken:
        events.append(message("why.numerics.sums", off=float(one.total_error.max())))
    elif nan:
        events.append(message("why.numerics.broken_nan", count=broken, nan=nan))
    else:
        events.append(message("why.numerics.broken", count=broken))
    return events


def _rows(counts: Tensor) -> int:
    return int((counts > 0).sum())


def _way(one: SoftmaxAccuracy) -> str:
    return "subtracted" if one.subtracted else "plain"
