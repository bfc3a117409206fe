"""Attacks on rooms: votes, tabs, openings, streams, guesses of a program, beside somebody honest at its address."""

import asyncio
import json
from typing import Any, Final

from tests.attacks.rude import Rude, route
from tests.fuzz.draws import MARK
from tests.raw_http import TAB, Answer, request

SECRET: Final = "X-Headlight-Secret"
"""The header of a teacher's secret."""

CURVE: Final = {"kind": "curve", "text": MARK, "x": [number / 64 for number in range(64)]}
CHOICE: Final = {"kind": "choice", "text": MARK, "answers": ["a", "b"]}


class Room:
    """A room of the attacker's own, or of somebody honest at the same address."""

    def __init__(self, rude: Rude) -> None:
        self.rude, self.code = rude, ""
        self.owner = {SECRET: rude.random.randbytes(16).hex(), TAB: rude.token(), "Content-Type": "application/json"}

    async def send(self, act: str, payload: object, headers: dict[str, str], method: str = "POST") -> Answer | None:
        """Send one request of a tab."""
        body = b"" if payload is None else json.dumps(payload).encode()
        path = "room" + (f"/{self.code}" if self.code else "") + act
        return await self.rude.ask(path, body, method=method, headers=headers, keep=True)

    async def open(self, question: object = None) -> str:
        """Open the room, with a question; return the question's name, empty if the room was refused."""
        self.code = ""
        opened = await self.send("", {}, self.owner)
        if opened is None or opened.status not in (200, 201):
            return ""
        self.code = json.loads(opened.body)["code"]
        asked = await self.send("/ask", question, self.owner) if question else None
        return json.loads(asked.body)["question"] if asked is not None and asked.status == 201 else ""

    async def vote(self, tab: str, question: str, answer: Any, turn: int = 1, **headers: str) -> None:
        """Vote as this tab."""
        await self.send("/answer", {"question": question, "round": turn, "answer": answer}, {TAB: tab, **headers})

    async def come(self, tab: str) -> None:
        """Ask for the room's message as this tab, which is here then."""
        await self.send("", None, {TAB: tab}, "GET")


async def curve_votes(rude: Rude) -> None:
    """Send thousands of curves, in as many rooms as there are."""

    async def room(number: int) -> None:
        own = Room(rude)
        question = await own.open(CURVE)
        for _ in range(200 if question else 0):
            tab = rude.token()
            await own.come(tab)
            await own.vote(tab, question, [rude.random.random() for _ in CURVE["x"]])

    await rude.crowd(16, room)


async def invented_tabs(rude: Rude) -> None:
    """Let a thousand tabs come only to vote, beside one student who follows."""
    own = Room(rude)
    question = await own.open(CHOICE)
    theirs, student = Room(rude.honest), rude.honest.token()
    theirs.code = own.code

    async def follows(number: int) -> None:
        await theirs.come(student)
        await theirs.vote(student, question, 1)
        await asyncio.sleep(1)

    async def invented(number: int) -> None:
        tab = rude.token()
        if number % 2:
            await own.come(tab)
        await own.vote(tab, question, 0)

    async with asyncio.TaskGroup() as group:
        group.create_task(rude.honest.crowd(1, follows))
        group.create_task(rude.crowd(16, invented))


async def openings(rude: Rude) -> None:
    """Open rooms without end, beside a teacher who opens the same room again and again."""
    teacher = Room(rude.honest)

    async def again(number: int) -> None:
        await teacher.open()
        await asyncio.sleep(1)

    async with asyncio.TaskGroup() as group:
        group.create_task(rude.honest.crowd(1, again))
        group.create_task(rude.crowd(8, lambda number: Room(rude).open()))


async def streams_and_heartbeats(rude: Rude) -> None:
    """Hold every stream and heartbeat there is, beside requests of the same address that end."""
    own = Room(rude)
    await own.open()

    async def held(number: int) -> None:
        tab = rude.token()
        path = route(f"room/{own.code}/stream?tab={tab}") if number % 2 else f"/gradio_api/heartbeat/{tab}"
        await rude.hold(request("GET", path, None, {TAB: tab}))

    async def lives(number: int) -> None:
        await rude.honest.ask("live", method="GET")
        await asyncio.sleep(0.5)

    async with asyncio.TaskGroup() as group:
        group.create_task(rude.honest.crowd(1, lives))
        group.create_task(rude.crowd(1000, held))


async def a_secret_in_each_vote(rude: Rude) -> None:
    """Send votes of one tab with a secret that is none."""
    own, tab = Room(rude), rude.token()
    question = await own.open(CHOICE)
    await own.come(tab)
    await rude.crowd(8, lambda number: own.vote(tab, question, 0, 1, **{SECRET: "x"}))


async def guesses(rude: Rude) -> None:
    """Guess codes, six hundred at once."""

    async def once(number: int) -> None:
        code = "".join(rude.random.choices("CDFGHJKMNPQRTVWXY34679", k=6))
        await rude.ask(f"room/{code}", method="GET")

    await rude.crowd(600, once)
