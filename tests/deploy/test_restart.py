"""A rolling restart: a replica is told to end during a drag, and the visitor does not notice."""

import http.client
import json
import struct
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

import pytest

from tests.deploy.asked import PREFIX, cookie
from tests.deploy.conftest import PROXIES, Site

BEFORE, AFTER = 10, 30
"""Frames before the replica is told to end, and after it has ended."""


def frame(connection: http.client.HTTPConnection, number: int, headers: dict[str, str]) -> int:
    """Return the status of a frame, read to its end; each number is another question."""
    payload = json.dumps({"query": f"n=16&h=2&d_k=4&seed={number}"}).encode()
    connection.request("POST", f"/{PREFIX}/page/explore", struct.pack("<I", len(payload)) + payload, headers)
    answer = connection.getresponse()
    assert answer.read()
    return answer.status


def wait_for_both(site: Site, url: str) -> None:
    """Wait until the proxy sends visitors to both replicas: one may have just started."""
    visitors: set[str] = set()
    while len(visitors) < 2:  # HAProxy's cookie names the replica
        visitors.add(cookie(url)["Cookie"])


@pytest.mark.parametrize("proxy", PROXIES)
def test_no_frame_fails_while_a_replica_is_told_to_end(site: Site, proxy: str) -> None:
    """Neither on a connection that stays open nor on a new one for each frame."""
    url = site.url(proxy)
    wait_for_both(site, url)
    visitor = cookie(url)
    number = site.serving(url, visitor)
    process = site.replicas[number].process
    address = urlsplit(url)
    statuses: dict[str, list[int]] = {"kept": [], "new": []}
    left = AFTER
    with ExitStack() as open_until_the_end:
        connections = {
            name: open_until_the_end.enter_context(
                closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=60))
            )
            for name in statuses
        }
        try:
            while left:
                if len(statuses["new"]) == BEFORE:
                    process.terminate()
                for place, (name, connection) in enumerate(connections.items()):
                    statuses[name].append(frame(connection, 2 * len(statuses[name]) + place, visitor))
                connections["new"].close()
                left -= process.poll() is not None
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            site.replicas[number].end()
            site.start(number)
    assert {name: set(found) for name, found in statuses.items()} == {"kept": {200}, "new": {200}}
