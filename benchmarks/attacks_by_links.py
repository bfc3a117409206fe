"""Attacks by links of texts, and by several kinds of heavy requests at once (findings 87 and 94)."""

import asyncio
from urllib.parse import quote

import attacks_by_computing as computing
import attacks_by_running as running
from rude import Rude

JUST_UNDER = 8000
"""Bytes of a request that is nearly as long as one that needs no ticket for its body."""


async def long_links(rude: Rude) -> None:
    """87: ten connections that send a link of two long texts, stay half a second and leave."""

    async def once(number: int) -> None:
        await rude.frame(long_link(JUST_UNDER - 200, str(rude.random.randrange(10**6))), after=0.5)

    await rude.crowd(10, once)


async def longest_links(rude: Rude) -> None:
    """87: the same with links of 60 kB."""

    async def once(number: int) -> None:
        await rude.frame(long_link(60_000, str(rude.random.randrange(10**6))), after=0.5)

    await rude.crowd(10, once)


def long_link(length: int, first: str) -> str:
    """Return a link of about so many characters: a text that begins with `first`, and half as much of it pinned."""
    pinned = quote(f"source=text&text={first}+{'b+' * (length // 8)}", safe="")
    return f"page=explore&source=text&text={first}+{'a+' * (length // 4)}&pin={pinned}"


async def six_kinds(rude: Rude) -> None:
    """94: six kinds of heavy requests together: frames of both mechanisms, curves, archives, tables, and maps."""
    kinds = (
        computing.largest_frames,
        computing.additive_frames,
        computing.curves,
        computing.archives,
        computing.long_cells,
        running.unread,
    )
    async with asyncio.TaskGroup() as group:
        for kind in kinds:
            group.create_task(kind(rude))
