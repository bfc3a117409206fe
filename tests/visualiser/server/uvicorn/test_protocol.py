"""Connections that stand still, in both of uvicorn's protocols, over real sockets."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from visualiser.server.http.connections import Bounds, Connections
from visualiser.server.uvicorn.protocol import Bounded, bounded

REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
PROTOCOLS = (H11Protocol, HttpToolsProtocol)


@contextmanager
def serving(
    protocol: type[asyncio.Protocol], bounds: Bounds, left: list[str] | None = None, app: Any = None
) -> Iterator[tuple[str, int]]:
    """Serve `app`, or one small answer, in a thread. At its end no connection may be left.

    Without `app`, /wait answers nothing, and its query is in `left` once the client has left.
    """

    async def answer(scope, receive, send) -> None:
        assert scope["type"] == "http"
        if scope["path"] == "/wait":
            while (await receive())["type"] != "http.disconnect":
                pass
            assert left is not None
            left.append(scope["query_string"].decode())
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    everyone = Connections(bounds)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app or answer, http=bounded(protocol, everyone), lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()
    finally:
        server.should_exit = True
        thread.join()
        assert everyone.count == everyone.heads == 0
        assert not everyone._waiting


def answered(connection: socket.socket) -> bool:
    """True if a request on this connection is answered."""
    try:
        connection.sendall(REQUEST)
        given = b""
        while not given.endswith(b"ok"):
            piece = connection.recv(4096)
            if not piece:
                return False
            given += piece
    except OSError:
        return False
    return given.startswith(b"HTTP/1.1 200")


def ended(connection: socket.socket) -> bytes:
    """Return all bytes until the server closes."""
    given = b""
    with closing(connection):
        try:
            while piece := connection.recv(4096):
                given += piece
        except ConnectionError:
            pass
    return given


def test_uvicorn_takes_up_the_parser_that_is_installed_for_it():
    assert uvicorn.Config(app=lambda: None, log_config=None).http == "auto"
    assert issubclass(AutoHTTPProtocol, HttpToolsProtocol)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_idle_connections_keep_nobody_out(protocol):
    with serving(protocol, Bounds(most=20)) as address, ExitStack() as stack:
        idle = [stack.enter_context(closing(socket.create_connection(address, timeout=20))) for _ in range(60)]
        with closing(socket.create_connection(address, timeout=20)) as newcomer:
            assert answered(newcomer)
            assert answered(newcomer), "and keeps its connection"
        for connection in idle[:41]:
            assert ended(connection) == b""


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: he", REQUEST + b"GET"])
def test_a_head_that_does_not_come_ends_the_connection(protocol, sent):
    with serving(protocol, Bounds(most=20, head=0.1, idle=0.2)) as address:
        connection = socket.create_connection(address, timeout=20)
        connection.sendall(sent)
        assert ended(connection).count(b"200 OK") == sent.count(REQUEST)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_head_without_end_is_refused(protocol):
    with serving(protocol, Bounds(most=20)) as address:
        connection = socket.create_connection(address, timeout=20)
        with closing(connection):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n")
            with pytest.raises(OSError, match=r"reset|pipe"):  # noqa: PT012 (the server closes in the midst)
                for _ in range(1000):
                    connection.sendall(b"X: " + b"x" * 8000 + b"\r\n")
                    time.sleep(0.001)


def test_httptools_answers_few_requests_that_came_together_and_refuses_many():
    with serving(HttpToolsProtocol, Bounds(most=20, pipelined=4)) as address:
        few, many = (socket.create_connection(address, timeout=20) for _ in range(2))
        few.sendall(REQUEST * 4 + REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert ended(few).count(b"200 OK") == 5
        many.sendall(REQUEST * 100)
        assert ended(many).count(b"200 OK") <= 5


def test_both_protocols_carry_the_bounds():
    for protocol in PROTOCOLS:
        assert issubclass(bounded(protocol, Connections(Bounds(most=1))), Bounded)


@pytest.mark.parametrize("last", [REQUEST, b"GET /wait?b HTTP/1.1\r\nHost: here\r\n\r\n"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_request_of_a_lost_connection_hears_of_it(protocol, last):
    left: list[str] = []
    with serving(protocol, Bounds(most=20), left) as address:
        with closing(socket.create_connection(address, timeout=20)) as connection:
            connection.sendall(b"GET /wait?a HTTP/1.1\r\nHost: here\r\n\r\n" + last)
            with closing(socket.create_connection(address, timeout=20)) as other:
                assert answered(other)  # both have been read by now
        while "a" not in left:
            time.sleep(0.01)
    assert left == ["a"]  # the other never began


@pytest.mark.parametrize("endless", [b"a: b\r\n", b"a", b"1;" + b"x" * 4000 + b"\r\na\r\n"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_comes_behind_a_body_is_bounded_like_a_head(protocol, endless):
    with serving(protocol, Bounds(most=20), []) as address:
        connection = socket.create_connection(address, timeout=20)
        connection.sendall(b"POST /wait HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
        if not endless.startswith(b"1;"):
            connection.sendall(b"0\r\n")
            sent, most = 0, 0
            try:
                while sent < 10_000_000:
                    sent += connection.send(endless * (30_000 // len(endless)))
            except OSError:
                most = sent
            assert 0 < most < 10_000_000
        connection.close()


def test_long_heads_together_are_bounded_and_short_ones_come_through():
    bounds = Bounds(most=50, heads_bytes=110_000)
    with serving(HttpToolsProtocol, bounds, []) as address, ExitStack() as stack:
        long = b"GET /wait HTTP/1.1\r\nHost: here\r\nx: " + b"y" * 50_000 + b"\r\n\r\n"
        holding = [stack.enter_context(closing(socket.create_connection(address, timeout=20))) for _ in range(4)]
        for connection in holding[:2]:
            connection.sendall(long)
        with closing(socket.create_connection(address, timeout=20)) as short:
            assert answered(short)
        for connection in holding[:2]:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):  # both are still waited for
                connection.recv(1)
        holding[2].sendall(long)
        assert b"400" in ended(holding[2])
        holding[3].sendall(long[:20_000])
        assert b"400" in ended(holding[3])
        with closing(socket.create_connection(address, timeout=20)) as short:
            assert answered(short)
