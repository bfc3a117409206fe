"""One number a head for each statistic of the core's table, in the answers of endpoints."""

import math
from typing import Any, TypedDict, TypeVar

from torch import Tensor

from attention_core import AttentionConfig, AttentionResult, AttentionStatistics
from visualiser.listed_statistics import PER_HEAD, of_rows

Answer = TypeVar("Answer")


def per_head(answer: type[Answer]) -> type[Answer]:
    """Add to a TypedDict, for each statistic that endpoints return, a list of one number a head."""
    fields = {**answer.__annotations__, **{each.name: list[float | None] for each in PER_HEAD}}
    made: Any = TypedDict  # a type checker wants the names written out
    return made(answer.__name__, fields)


def head_values(of: AttentionResult | AttentionStatistics, config: AttentionConfig) -> dict[str, list[float | None]]:
    """Return the values of the fields that `per_head` adds; None for a head with a row that is no distribution.

    A statistic that the config's rows lack is None for each head; one that only they have is added.
    """
    there = of_rows(config, PER_HEAD)
    values = {each.name: numbers(each.of_head(of.statistic(each.name))) for each in there}
    return {**{each.name: [None] * len(of.score_mean) for each in PER_HEAD}, **values}


def numbers(values: Tensor) -> list[float | None]:
    """Return the values as JSON has them: None for NaN and ∞."""
    return [value if math.isfinite(value) else None for value in values.tolist()]
