"""gradio's queue forgets calls that are over, and no others."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.visualiser.server.asking import scope
from visualiser.server.gradio_queue import KEPT, SESSIONS, Tidy
from visualiser.server.listeners import Listeners

ROOT = Path(__file__).resolve().parents[3]
CALLS = """
import time
from fastapi.testclient import TestClient
from gradio.routes import App
from visualiser.pages.shell import build, launch_options
from visualiser.server.gradio_queue import SESSIONS

demo = build()
options = launch_options(demo)
demo.state_session_capacity = options["state_session_capacity"]
app = App.create_app(demo, app_kwargs=options["app_kwargs"])
with TestClient(app) as program:
    program.get("/gradio_api/startup-events")  # the queue begins with it
    for number in range(4 * SESSIONS):
        event = program.post("/gradio_api/call/why", json={"data": [4, 0, 1, [1, 2]]}).json()["event_id"]
        assert "event: complete" in program.get(f"/gradio_api/call/why/{event}").text, number
    time.sleep(1.1)
    program.post("/gradio_api/call/why", json={"data": [4, 0, 1, [1, 2]]})
queue = demo._queue
print(len(app.state_holder.session_data), len(queue.pending_event_ids_session), len(queue.pending_messages_per_session))
"""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Queue:
    """What `Tidy` looks at: one session a kind, each with messages."""

    def __init__(self) -> None:
        self.pending_event_ids_session = {"heard": set(), "unheard": {"e1"}, "working": {"e2"}, "streaming": set()}
        self.pending_messages_per_session = dict.fromkeys(self.pending_event_ids_session)
        self.event_ids_to_events = {"e2": None}


@pytest.fixture
def queue() -> Any:
    return Queue()


def test_what_is_over_is_forgotten_and_a_result_waits_a_minute(queue: Any) -> None:
    here, clock = Listeners(), Clock()
    tidy = Tidy(here, clock)
    with here.listening(scope("GET", "/gradio_api/queue/data", query="session_hash=streaming")):
        tidy.look(queue)
        left = {"unheard", "working", "streaming"}
        assert set(queue.pending_event_ids_session) == set(queue.pending_messages_per_session) == left
        clock.now = KEPT - 1
        tidy.look(queue)
        assert set(queue.pending_event_ids_session) == left
        clock.now = KEPT + 1
        tidy.look(queue)
        assert set(queue.pending_event_ids_session) == {"working", "streaming"}
    clock.now += 2
    tidy.look(queue)
    assert set(queue.pending_event_ids_session) == set(queue.pending_messages_per_session) == {"working"}


def test_a_result_that_is_fetched_by_its_event_stays(queue: Any) -> None:
    here, clock = Listeners(), Clock()
    tidy = Tidy(here, clock)
    with here.listening(scope("GET", "/gradio_api/call/why/e1")):
        for clock.now in (0.0, KEPT + 1, 2 * KEPT):
            tidy.look(queue)
        assert "unheard" in queue.pending_event_ids_session


def test_many_calls_leave_a_few_sessions_behind() -> None:
    """In a process of its own: gradio leaves event loops open that belong to no test."""
    done = subprocess.run([sys.executable, "-c", CALLS], cwd=ROOT, capture_output=True, text=True, check=True)
    states, sessions, messages = map(int, done.stdout.split())
    assert states <= SESSIONS
    assert sessions == messages < 4 * SESSIONS
