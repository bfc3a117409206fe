"""Every route of the installed gradio is known and either open or closed; a new one fails this test."""

import json
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.visualiser.server.asking import answer, scope
from tests.visualiser.server.gradio.whole import whole
from visualiser import locale
from visualiser.pages import shell
from visualiser.server.gradio.surface import MOST_FIELDS, Surface, reachable
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.room_code import code_in_path

OPEN = """
GET /
GET /anatomy
GET /assets/{path:path}
GET /config
GET /config/
GET /cost
GET /favicon.ico
GET /gradio_api/call/v2/{api_name}/{event_id}
GET /gradio_api/call/{api_name}/{event_id}
GET /gradio_api/heartbeat/{session_hash}
GET /gradio_api/info
GET /gradio_api/info/
GET /gradio_api/queue/data
GET /gradio_api/startup-events
GET /gradio_api/theme.css
GET /manifest.json
GET /map
GET /model
GET /robots.txt
GET /static/{path:path}
GET /theme.css
GET /train
GET /why
HEAD /
POST /gradio_api/call/v2/{api_name}
POST /gradio_api/call/v2/{api_name}/
POST /gradio_api/call/{api_name}
POST /gradio_api/call/{api_name}/
POST /gradio_api/cancel
POST /gradio_api/queue/join
POST /gradio_api/reset
POST /gradio_api/reset/
"""
LOGIN = """
GET /logout
POST /login
POST /login/
"""
CLOSED = """
GET /anatomy/
GET /cost/
GET /gradio_api/app_id
GET /gradio_api/app_id/
GET /gradio_api/custom_component/{id}/{environment}/{type}/{file_name}
GET /gradio_api/deep_link
GET /gradio_api/dev/reload
GET /gradio_api/file/{path:path}
GET /gradio_api/file={path_or_url:path}
GET /gradio_api/login_check
GET /gradio_api/login_check/
GET /gradio_api/openapi.json
GET /gradio_api/proxy={url_path:path}
GET /gradio_api/queue/status
GET /gradio_api/run-history/buckets
GET /gradio_api/run-history/records
GET /gradio_api/run-history/records/{endpoint}/{record_id}/assets/{asset_id}
GET /gradio_api/runs
GET /gradio_api/runs/
GET /gradio_api/stream/{session_hash}/{run}/{component_id}/playlist-file
GET /gradio_api/stream/{session_hash}/{run}/{component_id}/playlist.m3u8
GET /gradio_api/stream/{session_hash}/{run}/{component_id}/{segment_id}.{ext}
GET /gradio_api/token
GET /gradio_api/token/
GET /gradio_api/upload_progress
GET /gradio_api/user
GET /gradio_api/user/
GET /gradio_api/vibe-code
GET /gradio_api/vibe-code/
GET /map/
GET /model/
GET /programs
GET /programs/
GET /monitoring
GET /monitoring/summary
GET /monitoring/{key}
GET /openapi.json
GET /pwa_icon
GET /pwa_icon/{size}
GET /svelte/{path:path}
GET /train/
GET /why/
HEAD /gradio_api/file={path_or_url:path}
HEAD /gradio_api/proxy={url_path:path}
HEAD /openapi.json
POST /gradio_api/api/{api_name}
POST /gradio_api/api/{api_name}/
POST /gradio_api/component_server
POST /gradio_api/component_server/
POST /gradio_api/process_recording
POST /gradio_api/run-history/connect
POST /gradio_api/run/{api_name}
POST /gradio_api/run/{api_name}/
POST /gradio_api/stream/{event_id}
POST /gradio_api/stream/{event_id}/close
POST /gradio_api/undo-vibe-edit
POST /gradio_api/undo-vibe-edit/
POST /gradio_api/upload
POST /gradio_api/vibe-code
POST /gradio_api/vibe-code/
POST /gradio_api/vibe-edit
POST /gradio_api/vibe-edit/
POST /gradio_api/vibe-starter-queries
POST /gradio_api/vibe-starter-queries/
"""


def routes(served: Any, prefix: str = "") -> Iterator[str]:
    """Yield every "METHOD path" that an app or router answers, except ours."""
    for route in served.routes:
        if hasattr(route, "original_router"):
            yield from routes(route.original_router, route.include_context.prefix)
        else:
            for method in route.methods:
                if not route.path.startswith(PREFIX):
                    yield f"{method} {prefix}{route.path}"


