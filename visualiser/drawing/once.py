"""Statistics of a result that several figures, tables and sentences share: computed at the first request."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from attention_core import AttentionResult

Found = TypeVar("Found")

_found: Final[WeakKeyDictionary[AttentionResult, dict[str, Any]]] = WeakKeyDictionary()


def once(statistic: Callable[[AttentionResult], Found]) -> Callable[[AttentionResult], Found]:
    """Compute `statistic` once for each result and keep it as long as the result lives. Callers must not change it."""
    name = f"{statistic.__module__}.{statistic.__qualname__}"

    @wraps(statistic)
    def kept(result: AttentionResult) -> Found:
        of_result = _found.setdefault(result, {})
        if name not in of_result:
            of_result[name] = statistic(result)
        return of_result[name]

    return kept
