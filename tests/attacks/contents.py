"""Attacks by what a request says: log lines, other origins, broken questions."""

import asyncio
from typing import Any, Final

from tests.attacks.rude import Rude
from tests.fuzz.draws import MARK
from tests.raw_http import packed

BROKEN: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
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
"""The route and the JSON of each broken question."""

FOREIGN: Final = ("foreign 200", "credentials reflected")
"""What `foreign_origins` counts and must never meet."""


async def broken_questions(rude: Rude) -> None:
    """Ask each of the broken questions in turn, and `HEAD /?page=x`."""

    async def once(number: int) -> None:
        for path, payload in BROKEN:
            await rude.ask(path, packed({**payload, MARK: MARK}), after=5.0)
        await rude.ask(f"/?page={MARK}", method="HEAD")

    await rude.crowd(2, once)


async def long_lines(rude: Rude) -> None:
    """Send links of 15 MB that end in an error, and so would in a log line as long."""
    body = packed({"query": f"page=explore&n=\ud800{MARK}" + "a" * (15 * 2**20), "address": "\ud800"})
    await rude.crowd(4, lambda number: rude.ask("page/train", body))


async def foreign_origins(rude: Rude) -> None:
    """Send what another website's script makes a visitor's browser send; none may be answered by 200."""
    origins = ("https://evil.example", "null", f"https://{rude.token()}.example")

    async def once(number: int) -> None:
        origin = origins[number % len(origins)]
        headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"}
        found = await rude.ask("page/explore", packed({"query": f"n=32&{MARK}=1"}), headers=headers)
        if found is not None and found.status == 200:
            rude.counts["foreign 200"] += 1
        if found is not None and found.headers.get("access-control-allow-credentials") == "true":
            rude.counts["credentials reflected"] += 1
        await asyncio.sleep(0.2)

    await rude.crowd(3, once)
