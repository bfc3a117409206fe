"""Threads that compute: as many as there is work at once, and none that has had nothing to do for a while.

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
"""Threads of gradio's and starlette's own, which work for microseconds at a time; they would take forty."""

PAUSE: Final = 2.0
"""Seconds between two looks at those."""

_Task = tuple["Future[Any]", Callable[[], Any]]


class Threads(Executor):
    """At most `most` threads; further work waits for one. Whoever worked last works next, so that the others end."""

    def __init__(self, most: int, idle: float = IDLE) -> None:
        self.most, self._idle_seconds = most, idle
        self._lock = threading.Lock()
        self._count = 0
        self._idle: list[SimpleQueue[_Task]] = []
        self._waiting: deque[_Task] = deque()

    @property
    def count(self) -> int:
        """The threads that there are now."""
        return self._count

    def submit(self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> "Future[Result]":
        """What `fn` will have returned. Raises `RuntimeError` where no thread can be started."""
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
            task = None  # it holds its answer, which nobody may need any more
            task = self._next(own)

    def _next(self, own: "SimpleQueue[_Task]") -> _Task | None:
        """The next task; None when there was none for so long that this thread ends."""
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
        return own.get()  # it came in this very moment


def _do(future: "Future[Any]", work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as problem:
        future.set_exception(problem)
        del future  # the problem knows this frame: they would hold each other
    else:
        future.set_result(result)


async def bound_others() -> None:
    """For as long as the server runs: gradio and starlette have `OTHERS` threads, and give back what they do not need.

    anyio ends threads that have been idle for ten seconds only when it takes up another: one does nothing now and then.
    """
    current_default_thread_limiter().total_tokens = OTHERS
    own = CapacityLimiter(1)
    while True:
        await run_sync(int, limiter=own)
        await asyncio.sleep(PAUSE)
