"""One number a head for each statistic of the core's table, in the answers of endpoints."""

from typing import Any, TypedDict, TypeVar

from attention_core import AttentionResult, AttentionStatistics
from visualiser.row_statistics import PER_HEAD

Answer = TypeVar("Answer")


def per_head(answer: type[Answer]) -> type[Answer]:
    """Add to a TypedDict, for each statistic that endpoints return, a list of one number a head."""
    fields = {**answer.__annotations__, **{each.name: list[float] for each in PER_HEAD}}
    made: Any = TypedDict  # a type checker wants the names written out
    return made(answer.__name__, fields)


def head_values(of: AttentionResult | AttentionStatistics) -> dict[str, list[float]]:
    """Return the values of the fields that `per_head` adds."""
    return {each.name: each.of_head(of.statistic(each.name)).tolist() for each in PER_HEAD}
