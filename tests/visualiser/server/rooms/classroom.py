"""A class in one event loop: the routes of rooms, their teachers and their students' streams, without a socket."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.routing import Router
from starlette.types import ASGIApp, Message

from tests.alone import until
from visualiser.server.http.addresses import PREFIX
from visualiser.server.rooms.room_registry import RoomRegistry
from visualiser.server.rooms.rooms import Rooms
from visualiser.server.rooms.routes import routes
from visualiser.server.rooms.store import Store

MakeStore = Callable[[], Store]
_SECRETS = itertools.count()


@dataclass(frozen=True)
class Reply:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def scope(method: str, path: str, headers: dict[str, str], address: str, query: str = "") -> dict[str, Any]:
    """Return a request's scope."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": f"{PREFIX}/room{path}",
        "raw_path": b"",
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": (address, 4711),
        "server": ("127.0.0.1", 7860),
    }


class Stream:
    """A tab's stream as it comes."""

    def __init__(self, app: ASGIApp, asked: dict[str, Any]) -> None:
        self.status, self.headers, self.bytes, self.ended = 0, dict[str, str](), b"", False
        self.reads = asyncio.Event()
        self.reads.set()
        self._gone = asyncio.Event()
        self._first = True
        self.task = asyncio.create_task(self._run(app, asked))

    async def _run(self, app: ASGIApp, asked: dict[str, Any]) -> None:
        async def receive() -> Message:
            if self._first:
                self._first = False
                return {"type": "http.request", "body": b"", "more_body": False}
            await self._gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
                return
            await self.reads.wait()
            self.bytes += message["body"]
            self.ended = not message.get("more_body", False)

        await app(asked, receive, send)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages that came."""
        lines = self.bytes.split(b"\n")
        return [json.loads(line[6:]) for line in lines if line.startswith(b"data: ") and line != b"data: {}"]

    @property
    def ids(self) -> list[int]:
        return [int(line[4:]) for line in self.bytes.split(b"\n") if line.startswith(b"id: ")]

    @property
    def over(self) -> bool:
        return b"event: end" in self.bytes

    async def until(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the newest message when it fulfils the condition."""
        await until(lambda: bool(self.messages) and condition(self.messages[-1]))
        return self.messages[-1]

    async def leave(self) -> None:
        """Close the tab."""
        self._gone.set()
        await self.task


class Classroom:
    """Replicas of the server that share a store, or one with a store of its own."""

    def __init__(self, replicas: Sequence[Rooms]) -> None:
        self.replicas = replicas
        self.apps = [Router(routes(lambda rooms=rooms: rooms)) for rooms in replicas]
        self.secret, self.code = f"secret-{next(_SECRETS):015}", ""
        self.streams: list[Stream] = []
        self.statuses: list[int] = []

    @property
    def rooms(self) -> Rooms:
        return self.replicas[0]

    @property
    def live(self) -> Any:
        return self.rooms.registry.live[self.code]

    async def ask(
        self,
        method: str,
        path: str = "",
        payload: Any = None,
        *,
        secret: str = "",
        tab: str = "",
        replica: int = 0,
        address: str = "192.0.2.7",
        lang: str = "en",
        query: str = "",
        **headers: str,
    ) -> Reply:
        """Send a request; `payload` is JSON, or bytes as they are."""
        body = payload if isinstance(payload, bytes) else b"" if payload is None else json.dumps(payload).encode()
        given = {"accept-language": lang, **{name.replace("_", "-"): value for name, value in headers.items()}}
        given |= {"x-headlight-secret": secret} if secret else {}
        given |= {"x-headlight-tab": tab} if tab else {}
        status, got, chunks, sent = 0, dict[str, str](), list[bytes](), False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            nonlocal status, got
            if message["type"] == "http.response.start":
                status = message["status"]
                got = {name.decode().lower(): value.decode() for name, value in message["headers"]}
            else:
                chunks.append(message["body"])

        await self.apps[replica](scope(method, path, given, address, query), receive, send)
        self.statuses.append(status)
        return Reply(status, got, b"".join(chunks))

    async def open(self, **fields: Any) -> Reply:
        """Open the room, or open it again."""
        answer = await self.ask("POST", "", fields, secret=self.secret)
        if answer.status in (200, 201):
            self.code = answer.json["code"]
        return answer

    async def teach(self, act: str, payload: Any = None, replica: int = 0, method: str = "POST") -> Reply:
        """Act as the teacher."""
        return await self.ask(method, f"/{self.code}/{act}", payload, secret=self.secret, replica=replica)

    async def student(self, act: str, tab: str, payload: Any = None, replica: int = 0, *, here: bool = True) -> Reply:
        """Act as a student; one who answers asks for the message first, so that the tab is here."""
        if act == "answer" and here:
            await self.ask("GET", f"/{self.code}", tab=tab, replica=replica)
        return await self.ask("POST", f"/{self.code}/{act}", payload, tab=tab, replica=replica)

    def follow(
        self,
        tab: str = "",
        *,
        teacher: bool = False,
        secret: str = "",
        replica: int = 0,
        address: str = "192.0.2.7",
        query: str = "",
        **headers: str,
    ) -> Stream:
        """Open a tab's stream."""
        given = {"accept-language": "en", **{name.replace("_", "-"): value for name, value in headers.items()}}
        given |= {"x-headlight-tab": tab} if tab else {}
        secret = self.secret if teacher else secret
        given |= {"x-headlight-secret": secret} if secret else {}
        stream = Stream(self.apps[replica], scope("GET", f"/{self.code}/stream", given, address, query))
        self.streams.append(stream)
        return stream


def tab(number: int) -> str:
    """Return a tab's token."""
    return f"tab-of-the-test-{number:06}"


@asynccontextmanager
async def classroom(make: MakeStore, replicas: int = 1, streams: int = 2000) -> AsyncIterator[Classroom]:
    """Yield a class; all its streams end with the block."""
    many = [Rooms(RoomRegistry(make(), streams), hours=4) for _ in range(replicas)]
    taught = Classroom(many)
    try:
        yield taught
    finally:
        for stream in taught.streams:
            await stream.leave()
        for rooms in many:
            await rooms.close()
