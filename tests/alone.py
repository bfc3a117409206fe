"""A separate loop for a coroutine: in a whole test run the browser's driver keeps an event loop in the main thread."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def alone(work: Coroutine[Any, Any, Result], seconds: float | None = None) -> Result:
    """Run `work` in a new loop in a new thread and return its result. Raise `TimeoutError` after `seconds`."""

    async def bounded() -> Result:
        async with asyncio.timeout(seconds):
            return await work

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, bounded()).result()


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until `condition` holds. Raise `TimeoutError` after `seconds`."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)
