"""Thirty seconds: a stalled body is refused, an unread answer is closed, and both return what they held.

No test waits so long: it moves the loop's clock.
"""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from fastapi import FastAPI

from tests.raw_http import packed, request
from tests.visualiser.server.asking import Reply, scope
from tests.visualiser.server.uvicorn.test_protocol import PROTOCOLS, ended, serving
from visualiser import locale
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.shared_answers import SharedAnswers
from visualiser.server.http import connections
from visualiser.server.http.connections import Bounds
from visualiser.server.live import body, routes
from visualiser.server.live.routes import PREFIX, ROUTES
from visualiser.upload import FILE_LIMIT

APP = FastAPI(routes=[*ROUTES])
PIECE = 64 * 1024
PATIENCE = 20.0
LARGE = {"content_length": str(FILE_LIMIT)}


class Loop(asyncio.SelectorEventLoop):
    """A loop whose clock can be moved."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    def later(self, seconds: float) -> None:
        """Let so many seconds pass at once."""
        self.ahead += seconds


def in_own_loop(visit: Callable[[Loop], Coroutine[Any, Any, Any]]) -> Any:
    """Run in a separate thread: playwright's loop lives in the main thread, where no other may start."""

    def run() -> Any:
        with asyncio.Runner(loop_factory=Loop) as runner:
            loop = runner.get_loop()
            assert isinstance(loop, Loop)
            too_long = threading.Timer(PATIENCE, lambda: loop.call_soon_threadsafe(loop.stop))
            too_long.start()
            try:
                return runner.run(visit(loop))
            finally:
                too_long.cancel()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


async def posted(receive: Callable[[], Coroutine[Any, Any, Any]], address: str = "192.0.2.7", **headers: str) -> Reply:
    """Return the answer of the upload's route to a body that comes through `receive`."""
    asked = scope("POST", f"{PREFIX}/upload", "name=a.npz&lang=en", **headers)
    asked["client"] = (address, 4711)
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    await APP(asked, receive, send)
    return Reply(messages[0]["status"], {}, b"".join(message.get("body", b"") for message in messages))


def coming(body: bytes = b"", *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Admission:
    """Return lines of this test alone."""
    own = Admission(2**30, 2)
    for module in (body, routes):
        monkeypatch.setattr(module, "admission", lambda: own)
    return own


def everything_is_back(lines: Admission) -> bool:
    """True if nobody holds or waits for anything."""
    shares = (lines.compute, lines.quick, lines.bodies, lines.long)
    each = (lines.small, lines.light, lines.heavy, lines.runs, lines.batches, lines.uploads)
    return not any(share.taken for share in shares) and not any(line.working or line.waiting for line in each)


def assert_given_up(payload: Reply) -> None:
    assert payload.status == 408
    assert json.loads(payload.body) == {"message": locale.text("en", "error.body_stalled")}


@pytest.mark.parametrize("before", [0, PIECE - 1, PIECE, 3 * PIECE])
def test_a_body_that_does_not_come_on_is_given_up(lines: Admission, before: int) -> None:
    held = []

    async def visit(loop: Loop) -> Reply:
        pieces = [coming(bytes(before))] if before else []

        async def receive() -> Any:
            if pieces:
                return pieces.pop()
            held.append(lines.bodies.taken)
            loop.later(body.STALL_SECONDS + 1)
            return await asyncio.Event().wait()

        return await posted(receive, **LARGE)

    assert_given_up(in_own_loop(visit))
    assert held == [FILE_LIMIT]
    assert everything_is_back(lines)


@pytest.mark.parametrize(("size", "status"), [(PIECE, 422), (PIECE // 4, 408)], ids=["steadily", "drop by drop"])
def test_a_slow_body_is_read_and_one_that_drips_is_not(lines: Admission, size: int, status: int) -> None:
    """Twenty seconds between two pieces: 64 kB in each are progress, a quarter of that is not."""
    left = [coming(bytes(size), more=number > 0) for number in range(8)]

    async def visit(loop: Loop) -> Reply:
        async def receive() -> Any:
            if not left:
                return await asyncio.Event().wait()
            loop.later(20)
            await asyncio.sleep(0)  # let a due time-out happen
            return left.pop()

        return await posted(receive, **LARGE)

    assert in_own_loop(visit).status == status  # 422: it came whole, and is no valid file
    assert everything_is_back(lines)


def test_a_body_that_waits_for_memory_is_given_up_too(lines: Admission) -> None:
    lines.bodies.change("somebody else", lines.bodies.total)

    async def visit(loop: Loop) -> Reply:
        async def receive() -> Any:
            raise AssertionError("it is not read before its turn")

        waiting = asyncio.create_task(posted(receive, **LARGE))
        while not lines.uploads.waiting:
            await asyncio.sleep(0)
        loop.later(body.STALL_SECONDS + 1)
        return await waiting

    assert_given_up(in_own_loop(visit))
    lines.bodies.change("somebody else", -lines.bodies.total)
    assert everything_is_back(lines)


@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("addresses", [1, 50])
def test_fifty_large_bodies_hold_no_more_than_their_share(lines: Admission, stated: bool, addresses: int) -> None:
    """A body without a stated length counts as the largest."""
    answered: list[int] = []
    read = 0

    async def visit(loop: Loop) -> None:
        go_on = asyncio.Event()

        async def one(number: int) -> None:
            body = [coming(more=False)]

            async def receive() -> Any:
                nonlocal read
                if not body:
                    return await asyncio.Event().wait()
                read += 1
                await go_on.wait()
                assert lines.bodies.taken <= lines.bodies.total
                return body.pop()

            headers = {**(LARGE if stated else {}), "x_headlight_tab": f"tab-of-visitor-{number:04}"}
            received = await posted(receive, f"192.0.2.{number % addresses}", **headers)
            answered.append(received.status)

        bodies = [asyncio.create_task(one(number)) for number in range(50)]
        while lines.uploads.working + lines.uploads.waiting < 50 or read < lines.uploads.working:
            await asyncio.sleep(0)
        most = lines.bodies.total if addresses > 1 else 0.5 * lines.bodies.total
        assert most - FILE_LIMIT < lines.bodies.taken <= most
        assert read == lines.uploads.working == most // FILE_LIMIT
        go_on.set()
        await asyncio.gather(*bodies)

    in_own_loop(visit)
    assert answered == [422] * 50
    assert everything_is_back(lines)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("route", ["page/explore", "take-away/explore/cells"])
def test_an_answer_that_nobody_reads_is_closed_and_gives_back(
    lines: Admission, protocol: type[asyncio.Protocol], route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_LOOK", 0.05)
    monkeypatch.setattr(routes, "_shared", SharedAnswers(0))  # without other tests' answers
    taken, over = [], threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        async def noting(message: Any) -> None:
            taken.append(lines.compute.taken + lines.quick.taken)
            await send(message)

        try:
            await APP(scope, receive, noting)
        finally:
            over.set()

    with serving(protocol, Bounds(most=20, stalled=0.3), app=app) as address, closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(address)
        connection.sendall(request("POST", f"{PREFIX}/{route}", packed({"query": "n=512&h=16&lang=en"})))
        assert over.wait(PATIENCE)
        until = time.monotonic() + PATIENCE  # a place is returned soon after its thread has ended
        while not everything_is_back(lines) and time.monotonic() < until:
            time.sleep(0.01)
        assert everything_is_back(lines)
        given = ended(connection)
    assert max(taken) > 0
    assert given.startswith(b"HTTP/1.1 200 OK")
    assert not given.endswith(b"\r\n0\r\n\r\n"), "a part, which does not end as if it were the whole file"
