"""gradio's queue forgets finished calls, and no others."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from gradio import queueing

from tests.alone import alone
from tests.visualiser.server.asking import scope
from visualiser.server.admission.clients import UNKNOWN
from visualiser.server.gradio.listeners import Listeners
from visualiser.server.gradio.queue import KEPT, MOST, STATISTICS, Messages, QueueCleaner, asked_by, harden
from visualiser.server.gradio.sessions import SESSIONS

ROOT = Path(__file__).resolve().parents[4]
CALLS = """
from fastapi.testclient import TestClient
from gradio.routes import App
from visualiser.pages.shell import build, launch_options
from visualiser.server.admission.clients import UNKNOWN
from visualiser.server.gradio import queue as module
from visualiser.server.gradio.queue import STATISTICS

DATA = [4, 0, 1, [1, 2], "mechanisms", 64]
demo = build()
options = launch_options(demo)
demo.state_session_capacity = options["state_session_capacity"]
app = App.create_app(demo, app_kwargs=options["app_kwargs"])
with TestClient(app) as program:
    program.get("/gradio_api/startup-events")  # the queue begins with it
    for number in range(STATISTICS + 1):
        event = program.post("/gradio_api/call/why", json={"data": DATA}).json()["event_id"]
        assert "event: complete" in program.get(f"/gradio_api/call/why/{event}").text, number
    module._PAUSE = 0  # it looks at once
    program.post("/gradio_api/call/why", json={"data": DATA})
queue = demo._queue
del queue.pending_messages_per_session["a session that another stream forgot"]
print(len(app.state_holder.session_data), len(queue.pending_event_ids_session), len(queue.pending_messages_per_session))
print(len(queue.event_analytics))
"""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Queue:
    """The part of a queue that `QueueCleaner` reads: one session of each kind, each with messages."""

    def __init__(self) -> None:
        self.pending_event_ids_session = {"heard": set(), "unheard": {"e1"}, "working": {"e2"}, "streaming": set()}
        self.pending_messages_per_session = Messages()
        for session in self.pending_event_ids_session:
            self.pending_messages_per_session[session] = asyncio.Queue()
        self.event_ids_to_events = {"e2": None}
        self.active_jobs = [None, [Mock(_id="e2")]]
        self.event_queue_per_concurrency_id: dict[str, Mock] = {}


@pytest.fixture
def queue() -> Any:
    return Queue()


def test_what_is_over_is_forgotten_and_a_result_waits_a_minute(queue: Any) -> None:
    here, clock = Listeners(), Clock()
    cleaner = QueueCleaner(here, clock)
    with here.listening(scope("GET", "/gradio_api/queue/data", query="session_hash=streaming")):
        cleaner.look(queue)
        left = {"unheard", "working", "streaming"}
        assert set(queue.pending_event_ids_session) == set(queue.pending_messages_per_session) == left
        clock.now = KEPT - 1
        cleaner.look(queue)
        assert set(queue.pending_event_ids_session) == left
        clock.now = KEPT + 1
        cleaner.look(queue)
        assert set(queue.pending_event_ids_session) == {"working", "streaming"}
    clock.now += 2
    cleaner.look(queue)
    assert set(queue.pending_event_ids_session) == set(queue.pending_messages_per_session) == {"working"}


def test_a_result_that_is_fetched_by_its_event_stays(queue: Any) -> None:
    here, clock = Listeners(), Clock()
    cleaner = QueueCleaner(here, clock)
    with here.listening(scope("GET", "/gradio_api/call/why/e1")):
        for clock.now in (0.0, KEPT + 1, 2 * KEPT):
            cleaner.look(queue)
        assert "unheard" in queue.pending_event_ids_session


def test_a_call_that_gradio_lost_is_forgotten_after_a_minute(queue: Any) -> None:
    """After a second cancellation gradio no longer notes a call's end."""
    queue.pending_event_ids_session["waiting"] = {"e3"}
    queue.event_queue_per_concurrency_id["line"] = Mock(queue=[Mock(_id="e3")])
    queue.event_ids_to_events |= {"e1": None, "e3": None}
    cleaner = QueueCleaner(Listeners(), clock := Clock())
    cleaner.look(queue)
    clock.now = KEPT - 1
    cleaner.look(queue)
    assert set(queue.event_ids_to_events) == {"e1", "e2", "e3"}
    clock.now = KEPT
    cleaner.look(queue)
    assert set(queue.event_ids_to_events) == {"e2", "e3"}
    assert set(queue.pending_event_ids_session) == {"working", "waiting"}


