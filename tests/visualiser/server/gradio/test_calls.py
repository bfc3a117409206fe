"""Requests to gradio's own routes: bounded, and never a text that gradio could not quote."""

import json
from unittest.mock import Mock

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from tests.alone import alone
from tests.visualiser.server.asking import Reply, answer, scope
from visualiser import locale
from visualiser.server.admission.entry import admission
from visualiser.server.gradio.calls import Calls
from visualiser.server.gradio.queue import PENDING
from visualiser.server.live.body import HEADER_LIMIT


class Body(BaseModel):
    data: list[str]
    session_hash: str | None = None
    event_id: str | None = None


app = FastAPI()


@app.post("/call")
async def call(body: Body) -> Body:
    return body


def sent(body: bytes, app_: object = None) -> Reply:
    asked = scope("POST", "/call", content_type="application/json", app=app_)
    return alone(answer(Calls(app), asked, body))


@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF x", r"\udc00\ud800"])
def test_half_a_surrogate_pair_is_refused_in_words_where_it_is_wrong(half: str) -> None:
    wrong = sent(b'{"data": {"a": "%s"}}' % half.encode())
    assert wrong.status == 422
    assert "\ufffd" in wrong.body.decode()
    right = sent(b'{"data": ["%s"]}' % half.encode())
    assert right.status == 200
    assert "\ufffd" in json.loads(right.body)["data"][0]


@pytest.mark.parametrize("body", [b'{"data": ["a", "\\ud83d\\ude00 \xed\x95\x9c"]}', b'{"data":   []}'])
def test_everything_else_arrives_as_it_was_sent(body: bytes) -> None:
    assert json.loads(sent(body).body)["data"] == json.loads(body)["data"]


@pytest.mark.parametrize("key", ["session_hash", "event_id"])
@pytest.mark.parametrize("name", ["x" * 65, "", "a<gradio-sep>b", "세션", "a\n", 7, ["a"]])
def test_a_name_that_gradio_must_not_keep_is_refused(key: str, name: object) -> None:
    refused = sent(json.dumps({"data": [], key: name}).encode())
    assert (refused.status, json.loads(refused.body)) == (400, {"message": locale.text("en", "error.bad_request")})


@pytest.mark.parametrize("name", ["mk1xq7a0b4", "1d0e36a2-4d1c-4f3b-9f5e-2a3c0f5b9d11", "f" * 64, None])
def test_names_as_programs_give_them_arrive(name: str | None) -> None:
    payload = {"data": [], "session_hash": name, "event_id": name}
    assert json.loads(sent(json.dumps(payload).encode()).body) == payload


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 20_000 + b"]" * 20_000, b"\xff"])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    assert sent(body).status in (400, 422)


def test_a_session_hears_its_results_before_it_calls_again() -> None:
    queue = Mock(pending_event_ids_session={"few": set(range(PENDING - 1)), "many": set(range(PENDING))})
    queue.configure_mock(pending_messages_per_session={}, event_ids_to_events={}, active_jobs=[])
    queue.event_queue_per_concurrency_id = {}
    gradio = Mock(blocks=Mock(_queue=queue))

    def status(session: str, **fields: object) -> int:
        return sent(json.dumps({"session_hash": session, **fields}).encode(), gradio).status

    assert status("few", data=[]) == status("new", data=[]) == 200
    assert status("many", data=[]) == 503
    assert status("many", event_id="cancelled") == 422  # not a call, so the app answers it


def test_more_than_the_bound_is_refused_before_it_is_kept() -> None:
    long = sent(b'{"data": ["%s"]}' % (b"x" * HEADER_LIMIT))
    assert long.status == 413
    assert json.loads(long.body)["message"]
    assert sent(b'{"data": ["%s"]}' % (b"x" * (HEADER_LIMIT - 20))).status == 200
    assert admission().bodies.taken == 0
