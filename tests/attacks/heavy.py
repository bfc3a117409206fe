"""Attacks by heavy requests: what the server should refuse, or computes for a visitor who left; links of all kinds."""

import asyncio
from random import Random
from typing import Final
from urllib.parse import quote, urlencode

from tests.attacks.rooms import Room
from tests.attacks.rude import Attack, Rude, asking, route
from tests.fuzz.draws import MARK
from tests.raw_http import request

LARGEST: Final = "n=512&h=16&d_k=1024&tie=false"
"""The largest values of the first page's sliders."""

LONG_MAP: Final = "page=map&n=16384&h=16&d_k=1024&tie=false"
PINNED_MAP: Final = "page%3Dmap%26n%3D16384%26h%3D16%26d_k%3D256%26tie%3Dfalse"

frames_of_other_pages = asking(2, LONG_MAP)
"""The first page's route with the bounds of Map: gigabytes and minutes for each."""

curves_of_other_pages = asking(8, "page=train&n=512&d_k=1024&tie=false", "page/why/curves")
additive_maps_left = asking(2, "page=map&mechanism=additive&n=4096&h=16&d_k=1024&tie=false", after=1.5)
largest_frames = asking(30, LARGEST)
additive_frames = asking(500, f"{LARGEST}&mechanism=additive")
encoded_mechanism = asking(10, f"{LARGEST}&mechanism=%61dditive")
"""The mechanism's name in percent-encoding, which a search of the link misses."""

curves = asking(100, "page=why&n=128&seeds=10", "page/why/curves")
archives = asking(10, LARGEST, "take-away/explore/npz")
long_cells = asking(4, LARGEST, "take-away/explore/cells")


async def pins_of_other_pages(rude: Rude) -> None:
    """Open a shared link whose pinned state is a long map."""

    async def opened(number: int) -> None:
        await rude.ask(f"/?n=8&pin={PINNED_MAP}", method="GET")
        await rude.frame(f"n=8&pin={PINNED_MAP}%26seed%3D{rude.seed()}")

    await rude.crowd(4, opened)


async def documents(rude: Rude) -> None:
    """Ask for the document of a new made-up link each time, so that no cache can answer."""

    async def once(number: int) -> None:
        await rude.ask(f"/?n={rude.random.randrange(2, 512)}&{MARK}={rude.random.random()}", method="GET")

    await rude.crowd(20, once)


async def long_links(rude: Rude) -> None:
    """Send a link of two long texts, just below what needs a ticket for its body, stay half a second and leave."""
    await rude.crowd(10, lambda number: rude.frame(long_link(7800, rude.token()), after=0.5))


async def longest_links(rude: Rude) -> None:
    """Send links of 60 kB, stay half a second and leave."""
    await rude.crowd(10, lambda number: rude.frame(long_link(60_000, rude.token()), after=0.5))


def long_link(length: int, first: str) -> str:
    """Return a link of about so many characters: a text that begins with `first`, and half as much of it pinned."""
    pinned = quote(f"source=text&text={first}+{'b+' * (length // 8)}", safe="")
    return f"page=explore&source=text&text={first}+{'a+' * (length // 4)}&pin={pinned}"


async def six_kinds(rude: Rude) -> None:
    """Send six kinds of heavy requests together: frames of both mechanisms, curves, archives, tables, and maps."""
    maps = asking(70, "page=map&n=4096", "run/map")
    async with asyncio.TaskGroup() as group:
        for kind in (largest_frames, additive_frames, curves, archives, long_cells, maps):
            group.create_task(_awaited(kind, rude))


async def _awaited(attack: Attack, rude: Rude) -> None:
    await attack(rude)


PAGES: Final = ("explore", "why", "anatomy", "cost", "train", "map")
WORDS: Final = ("a", "고양이", "don't", "👩\u200d👧", "e\u0301", "我", "🇰🇷", "'")


async def drawn(rude: Rude) -> None:
    """Let sixteen visitors each do one thing after another that nobody foresaw."""
    acts = (_link, _link, _run, _room, _stream)

    async def once(number: int) -> None:
        await rude.random.choice(acts)(rude)

    await rude.crowd(16, once)


def link(random: Random) -> str:
    """Return a link with some values in bounds, some out of them, and perhaps a text or a pinned state."""
    payload: dict[str, object] = {
        "page": random.choice(PAGES),
        "n": random.randrange(1, 20_000),
        "h": random.randrange(1, 20),
        "d_k": random.randrange(1, 2000),
        "mechanism": random.choice(("dot_product", "additive", MARK)),
        "mask": random.choice(("none", "causal", "window")),
        "seed": random.randrange(2**31),
    }
    kept = {name: value for name, value in payload.items() if random.random() < 0.7}
    if random.random() < 0.4:
        kept |= {"source": "text", "text": " ".join(random.choices(WORDS, k=random.randrange(2, 2000)))}
    written = urlencode(kept)
    return f"{written}&pin={quote(link(random))}" if random.random() < 0.2 else written


async def _link(rude: Rude) -> None:
    query = link(rude.random) if rude.random.random() < 0.8 else long_link(rude.random.randrange(500, 60_000), MARK)
    after = rude.random.choice((None, 0.05, 0.5))
    await rude.frame(query, f"page/{rude.random.choice(PAGES)}", after, light=rude.random.random() < 0.5)


async def _run(rude: Rude) -> None:
    await rude.frame(
        link(rude.random), f"run/{rude.random.choice(('train', 'map', 'cost'))}", rude.random.uniform(0.1, 2)
    )


async def _room(rude: Rude) -> None:
    """Open a room, ask, vote with several tabs, and end it or not."""
    own = Room(rude)
    question = await own.open({"kind": "choice", "text": MARK, "answers": ["a", "b", "c"]})
    for _ in range(rude.random.randrange(8) if own.code else 0):
        await own.vote(rude.token(), question or "none", rude.random.randrange(5), rude.random.choice((1, 2)))
    if own.code:
        await own.send("/state", {"link": link(rude.random)}, own.owner)
    if own.code and rude.random.random() < 0.5:
        await own.send("/end", None, own.owner)


async def _stream(rude: Rude) -> None:
    """Listen to a room that is not there, for a while."""
    connection = await rude.open()
    code = "".join(rude.random.choices("23456789ABCDEFGHJKLMNPQRSTUVWXYZ", k=6))
    connection.write(request("GET", route(f"room/{code}/stream?tab={rude.token()}"), b"", rude.headers()))
    await asyncio.sleep(rude.random.uniform(0.1, 3.0))
    rude.close(connection)