def test_messages_of_a_session_without_calls_are_forgotten(queue: Any) -> None:
    """gradio forgets the calls of a closed stream, but not its messages."""
    queue.pending_messages_per_session["closed"] = asyncio.Queue()
    QueueCleaner(Listeners(), Clock()).look(queue)
    assert "closed" not in queue.pending_messages_per_session


def test_of_many_results_that_nobody_fetches_the_rudest_address_loses_its_first(queue: Any) -> None:
    for number in range(MOST):
        asked_by.set("192.0.2.8")
        queue.pending_event_ids_session[f"rude {number}"] = {f"c{number}"}
        queue.pending_messages_per_session[f"rude {number}"] = asyncio.Queue()
    QueueCleaner(Listeners(), Clock()).look(queue)
    left = {"working", "unheard", *(f"rude {number}" for number in range(1, MOST))}
    assert set(queue.pending_event_ids_session) == set(queue.pending_messages_per_session) == left


@pytest.fixture
def gradios() -> queueing.Queue:
    """Return gradio's own queue, hardened."""

    async def made() -> queueing.Queue:  # without a running loop, gradio opens one and leaves it open
        blocks: Any = None
        return queueing.Queue(True, concurrency_count=1, update_intervals=1, max_size=None, blocks=blocks)

    queue = alone(made())
    harden(queue)
    return queue


def test_new_sessions_push_no_other_out(gradios: queueing.Queue) -> None:
    for number in range(2500):
        gradios.pending_messages_per_session[f"{number}"] = asyncio.Queue()
    assert "0" in gradios.pending_messages_per_session


def test_a_session_that_is_gone_stops_no_queue(gradios: queueing.Queue) -> None:
    line = gradios.event_queue_per_concurrency_id["line"] = queueing.EventQueue("line", 1)
    line.queue.append(queueing.Event("gone", Mock(concurrency_id="line"), Mock(), None))
    gradios.broadcast_estimations("line")
    assert "gone" not in gradios.pending_messages_per_session


def test_an_empty_queue_looks_fifty_times_a_second_not_a_thousand(
    gradios: queueing.Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def paused(seconds: float) -> None:
        pauses.append(seconds)
        gradios.stopped = len(pauses) == 3

    monkeypatch.setattr("gradio.queueing.asyncio.sleep", paused)
    alone(gradios.start_processing())
    assert pauses == [0.02] * 3


def test_a_session_is_its_first_askers_until_it_is_forgotten(gradios: queueing.Queue) -> None:
    messages = gradios.pending_messages_per_session
    assert isinstance(messages, Messages)
    for address, after in (("192.0.2.8", "192.0.2.8"), ("192.0.2.9", "192.0.2.8")):
        asked_by.set(address)
        messages["shared"] = asyncio.Queue()
        assert messages.address("shared") == after
    del messages["shared"]
    assert messages.address("shared") == UNKNOWN


def test_statistics_that_nobody_reads_are_not_worked_out(
    gradios: queueing.Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gradio would make a pandas table at the end of each call."""
    monkeypatch.setattr(gradios, "_get_df", Mock(side_effect=AssertionError("pandas")))
    gradios.events_recorded = 10**6
    assert gradios.compute_analytics_summary([{"function": "why", "status": "success"}]) == {"functions": {}}


def test_two_streams_of_one_session_may_end(gradios: queueing.Queue) -> None:
    gradios.pending_messages_per_session["shared"] = asyncio.Queue()
    del gradios.pending_messages_per_session["shared"]
    del gradios.pending_messages_per_session["shared"]
    assert not gradios.pending_messages_per_session


@pytest.mark.night
@pytest.mark.slow
def test_many_calls_leave_a_few_sessions_behind() -> None:
    """Runs in a separate process: gradio leaves event loops open that belong to no test."""
    done = subprocess.run([sys.executable, "-c", CALLS], cwd=ROOT, capture_output=True, text=True, check=True)
    states, sessions, messages, statistics = map(int, done.stdout.split())
    assert states <= SESSIONS
    assert sessions == messages < STATISTICS
    assert statistics == STATISTICS
