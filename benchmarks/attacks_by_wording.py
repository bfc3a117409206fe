"""Attacks by a request's contents: log lines, other origins, broken questions (findings 19, 42, 43 and 45)."""

import asyncio
import secrets
from typing import Any

from by_hand import PREFIX, packed, request
from rude import MARK, Rude

BROKEN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("page/explore", {"query": "n=\ud800"}),
    ("page/explore", {"query": "n=8&pin=\ud800"}),
    ("page/explore", {"query": "n=8", "previous": "\ud800", "known": ["\ud800"], "address": "\ud800"}),
    ("take-away/explore/html", {"query": "n=8", "address": "\ud800"}),
    ("take-away/explore/figure", {"query": "n=8", "figure": "\ud800"}),
    *((f"page/{page}", {"query": "page=map"}) for page in ("why", "anatomy", "cost", "train")),
    *((f"run/{page}", {"query": "page=explore"}) for page in ("cost", "train", "map")),
    ("run/cost", {"query": "page=cost", "sizes": "0"}),
    ("page/why", {"query": "page=why", "d_ks": 3}),
    ("page/anatomy", {"query": "page=anatomy", "row": "one", "head": "two"}),
    ("take-away/explore/rows", {"query": "page=map"}),
    ("page/map/tiles", {"query": "page=map", "id": ["x"], "tiles": {"a": 1}}),
)
"""The route and the JSON of each question of finding 45."""


async def broken_questions(rude: Rude) -> None:
    """45: each of the broken questions in turn, and `HEAD /?page=x`."""

    async def once(number: int) -> None:
        for path, payload in BROKEN:
            await rude.ask(f"{PREFIX}/{path}", packed({**payload, MARK: MARK}), after=5.0)
        await rude.ask(f"/?page={MARK}", method="HEAD")

    await rude.crowd(2, once)


async def long_lines(rude: Rude) -> None:
    """42: links of 16 MB that end in an error, and so in a log line as long."""
    payload = {"query": f"page=explore&n=\ud800{MARK}" + "a" * (15 * 2**20), "address": "\ud800"}
    body = packed(payload)
    await rude.crowd(4, lambda number: rude.ask(f"{PREFIX}/page/train", body))


async def leaving_in_a_body(rude: Rude) -> None:
    """42: leaves in the midst of a body, which printed a traceback each time."""

    async def once(number: int) -> None:
        connection = await rude.open()
        head = {"Content-Length": "100000"}
        connection.write(request("POST", f"{PREFIX}/page/explore", b"", rude.headers(head)) + bytes(1000))
        await asyncio.sleep(0.02)
        rude.close(connection)
        rude.counts["left"] += 1

    await rude.crowd(10, once)


async def foreign_origins(rude: Rude) -> None:
    """43: requests that another website's script makes a visitor's browser send; none may be answered by 200."""
    origins = ("https://evil.example", "null", f"https://{secrets.token_hex(4)}.example")

    async def once(number: int) -> None:
        origin = origins[number % len(origins)]
        headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"}
        found = await rude.ask(f"{PREFIX}/page/explore", packed({"query": f"n=32&{MARK}=1"}), headers=headers)
        if found is not None and found.status == 200:
            rude.counts["foreign 200"] += 1
        if found is not None and found.headers.get("access-control-allow-credentials") == "true":
            rude.counts["credentials reflected"] += 1
        await asyncio.sleep(0.5)

    await rude.crowd(3, once)


async def documents(rude: Rude) -> None:
    """19: the document of a new made-up link each time, so that no cache can answer."""

    async def once(number: int) -> None:
        await rude.ask(f"/?n={rude.random.randrange(2, 512)}&{MARK}={rude.random.random()}", method="GET")

    await rude.crowd(20, once)
