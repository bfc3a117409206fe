"""Equal questions share one computation, whatever differs between the browsers."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.raw_http import TAB, packed
from tests.visualiser.conftest import parts
from visualiser import models
from visualiser.server.admission.cost import MEBIBYTE
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.live import routes
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.routes import PREFIX, ROUTES

QUERY = "n=7&h=2&d_k=48&tie=false&lang=en"
PREVIOUS = "n=7&h=2&d_k=3&tie=false&lang=en", "n=7&h=2&d_k=12&tie=false&lang=en"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[PageRequest]:
    """Return the questions that are computed from now on."""
    found: list[PageRequest] = []
    frame, price = LIVE["explore"].frame

    def noted(request: PageRequest) -> Iterator[bytes]:
        found.append(request)
        return frame(request)

    monkeypatch.setattr(routes, "LIVE", {**LIVE, "explore": replace(LIVE["explore"], frame=(noted, price))})
    monkeypatch.setattr(routes, "_shared", SharedAnswers(MEBIBYTE))
    return found


def asked(number: int, **fields: Any) -> list[dict[str, Any]]:
    """Return the answer to one of two tabs."""
    own = {"previous": PREVIOUS[number], "address": f"http://school-{number}.example/", "query": QUERY}
    with TestClient(FastAPI(routes=[*ROUTES]), headers={TAB: f"tab-of-visitor-{number:04}"}) as client:
        return parts(client.post(f"{PREFIX}/page/explore", content=packed({**own, **fields})))


def test_two_who_follow_one_drag_cost_one_computation(computed: list[PageRequest]) -> None:
    first = asked(0, light=True, known=[])
    maps = first[0]["drawings"]["heat-maps"]
    known = [maps["hash"]]
    second = asked(1, light=True, known=known)
    assert len(computed) == 1
    assert (computed[0].previous, computed[0].address, computed[0].known) == (None, "", frozenset())
    assert second[0]["drawings"]["heat-maps"] == {name: maps[name] for name in maps.keys() - {"structure"}}
    assert second[1]["drawings"] == first[1]["drawings"]


def test_what_was_answered_while_a_model_was_not_loaded_is_not_answered_after_its_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = set[str]()
    monkeypatch.setattr(models, "is_loaded", loaded.__contains__)

    def key(query: str) -> bytes | None:
        return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {"query": query}, "explore").cache_key

    of_model, pinned, other = "source=model&layer=2", "n=5&pin=source%3Dmodel%26layer%3D2", "n=5"
    keys = {query: [key(query)] for query in (of_model, pinned, other)}
    loaded.add("headlight")
    for query, found in keys.items():
        found.append(key(query))
    assert {query: len(set(found)) for query, found in keys.items()} == {of_model: 2, pinned: 2, other: 1}
    assert key(of_model) == keys[of_model][-1]


@pytest.mark.parametrize("light", [False, None, 1, "true"])
def test_a_frame_that_tells_what_changed_is_each_tab_s_own(computed: list[PageRequest], light: object) -> None:
    first, second = (asked(number, light=light)[1]["arithmetic"] for number in (0, 1))
    assert len(computed) == 2
    assert first != second


def test_a_frame_with_words_is_shared_by_those_who_saw_the_same_before(computed: list[PageRequest]) -> None:
    first, second = (asked(number, previous=PREVIOUS[0]) for number in (0, 1))
    assert len(computed) == 1
    assert first == second
