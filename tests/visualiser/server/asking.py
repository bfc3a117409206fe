"""One request to an ASGI app, without a server."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Scope


@dataclass(frozen=True)
class Reply:
    """An answer; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def scope(
    method: str = "GET", path: str = "/", query: str = "", root_path: str = "", app: object = None, **headers: str
) -> Scope:
    """Return a request's scope; in names of `headers`, underscores stand for hyphens."""
    written = {"host": "school.example"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": root_path,
        "headers": [(name.encode(), value.encode()) for name, value in written.items()],
        "client": ("192.0.2.7", 4711),
        "server": ("127.0.0.1", 7860),
        "app": app,
    }


async def answer(app: ASGIApp, asked: Scope, body: bytes = b"") -> Reply:
    """Return the answer of `app`."""
    status, headers, chunks = 0, {}, []
    bodies = [body]

    async def receive() -> Message:
        if not bodies:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, headers
        if message["type"] == "http.response.start":
            status = message["status"]
            headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            chunks.append(message["body"])

    await app(asked, receive, send)
    return Reply(status, headers, b"".join(chunks))
