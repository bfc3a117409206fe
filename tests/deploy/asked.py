"""Requests to a replica or a proxy as a program sends them; parts are read before the answer ends."""

import http.client
import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

PREFIX = "gradio_api/headlight"
TRAINING = "page=train&predict=false&widths=4,16&mechanisms=scaled&seeds=2&steps=600"
"""A training of some seconds: long enough to pause it after its first part."""


class Answer:
    """An answer whose parts are read as they come; decompressed if a proxy compressed it."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = response.headers
        packed = response.headers["content-encoding"] == "gzip"
        self._unpack = zlib.decompressobj(wbits=31).decompress if packed else bytes
        self._come = b""

    def _read(self, length: float) -> bytes:
        """Return `length` bytes, fewer at the end."""
        while len(self._come) < length and (more := self._response.read1()):
            self._come += self._unpack(more)
        taken = int(min(length, len(self._come)))
        found, self._come = self._come[:taken], self._come[taken:]
        return found

    def text(self) -> bytes:
        return self._read(math.inf)

    def parts(self) -> Iterator[dict[str, Any]]:
        """Yield the header of each part, except beats."""
        while start := self._read(4):
            header = json.loads(self._read(struct.unpack("<I", start)[0]))
            self._read(header["bytes"])
            if header["part"] != "beat":
                yield header


@contextmanager
def sent(
    url: str, path: str, payload: Mapping[str, Any] | None = None, headers: Mapping[str, str] = {}, method: str = "POST"
) -> Iterator[Answer]:
    """Return the answer to a request on its own connection; `payload` is packed as by pages."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    text = json.dumps(payload).encode() if payload is not None else None
    body = struct.pack("<I", len(text)) + text if text is not None else None
    connection.request(method, address.path + path, body, {"Accept-Encoding": "gzip", **headers})
    try:
        yield Answer(connection.getresponse())
    finally:
        connection.close()


def tell(url: str, run: str, wish: str, headers: Mapping[str, str] = {}) -> tuple[int, str]:
    """Send a wish about a run; return the answer's status, and its sentence or what it says of the run."""
    with sent(url, f"{PREFIX}/runs/{run}/{wish}", headers=headers) as answer:
        reply = json.loads(answer.text() or b"{}")
        return answer.status, reply.get("message", reply.get("run", ""))


@contextmanager
def training(url: str, headers: Mapping[str, str] = {}) -> Iterator[tuple[str, Iterator[dict[str, Any]], Answer]]:
    """Start a training; yield its name, its further parts and the answer."""
    with sent(url, f"{PREFIX}/run/train", {"query": TRAINING}, headers) as answer:
        parts = answer.parts()
        for part in parts:
            if part["part"] == "began":
                yield part["run"], parts, answer
                return
        raise AssertionError("the training did not begin")


def cookie(url: str) -> dict[str, str]:
    """Return the header of a new visitor's later requests: the cookie that names a replica."""
    with sent(url, "", method="GET") as answer:
        answer.text()
        return {"Cookie": answer.headers["set-cookie"].split(";")[0]}


def readiness(url: str) -> int:
    """Return the status with which a replica tells a proxy whether it takes visitors."""
    with sent(url, f"{PREFIX}/ready", method="GET") as answer:
        assert answer.text()
        return answer.status
