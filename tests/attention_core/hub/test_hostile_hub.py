"""A Hub, or a mirror of it, that sends without end, byte by byte, or what no Hub sends."""

import gzip
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attention_core import InvalidInput
from attention_core.models import HubFolder, hub_connection, hub_stream
from tests.hub_server import Hub

ID = "small/gpt2"
WEIGHTS = "model.safetensors"
LIMIT = hub_connection.MOST_BYTES
ENDLESS = 16 * LIMIT
"""Bytes after which a server of these tests gives up: nobody may have read them."""
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

Write = Callable[[bytes], None]


@pytest.fixture
def models(tmp_path: Path, server: Hub, monkeypatch: pytest.MonkeyPatch) -> HubFolder:
    monkeypatch.setattr(hub_stream, "_PAUSE", 0.0)
    return HubFolder(tmp_path / "here", endpoint=server.url)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the pace of an answer soon."""
    monkeypatch.setattr(hub_connection, "_WINDOW", 0.3)


def refused(work: Callable[[], object]) -> InvalidInput:
    with pytest.raises(InvalidInput) as raised:
        work()
    return raised.value


def answered(body: bytes) -> Callable[[Write], None]:
    return lambda write: write(OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def endless(begin: bytes, piece: bytes) -> Callable[[Write], None]:
    """Return what sends as fast as it can."""

    def send(write: Write) -> None:
        write(begin)
        for _ in range(ENDLESS // len(piece)):
            write(piece)

    return send


def dripping(begin: bytes, piece: bytes) -> Callable[[Write], None]:
    """Return what sends a little many times a second until the other side leaves."""
    clock = threading.Event()  # which nobody sets

    def send(write: Write) -> None:
        write(begin)
        while not clock.wait(0.02):
            write(piece)

    return send


CHUNK = b"10000\r\n" + b"[" * 2**16 + b"\r\n"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nTransfer-Encoding: chunked\r\n\r\n"
DRIPS = {
    "headers": (OK + b"X-Slow: ", b"a"),
    "informational": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "body": (CHUNKED, b"1\r\n[\r\n"),
    "chunk": (CHUNKED + b"1;", b"a"),
}


def test_a_long_description_is_not_read_to_its_end(models: HubFolder, server: Hub) -> None:
    for begin in (CHUNKED, OK + b"Content-Length: %d\r\n\r\n" % ENDLESS):
        server.sent.clear()
        server.behaviour.instead["/api/"] = endless(begin, CHUNK)
        problem = refused(lambda: models.plan(ID))
        assert (problem.code, problem.details) == ("hub_answer", {"value": ID, "limit": 4})
        assert server.left.wait(30)
        assert server.sent["/api/"] < ENDLESS // 2


def test_the_largest_description_is_read(models: HubFolder, server: Hub) -> None:
    info = server.info(ID) | {"cardData": ""}
    for over, code in ((0, None), (1, "hub_answer")):
        info["cardData"] = ""
        info["cardData"] = "x" * (LIMIT + over - len(json.dumps(info)))
        server.behaviour.instead["/api/"] = answered(json.dumps(info).encode())
        if code is None:
            assert models.plan(ID).id == ID
        else:
            assert refused(lambda: models.plan(ID)).code == code


@pytest.mark.parametrize("status", [302, 404, 503])
def test_the_body_of_what_is_no_description_is_not_read(models: HubFolder, server: Hub, status: int) -> None:
    begin = REDIRECT if status == 302 else CHUNKED.replace(b"200 OK", b"%d No" % status)
    plan = models.plan(ID)
    for word, work in (("/api/", lambda: models.plan(ID)), ("/resolve/", lambda: models.fetch(plan))):
        server.left.clear()
        server.behaviour.instead = {word: endless(begin, CHUNK), "/elsewhere": answered(b"no model")}
        assert refused(work).code in ("hub_answer", "hub_missing", "hub_busy", "hub_wrong", "hub_cut")
        assert server.left.wait(30)
        assert server.sent[word] < ENDLESS // 2


def test_packed_bytes_are_not_unpacked(models: HubFolder, server: Hub, published: Path) -> None:
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    for word, work, code in (
        ("/api/", lambda: models.plan(ID), "hub_answer"),
        ("config.json", lambda: models.fetch(models.plan(ID)), "hub_cut"),  # there are fewer bytes of it
    ):
        body = server.info(ID) if word == "/api/" else None
        found = gzip.compress(json.dumps(body).encode() if body else (published / ID / word).read_bytes())
        server.behaviour.instead = {word: lambda write, found=found: write(head % len(found) + found)}
        assert refused(work).code == code


@pytest.mark.parametrize("drip", DRIPS)
@pytest.mark.usefixtures("hasty")
def test_a_dripping_answer_is_broken_off(models: HubFolder, server: Hub, drip: str) -> None:
    plan = models.plan(ID)
    for word, work in (("/api/", lambda: models.plan(ID)), ("/storage/", lambda: models.fetch(plan))):
        server.left.clear()
        server.behaviour.instead = {word: dripping(*DRIPS[drip])}
        problem = refused(work)
        assert (problem.code, problem.details) == ("hub_slow", {"value": ID})
        assert server.left.wait(30)  # no thread and no connection stay behind
    assert [one.name for one in models.path.iterdir()] == [".turn"]


@pytest.mark.usefixtures("hasty")
def test_a_byte_for_each_connection_is_too_slow(models: HubFolder, server: Hub, published: Path) -> None:
    found = (published / ID / WEIGHTS).read_bytes()
    at = iter(range(len(found)))

    def send(write: Write) -> None:
        place = next(at)
        status = b"HTTP/1.1 206 Partial Content\r\n" if place else OK
        write(status + b"Content-Length: %d\r\n\r\n" % (len(found) - place) + found[place : place + 1])

    server.behaviour.instead = {"/storage/": send}
    assert refused(lambda: models.fetch(models.plan(ID))).code == "hub_slow"


def test_a_file_begins_anew_a_few_times_only(models: HubFolder, server: Hub, published: Path) -> None:
    found = (published / ID / WEIGHTS).read_bytes()
    connections: list[int] = []

    def send(write: Write) -> None:  # each brings a little more than the one before
        connections.append(len(found) // 2 + len(connections))
        write(OK + b"Content-Length: %d\r\n\r\n" % len(found) + found[: connections[-1]])

    server.behaviour.instead = {"/storage/": send}
    assert refused(lambda: models.fetch(models.plan(ID))).code == "hub_cut"
    assert len(connections) <= 5


def test_redirects_without_end_are_left(models: HubFolder, server: Hub) -> None:
    plan = models.plan(ID)
    for word, work in (("/api/", lambda: models.plan(ID)), ("/resolve/", lambda: models.fetch(plan))):
        server.asked.clear()
        head = f"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: {word}again\r\n\r\n".encode()
        server.behaviour.instead = {word: lambda write, head=head: write(head)}
        assert refused(work).code == "hub_busy"
        assert len(server.asked) < 20


@pytest.mark.parametrize("location", ["http://[", "ftp://127.0.0.1/x", "file:///etc/passwd", "//", "\x00"])
def test_an_odd_place_is_no_place(models: HubFolder, server: Hub, location: str) -> None:
    head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: %s\r\n\r\n" % location.encode()
    server.behaviour.instead = {"/api/": lambda write: write(head)}
    assert refused(lambda: models.plan(ID)).code in ("hub_cut", "hub_busy", "hub_answer", "hub_offline")


@pytest.mark.parametrize(
    "change",
    [
        {"siblings": 5}, {"siblings": {"rfilename": "config.json"}}, {"siblings": [5, None, [], {"rfilename": 7}]},
        {"siblings": None}, {"sha": None}, {"sha": ["0" * 40]}, {"sha": "0" * 41}, {"safetensors": [1]},
    ],
)  # fmt: skip
def test_an_odd_description_is_refused(models: HubFolder, server: Hub, change: dict[str, Any]) -> None:
    server.behaviour.instead = {"/api/": answered(json.dumps(server.info(ID) | change).encode())}
    if "safetensors" in change:
        assert models.plan(ID).loaded_bytes > 0
    else:
        assert refused(lambda: models.plan(ID)).code in ("hub_answer", "hub_unfit", "hub_wrong")


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"5", b"null", b"\xff", b'"a"', b"[" * 2**20, b'{"a":' * 2**17, b"9" * 5000, b'{"sha": 1e999}'],
)
def test_no_description_is_said(models: HubFolder, server: Hub, body: bytes) -> None:
    server.behaviour.instead = {"/api/": answered(body)}
    assert refused(lambda: models.plan(ID)).code in ("hub_answer", "hub_unfit")


@pytest.mark.parametrize("written", ["1e400", "NaN", "-1", "true", "9" * 4000, '"5"', "[1]", "{}", "null"])
def test_an_odd_number_is_none(models: HubFolder, server: Hub, written: str) -> None:
    info = server.info(ID)
    weights = next(one for one in info["siblings"] if one["rfilename"] == WEIGHTS)
    bytes_there = weights["size"]
    weights["size"] = "NUMBER"
    found = json.dumps(info).replace('"NUMBER"', written, 1)
    server.behaviour.instead = {"/api/": answered(found.encode())}
    assert refused(lambda: models.plan(ID)).code == "hub_wrong"
    weights["size"] = bytes_there
    info["safetensors"] = {"total": "NUMBER"}
    server.behaviour.instead = {"/api/": answered(json.dumps(info).replace('"NUMBER"', written, 1).encode())}
    assert models.plan(ID).loaded_bytes == bytes_there


@pytest.mark.parametrize("drip", ["headers", "informational"])
def test_a_dripping_greeting_is_none(
    models: HubFolder, server: Hub, drip: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert models.is_reachable()
    monkeypatch.setattr(hub_connection, "GREETING", 0.3)
    server.behaviour.instead = {"/": dripping(*DRIPS[drip])}
    assert not models.is_reachable()
    assert server.left.wait(30)
