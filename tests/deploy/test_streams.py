"""Answers in parts behind a proxy: each part arrives when it is made, even if the proxy is set to buffer."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.deploy.asked import PREFIX, TRAINING, cookie, sent, tell, training
from tests.deploy.conftest import PATHS, PROXIES, Site
from tests.deploy.programs import Nginx
from tests.ports import free_port

CARELESS = {"gzip off;": "gzip on; gzip_types *; gzip_proxied any;", "proxy_buffering off;": "proxy_buffering on;"}
"""Common settings of schools' proxies that held answers back until their end."""


def assert_parts_come_as_they_are_made(url: str) -> None:
    """Start and pause trainings until one has to queue: its few bytes arrive although no more follow."""
    visitor = cookie(url)
    with ExitStack() as runs:
        for number in range(16):
            tab = {"X-Headlight-Tab": f"tab-of-the-test-{number:04}"}
            answer = runs.enter_context(sent(url, f"{PREFIX}/run/train", {"query": TRAINING}, visitor | tab))
            assert answer.headers["cache-control"] == "no-store"
            part = next(answer.parts())
            if part["part"] == "waiting":
                return
            assert tell(url, part["run"], "pause", visitor | tab) == (204, "")
    raise AssertionError("no training had to wait")


def assert_a_run_is_paused_and_ends(url: str) -> None:
    """Pause a run by the name in its first part: had that come at the end, no run would be left to pause."""
    visitor = cookie(url)
    with training(url, visitor) as (run, parts, _):
        assert tell(url, run, "pause", visitor) == (204, "")
        assert tell(url, run, "resume", visitor) == (204, "")
        assert [part["part"] for part in parts][-1] == "ended"
    assert tell(url, run, "pause", visitor) == (200, "ended"), "the run ended after its parts had come"


@pytest.mark.parametrize("proxy", PROXIES)
@pytest.mark.parametrize("path", PATHS)
def test_the_first_part_of_a_run_arrives_before_the_run_ends(site: Site, proxy: str, path: str) -> None:
    assert_parts_come_as_they_are_made(site.url(proxy, path))


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_run_is_paused_goes_on_and_ends(site: Site, proxy: str) -> None:
    assert_a_run_is_paused_and_ends(site.url(proxy))


@pytest.fixture
def careless(site: Site) -> Iterator[Nginx]:
    """Yield an nginx that buffers and compresses everything."""
    first, second, _ = site.ports
    proxy = Nginx(site.folder, free_port(), (first, second), changes=CARELESS)
    yield proxy
    proxy.end()


def test_a_proxy_that_buffers_and_compresses_does_not_hold_a_stream_back(careless: Nginx) -> None:
    assert_parts_come_as_they_are_made(careless.url)


@pytest.mark.parametrize("path", ["page/explore", "page/explore/row", "page/why", "run/train", "take-away/explore/npz"])
def test_every_answer_in_parts_says_that_nobody_may_hold_it_back(site: Site, path: str) -> None:
    payload = {"query": "page=train&widths=4&seeds=1&steps=10" if "run" in path else "n=8&h=2&d_k=4", "row": 0}
    payload |= {"query": "page=why&n=8&seeds=1"} if "why" in path else {}
    with sent(site.replicas[0].url, f"{PREFIX}/{path}", payload) as answer:
        assert answer.status == 200
        assert answer.headers["x-accel-buffering"] == "no"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.text()
