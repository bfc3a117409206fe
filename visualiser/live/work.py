"""Where a request's work runs: light work in the server's threads, heavy work in few of its own.

Heavy requests wait for a place before they take a thread, so however many come, the light ones of all others go on.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from attention_core import AttentionConfig

Result = TypeVar("Result")

HEAVY = 400_000_000
"""Multiply-adds of additive scores above which a computation counts as heavy: about half a second on one core."""

HEAVY_AT_ONCE = 2
"""So many heavy computations run at the same time, for all visitors together; the others wait."""

_heavy_places = anyio.CapacityLimiter(HEAVY_AT_ONCE)  # a lock, not state


def heavy(config: AttentionConfig) -> bool:
    """Whether computing `config` takes a heavy place: additive scores cost h · n² · d_k (section 3.2.1)."""
    return config.mechanism == "additive" and config.h * config.n**2 * config.d_k > HEAVY


async def run(function: Callable[..., Result], *arguments: object, places: bool = False) -> Result:
    """The result of a plain function, run in a thread; with `places` in one of the heavy places."""
    return await run_sync(function, *arguments, limiter=_heavy_places if places else None)


async def pieces(iterator: Iterator[bytes], *, places: bool = False) -> AsyncIterator[bytes]:
    """What a plain iterator yields, each piece made in a thread and handed on at once."""
    while (piece := await run(lambda: next(iterator, None), places=places)) is not None:
        yield piece
