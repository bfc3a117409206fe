"""Work stops when its client leaves, measured by the CPU seconds that the app uses from then on."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Final
from urllib.parse import quote

import pytest

from tests.browser.served import FLEETING
from tests.process_resources import look
from tests.raw_http import PREFIX, packed, place, request
from tests.server_process import Server, server

pytestmark = pytest.mark.slow

ADDITIVE: Final = "n=512&h=16&d_k=1024&tie=false&lang=en&mechanism=additive"
WORK: Final = {
    "frame": (f"{PREFIX}/page/explore", ADDITIVE),
    "pin": (f"{PREFIX}/page/explore", f"n=8&lang=en&pin={quote(ADDITIVE)}"),
    "html": (f"{PREFIX}/take-away/explore/html", ADDITIVE),
    "npz": (f"{PREFIX}/take-away/explore/npz", ADDITIVE),
    "cells": (f"{PREFIX}/take-away/explore/cells", ADDITIVE),
    "curves": (f"{PREFIX}/page/why/curves", "n=512&seeds=32&lang=en"),
    "map": (f"{PREFIX}/run/map", "n=16384&h=1&d_k=256&tie=false&lang=en"),
    "cost": (f"{PREFIX}/run/cost", "n=2048&d_k=256&lang=en"),
    "train": (f"{PREFIX}/run/train", "n=9&seeds=4&lang=en"),
}
"""The curves take a second of CPU if they run to the end, the others five to eight. A frame of dot products would take
too little to tell."""

WINDOW, QUIET, BEGUN, AFTER = 0.25, 0.1, 0.2, 0.4
"""CPU seconds.

A process that uses less than `QUIET` in each of two windows of `WINDOW` seconds is idle. One that has used `BEGUN`
since its request computes. After its client has left it uses at most `AFTER`: two cores for 200 ms.
"""


@pytest.fixture(scope="module")
def app() -> Iterator[Server]:
    """Serve the app, after its first answers."""
    with server(FLEETING, environment={"HEADLIGHT_MEMORY_MB": "4096"}) as running:
        while b" 200 " not in whole(running, request("GET", f"{PREFIX}/ready", headers={"Connection": "close"}))[:20]:
            time.sleep(WINDOW)
        for name in WORK:
            whole(running, asking(name, "n=9&seeds=1&lang=en"))
        yield running


def asking(name: str, query: str = "", more: str = "") -> bytes:
    path, heavy = WORK[name]
    return request("POST", path, packed({"query": query or heavy + more}), {"Connection": "close"})


def cpu(app: Server) -> float:
    return look(app.process.pid).cpu


def whole(app: Server, asked: bytes) -> bytes:
    """Return the answer, read until the server closes."""
    with closing(socket.create_connection(place(app.address), timeout=120)) as connection:
        connection.sendall(asked)
        return b"".join(iter(lambda: connection.recv(2**20), b""))


def until_idle(app: Server) -> float:
    """Wait until nothing is computed, and return the CPU seconds used by then."""
    quiet, before = 0, cpu(app)
    while quiet < 2:
        time.sleep(WINDOW)
        now = cpu(app)
        quiet = quiet + 1 if now - before < QUIET else 0
        before = now
    return before


@pytest.mark.night
@pytest.mark.parametrize("name", WORK)
def test_work_ends_soon_after_its_asker_has_left(app: Server, name: str) -> None:
    before = until_idle(app)
    with closing(socket.create_connection(place(app.address), timeout=120)) as connection:
        connection.sendall(asking(name, more="&seed=7"))  # not a kept answer
        while cpu(app) - before < BEGUN:
            time.sleep(0.01)
        left = cpu(app)
    assert until_idle(app) - left < AFTER
