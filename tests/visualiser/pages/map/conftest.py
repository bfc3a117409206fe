"""A client of the app's routes that decodes parts."""

import json
import math
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from visualiser.pages.map import calibration
from visualiser.server.live.routes import PREFIX, ROUTES


@dataclass(frozen=True)
class Part:
    """A part's header and the tree of values in it, arrays as numpy's."""

    header: dict[str, Any]
    values: Any

    @property
    def kind(self) -> str:
        return self.header["part"]


def decoded(value: Any, blocks: bytes) -> Any:
    if not isinstance(value, dict) or "at" not in value:
        return value
    count = math.prod(value["s"])
    return np.frombuffer(blocks, dtype=value["t"], count=count, offset=value["at"]).reshape(value["s"])


def filled(node: Any, values: list[Any]) -> Any:
    if isinstance(node, dict):
        return values[node["$"]] if "$" in node else {key: filled(child, values) for key, child in node.items()}
    return [filled(child, values) for child in node] if isinstance(node, list) else node


def revived(entry: dict[str, Any], blocks: bytes, known: dict[str, Any]) -> Any:
    """Decode an entry of a header. Structures are sent once and remembered in `known`."""
    known.setdefault(entry["hash"], entry.get("structure"))
    return filled(known[entry["hash"]], [decoded(value, blocks) for value in entry["values"]])


def parts(body: bytes) -> list[Part]:
    found, at, known = [], 0, {}
    while at < len(body):
        (length,) = struct.unpack_from("<I", body, at)
        header = json.loads(body[at + 4 : at + 4 + length])
        blocks = body[at + 4 + length : at + 4 + length + header["bytes"]]
        at += 4 + length + header["bytes"]
        entry = header.get("values")
        found.append(Part(header, revived(entry, blocks, known) if entry else None))
        for name in ("drawings", "tables"):
            for key, inner in header.get(name, {}).items():
                header[name][key] = revived(inner, blocks, known)
    return found


Ask = Callable[..., list[Part]]


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    # Starlette's client starts an event loop, which must not share a thread with playwright's.
    with ThreadPoolExecutor(1) as thread:
        opened = thread.submit(
            lambda: TestClient(FastAPI(routes=[*ROUTES]), headers={"accept-language": "en"})
        ).result()
        yield opened
        thread.submit(opened.close).result()


@pytest.fixture
def ask(client: TestClient) -> Ask:
    """Send a question to a path and return the parts of the answer."""

    def send(path: str, query: str, upload: bytes = b"", **fields: Any) -> list[Part]:
        text = json.dumps({"query": query, **fields}).encode()
        answer = client.post(f"{PREFIX}/{path}", content=struct.pack("<I", len(text)) + text + upload)
        assert answer.status_code == 200, answer.text
        return parts(answer.content)

    return send


@pytest.fixture
def mapped(ask: Ask) -> Callable[..., dict[str, list[Part]]]:
    """Run a map to its end and return its parts by kind."""

    def run(query: str, upload: bytes = b"", **fields: Any) -> dict[str, list[Part]]:
        found: dict[str, list[Part]] = {}
        for part in ask("run/map", query, upload, **fields):
            found.setdefault(part.kind, []).append(part)
        return found

    return run


@pytest.fixture(autouse=True)
def _known_speed(known_speed: calibration.Speed) -> None:
    """Measure no machine in any test of the Map."""
