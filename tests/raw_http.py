"""HTTP/1.1 by hand over asyncio: the little that a fast client needs, and misuse that no library allows.

A connection may stop in the middle of a body, never read its answer, or be cut off. Nothing is retried or followed. It
uses only Python's own library, so that a process that imports it starts at once.
"""

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self
from urllib.parse import urlsplit

PREFIX: Final = "/gradio_api/headlight"
"""The path of the app's own routes."""

TAB: Final = "X-Headlight-Tab"
"""The header in which a tab sends its token."""

NOBODY: Final = "nobodys-tab-token"
"""A placeholder for a tab's token in requests that are written once for many tabs."""


@dataclass(frozen=True)
class Answer:
    """An answer: the status, the headers (lower case), the body, and the loop times of the first and last byte."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    size: int = 0


class Broken(ConnectionError):
    """The connection ended before the answer did."""


def packed(payload: Any, upload: bytes = b"") -> bytes:
    """Return a body for the app's routes; lone surrogates travel as JSON's escapes."""
    text = json.dumps(payload).encode()
    return struct.pack("<I", len(text)) + text + upload


def request(method: str, path: str, body: bytes | None = b"", headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole request. With `body` None it has neither a length nor a body."""
    lines = {"Host": "127.0.0.1", **(headers or {})}
    if body is not None and method not in ("GET", "HEAD") and "Content-Length" not in lines:
        lines["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogatepass") + (body or b"")


def place(address: str) -> tuple[str, int]:
    """Return host and port of ``http://host:port``."""
    found = urlsplit(address)
    assert found.hostname is not None
    assert found.port is not None
    return found.hostname, found.port


class Connection(asyncio.Protocol):
    """One connection, with at most one request under way."""

    def __init__(self, keep: bool = True) -> None:
        self.keep = keep
        self.transport: Any = None
        self._answer: asyncio.Future[Answer] | None = None
        self._gone = False
        self._begin()

    @classmethod
    async def open(
        cls, where: tuple[str, int], *, source: str | None = None, receive: int | None = None, keep: bool = True
    ) -> Self:
        """Connect, from the address `source` and with a receive buffer of `receive` bytes if given."""
        loop = asyncio.get_running_loop()
        raw = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            raw.setblocking(False)
            if receive is not None:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
            if source is not None:
                raw.bind((source, 0))
            await loop.sock_connect(raw, where)
            _, made = await loop.create_connection(lambda: cls(keep), sock=raw)
        except BaseException:
            raw.close()
            raise
        return made

    def write(self, data: bytes) -> None:
        """Send any bytes."""
        if self._gone:
            raise Broken("the server closed the connection")
        self.transport.write(data)

    async def answer(self, method: str = "POST") -> Answer:
        """Await the next answer. Raises `Broken` if the connection ends first."""
        self._begin()
        self._bodiless = method == "HEAD"
        waiting = self._answer = asyncio.get_running_loop().create_future()
        if self._early:
            early, self._early = bytes(self._early), bytearray()
            self.data_received(early)
        if self._gone:
            self._fail()
        return await waiting

    async def ask(self, data: bytes, method: str = "POST") -> Answer:
        """Send a request and await its answer."""
        self.write(data)
        return await self.answer(method)

    def unread(self) -> None:
        """Stop reading, so that the server's answer fills the buffers."""
        self.transport.pause_reading()

    def leave(self) -> None:
        """Cut the connection off."""
        if self.transport is not None:
            self.transport.abort()

    @property
    def early(self) -> bytearray:
        """The bytes received that nobody awaits yet."""
        return self._early

    @property
    def gone(self) -> bool:
        """True if either side has ended the connection."""
        return self._gone

    # callbacks of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone = True
        if self._status and self._left is None and not self._chunked:
            self._end()  # the body ends with the connection
        self._fail()

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.done():
            self._early += data
            return
        if not self._status:
            self._head += data
            at = self._head.find(b"\r\n\r\n")
            if at < 0:
                return
            data = bytes(self._head[at + 4 :])
            self._read_head(bytes(self._head[:at]))
            if self._bodiless or self._status in (204, 304):
                self._left = 0
        if self._chunked:
            self._read_chunks(data)
            return
        if self._left is None:
            self._take(data)
            return
        self._early += data[self._left :]
        self._take(data[: self._left])
        self._left -= min(self._left, len(data))
        if not self._left:
            self._end()

    # parsing

    def _begin(self) -> None:
        if not hasattr(self, "_early"):
            self._early = bytearray()
        self._head, self._rest = bytearray(), bytearray()
        self._status, self._size = 0, 0
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._left: int | None = None
        self._chunked = self._bodiless = False

    def _read_head(self, head: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        self._status = int(first.split(" ", 2)[1])
        self._headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if "content-length" in self._headers:
            self._left = int(self._headers["content-length"])
        self._chunked = "chunked" in self._headers.get("transfer-encoding", "") and not self._bodiless

    def _take(self, data: bytes) -> None:
        self._size += len(data)
        if self.keep:
            self._body.append(data)

    def _read_chunks(self, data: bytes) -> None:
        rest = self._rest
        rest += data
        while True:
            at = rest.find(b"\r\n")
            if at < 0:
                return
            length = int(bytes(rest[:at]).split(b";")[0], 16)
            if len(rest) < at + 4 + length:
                return
            self._take(bytes(rest[at + 2 : at + 2 + length]))
            del rest[: at + 4 + length]
            if not length:
                self._early += rest
                self._end()
                return

    def _end(self) -> None:
        found, self._answer = self._answer, None
        if found is not None and not found.done():
            found.set_result(Answer(self._status, self._headers, b"".join(self._body), self._size))

    def _fail(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Broken("the connection ended before the answer did"))
