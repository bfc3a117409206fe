"""A question's pinned link is read once, for its price and for its answer."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.raw_http import packed
from visualiser.server.admission.cost import MEBIBYTE
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.live import routes
from visualiser.server.live.routes import PREFIX, ROUTES
from visualiser.state import share


@pytest.mark.parametrize("route", ["page/explore", "page/explore/row", "take-away/explore/html"])
def test_the_price_and_the_answer_read_the_pinned_link_together_once(
    route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned_state, read = share.pinned_state, []

    def noted(state: share.State) -> share.State | None:
        read.append(state.pinned)
        return pinned_state(state)

    monkeypatch.setattr(share, "pinned_state", noted)
    monkeypatch.setattr(routes, "_shared", SharedAnswers(MEBIBYTE))
    with TestClient(FastAPI(routes=[*ROUTES])) as client:
        payload = {"query": "n=5&h=2&pin=n%3D3%26h%3D1", "row": 1}
        assert client.post(f"{PREFIX}/{route}", content=packed(payload)).status_code == 200
    assert read == ["n=3&h=1"]
