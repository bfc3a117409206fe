"""Attacks on rooms: votes, tabs, openings, streams and guesses of one program (findings 88 to 96).

Each has somebody honest at the same address beside it, whose requests are counted apart: `honest 204`, `honest 503`.
"""

import asyncio
import json
import secrets

from by_hand import PREFIX, TAB, Answer, Broken, request
from rude import MARK, Rude

SECRET = "X-Headlight-Secret"
"""The header of a teacher's secret."""

CURVE = {"kind": "curve", "text": MARK, "x": [number / 64 for number in range(64)]}
CHOICE = {"kind": "choice", "text": MARK, "answers": ["a", "b"]}


class Room:
    """A room of the attacker's own, or of somebody honest at the same address."""

    def __init__(self, rude: Rude) -> None:
        self.rude = rude
        self.secret, self.tab, self.code = secrets.token_urlsafe(16), secrets.token_hex(8), ""

    async def send(self, act: str, payload: object, headers: dict[str, str], method: str = "POST") -> Answer | None:
        """Send one request of a tab."""
        path = f"{PREFIX}/room" + (f"/{self.code}" if self.code else "") + act
        try:
            return await self.rude.ask(
                path,
                b"" if payload is None else json.dumps(payload).encode(),
                method=method,
                headers=headers,
                keep=True,
            )
        except OSError:
            self.rude.counts["broken"] += 1
            await asyncio.sleep(0.2)
            return None

    async def open(self, question: object = None) -> str:
        """Open the room, with a question; return the question's name, empty if the room was refused."""
        self.code = ""
        headers = {SECRET: self.secret, TAB: self.tab}
        opened = await self.send("", {}, headers)
        if opened is None or opened.status not in (200, 201):
            return ""
        self.code = json.loads(opened.body)["code"]
        asked = await self.send("/ask", question, headers) if question else None
        return json.loads(asked.body)["question"] if asked is not None and asked.status == 201 else ""

    async def vote(self, tab: str, question: str, answer: object, headers: dict[str, str] | None = None) -> int:
        """Vote as this tab; return the status."""
        payload = {"question": question, "round": 1, "answer": answer}
        found = await self.send("/answer", payload, {TAB: tab, **(headers or {})})
        return found.status if found is not None else 0

    async def come(self, tab: str) -> int:
        """Ask for the room's message as this tab, which is here then."""
        found = await self.send("", None, {TAB: tab}, "GET")
        return found.status if found is not None else 0


async def curve_votes(rude: Rude) -> None:
    """88: thousands of curves, in as many rooms as there are."""

    async def room(number: int) -> None:
        own = Room(rude)
        question = await own.open(CURVE)
        for _ in range(200 if question else 0):
            tab = secrets.token_hex(8)
            await own.come(tab)
            await own.vote(tab, question, [rude.random.random() for _ in CURVE["x"]])

    await rude.crowd(16, room)


async def invented_tabs(rude: Rude) -> None:
    """90: a thousand tabs that come only to vote, beside one student who follows."""
    own = Room(rude)
    question = await own.open(CHOICE)
    honest = secrets.token_hex(8)

    async def student() -> None:
        while True:
            rude.counts[f"honest {await own.come(honest)}"] += 1
            rude.counts[f"honest {await own.vote(honest, question, 1)}"] += 1
            await asyncio.sleep(2)

    async def invented(number: int) -> None:
        tab = secrets.token_hex(8)
        if number % 2:
            await own.come(tab)
        await own.vote(tab, question, 0)

    async with asyncio.TaskGroup() as group:
        group.create_task(student())
        group.create_task(rude.crowd(16, invented))


async def openings(rude: Rude) -> None:
    """91: rooms without end, beside a teacher who opens the same room again and again."""
    teacher = Room(rude)

    async def again() -> None:
        while True:
            await teacher.open()
            rude.counts["honest room" if teacher.code else "honest refused"] += 1
            await asyncio.sleep(2)

    async def once(number: int) -> None:
        await Room(rude).open()

    async with asyncio.TaskGroup() as group:
        group.create_task(again())
        group.create_task(rude.crowd(8, once))


async def streams_and_heartbeats(rude: Rude) -> None:
    """92: every stream and heartbeat there is, beside requests of the same address that end."""
    own = Room(rude)
    await own.open()

    async def held(number: int) -> None:
        tab = secrets.token_hex(8)
        path = f"{PREFIX}/room/{own.code}/stream?tab={tab}" if number % 2 else f"/gradio_api/heartbeat/{tab}"
        connection = await rude.open()
        connection.write(request("GET", path, None, {TAB: tab}))
        for _ in range(240):
            await asyncio.sleep(0.25)
            if connection.gone:
                break
        rude.close(connection)

    async def frames() -> None:
        while True:
            try:
                found = await rude.ask(f"{PREFIX}/live", method="GET")
            except (OSError, Broken):
                found = None
            rude.counts["honest 0" if found is None else f"honest {found.status}"] += 1
            await asyncio.sleep(0.5)

    async with asyncio.TaskGroup() as group:
        group.create_task(frames())
        group.create_task(rude.crowd(1000, held))


async def a_secret_in_each_vote(rude: Rude) -> None:
    """95: votes of one tab with a secret that is none."""
    own = Room(rude)
    question = await own.open(CHOICE)
    tab = secrets.token_hex(8)
    await own.come(tab)

    async def once(number: int) -> None:
        status = await own.vote(tab, question, 0, {SECRET: "x"})
        rude.counts["votes past the limit" if status == 204 else "votes refused"] += 1

    await rude.crowd(8, once)


async def guesses(rude: Rude) -> None:
    """96: six hundred codes at once."""

    async def once(number: int) -> None:
        code = "".join(rude.random.choices("CDFGHJKMNPQRTVWXY34679", k=6))
        await rude.ask(f"{PREFIX}/room/{code}", method="GET")

    await rude.crowd(600, once)
