"""A room behind proxies: any replica serves any tab, and messages arrive when they are sent."""

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.deploy.asked import PREFIX
from tests.deploy.conftest import PROXIES, Site
from tests.deploy.programs import Nginx
from tests.deploy.test_streams import CARELESS
from tests.ports import free_port


@contextmanager
def sent(url: str, method: str, path: str, payload: Any = None, **headers: str) -> Iterator[HTTPResponse]:
    """Yield the answer to a request about rooms, on a connection of its own."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=60)
    body = None if payload is None else json.dumps(payload)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, f"{address.path}{PREFIX}/room{path}", body, names)
    try:
        yield connection.getresponse()
    finally:
        connection.close()


_SECRETS = itertools.count()


def wait_message(stream: HTTPResponse, link: str, count: int) -> dict[str, Any]:
    """Return the first message with this link and count."""
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.startswith(b"data: "):
            message = json.loads(line[6:])
            if (message["link"], message["count"]) == (link, count):
                return message


def assert_a_class_follows(url: str) -> None:
    secret = f"secret-{next(_SECRETS):015}"
    with sent(url, "POST", "", {"state": {"link": "n=7"}}, X_Headlight_Secret=secret) as opened:
        assert opened.status == 201
        code = json.loads(opened.read())["code"]
    with ExitStack() as pages:
        tabs = [f"{tab:016x}" for tab in range(6)]
        streams = [
            pages.enter_context(sent(url, "GET", f"/{code}/stream", X_Headlight_Tab=tab, Accept_Encoding="gzip"))
            for tab in tabs
        ]
        for stream in streams:
            assert stream.headers["content-type"].startswith("text/event-stream")
            wait_message(stream, "n=7", len(tabs))
        for n in (8, 9):
            with sent(url, "POST", f"/{code}/state", {"link": f"n={n}"}, X_Headlight_Secret=secret) as moved:
                assert moved.status == 204
            assert len({wait_message(stream, f"n={n}", len(tabs))["revision"] for stream in streams}) >= 1


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_class_follows_through_any_replica(site: Site, proxy: str) -> None:
    assert_a_class_follows(site.url(proxy))


def test_a_class_follows_below_a_sub_path(site: Site) -> None:
    assert_a_class_follows(site.url("haproxy", "/headlight"))


def test_a_proxy_that_buffers_does_not_hold_messages_back(site: Site) -> None:
    first, second, _ = site.ports
    changes = {"proxy_buffering off;": CARELESS["proxy_buffering off;"]}
    proxy = Nginx(site.folder, free_port(), (first, second), changes=changes)
    try:
        assert_a_class_follows(proxy.url)
    finally:
        proxy.end()
