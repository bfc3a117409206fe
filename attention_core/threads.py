"""How many threads torch computes with, for the calling thread alone.

`torch.set_num_threads` sets two things: the calling thread's count, and the count that every thread takes over when it
first computes. A measurement needs the first; the second would slow down other visitors' threads for good.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import torch

beginnings: Final[ContextVar[tuple[Callable[[], object], ...]]] = ContextVar("beginnings", default=())
"""What each thread does first that work of this context is shared out to."""


@contextmanager
def computing_with(count: int) -> Iterator[None]:
    """`count` threads for what the calling thread computes inside; what new threads take over stays as it was.

    The second is put back at once, from a thread that does nothing else.
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
