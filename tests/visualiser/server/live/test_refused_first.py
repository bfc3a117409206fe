"""Requests above a bound are refused over HTTP before anything is read, kept or computed, on every route."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gradio as gr
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.alone import alone
from tests.raw_http import packed
from tests.visualiser.pages.test_admitted import priced
from tests.visualiser.server.asking import scope
from tests.visualiser.server.live.test_patience import everything_is_back
from visualiser.pages import admitted, shell
from visualiser.server.admission.cost import MEBIBYTE
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.gradio.calls import Calls
from visualiser.server.live import body, routes
from visualiser.server.live.answering import LIVE
from visualiser.server.live.body import BODY_LIMIT, HEADER_LIMIT
from visualiser.server.live.page import Live
from visualiser.server.live.routes import PREFIX, ROUTES
from visualiser.upload import FILE_LIMIT

APP = FastAPI(routes=[*ROUTES])
TINY = MEBIBYTE // 2
"""Bytes of a server for which every answer is too large."""

FREE = {"page/map/forget"}
"""Routes that take no memory, but free some."""

ASKED = [
    *(f"page/{page}/{name}" for page, live in LIVE.items() for name in live.subrequests),
    *(f"page/{page}" for page in LIVE),
    *(f"run/{page}" for page, live in LIVE.items() if live.run),
    *(f"take-away/{page}/{kind}" for page, live in LIVE.items() for kind in live.files),
]


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of all computations as they begin; their answers are one byte."""
    begun: list[str] = []

    def noting(name: str) -> Callable[..., Iterator[bytes]]:
        def work(*_: Any) -> Iterator[bytes]:
            begun.append(name)
            yield b"x"

        return work

    def watched(page: str, live: Live) -> Live:
        run = live.run and (noting(f"run/{page}"), live.run[1])
        questions = {name: (noting(name), price) for name, (_, price) in live.subrequests.items()}
        files = {kind: replace(file, content=noting(kind)) for kind, file in live.files.items()}
        return replace(live, frame=(noting(page), live.frame[1]), run=run, subrequests=questions, files=files)

    monkeypatch.setattr(routes, "LIVE", {page: watched(page, live) for page, live in LIVE.items()})
    monkeypatch.setattr(routes, "read_file", noting("upload"))
    monkeypatch.setattr(routes, "_shared", SharedAnswers(MEBIBYTE))
    return begun


def serving(monkeypatch: pytest.MonkeyPatch, memory: int) -> Admission:
    """Return the lines of a server of so much memory."""
    own = Admission(memory, 2)
    for module in (body, routes, admitted):
        monkeypatch.setattr(module, "admission", lambda: own)
    return own


def posted(route: str, **fields: Any) -> Any:
    with TestClient(APP) as client:
        return client.post(f"{PREFIX}/{route}", content=packed({"query": "lang=en", "row": 1, **fields}))


@pytest.mark.slow
@pytest.mark.parametrize("route", ASKED)
def test_a_state_above_the_bound_is_refused_before_it_is_computed(
    route: str, worked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = serving(monkeypatch, TINY)
    answer = posted(route)
    assert everything_is_back(lines)
    if route in FREE:
        assert (answer.status_code, worked) == (200, ["forget"])
        return
    assert (answer.status_code, worked) == (422, [])
    assert answer.json()["message"].startswith("This would take about ")
    serving(monkeypatch, 2**30)
    assert posted(route).status_code == 200
    assert len(worked) == 1  # it computes if there is room


def test_a_file_that_takes_too_much_is_not_read(worked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for memory, expected in ((TINY, (422, [])), (2**30, (200, ["upload"]))):
        lines = serving(monkeypatch, memory)
        with TestClient(APP) as client:
            answer = client.post(f"{PREFIX}/upload?name=a.npz&lang=en", content=b"PK")
        assert (answer.status_code, worked) == expected
        assert everything_is_back(lines)


@pytest.mark.parametrize("name", shell.ENDPOINTS)
def test_a_program_s_call_above_the_bound_is_refused_before_it_is_computed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = shell.ENDPOINTS[name].run
    begun: list[str] = []

    def work(n: int = 64) -> str:
        begun.append(name)
        return "x"

    def price(given: dict[str, Any]) -> Any:
        return priced(name, **{"h": 16, "d_k": 64, "layer": 1, "tie": None, "source": "gaussian", **given})

    lines = serving(monkeypatch, TINY)
    with pytest.raises(gr.Error, match=r"^'?This would take about "):
        alone(admitted.admitted(work, price, run=run)(None, 64))
    assert not begun
    assert everything_is_back(lines)
    serving(monkeypatch, 2**30)
    assert alone(admitted.admitted(work, price, run=run)(None, 64)) == "x"


LIMITS = dict.fromkeys(ASKED, BODY_LIMIT) | {"upload": FILE_LIMIT}


@pytest.mark.parametrize(("route", "limit"), LIMITS.items())
def test_a_body_announced_above_the_bound_is_refused_before_it_is_read(
    route: str, limit: int, worked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_not_read(APP, f"{PREFIX}/{route}", limit, monkeypatch)
    assert not worked


def test_a_program_s_body_announced_above_the_bound_is_refused_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def gradio(*_: Any) -> None:
        raise AssertionError("gradio is asked")

    assert_not_read(Calls(gradio), "/gradio_api/queue/join", HEADER_LIMIT, monkeypatch)


def assert_not_read(app: Any, path: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Expect a body one byte above the limit to be refused unread, and one at the limit to be read."""
    lines = serving(monkeypatch, 2**30)
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    class Read(Exception):
        pass

    async def receive() -> Any:
        raise Read

    def visit(size: int) -> None:
        alone(app(scope("POST", path, "lang=en", content_length=str(size)), receive, send))

    visit(limit + 1)
    assert messages[0]["status"] == 413
    received = json.loads(messages[1]["body"])["message"]
    assert received.endswith(f" has {limit + 1} bytes or more; at most {limit} bytes are read.")
    with pytest.raises(Read):
        visit(limit)
    assert everything_is_back(lines)
