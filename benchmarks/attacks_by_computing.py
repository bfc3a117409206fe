"""Attacks that make the server compute what it should refuse, or for a visitor who left (findings 33–36, 39, 45)."""

from rude import Rude

LARGEST = "n=512&h=16&d_k=1024&tie=false"
"""The largest values of the first page's sliders."""

LONG_MAP = "page=map&n=16384&h=16&d_k=1024&tie=false"
PINNED_MAP = "page%3Dmap%26n%3D16384%26h%3D16%26d_k%3D256%26tie%3Dfalse"


async def frames_of_other_pages(rude: Rude) -> None:
    """33: the first page's route with the bounds of Map: 4.4 GB and 110 s for each."""
    await rude.crowd(2, lambda number: rude.frame(f"{LONG_MAP}&seed={_seed(rude)}"))


async def pins_of_other_pages(rude: Rude) -> None:
    """33: a shared link whose pinned state is a long map, opened by four visitors."""

    async def opened(number: int) -> None:
        await rude.ask(f"/?n=8&pin={PINNED_MAP}", method="GET")
        await rude.frame(f"n=8&pin={PINNED_MAP}%26seed%3D{_seed(rude)}")

    await rude.crowd(4, opened)


async def curves_of_other_pages(rude: Rude) -> None:
    """33: the sweep of Why with another page's n."""
    query = "page=train&n=512&d_k=1024&tie=false"
    await rude.crowd(8, lambda number: rude.frame(f"{query}&seed={_seed(rude)}", path="page/why/curves"))


async def additive_maps_left(rude: Rude) -> None:
    """34: two additive map frames, left after 1.5 s, again and again."""
    query = "page=map&mechanism=additive&n=4096&h=16&d_k=1024&tie=false"
    await rude.crowd(2, lambda number: rude.frame(f"{query}&seed={_seed(rude)}", after=1.5))


async def largest_frames(rude: Rude) -> None:
    """35: a class of thirty, each with the largest sliders."""
    await rude.crowd(30, lambda number: rude.frame(f"{LARGEST}&seed={_seed(rude)}"))


async def additive_frames(rude: Rude) -> None:
    """35: five hundred additive frames; each kept its result after the first part."""
    await rude.crowd(500, lambda number: rude.frame(f"{LARGEST}&mechanism=additive&seed={_seed(rude)}"))


async def encoded_mechanism(rude: Rude) -> None:
    """36: the mechanism's name in percent-encoding, which a search of the link misses."""
    await rude.crowd(10, lambda number: rude.frame(f"{LARGEST}&mechanism=%61dditive&seed={_seed(rude)}"))


async def curves(rude: Rude) -> None:
    """39: a hundred sweeps at their largest."""
    query = "page=why&n=128&seeds=10"
    await rude.crowd(100, lambda number: rude.frame(f"{query}&seed={_seed(rude)}", path="page/why/curves"))


async def archives(rude: Rude) -> None:
    """39: ten archives of the largest state."""
    await rude.crowd(10, lambda number: rude.frame(f"{LARGEST}&seed={_seed(rude)}", path="take-away/explore/npz"))


async def long_cells(rude: Rude) -> None:
    """45: the longest table of cells, which takes eleven seconds."""
    await rude.crowd(4, lambda number: rude.frame(f"{LARGEST}&seed={_seed(rude)}", path="take-away/explore/cells"))


def _seed(rude: Rude) -> int:
    return rude.random.randrange(2**31)
