"""Compute threads: as many as there is work at once; idle ones end."""

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Callable

import pytest
from anyio._backends._asyncio import WorkerThread
from anyio.to_thread import run_sync

from tests.alone import alone
from visualiser.server.admission import threads as module
from visualiser.server.admission.threads import OTHERS, Threads, bound_others


def until(done: Callable[[], bool]) -> None:
    limit = time.monotonic() + 20
    while not done():
        assert time.monotonic() < limit
        time.sleep(0.005)


class Result:
    """An object that can be referred to weakly."""


def test_work_at_once_has_a_thread_each_up_to_the_bound_and_the_rest_its_turn() -> None:
    threads, go = Threads(3), threading.Event()
    names = [threads.submit(lambda number=number: (go.wait(20), number)[1]) for number in range(7)]
    assert threads.count == 3
    go.set()
    assert [future.result(20) for future in names] == list(range(7))
    assert threads.count <= 3


def test_threads_without_work_end() -> None:
    threads, go = Threads(5, idle=0.05), threading.Event()
    crowd = [threads.submit(go.wait, 20) for _ in range(5)]
    go.set()
    assert all(future.result(20) for future in crowd)
    until(lambda: threads.count == 0)
    assert threads.submit(int, "7").result(20) == 7


def test_who_worked_last_works_next_so_that_the_others_end() -> None:
    threads, go = Threads(5, idle=0.5), threading.Event()
    crowd = [threads.submit(go.wait, 20) for _ in range(5)]
    go.set()
    assert all(future.result(20) for future in crowd)
    until(lambda: threads.submit(int).result(20) == 0 and threads.count == 1)


def test_what_breaks_is_told_and_the_thread_goes_on() -> None:
    threads = Threads(1)
    with pytest.raises(ArithmeticError, match="seven"):
        threads.submit(_breaks).result(20)
    assert threads.submit(threading.get_ident).result(20) != threading.get_ident()
    assert threads.count == 1


def test_work_that_was_cancelled_before_its_turn_is_not_done() -> None:
    threads, go, done = Threads(1), threading.Event(), []
    first, second = threads.submit(go.wait, 20), threads.submit(done.append, 7)
    assert second.cancel()
    go.set()
    assert first.result(20)
    assert threads.submit(int).result(20) == 0
    assert done == []


def test_an_idle_thread_holds_nothing_of_what_it_did() -> None:
    threads, given, broken = Threads(1), Result(), Result()
    seen = [weakref.ref(given), weakref.ref(broken)]
    gc.disable()
    try:
        threads.submit(id, given).result(20)
        with pytest.raises(ArithmeticError):
            threads.submit(_breaks, broken).result(20)
        del given, broken
        until(lambda: [reference() for reference in seen] == [None, None])
    finally:
        gc.enable()


def _breaks(*held: object) -> None:
    raise ArithmeticError("seven")


def test_a_thread_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads(1)

    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as here:
        here.setattr(threading.Thread, "start", start)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            threads.submit(int)
    assert threads.submit(int).result(20) == 0


def test_threads_of_others_are_few_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerThread, "MAX_IDLE_TIME", 0.05)
    monkeypatch.setattr(module, "PAUSE", 0.05)
    before = {thread for thread in threading.enumerate() if isinstance(thread, WorkerThread)}

    def workers() -> int:
        return sum(isinstance(thread, WorkerThread) and thread not in before for thread in threading.enumerate())

    async def visit() -> None:
        go = threading.Event()
        bounding = asyncio.create_task(bound_others())
        await asyncio.sleep(0)
        crowd = [asyncio.create_task(run_sync(go.wait, 20)) for _ in range(3 * OTHERS)]
        while workers() < OTHERS:
            await asyncio.sleep(0.01)
        for _ in range(100):  # by now every waiting call has had turns
            await asyncio.sleep(0)
        assert workers() <= OTHERS + 1  # and the no-op thread that ends idle ones
        go.set()
        assert all(await asyncio.gather(*crowd))
        async with asyncio.timeout(20):
            while workers() > 1:
                await asyncio.sleep(0.01)
        bounding.cancel()

    alone(visit())
