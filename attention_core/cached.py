"""Properties that are computed once for each object.

Python 3.11's `functools.cached_property` holds one lock for all objects while it computes. One visitor's large result
would keep every other visitor's small one waiting, and a long link the event loop. Later Pythons have no such lock.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["cached_property"]

Value = TypeVar("Value", covariant=True)


class cached_property(Generic[Value]):
    """A property whose value is kept in its object. Two threads that ask at once may both compute it."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> "cached_property[Value]": ...

    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...

    def __get__(self, owner: object | None, kind: type) -> "cached_property[Value] | Value":
        if owner is None:
            return self
        value = vars(owner)[self._name] = self._compute(owner)
        return value
