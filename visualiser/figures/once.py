"""Statistics of a result that several figures, tables and sentences show: computed when the first of them asks."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from attention_core.result.result import AttentionResult

Found = TypeVar("Found")

_found: Final[WeakKeyDictionary[AttentionResult, dict[str, Any]]] = WeakKeyDictionary()


def once(statistic: Callable[[AttentionResult], Found]) -> Callable[[AttentionResult], Found]:
    """`statistic`, computed once for each result and kept as long as the result is. Nobody may change what it gives."""
    name = f"{statistic.__module__}.{statistic.__qualname__}"

    @wraps(statistic)
    def kept(result: AttentionResult) -> Found:
        of_result = _found.setdefault(result, {})
        if name not in of_result:
            of_result[name] = statistic(result)
        return of_result[name]

    return kept
