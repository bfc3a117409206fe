"""An attack that draws its requests: links of every page, rooms, votes and streams together, from the run's seed."""

import asyncio
import json
import secrets
from random import Random
from urllib.parse import quote, urlencode

from attacks_by_links import long_link
from by_hand import PREFIX, packed, request
from rude import MARK, Rude

PAGES = ("explore", "why", "anatomy", "cost", "train", "map")
WORDS = ("a", "고양이", "don't", "👩\u200d👧", "e\u0301", "我", "🇰🇷", "'")


async def drawn(rude: Rude) -> None:
    """Sixteen visitors who each do one thing after another that nobody foresaw."""
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
    await rude.frame(query, path=f"page/{rude.random.choice(PAGES)}", after=after, light=rude.random.random() < 0.5)


async def _run(rude: Rude) -> None:
    path = f"run/{rude.random.choice(('train', 'map', 'cost'))}"
    body = packed({"query": f"{link(rude.random)}&{MARK}=1", "known": []})
    await rude.ask(f"{PREFIX}/{path}", body, after=rude.random.uniform(0.1, 2.0))


async def _room(rude: Rude) -> None:
    """Open a room, ask, vote with several tabs, and end it or not."""
    owner = {"X-Headlight-Secret": secrets.token_urlsafe(16), "Content-Type": "application/json"}
    opened = await rude.ask(f"{PREFIX}/room", _json({"link": "n=8"}), headers=owner, keep=True)
    if opened is None or opened.status != 201:
        return
    code = json.loads(opened.body)["code"]
    question = {"kind": "choice", "text": MARK, "answers": ["a", "b", "c"]}
    asked = await rude.ask(f"{PREFIX}/room/{code}/ask", _json(question), headers=owner, keep=True)
    name = json.loads(asked.body)["question"] if asked is not None and asked.status == 201 else "none"
    for _ in range(rude.random.randrange(8)):
        vote = {"question": name, "round": rude.random.choice((1, 2)), "answer": rude.random.randrange(5)}
        await rude.ask(f"{PREFIX}/room/{code}/answer", _json(vote), headers={"Content-Type": "application/json"})
    await rude.ask(f"{PREFIX}/room/{code}/state", _json({"link": link(rude.random)}), headers=owner)
    if rude.random.random() < 0.5:
        await rude.ask(f"{PREFIX}/room/{code}/end", headers=owner)


async def _stream(rude: Rude) -> None:
    """Listen to a room that may not be there, for a while."""
    connection = await rude.open()
    code = "".join(rude.random.choices("23456789ABCDEFGHJKLMNPQRSTUVWXYZ", k=6))
    path = f"{PREFIX}/room/{code}/stream?tab={secrets.token_hex(8)}"
    connection.write(request("GET", path, b"", rude.headers()))
    await asyncio.sleep(rude.random.uniform(0.1, 3.0))
    rude.close(connection)


def _json(payload: object) -> bytes:
    return json.dumps(payload).encode()
