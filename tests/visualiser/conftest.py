"""A client that bounds the time and memory of every answer, a machine of known speed, and coroutines as tests.

Tests that await run in a separate loop and thread: the browser's driver, started once for the whole run, keeps a loop
running in the main thread.
"""

import inspect
import json
import math
import struct
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.alone import alone
from visualiser.gpu import device_name
from visualiser.pages.map import calibration
from visualiser.server.live.routes import PREFIX, ROUTES


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine function."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    alone(pyfuncitem.obj(**given))
    return True


SECONDS = 5.0
"""The most processor time of a hostile request. A wall clock would include the machine's other work."""
MEBIBYTES = 64.0
"""The most memory of a small hostile request."""


def wrapped(payload: Any, rest: bytes = b"") -> bytes:
    """Return a request's body: u32 length | JSON | rest."""
    text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return struct.pack("<I", len(text)) + text + rest


@pytest.fixture
def known_speed(monkeypatch: pytest.MonkeyPatch) -> calibration.Speed:
    """Assume a machine with 10 ns a cell of a map at d_k 64, which need not be measured."""
    speed = calibration.Speed((1e-8, 2e-8), 2.0)
    monkeypatch.setitem(calibration._known, device_name(), (speed, math.inf))
    return speed


class Answer(Protocol):
    """The answer of a test client."""

    @property
    def content(self) -> bytes: ...


def parts(answer: Answer) -> list[dict[str, Any]]:
    """Return the headers of the parts of an answer, which must end with its last part."""
    body, at, found = answer.content, 0, []
    while at < len(body):
        (length,) = struct.unpack_from("<I", body, at)
        found.append(json.loads(body[at + 4 : at + 4 + length]))
        at += 4 + length + found[-1]["bytes"]
    assert at == len(body)
    return found


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return FastAPI(routes=[*ROUTES])


@pytest.fixture(scope="module")
def warm(app: FastAPI) -> Iterator[TestClient]:
    """Return a client whose server has drawn once, so that imports and caches are not counted."""
    with TestClient(app, raise_server_exceptions=False, headers={"accept-language": "en"}) as client:
        client.post(f"{PREFIX}/page/explore", content=wrapped({"query": ""}))
        yield client


@pytest.fixture
def client(warm: TestClient) -> Iterator[TestClient]:
    """Return the client. A test's requests cost bounded time and memory, and the next visitor is served."""
    tracemalloc.start()
    before = time.process_time()
    yield warm
    seconds, mebibytes = time.process_time() - before, tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    served = parts(warm.post(f"{PREFIX}/page/explore", content=wrapped({"query": "n=7&h=3"})))
    assert [part["part"] for part in served] == ["cells", "panels"]
    assert served[0]["shape"] == [3, 7, 7]
    assert seconds < SECONDS
    assert mebibytes < MEBIBYTES
