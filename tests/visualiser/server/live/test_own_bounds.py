"""Links and pinned states of another page are read with the bounds of the route's own page."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from attention_core import AttentionConfig
from tests.raw_http import packed
from tests.visualiser.server.live.test_refused_first import serving
from visualiser.server.admission.cost import MEBIBYTE
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.live import routes
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page import Frame
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.routes import PREFIX, ROUTES
from visualiser.state import parameters, share

SIZES: Final = ("n", "h", "d_k", "d_model", "window")
LARGE: Final = {
    "map": "page=map&n=16384&h=16&d_k=1024&tie=false",
    "map's window": "page=map&n=16384&mask=window&window=16384",
    "train": "page=train&n=512&h=16&seeds=64",
    "cost": "page=cost&n=1024&h=16",
}
LINKS: Final = LARGE | {f"{name}, pinned": f"n=8&pin={quote(link)}" for name, link in LARGE.items()}
PAGES: Final[Mapping[str, str]] = {
    "page/explore/row": "explore",
    **{f"take-away/{page}/{kind}": page for page, live in LIVE.items() for kind in live.files},
    **{f"page/{page}": page for page in LIVE},
    "page/why/curves": "why",
    **{f"run/{page}": page for page, live in LIVE.items() if live.run},
}
"""The page of each route that computes from a link."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[PageRequest]:
    """Return the questions that reach the pages, on a server with room for all; the answers are one byte."""
    serving(monkeypatch, 2**36)
    found: list[PageRequest] = []

    def noting(request: PageRequest, *_: Any) -> Iterator[bytes]:
        found.append(request)
        yield b"x"

    def noted(answer: tuple[Frame, Any]) -> tuple[Frame, Any]:
        return noting, answer[1]

    live = {
        page: replace(
            one,
            frame=noted(one.frame),
            run=one.run and (noting, one.run[1]),
            subrequests={name: noted(answer) for name, answer in one.subrequests.items()},
            files={kind: replace(file, content=noting) for kind, file in one.files.items()},
        )
        for page, one in LIVE.items()
    }
    monkeypatch.setattr(routes, "LIVE", live)
    monkeypatch.setattr(routes, "_shared", SharedAnswers(MEBIBYTE))
    return found


def beyond(config: AttentionConfig, page: str) -> dict[str, Any]:
    """Return the sizes of a configuration that are above the bounds of a page."""
    bounds = parameters.bounds(page)
    sizes = {name: getattr(config, name) for name in SIZES}
    return {name: value for name, value in sizes.items() if value is not None and value > bounds[name].maximum}


@pytest.mark.night(but=44)
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("route", PAGES)
def test_what_is_computed_is_within_the_bounds_of_the_route_s_page(
    route: str, link: str, asked: list[PageRequest]
) -> None:
    page = PAGES[route]
    with TestClient(FastAPI(routes=[*ROUTES])) as client:
        answer = client.post(f"{PREFIX}/{route}", content=packed({"query": LINKS[link], "row": 1}))
    assert answer.status_code == 200
    (request,) = asked
    state = request.reading.state
    pinned = share.pinned_state(state)
    assert request.page == page
    assert beyond(state.config, page) == {}
    assert pinned is None or beyond(pinned.config, page) == {}
    assert pinned is None or "pinned" in link
    seeds = state.own.get("seeds")
    assert seeds is None or int(seeds) <= parameters.bounds(page)["seeds"].maximum


@pytest.mark.parametrize(("name", "page"), [("map", "map"), ("train", "train"), ("cost", "cost")])
def test_the_links_are_above_other_pages_bounds(name: str, page: str) -> None:
    config = share.read(LARGE[name], "en", page).state.config
    assert beyond(config, "why")
    assert page == "train" or beyond(config, "explore")
