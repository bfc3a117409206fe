"""A process from its launch to its end: crowds of connections, and the signal to end."""

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import uvicorn

from tests.alone import alone
from tests.ports import free_port
from visualiser.server.uvicorn.serving import listen_in_small_steps

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[4]
APP = """
import asyncio, os, signal, sys, threading, time
import gradio as gr
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from visualiser.server import log
from visualiser.server.uvicorn.serving import serve

async def slow():
    async def parts():
        yield b"begun "
        while not demo.server.should_exit:  # the process is told to end
            await asyncio.sleep(0.01)
        yield b"ended"
    return StreamingResponse(parts())

async def tells():
    print("a visitor's text")
    return "told"

async def endless():
    async def parts():
        while True:
            yield b"."
            await asyncio.sleep(0.1)
    return StreamingResponse(parts())

if "FILES" in os.environ:
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(os.environ["FILES"]),) * 2)
def tell():
    while signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        time.sleep(0.01)
    os.write(1, b"ready\\n")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests without it
log.setup()
threading.Thread(target=tell, daemon=True).start()
with gr.Blocks() as demo:
    gr.Markdown("x")
routes = [APIRoute("/slow", slow), APIRoute("/endless", endless), APIRoute("/tells", tells)]
serve(demo, {"app_kwargs": {"routes": routes}, "quiet": True})
print("served", flush=True)
"""


class Running:
    """The app above in a separate process."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port
        self.open = ExitStack()

    def asks(self, path: str) -> http.client.HTTPResponse:
        connection = self.open.enter_context(closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)))
        connection.request("GET", path)
        return self.open.enter_context(closing(connection.getresponse()))

    def says(self, text: str) -> None:
        """Return once it has written a line that holds this text."""
        assert self.process.stdout is not None
        while text not in (line := self.process.stdout.readline()):
            assert line, f"it ended without {text}"

    def connects(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def ends(self) -> str:
        """Return its output, once it has ended."""
        written, _ = self.process.communicate(timeout=60)
        return written


@contextmanager
def running(**environment: str) -> Iterator[Running]:
    port = free_port()
    given = {"GRADIO_SERVER_PORT": str(port), "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_ANALYTICS_ENABLED": "False"}
    process = subprocess.Popen(
        [sys.executable, "-c", APP],
        cwd=ROOT,
        env=os.environ | given | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    app = Running(process, port)
    with process, app.open:
        try:
            app.says("ready")
            yield app
        finally:
            process.kill()  # does nothing if it has ended


@pytest.mark.night
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_answered_when_the_process_ends(number):
    with running() as app:
        answer = app.asks("/slow")
        assert answer.read(6) == b"begun "
        with closing(app.connects()):  # an idle connection delays nobody
            app.process.send_signal(number)
            assert answer.read() == b"ended"
            written = app.ends()
        assert app.process.returncode == 0
        assert "told to end" in written
        assert "Traceback" not in written
        with pytest.raises(ConnectionRefusedError):
            app.connects()


@pytest.mark.night
def test_what_is_printed_while_visitors_are_served_is_withheld():
    with running() as app:
        assert app.asks("/tells").read() == b'"told"'
        app.process.terminate()
        written = app.ends()
        assert "visitor's text" not in written
        assert "printed: (withheld)" in written


@pytest.mark.night
def test_a_second_ctrl_c_waits_for_nothing():
    with running() as app:
        answer = app.asks("/endless")
        assert answer.read(1) == b"."
        app.process.send_signal(signal.SIGINT)
        app.says("told to end")
        app.process.send_signal(signal.SIGINT)
        app.ends()
        assert app.process.returncode == 0


@pytest.mark.parametrize("steps", range(5))
def test_who_knocks_while_the_door_is_changed_is_let_in(steps):
    """Eight connections are waiting, just accepted or half made when the listening sockets are replaced."""

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"in"})

    async def visit() -> list[bytes]:
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup()
        door = server.servers[0].sockets[0].getsockname()
        visitors = [socket.create_connection(door) for _ in range(8)]
        for _ in range(steps):
            await asyncio.sleep(0)
        await listen_in_small_steps(server)
        answers = []
        for visitor in visitors:
            reader, writer = await asyncio.open_connection(sock=visitor)
            writer.write(b"GET / HTTP/1.0\r\n\r\n")
            answers.append((await asyncio.wait_for(reader.read(), 30))[-2:])
            writer.close()
        await server.shutdown()
        return answers

    assert alone(visit()) == [b"in"] * 8


FEW_FILES = {} if sys.platform == "win32" else {"FILES": "512"}
"""A bound of descriptors below the number of connections, if the system has one."""


@pytest.mark.night
def test_idle_connections_beyond_the_descriptors_keep_nobody_out():
    with running(**FEW_FILES) as app, ExitStack() as stack:
        for _ in range(600):
            stack.enter_context(closing(app.connects()))
        answers: list[int] = []
        visitors = [threading.Thread(target=lambda: answers.append(app.asks("/slow").status)) for _ in range(4)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
        assert answers == [200] * 4
        app.process.send_signal(signal.SIGTERM)
        assert len(app.ends().encode()) < 4000
