"""A refusal's suggestion is found beside the event loop, in few steps, whatever a file's header says."""

import asyncio
import json
import struct
import sys
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import gradio as gr
import pytest
from fastapi.testclient import TestClient

from attention_core import config as core_config
from attention_core import text as core_text
from tests.alone import alone
from tests.visualiser.conftest import wrapped
from tests.visualiser.server.live.test_refused_first import APP, serving
from visualiser.pages import admitted, shell
from visualiser.pages.explore import price as explore
from visualiser.server.admission import fitting
from visualiser.server.admission.cost import MEBIBYTE, Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.fitting import Fit
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.addresses import PREFIX
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.smaller import smaller
from visualiser.state import link_values

LARGE = "n=512&h=16&d_k=1024&tie=false"
HEAVY = f"{LARGE}&pin={quote(LARGE)}"
SERVER = 1024 * MEBIBYTE
MOST_PRICED = 20
"""The least n, h and d_k with A, the state without A, and without A the least n and h and 11 halvings of d_k."""

SYLLABLES = "가나다라" * 20
TEXTS = {
    "words": f"source=text&text={quote(' '.join(['ab'] * 512))}",
    "long words": f"source=text&text={quote(' '.join([SYLLABLES] * 512))}",
    "clusters": f"source=text&split=characters&text={quote('👩‍👩‍👧‍👦' * 512)}",
}
LONG_PIN = quote(f"h=16&d_k=1024&tie=false&{TEXTS['long words']}")


def asking(query: str, upload: bytes = b"") -> PageRequest:
    return PageRequest(query, None, frozenset(), upload, "en", "light", 0, "", {}, "explore")


