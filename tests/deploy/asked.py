"""Requests to a replica or a proxy as a program sends them: one part after the other, and nothing waits for the end."""

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
"""A training of some seconds: long enough to be paused when its first part has come."""


class Answer:
    """An answer whose parts are read as they come, unpacked if somebody on the way has compressed it."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = response.headers
        packed = response.headers["content-encoding"] == "gzip"
        self._unpack = zlib.decompressobj(wbits=31).decompress if packed else bytes
        self._come = b""

    def _read(self, length: float) -> bytes:
        """So many bytes, fewer at the end."""
        while len(self._come) < length and (more := self._response.read1()):
            self._come += self._unpack(more)
        taken = int(min(length, len(self._come)))
        found, self._come = self._come[:taken], self._come[taken:]
        return found

    def text(self) -> bytes:
        return self._read(math.inf)

    def parts(self) -> Iterator[dict[str, Any]]:
        """The header of each part, beats left out."""
        while start := self._read(4):
            header = json.loads(self._read(struct.unpack("<I", start)[0]))
            self._read(header["bytes"])
            if header["part"] != "beat":
                yield header


@contextmanager
def sent(
    url: str, path: str, said: Mapping[str, Any] | None = None, headers: Mapping[str, str] = {}, method: str = "POST"
) -> Iterator[Answer]:
    """The answer to one request on a connection of its own; `said` travels as pages send it."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    text = json.dumps(said).encode() if said is not None else None
    body = struct.pack("<I", len(text)) + text if text is not None else None
    connection.request(method, address.path + path, body, {"Accept-Encoding": "gzip", **headers})
    try:
        yield Answer(connection.getresponse())
    finally:
        connection.close()


def tell(url: str, run: str, wish: str, headers: Mapping[str, str] = {}) -> tuple[int, str]:
    """Status and sentence of the answer to a wish about a run."""
    with sent(url, f"{PREFIX}/runs/{run}/{wish}", headers=headers) as answer:
        text = answer.text()
        return answer.status, json.loads(text)["message"] if text else ""


@contextmanager
def training(url: str, headers: Mapping[str, str] = {}) -> Iterator[tuple[str, Iterator[dict[str, Any]], Answer]]:
    """A training that has begun: its name, its further parts, and the answer."""
    with sent(url, f"{PREFIX}/run/train", {"query": TRAINING}, headers) as answer:
        parts = answer.parts()
        for part in parts:
            if part["part"] == "began":
                yield part["run"], parts, answer
                return
        raise AssertionError("the training did not begin")


def cookie(url: str) -> dict[str, str]:
    """The header that a proxy's newcomer sends from then on: the cookie that names a replica."""
    with sent(url, "", method="GET") as answer:
        answer.text()
        return {"Cookie": answer.headers["set-cookie"].split(";")[0]}
