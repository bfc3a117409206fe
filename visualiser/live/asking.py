"""What the browser asks for: reading a request's body, up to a stated size, into a value."""

import json
import struct
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from visualiser import share
from visualiser.upload import FILE_LIMIT
from visualiser.view import MOST_COLUMNS

BODY_LIMIT = FILE_LIMIT + share.LONGEST_QUERY + 65_536
"""Bytes of a body that are read: the largest upload, a link, the names of known structures."""


class Refusal(Exception):
    """A request that is not served: the text that says why, by its key, and the HTTP status."""

    def __init__(self, key: str, status: int, **fields: object) -> None:
        super().__init__(key)
        self.key, self.status, self.fields = key, status, fields


@dataclass(frozen=True)
class Ask:
    """What the browser sends: the link, the one it showed before (for "what just changed"), the structures it knows, an
    upload's tensors, how its screen is, and the page's own address for links in what is taken away.

    `extra` holds what single routes ask for besides: a row, a figure's name; unchecked.
    """

    query: str
    previous: str | None
    known: frozenset[str]
    upload: bytes
    accept_language: str | None
    theme: str
    columns: int
    address: str
    extra: dict[str, Any]


async def body(request: Request, limit: int, refusal: Refusal) -> bytes:
    """The body; raises `refusal` as soon as more than `limit` bytes have come."""
    chunks, length = [], 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            raise refusal
        chunks.append(chunk)
    return b"".join(chunks)


async def asked(request: Request) -> Ask:
    """Body = u32 length | JSON {query, previous, known, theme, columns, address, …} | the upload's safetensors."""
    given = await body(request, BODY_LIMIT, Refusal("error.body_too_large", 413))
    try:
        (length,) = struct.unpack_from("<I", given)
        said = json.loads(given[4 : 4 + length])
    except (struct.error, ValueError, RecursionError) as broken:
        raise Refusal("error.bad_request", 400) from broken
    if not isinstance(said, dict):
        raise Refusal("error.bad_request", 400)
    previous, columns, known = said.get("previous"), said.get("columns"), said.get("known")
    return Ask(
        query=str(said.get("query", "")),
        previous=previous if isinstance(previous, str) else None,
        known=frozenset(map(str, known[:64])) if isinstance(known, list) else frozenset(),
        upload=given[4 + length :],
        accept_language=request.headers.get("accept-language"),
        theme="dark" if said.get("theme") == "dark" else "light",
        # `type`, because a bool is an int, too
        columns=columns if type(columns) is int and 0 <= columns <= MOST_COLUMNS else 0,
        address=str(said.get("address", ""))[:2000],
        extra=said,
    )
