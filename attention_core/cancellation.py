"""Stop work that its caller no longer wants.

Long work calls `checkpoint()` between its blocks, at most 200 ms apart. The caller sets with `stopping` when to stop:

>>> left = threading.Event()
>>> with stopping(left.is_set):
...     result = compute(config)  # raises Cancelled soon after left.set()

The condition belongs to the current context (`contextvars`). Other threads and tasks do not see it; anyio's worker
threads and the core's own threads inherit it. A cancelled computation changes nothing that a later one reads.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from attention_core.errors import Cancelled

__all__ = ["checkpoint", "stopping", "stopping_each"]

Piece = TypeVar("Piece")

_asked: ContextVar[Callable[[], bool] | None] = ContextVar("attention_core.cancellation", default=None)


def checkpoint() -> None:
    """Stop the work of the current context here if it must stop.

    Raises
    ------
    Cancelled
        If the condition of a `stopping` around this call is true.
    """
    asked = _asked.get()
    if asked is not None and asked():
        raise Cancelled


@contextmanager
def stopping(asked: Callable[[], bool]) -> Iterator[None]:
    """Stop the work inside once `asked()` or the condition of an outer `stopping` is true.

    `asked` is called often, also by several threads at once. Use `stopping_each` for a generator, which runs in the
    context of the caller of each `next`.

    Parameters
    ----------
    asked
        Returns True when the work must stop.
    """
    outer = _asked.get()
    _asked.set(asked if outer is None else lambda: outer() or asked())
    try:
        yield
    finally:
        _asked.set(outer)


def stopping_each(asked: Callable[[], bool], pieces: Iterable[Piece]) -> Generator[Piece, None, None]:
    """Yield `pieces`, each made under `stopping(asked)` in any thread or context, and close them at the end.

    Parameters
    ----------
    asked
        Returns True when the work must stop.
    pieces
        Usually a generator.

    Yields
    ------
    Piece
        Each of `pieces`.

    Raises
    ------
    Cancelled
        During a piece, and between two.
    """
    iterator = iter(pieces)
    try:
        while True:
            with stopping(asked):
                checkpoint()
                try:
                    piece = next(iterator)
                except StopIteration:
                    return
            yield piece
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            close()
