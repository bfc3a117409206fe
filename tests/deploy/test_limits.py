"""One address holds at most a quarter of a replica's places, and a whole school fits behind one address."""

import json
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.deploy.asked import PREFIX, sent
from tests.deploy.conftest import PROXIES, Site
from tests.deploy.programs import HAProxy, Nginx
from tests.deploy.stand_in import ENDLESS, stand_in
from tests.ports import free_port

GREEDY, OTHER = "127.0.0.9", "127.0.0.8"
PLACES = {f"{PREFIX}/{ENDLESS}": 1000, f"gradio_api/heartbeat/{ENDLESS}": 200, f"{PREFIX}/room/{ENDLESS}/stream": 1000}
"""Concurrent requests that one address may have: at pages, streams of programs, and streams of rooms."""
BUSY = {f"{PREFIX}/{ENDLESS}": 503, f"gradio_api/heartbeat/{ENDLESS}": 429, f"{PREFIX}/room/{ENDLESS}/stream": 503}
IP_BIND_ADDRESS_NO_PORT = 24
"""Linux chooses the port when a connection is made: else each of thousands takes one of the few of its address."""
SCHOOL = 500 * 6
"""Connections of five hundred browsers with HTTP/1.1."""


class Asking:
    """Connections to one proxy from addresses of this machine, closed at the end."""

    def __init__(self, url: str, ends: ExitStack) -> None:
        self._url, self._ends = urlsplit(url), ends

    def ask(self, path: str, address: str) -> tuple[int, bytes]:
        """Return status and first bytes of an answer, without waiting for its end; the connection stays open."""
        place = self._url.hostname or "", self._url.port or 0
        connection = self._ends.enter_context(socket.socket())
        connection.settimeout(30)
        if sys.platform == "linux":
            connection.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        connection.bind((address, 0))
        connection.connect(place)
        connection.sendall(f"GET {self._url.path}{path} HTTP/1.1\r\nHost: {place[0]}\r\n\r\n".encode())
        come = b""
        while b"\r\n\r\n" not in come:
            more = connection.recv(65536)
            assert more, f"closed after {come!r}"
            come += more
        head, _, body = come.partition(b"\r\n\r\n")
        return int(head.split()[1]), body

    def fill(self, path: str, address: str, most: int) -> int:
        """Ask until a request is refused; return the number accepted, at most `most` + 1."""
        for number in range(most + 1):
            if self.ask(path.format(number), address)[0] != 200:
                return number
        return most + 1


@pytest.fixture(params=[HAProxy, Nginx], ids=PROXIES)
def asking(request: pytest.FixtureRequest, folder: Path) -> Iterator[Asking]:
    """Yield connections to a proxy with one stand-in in place of both replicas."""
    with ExitStack() as ends:
        port = ends.enter_context(stand_in())
        make: Callable[..., Any] = request.param
        proxy = make(folder, free_port(), (port, port))
        ends.callback(proxy.end)
        yield Asking(proxy.url, ends)


@pytest.mark.parametrize("path", PLACES)
def test_an_address_that_takes_all_its_places_takes_none_from_others(asking: Asking, path: str) -> None:
    assert asking.fill(path, GREEDY, PLACES[path]) == PLACES[path]
    status, body = asking.ask(path, GREEDY)
    assert status == BUSY[path]
    if status == 503:
        assert json.loads(body)["retry"] == 1, "the page asks again after so many seconds"
    for another in PLACES:
        assert asking.ask(another, OTHER)[0] == 200
        assert asking.ask(another.replace(ENDLESS, "short"), OTHER)[0] == 200
    other_kind = next(another for another in PLACES if another != path)
    assert asking.ask(other_kind, GREEDY)[0] == 200, "streams and pages do not share places"


def test_a_school_s_connections_from_one_address_are_all_served(asking: Asking) -> None:
    assert {asking.ask(f"{PREFIX}/short", GREEDY)[0] for _ in range(SCHOOL)} == {200}
    assert asking.ask(f"{PREFIX}/short", OTHER)[0] == 200


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_frame_is_answered_while_another_address_holds_all_streams_it_may(site: Site, proxy: str) -> None:
    url = site.url(proxy)
    with ExitStack() as ends:
        greedy = Asking(url, ends)
        path = "gradio_api/heartbeat/a{}"  # of one session a newer stream ends the former
        assert greedy.fill(path, GREEDY, 200) == 200
        with sent(url, f"{PREFIX}/page/explore", {"query": "n=8&h=2&d_k=4"}) as answer:
            assert answer.status == 200
            assert answer.text()
        assert greedy.ask(path.format(0), OTHER)[0] == 200
