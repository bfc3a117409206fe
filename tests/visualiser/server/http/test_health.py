"""Health: a process is ready once all is compressed and until it is told to end; it is live while it answers."""

import pytest
from starlette.testclient import TestClient

from visualiser.server.http import health
from visualiser.server.http.addresses import PREFIX
from visualiser.server.live.routes import OwnRoutes


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> health.Health:
    """Return a process that has just started."""
    fresh = health.Health()
    monkeypatch.setattr(health, "_process", fresh)
    return fresh


@pytest.fixture
def client() -> TestClient:
    """Return a client of our own routes, as they stand before gradio's."""

    async def nobody(*_: object) -> None:
        raise AssertionError("no route of ours")

    return TestClient(OwnRoutes(nobody))


def asked(client: TestClient) -> tuple[int, str]:
    answer = client.get(f"{PREFIX}/ready")
    body = answer.json()
    assert body["ready"] == (answer.status_code == 200)
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, body["phase"]


def test_a_process_is_ready_between_its_start_and_its_end(process: health.Health, client: TestClient) -> None:
    assert asked(client) == (503, "starting")
    process.serving()
    assert asked(client) == (200, "serving")
    process.draining()
    assert asked(client) == (503, "draining")


def test_a_process_that_ends_while_it_starts_is_never_ready(process: health.Health, client: TestClient) -> None:
    process.draining()
    process.serving()
    assert asked(client) == (503, "draining")


@pytest.mark.parametrize("step", ["serving", "draining"])
def test_a_process_lives_whatever_it_is_ready_for(process: health.Health, client: TestClient, step: str) -> None:
    assert client.get(f"{PREFIX}/live").json() == {"live": True}
    getattr(process, step)()
    assert client.get(f"{PREFIX}/live").status_code == 200


@pytest.mark.parametrize("route", ["live", "ready"])
def test_probes_that_read_no_body_are_answered(process: health.Health, client: TestClient, route: str) -> None:
    process.serving()
    answer = client.head(f"{PREFIX}/{route}")
    assert (answer.status_code, answer.content) == (200, b"")
