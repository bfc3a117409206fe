"""Programs' calls through the whole app: without a listener nothing is computed, and nobody is kept out."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from visualiser.server.admission.threads import OTHERS
from visualiser.server.gradio.listeners import UNHEARD

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[4]
BEGUN = """
import json
import time
from anyio.to_thread import current_default_thread_limiter
from fastapi.testclient import TestClient
from gradio.routes import App
from visualiser.pages import admitted, shell
from visualiser.server.gradio import listeners

begun = []
run_in_turn = admitted.run_in_turn
admitted.run_in_turn = lambda *given: begun.append(1) or run_in_turn(*given)
demo = shell.build()
options = shell.launch_options(demo)
demo.state_session_capacity = options["state_session_capacity"]
demo._queue.max_thread_count = options["max_threads"]
app = App.create_app(demo, app_kwargs=options["app_kwargs"])

def post(address, body=None, name="why"):
    response = program.post(f"/gradio_api/call/{name}", json=body or {"data": [4, 0, 1, [1, 2], "mechanisms", 64]},
                        headers={"X-Forwarded-For": address})
    assert response.status_code == 200, response.text
    return response.json()["event_id"]

def hear(event, name="why"):
    return program.get(f"/gradio_api/call/{name}/{event}").text

with TestClient(app) as program:
    program.get("/gradio_api/startup-events")  # the queue begins with it
    found = {}
    polite = post("192.0.2.9")
    rude = [post("192.0.2.8") for _ in range(listeners.UNHEARD + 16)]
    session = post("192.0.2.9", {"data": [4, 0, 1, [1, 2], "mechanisms", 64], "session_hash": "abc"})
    waiting, until = listeners.listeners._unheard, time.monotonic() + 30
    while session not in waiting or rude[0] in waiting or len(waiting) > listeners.UNHEARD:  # each leaves in its turn
        assert time.monotonic() < until, len(waiting)
        time.sleep(0.01)
    found["waiting"] = len(waiting)
    found["begun before anybody listens"] = len(begun)
    found["components written down"] = max(
        len(state.config_values) for state in app.state_holder.session_data.values())
    found["polite"] = hear(polite).count("event: complete")
    found["first of the rude"] = hear(rude[0]).count("event: error")
    found["last of the rude"] = hear(rude[-1]).count("event: complete")
    found["begun"] = len(begun)
    kinds = [json.loads(line[6:])["msg"] for line in program.get("/gradio_api/queue/data?session_hash=abc").iter_lines()
            if line.startswith("data: ")]
    found["session"] = kinds[-2:]
    found["begun at the end"] = len(begun)

    async def tokens():
        return current_default_thread_limiter().total_tokens
    found["threads"] = program.portal.call(tokens)
print(json.dumps(found))
"""


@pytest.mark.night
def test_a_call_begins_when_its_program_listens_and_the_rudest_lose_theirs() -> None:
    """Runs in a separate process: gradio leaves event loops open that belong to no test."""
    environment = {**os.environ, "HEADLIGHT_TRUST_PROXY": "1"}
    done = subprocess.run(
        [sys.executable, "-c", BEGUN], cwd=ROOT, capture_output=True, text=True, check=True, env=environment
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("components written down") < 20
    assert found == {
        "waiting": UNHEARD,
        "begun before anybody listens": 0,
        "polite": 1,
        "first of the rude": 1,
        "last of the rude": 1,
        "begun": 2,
        "session": ["process_completed", "close_stream"],
        "begun at the end": 3,
        "threads": OTHERS,
    }
