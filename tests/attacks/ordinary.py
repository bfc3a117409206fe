"""A class at work: twelve visitors open pages, drag, look at rows, take files away, start short runs and leave."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from tests.attacks.heavy import PAGES
from tests.attacks.rude import Rude

Act = Callable[[Rude, int], Awaitable[object]]


async def visitors(rude: Rude) -> None:
    """Let each visitor do one random thing after another."""

    async def once(number: int) -> None:
        act = rude.random.choice(ACTS)
        await act(rude, rude.random.randrange(10_000))
        await asyncio.sleep(rude.random.uniform(0.1, 0.6))

    await rude.crowd(12, once)


async def _open(rude: Rude, drawn: int) -> None:
    page = PAGES[drawn % len(PAGES)]
    await rude.ask("/" if page == "explore" else f"/?page={page}", method="GET", headers={"Accept-Encoding": "gzip"})


async def _drag(rude: Rude, drawn: int) -> None:
    for step in range(8):
        query = f"n={(16, 32, 64, 128, 256)[drawn % 5]}&d_k={1 + (drawn + 9 * step) % 1024}&tie=false&seed={drawn % 7}"
        await rude.frame(query, light=step < 7)
        await asyncio.sleep(0.15)


async def _page(rude: Rude, drawn: int) -> None:
    page = ("why", "anatomy", "cost", "train")[drawn % 4]
    await rude.frame(f"page={page}&seed={drawn % 100}", f"page/{page}")


async def _row(rude: Rude, drawn: int) -> None:
    await rude.frame("n=128", "page/explore/row", row=drawn % 128)


async def _file(rude: Rude, drawn: int) -> None:
    kind = ("snippet", "rows", "cells", "npz", "html")[drawn % 5]
    await rude.frame(f"n=64&seed={drawn}", f"take-away/explore/{kind}", address="http://127.0.0.1/")


async def _sweep(rude: Rude, drawn: int) -> None:
    await rude.frame(f"page=why&n=32&seeds=3&seed={drawn}", "page/why/curves")


async def _map(rude: Rude, drawn: int) -> None:
    await rude.frame(f"page=map&n={256 << (drawn % 4)}&h=4&seed={drawn}", "run/map", 20.0)


async def _training(rude: Rude, drawn: int) -> None:
    await rude.frame("page=train&widths=4&seeds=1&steps=50", "run/train", 2.0 + drawn % 3)


ACTS: Final[tuple[Act, ...]] = (_open, _drag, _drag, _drag, _page, _page, _row, _file, _sweep, _map, _training)