@pytest.mark.slow
async def test_each_route_of_gradio_is_open_or_closed_on_purpose() -> None:
    app = whole()
    found = set(routes(app))
    assert found == {line for lists in (OPEN, LOGIN, CLOSED) for line in lists.split("\n") if line}
    assert app.get_blocks()._queue.max_size == shell.CALLS_WAITING
    assert [line for line in found if code_in_path(line.split()[1]) is not None] == []  # a class types those


@pytest.mark.parametrize("path", ["/YDGWGH", "/ydg-wgh", "/YDG WGH", "/ydgwgh/"])
def test_a_code_is_open_to_who_types_it(path: str) -> None:
    assert reachable("GET", path)
    assert reachable("HEAD", path)
    assert not reachable("POST", path)
    assert not reachable("GET", f"{path}/x")


def filled(lists: str) -> list[tuple[str, str]]:
    """Return (method, path) of each line, with every field filled."""
    known = {"{path:path}": "js/x", "{api_name}": "why"}
    found = []
    for line in filter(None, lists.split("\n")):
        method, path = line.split()
        found.append((method, re.sub(r"\{[^}]+\}", lambda field: known.get(field[0], "x"), path)))
    return found


async def test_what_is_closed_answers_as_if_it_were_not_there() -> None:
    behind = Surface(PlainTextResponse("gradio"))
    app = SimpleNamespace(auth=None, auth_dependency=None)
    for root in ("", "/lab"):
        for method, path in filled(OPEN):
            assert (await answer(behind, scope(method, root + path, root_path=root, app=app))).body == b"gradio"
        for method, path in filled(CLOSED + LOGIN):
            response = await answer(behind, scope(method, root + path, root_path=root, app=app))
            assert (response.status, response.body) == (404, b'{"detail":"Not Found"}'), path


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/"),
        ("POST", "/"),
        ("GET", "/gradio_api/queue/join"),
        ("GET", "//"),
        ("GET", "/static/../routes.py"),
        ("GET", "/static/ffmpeg/ffmpeg-core.wasm"),
        ("GET", "/gradio_api/queue/data/"),
        ("POST", "/GRADIO_API/queue/join"),
        ("GET", "/gradio_api/mcp/sse"),
        ("GET", "/gradio_api/heartbeat/a/b"),
        ("GET", "/nothing\n/"),
    ],
)
def test_what_lies_beside_an_open_route_is_closed(method: str, path: str) -> None:
    assert not reachable(method, path)


def test_our_own_routes_login_and_mcp_open_what_they_need() -> None:
    assert reachable("POST", f"{PREFIX}/page/explore")
    for method, path in filled(LOGIN):
        assert reachable(method, path, login=True)
    assert not reachable("GET", "/login", login=True)
    assert reachable("POST", "/gradio_api/mcp/", mcp=True)
    assert reachable("GET", "/gradio_api/mcp/", mcp=True)  # to be told that there is no stream
    assert reachable("GET", "/gradio_api/mcp/schema", mcp=True)
    assert not reachable("POST", "/gradio_api/mcp/")
    assert not reachable("GET", "/gradio_api/mcp/sse", mcp=True)
    assert not reachable("POST", "/gradio_api/mcp/messages/", mcp=True)
    assert not reachable("POST", "/gradio_api/mcpx", mcp=True)


async def test_only_our_own_endpoints_can_be_called() -> None:
    for name in shell.ENDPOINTS:
        assert reachable("POST", f"/gradio_api/call/{name}")
        assert reachable("GET", f"/gradio_api/call/v2/{name}/a-b_1")
    for name in ("nothing", "predict", "why2", "lambda"):
        assert not reachable("POST", f"/gradio_api/call/{name}")
        assert not reachable("GET", f"/gradio_api/call/{name}/a-b_1")


async def test_a_query_of_thousands_of_fields_is_read_by_nobody() -> None:
    asked: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["path"])

    for path in ("/", "/why", "/gradio_api/queue/data", f"{PREFIX}/page/explore"):
        response = await answer(Surface(app), scope("GET", path, query="a&" * MOST_FIELDS))
        message = locale.text("en", "error.too_many_fields", came=MOST_FIELDS + 1, limit=MOST_FIELDS)
        assert (response.status, json.loads(response.body)) == (400, {"message": message})
    assert not asked
    await answer(Surface(app), scope("GET", "/", query="&".join("a" * MOST_FIELDS)))
    assert asked == ["/"]
