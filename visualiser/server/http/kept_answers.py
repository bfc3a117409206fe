"""Answers that are the same for everybody: kept, and sent compressed, with an entity tag, or as "not modified"."""

from dataclasses import dataclass
from typing import Final

import anyio
from anyio import to_thread
from starlette.types import Scope, Send

from visualiser.server.http.answer import CHUNK
from visualiser.server.http.compression import IDENTITY, PACKER, Packed

REVALIDATED: Final = "no-cache"
"""The browser keeps it and revalidates it each time."""
IMMUTABLE: Final = "public, max-age=31536000, immutable"
"""For an address that holds the hash of its content."""

Headers = tuple[tuple[bytes, bytes], ...]

_packing: Final = anyio.CapacityLimiter(2)


@dataclass(frozen=True)
class Kept:
    """Content with its fixed headers; those of its encoding are added."""

    packed: Packed
    headers: Headers = ()


def header(scope: Scope, name: bytes) -> str:
    """Return the first header of this (lower case) name; empty if there is none."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


async def send_kept(scope: Scope, send: Send, kept: Kept, caching: str = REVALIDATED) -> None:
    """Answer a GET or HEAD with `kept`. Compress it off the event loop if needed."""
    packed = kept.packed
    encoding = packed.encoding(header(scope, b"accept-encoding"))
    headers = [
        (b"cache-control", caching.encode()),
        (b"etag", packed.tag.encode()),
        (b"vary", b"Accept-Encoding"),
        *kept.headers,
    ]
    if _matches(header(scope, b"if-none-match"), packed.tag):
        await send({"type": "http.response.start", "status": 304, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    body = packed.kept(encoding)
    if body is None:
        body = await to_thread.run_sync(packed.pack, encoding, limiter=_packing)
        PACKER.later(packed, encoding)
    headers += [
        (b"content-type", packed.media_type.encode("latin-1")),
        (b"content-length", str(len(body)).encode()),
    ]
    if encoding != IDENTITY:
        headers.append((b"content-encoding", encoding.encode()))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send_body(scope, send, body)


async def send_body(scope: Scope, send: Send, body: bytes) -> None:
    """Send a body piece by piece, each after the last has left: a transport copies what it cannot send at once."""
    remaining = b"" if scope["method"] == "HEAD" else body
    for at in range(0, len(remaining), CHUNK):
        more = at + CHUNK < len(remaining)
        await send({"type": "http.response.body", "body": remaining[at : at + CHUNK], "more_body": more})
    if not remaining:
        await send({"type": "http.response.body", "body": b""})


def _matches(if_none_match: str, tag: str) -> bool:
    known = {entry.strip().removeprefix("W/") for entry in if_none_match[:4000].split(",")}
    return "*" in known or tag.removeprefix("W/") in known
