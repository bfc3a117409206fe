"""A program's call begins when somebody listens for its answer, and ends when nobody does."""

import asyncio
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from tests.alone import alone
from tests.visualiser.server.asking import scope
from visualiser.server.gradio import listeners
from visualiser.server.gradio.calls import Calls
from visualiser.server.gradio.listeners import CallerGone, Listeners

PATIENCE = 20.0
EVENT, SESSION = "2a1621b86e0e", "47f544cf-9fae"


class Work:
    """Work without an end that records if it was stopped."""

    stopped = False

    async def __call__(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped = True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check for listeners without a pause."""
    monkeypatch.setattr(listeners, "_LOOK", 0)


async def looks() -> None:
    """Give everything that is due several turns."""
    for _ in range(50):
        await asyncio.sleep(0)


def event_stream() -> Any:
    return scope("GET", f"/gradio_api/call/attention/{EVENT}")


def session_stream() -> Any:
    return scope("GET", "/gradio_api/queue/data", query=f"session_hash={SESSION}")


@pytest.mark.slow
@pytest.mark.parametrize("stream", [event_stream, session_stream])
def test_a_call_is_stopped_when_its_program_has_left(stream: Callable[[], Any], often: None) -> None:
    async def visit() -> None:
        here, work = Listeners(), Work()
        with here.listening(stream()):
            call = asyncio.create_task(here.run_while_listening(work(), EVENT, SESSION))
            await looks()
            assert not call.done()
        with pytest.raises(CallerGone):
            await call
        assert work.stopped

    alone(visit(), PATIENCE)


@pytest.mark.parametrize("stream", [event_stream, session_stream])
def test_a_call_begins_as_soon_as_somebody_listens(stream: Callable[[], Any]) -> None:
    async def visit() -> None:
        here = Listeners()
        call = asyncio.create_task(here.wait_for_listener(EVENT, SESSION, "a"))
        with here.listening(scope("GET", "/gradio_api/call/attention/another")):
            await looks()
            assert not call.done()
        with here.listening(stream()):
            await call
            await here.wait_for_listener(EVENT, SESSION, "a")  # and at once if somebody listens already

    alone(visit(), PATIENCE)


def test_a_call_for_which_nobody_begins_to_listen_never_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "NEVER", 0.05)

    async def visit() -> None:
        here = Listeners()
        for _ in range(2):  # nothing of the first is left
            with pytest.raises(CallerGone):
                await here.wait_for_listener(EVENT, SESSION, "a")

    alone(visit(), PATIENCE)


def test_of_too_many_calls_without_a_listener_the_first_of_the_rudest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "UNHEARD", 3)

    async def visit() -> None:
        here = Listeners()
        calls = {}
        for event, address in (("p1", "polite"), ("r1", "rude"), ("r2", "rude"), ("r3", "rude"), ("q1", "quiet")):
            calls[event] = asyncio.create_task(here.wait_for_listener(event, None, address))
            await asyncio.sleep(0)
        await asyncio.wait([calls["r1"], calls["r2"]])
        for event in ("r1", "r2"):
            with pytest.raises(CallerGone):
                await calls[event]
        for event in ("p1", "r3", "q1"):
            with here.listening(scope("GET", f"/gradio_api/call/attention/{event}")):
                await calls[event]

    alone(visit(), PATIENCE)


def test_a_session_may_open_its_stream_anew(monkeypatch: pytest.MonkeyPatch, often: None) -> None:
    monkeypatch.setattr(listeners, "time", Mock(monotonic=(clock := Clock())))

    async def visit() -> None:
        here, work = Listeners(), Work()
        with here.listening(session_stream()):
            call = asyncio.create_task(here.run_while_listening(work(), EVENT, SESSION))
            await looks()
        clock.now += listeners.BETWEEN / 2
        await looks()
        with here.listening(session_stream()):
            await looks()
            clock.now += 2 * listeners.BETWEEN
            await looks()
            assert not call.done()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        assert work.stopped

    alone(visit(), PATIENCE)


def test_an_answer_and_a_failure_are_handed_on() -> None:
    async def answers() -> int:
        return 7

    async def fails() -> int:
        raise ArithmeticError("seven")

    async def visit() -> None:
        here = Listeners()
        assert await here.run_while_listening(answers(), EVENT, None) == 7
        with pytest.raises(ArithmeticError, match="seven"):
            await here.run_while_listening(fails(), EVENT, None)

    alone(visit(), PATIENCE)


@pytest.mark.parametrize(
    ("stream", "heard"),
    [
        (event_stream(), True),
        (scope("GET", f"/gradio_api/call/v2/why/{EVENT}"), True),
        (scope("POST", f"/gradio_api/call/why/{EVENT}"), False),
        (scope("GET", "/gradio_api/queue/data", query="session_hash=another"), False),
        (scope("GET", f"/{EVENT}"), False),
    ],
)
def test_who_listens_is_read_from_the_request(stream: Any, heard: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "NEVER", 0.05)

    async def visit() -> None:
        left = asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await left.wait()

        answering = asyncio.create_task(Calls(app)(stream, asyncio.Event().wait, asyncio.Event().wait))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        if heard:
            await listeners.listeners.wait_for_listener(EVENT, None, "a")
        else:
            with pytest.raises(CallerGone):
                await listeners.listeners.wait_for_listener(EVENT, None, "a")
        left.set()
        if stream["method"] == "POST":
            answering.cancel()
        await asyncio.wait([answering])

    alone(visit(), PATIENCE)
