"""Files served by the proxy itself, and its cookie behind another proxy that ends TLS."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.deploy.asked import PREFIX, sent
from tests.deploy.conftest import PROXIES, Site
from visualiser.server.http import assets


@contextmanager
def silent(site: Site, url: str) -> Iterator[None]:
    """Let both replicas of / accept connections without answering; at the end wait until the proxy finds them again."""
    processes = [site.replicas[number].process for number in (0, 1)]
    for process in processes:
        os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process.pid, signal.SIGCONT)
        for proxy in PROXIES:
            while asked(site.url(proxy), f"{PREFIX}/live")[0] != 200:
                """A proxy that noticed the silence checks again every two seconds."""


def asked(url: str, path: str) -> tuple[int, bytes]:
    with sent(url, path, method="GET") as answer:
        return answer.status, answer.text()


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_file_that_one_visitor_has_read_needs_no_replica(site: Site, proxy: str) -> None:
    url = site.url(proxy)
    (gradio_s, *_) = re.findall(r"assets/index-[\w-]+\.js", asked(url, "")[1].decode())
    ours = f"{PREFIX}/assets/{assets.version()}/{next(iter(assets.scripts()))}"
    plotly = f"{PREFIX}/assets/{assets.plotly_version()}/plotly.min.js"
    read = {path: asked(url, path) for path in (ours, plotly, gradio_s)}
    with silent(site, url):
        for path, (status, content) in read.items():
            assert status == 200
            assert asked(url, path) == (200, content)
            assert asked(url, f"{path}?of=another") == (200, content), "a query makes no other file of it"


@pytest.mark.parametrize("proxy", PROXIES)
@pytest.mark.parametrize(
    ("front", "reach"),
    [
        ("https", {"secure", "samesite=none", "partitioned"}),
        ("http", {"samesite=lax"}),
        ("https, http", {"samesite=lax"}),
    ],
)
def test_the_cookie_reaches_frames_of_other_sites_if_the_proxy_in_front_says_https(
    site: Site, proxy: str, front: str, reach: set[str]
) -> None:
    with sent(site.url(proxy), "", headers={"X-Forwarded-Proto": front}, method="GET") as answer:
        assert answer.text()
        (cookie,) = answer.headers.get_all("set-cookie", [])
    name, *attributes = [part.strip().lower() for part in cookie.split(";")]
    assert name.startswith("headlight=")
    assert set(attributes) == {"path=/", "httponly", *reach}
