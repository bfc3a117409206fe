"""What several figures, tables and sentences of one result share: computed at the first request."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

Subject = TypeVar("Subject")
Found = TypeVar("Found")

_found: Final[WeakKeyDictionary[Any, dict[str, Any]]] = WeakKeyDictionary()


def once(statistic: Callable[[Subject], Found]) -> Callable[[Subject], Found]:
    """Compute `statistic` once for each result and keep it as long as the result lives. Callers must not change it.

    A result is any value that is told from others by what it is, and not by what it holds.
    """
    name = f"{statistic.__module__}.{statistic.__qualname__}"

    @wraps(statistic)
    def kept(result: Subject) -> Found:
        of_result = _found.setdefault(result, {})
        if name not in of_result:
            of_result[name] = statistic(result)
        return of_result[name]

    return kept
