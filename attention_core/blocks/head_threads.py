"""Work on several cores of a CPU at once, each with one torch thread.

torch's own threads meet after every operation, some thousand times a second. If another program takes a core for a
moment, all the others wait for it. Beside a browser on two cores, a pass over 8 heads of 4096 tokens took 0.9 s with
torch's two threads, and 0.6 s with two tasks that meet once per block of queries. Undisturbed, both take 0.35 s.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

import torch

from attention_core.threads import beginnings

__all__ = ["MOST"]

Round = TypeVar("Round")
Chain = TypeVar("Chain")

MOST = 8
"""Largest number of workers. Python hands out the work to all of them; more would wait for it."""


LEAST = 2**21
"""Fewest cells of a chain worth handing out (n about 1500). Below that torch's own threads are faster."""


def workers(chains: int, cells: int, threads: int, device: torch.device) -> int:
    """Return the number of workers: one for each torch thread if each has work, else 1, which leaves it to torch."""
    return min(threads, MOST) if device.type == "cpu" and chains >= threads and cells >= LEAST else 1


def in_rounds(
    work: Callable[[Chain, Round], None],
    chains: Sequence[Chain],
    rounds: Iterable[Round],
    count: int,
    ahead: Callable[[Round], bool],
) -> Generator[Round, None, None]:
    """Run `work(chain, round)` for all chains of each round, `count` at once, and yield each finished round.

    The work of one chain keeps the order of the rounds, so its sums do not depend on `count`. If `ahead(round)` is
    true, the next round starts before that one is yielded, so that no worker waits for the slowest. Closing waits for
    at most `count` running tasks. An error in a task is raised here. Each task runs in a copy of the context of the
    caller that asked for its round, so that `stopping` reaches the threads.
    """
    if count == 1:
        for now in rounds:
            for chain in chains:
                work(chain, now)
            yield now
        return
    last: dict[int, Future[None]] = {}
    inference = torch.is_inference_mode_enabled()

    def piece(before: Future[None] | None, chain: Chain, now: Round) -> None:
        if before is not None:
            before.result()  # no deadlock: it was handed out earlier, so it is running or done
        with torch.inference_mode(inference), torch.no_grad():
            work(chain, now)

    def begun(now: Round) -> tuple[Round, list[Future[None]]]:
        for i, chain in enumerate(chains):
            last[i] = pool.submit(copy_context().run, piece, last.get(i), chain, now)
        return now, [last[i] for i in range(len(chains))]

    with _one_thread_each(count) as pool:
        waiting: deque[tuple[Round, list[Future[None]]]] = deque()
        for now in rounds:
            waiting.append(begun(now))
            while len(waiting) > 1 or (waiting and not ahead(waiting[0][0])):
                yield _done(*waiting.popleft())
        while waiting:
            yield _done(*waiting.popleft())


def _done(now: Round, pieces: list[Future[None]]) -> Round:
    for piece in pieces:
        piece.result()
    return now


@contextmanager
def _one_thread_each(count: int) -> Iterator[ThreadPoolExecutor]:
    """Open a pool of threads with one torch thread each, which first run the caller's `beginnings`.

    MKL has one thread count for the whole process, so the count is set for the time of the work and then restored.
    """
    before, own = torch.get_num_threads(), beginnings.get()

    def begin() -> None:
        for beginning in own:
            beginning()

    torch.set_num_threads(1)
    pool = ThreadPoolExecutor(count, initializer=begin)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(before)
