"""The number of torch's threads, for the calling thread alone.

`torch.set_num_threads` sets two counts: the calling thread's, and the one that every thread adopts when it first
computes. A measurement needs the first. The second would slow down other visitors' threads for good.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import torch

__all__ = ["computing_with"]

beginnings: Final[ContextVar[tuple[Callable[[], object], ...]]] = ContextVar("beginnings", default=())
"""Functions that each worker thread of this context runs first."""


@contextmanager
def computing_with(count: int) -> Iterator[None]:
    """Compute with `count` threads in the calling thread, without changing the count that new threads adopt.

    A thread that does nothing else restores that count at once.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    restoring = threading.Thread(target=torch.set_num_threads, args=(before,))
    restoring.start()
    restoring.join()
    try:
        yield
    finally:
        torch.set_num_threads(before)
