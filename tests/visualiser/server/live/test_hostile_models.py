"""Hostile links of trained models: each is answered in words, names nothing that is not offered, and costs little."""

from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from tests.visualiser.conftest import parts, wrapped
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.routes import PREFIX

NAMES = ("../../etc/passwd", "org/name", "https://example.com/model", "", "a" * 5000, "\u0000", "__class__", "고양이")
TEXTS = ("", " " * 500, "\u0000", "<script>alert(1)</script>", "\u202egnp", "👩‍👩‍👧" * 300, "a" * 60_000, "x " * 30_000)
NUMBERS = ("0", "-1", "999999999999999999999", "NaN", "1e308", "2.5", "true", "")


def answered(client: TestClient, page: str, query: str) -> list[dict]:
    answer = client.post(f"{PREFIX}/page/{page}", content=wrapped({"query": query}))
    assert answer.status_code == 200
    return parts(answer)


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("page", ["anatomy", "map", "model"])
def test_a_name_that_is_not_offered_is_replaced_with_a_notice(client: TestClient, page: str) -> None:
    for name in NAMES:
        found = answered(client, page, f"source=model&model={quote(name)}")
        assert found[0]["part"] == "state"
        assert found[0]["controls"]["model"] == "headlight"
        assert len(found[0]["notices"]) == 1
        assert "model" not in dict(pair.split("=") for pair in found[0]["query"].split("&"))
        assert "error" not in [part["part"] for part in found]


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("page", ["anatomy", "map", "model"])
def test_any_text_is_answered_in_words(client: TestClient, page: str) -> None:
    for written in TEXTS:
        found = answered(client, page, f"source=model&layer=2&text={quote(written)}")
        assert found[0]["part"] == "state", (written[:20], found)
        assert found[0]["controls"]["source"] == "model"


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("page", ["anatomy", "map"])
@pytest.mark.parametrize("names", [("layer", "head", "row"), ("scale", "softcap"), ("n", "d_k")])
def test_any_number_is_answered_in_words(client: TestClient, page: str, names: tuple[str, ...]) -> None:
    for name in names:
        for number in NUMBERS:
            found = answered(client, page, f"source=model&text=Anna+sees+Ben&{name}={number}")
            assert found[0]["part"] == "state", (name, number, found)
            assert "error" not in [part["part"] for part in found]


@pytest.mark.parametrize("page", ["anatomy", "map"])
def test_a_mask_that_cannot_join_is_an_error_in_words_and_the_next_request_is_served(
    client: TestClient, page: str
) -> None:
    found = answered(client, page, "source=model&mask=window")
    assert found[-1]["part"] == "error"
    assert "mask" in found[-1]["message"]
    assert answered(client, page, "source=model")[0]["part"] == "state"


@pytest.mark.parametrize("page", ["anatomy", "map"])
@pytest.mark.parametrize("sizes", ["n=512&h=16&d_k=1024&tie=false", "d_model=1024", "layer=256"])
def test_sizes_that_the_model_decides_cost_nothing(page: str, sizes: str) -> None:
    def price(query: str) -> tuple[float, int]:
        request = PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {}, page)
        cost = LIVE[page].frame[1](request)
        return cost.seconds, cost.memory

    plain = f"page={page}&source=model&text=Anna"
    assert price(f"{plain}&{sizes}") == price(plain)
