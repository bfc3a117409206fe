"""Work on several cores of a CPU at once, each with one of torch's threads.

torch's own threads meet after every operation. Where a browser or a neighbour takes a core for a moment, all the others
wait for it, some thousand times in a second: beside a browser on two cores a pass over 8 heads of 4096 tokens took
0.9 s with torch's two threads and 0.6 s with two tasks that meet once in a block of queries, 0.35 s either way where
nobody disturbs it.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

import torch

from attention_core.threads import beginnings

Round = TypeVar("Round")
Chain = TypeVar("Chain")

MOST = 8
"""Python hands out the work to all of them; more would wait for it."""


LEAST = 2**21
"""Cells of a chain that are worth it (n about 1500): to hand out less takes longer than torch's threads do."""


def workers(chains: int, cells: int, threads: int, device: torch.device) -> int:
    """How many work at once: torch's threads, where there is work for each of them; 1 leaves it to torch."""
    return min(threads, MOST) if device.type == "cpu" and chains >= threads and cells >= LEAST else 1


def in_rounds(
    work: Callable[[Chain, Round], None],
    chains: Sequence[Chain],
    rounds: Iterable[Round],
    count: int,
    ahead: Callable[[Round], bool],
) -> Generator[Round, None, None]:
    """Does `work(chain, round)` for all chains in each round, `count` at once, and yields a round when it is done.

    The work of one chain keeps the order of the rounds, so its sums come out the same whatever `count` is. Where
    `ahead` allows it for a round, the next is begun before that round is yielded: nobody waits for the slowest then.
    Who closes it waits for at most `count` pieces of work. What a piece raises is raised here. Each piece runs in a
    copy of the context of whoever asked for its round, so that `stopping` reaches the threads.
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
            before.result()  # it was handed out earlier: somebody is at it, or has done it
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
    """A pool of threads with one of torch's each, which begin as the caller's `beginnings` say.

    MKL has one number of threads for the whole process, so it is set for the time of the work and put back.
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
