"""Compute threads: as many as there is work, and none that stays idle for long.

Python's own pool keeps every thread it ever started, and torch keeps threads of its own for each of them.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import current_default_thread_limiter, run_sync

Given = ParamSpec("Given")
Result = TypeVar("Result")

IDLE: Final = 5.0
"""Seconds that a thread waits for more work before it ends."""

OTHERS: Final = 4
"""Threads for gradio and starlette, whose work takes microseconds; by default they would take forty."""

PAUSE: Final = 2.0
"""Seconds between two checks of gradio's and starlette's threads."""

_Task = tuple["Future[Any]", Callable[[], Any]]


class Threads(Executor):
    """A pool of at most `most` threads. The thread that worked last works next, so that the others can end."""

    def __init__(self, most: int, idle: float = IDLE) -> None:
        self.most, self._idle_seconds = most, idle
        self._lock = threading.Lock()
        self._count = 0
        self._idle: list[SimpleQueue[_Task]] = []
        self._waiting: deque[_Task] = deque()

    @property
    def count(self) -> int:
        """The current number of threads."""
        return self._count

    def submit(self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> "Future[Result]":
        """Run `fn` in a thread and return its future. Raise `RuntimeError` if no thread can be started."""
        future: Future[Result] = Future()
        task: _Task = future, partial(fn, *args, **kwargs)
        with self._lock:
            if self._idle:
                self._idle.pop().put(task)
            elif self._count < self.most:
                first: SimpleQueue[_Task] = SimpleQueue()
                first.put(task)
                threading.Thread(target=self._work, args=(first,), name="headlight", daemon=True).start()
                self._count += 1
            else:
                self._waiting.append(task)
        return future

    def _work(self, own: "SimpleQueue[_Task]") -> None:
        task: _Task | None = own.get()
        while task is not None:
            _do(*task)
            task = None  # drop the reference to its answer
            task = self._next(own)

    def _next(self, own: "SimpleQueue[_Task]") -> _Task | None:
        """Return the next task; None if there was none for so long that this thread ends."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(own)
        with suppress(Empty):
            return own.get(timeout=self._idle_seconds)
        with self._lock:
            if own in self._idle:
                self._idle.remove(own)
                self._count -= 1
                return None
        return own.get()  # a task arrived at the last moment


def _do(future: "Future[Any]", work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as problem:
        future.set_exception(problem)
        del future  # break a reference cycle: the exception refers to this frame
    else:
        future.set_result(result)


async def bound_others() -> None:
    """Bound gradio's and starlette's threads to `OTHERS`, and end the idle ones, until cancelled.

    anyio ends threads that have been idle for ten seconds only when another one starts work. So start one now and then.
    """
    current_default_thread_limiter().total_tokens = OTHERS
    own = CapacityLimiter(1)
    while True:
        await run_sync(int, limiter=own)
        await asyncio.sleep(PAUSE)