def stating(*shape: int) -> bytes:
    """Return a file of a kilobyte whose header states these sizes of Q, K and V."""
    header = json.dumps({name: {"dtype": "F32", "shape": shape, "data_offsets": (0, 4)} for name in "QKV"}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(1000)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    serving(monkeypatch, SERVER)
    with TestClient(APP, raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize(
    "shape", [(10**6, 10**6, 10**6), (16, 512, 1024), (-5, -5, -5), (16, 512, -1024), (0, 0, 0), (10**400, 2, 2)]
)
def test_a_file_that_lies_about_its_sizes_is_refused_in_words(client: TestClient, shape: tuple[int, ...]) -> None:
    body = wrapped({"query": f"source=upload&pin={quote(LARGE)}&lang=en"}, stating(*shape))
    answer = client.post(f"{PREFIX}/take-away/explore/html?lang=en", content=body)
    assert answer.status_code == 422
    sentence = answer.json()["message"]
    # the file leaves no room for A, or is read and found broken
    assert sentence.startswith(("This would take about ", "The file could not be read as safetensors", "Q is "))


def test_no_file_is_made_to_find_what_fits() -> None:
    """Sizes are priced, not bytes: a copy of a hundred megabytes would be outside of every line."""
    priced: list[PageRequest] = []

    def price(request: PageRequest) -> Cost:
        priced.append(request)
        return explore.file("html")(request)

    upload = stating(16, 512, 1024)
    assert smaller(asking(f"source=upload&pin={quote(LARGE)}", upload), price)(MEBIBYTE) is None
    assert priced
    assert {id(request.upload) for request in priced} == {id(upload)}


@pytest.mark.parametrize("named", TEXTS)
@pytest.mark.parametrize("pin", ["", f"&pin={LONG_PIN}"])
def test_what_fits_is_found_in_few_prices_that_cut_no_text(
    named: str, pin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asking(f"h=16&d_k=1024&tie=false&{TEXTS[named]}{pin}")
    cost = explore.file("html")(request)
    cut, priced = [0], [0]
    tokens = core_text.tokens

    def counted(text: str, split: str = "words") -> tuple[str, ...]:
        cut[0] += len(text)
        return tokens(text, split)

    def shorter(text: str, split: str, most: int) -> str:
        cut[0] += len(text)
        return core_text.shortened(text, split, most)

    def price(request: PageRequest) -> Cost:
        priced[0] += 1
        return explore.file("html")(request)

    monkeypatch.setattr(core_config, "tokens", counted)
    monkeypatch.setattr(link_values, "shortened", shorter)
    for room in (0, cost.memory // 8, cost.memory // 2, cost.memory - 1):
        cut[0] = priced[0] = 0
        smaller(request, price)(room)
        assert 0 < priced[0] <= MOST_PRICED
        assert cut[0] <= 1024 * priced[0]  # a word of one letter stands for each token


def test_a_text_s_own_tokens_decide_what_fits() -> None:
    """Long and short words give the same number."""
    found = {name: smaller(asking(f"h=16&d_k=1024&tie=false&{TEXTS[name]}"), explore.frame)(2**26) for name in TEXTS}
    assert found["words"] is not None
    assert found["words"].name == "n"
    assert found["words"] == found["clusters"]


def noting(found: list[int]) -> Any:
    def fit(room: int) -> Fit | None:
        found.append(threading.get_ident())
        return Fit("n", 7)

    return fit


@pytest.mark.parametrize("run", [False, True])
def test_what_fits_is_not_worked_out_on_the_event_loop(run: bool) -> None:
    threads: list[int] = []

    async def visit() -> int:
        lines = Admission(SERVER, 2)
        await lines.require(Cost(1.0, 2**20), noting(threads), run=run)
        assert not threads  # nothing is searched for what fits
        with pytest.raises(Refusal) as refused:
            await lines.require(Cost(1.0, SERVER), noting(threads), run=run)
        assert refused.value.fields["value"] == 7
        return threading.get_ident()

    assert alone(visit()) not in threads
    assert len(threads) == 1


@pytest.mark.parametrize(
    "route", ["page/explore", "page/explore/row", "take-away/explore/figure", "take-away/explore/npz"]
)
def test_every_route_works_it_out_beside_the_event_loop(
    client: TestClient, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = watched(monkeypatch)
    serving(monkeypatch, 64 * MEBIBYTE)
    answer = client.post(f"{PREFIX}/{route}?lang=en", content=wrapped({"query": HEAVY, "row": 1}))
    assert answer.status_code == 422
    assert "fit" in answer.json()["message"]
    assert set(beside) == {True}


def test_a_program_s_call_works_it_out_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = watched(monkeypatch)
    serving(monkeypatch, 64 * MEBIBYTE)
    found = shell.ENDPOINTS["attention"]
    with pytest.raises(gr.Error, match="it would fit"):
        alone(admitted.admitted(found.function, found.price, run=found.run)(None, 512, 512, 16, 1024))
    assert set(beside) == {True}


def watched(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Record, for each state priced in the search, if its thread runs no event loop."""
    beside: list[bool] = []

    def lowered(*given: Any) -> Fit | None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            beside.append(True)
        else:
            beside.append(False)
        return fitting.lowered(*given)

    for place in (sys.modules["visualiser.server.live.smaller"], admitted):
        monkeypatch.setattr(place, "lowered", lowered)
    return beside


def test_a_program_s_text_is_cut_once_to_find_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    written = " ".join([SYLLABLES] * 512)
    given = {"n": 32, "h": 16, "d_k": 1024, "d_model": 512, "tie": None, "mechanism": "dot_product",
             "source": "text", "text": written, "split": "words"}  # fmt: skip
    cut: list[str] = []
    tokens = core_text.tokens

    def counted(text: str, split: str = "words") -> tuple[str, ...]:
        cut.append(text)
        return tokens(text, split)

    monkeypatch.setattr(core_config, "tokens", counted)
    found = admitted._smaller(given, shell.ENDPOINTS["attention"].price)(2**26)
    assert found is not None
    assert found.name in ("h", "d_k")
    assert sum(text == written for text in cut) == 1
