"""The Model Context Protocol over plain HTTP: one message, one answer, and no way around the bounds."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message

from tests.visualiser.server.asking import Reply, answer, scope
from visualiser.server import mcp
from visualiser.server.admission.clients import Client
from visualiser.server.front import front
from visualiser.server.http.addresses import MCP
from visualiser.server.live.body import HEADER_LIMIT
from visualiser.server.mcp import Tool, ToolRefused, routes

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


async def doubled(who: Client, given: dict[str, Any]) -> dict[str, Any]:
    if "n" not in given:
        raise ToolRefused("n is missing")
    return {"n": 2 * given["n"], "who": who.address}


def served(call: Callable[[Client, dict[str, Any]], Awaitable[dict[str, Any]]] = doubled) -> Any:
    return front(PlainTextResponse("gradio"), routes([Tool("double", "Double n.", SCHEMA, SCHEMA, call)]))


async def posted(payload: Any, path: str = MCP, app: Any = None) -> Reply:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return await answer(app or served(), scope("POST", path), body)


def asked(method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize("version", mcp.VERSIONS)
async def test_a_program_is_welcomed_in_its_version_of_the_protocol(version: str) -> None:
    found = json.loads((await posted(asked("initialize", protocolVersion=version))).body)
    assert (found["id"], found["result"]["protocolVersion"]) == (1, version)
    assert found["result"]["capabilities"] == {"tools": {}}


async def test_an_unknown_version_is_answered_with_the_newest_known() -> None:
    for version in ("1999-01-01", None, ["x"]):
        found = json.loads((await posted(asked("initialize", protocolVersion=version))).body)
        assert found["result"]["protocolVersion"] == mcp.VERSIONS[0]


@pytest.mark.parametrize("path", [MCP, f"{MCP}/", f"{MCP}/http", f"{MCP}/http/"])
async def test_tools_are_listed_and_called_at_each_address_that_clients_know(path: str) -> None:
    listed = json.loads((await posted(asked("tools/list"), path)).body)["result"]["tools"]
    assert [(one["name"], one["inputSchema"]) for one in listed] == [("double", SCHEMA)]
    received = await posted(asked("tools/call", "a", name="double", arguments={"n": 4}), path)
    assert (received.status, received.headers["content-type"]) == (200, "application/json")
    found = json.loads(received.body)
    assert (found["id"], found["result"]["structuredContent"]) == ("a", {"n": 8, "who": "192.0.2.7"})
    assert json.loads(found["result"]["content"][0]["text"]) == {"n": 8, "who": "192.0.2.7"}


async def test_hugging_face_can_read_the_tools_of_a_space() -> None:
    received = await answer(served(), scope("GET", f"{MCP}/schema"))
    assert json.loads(received.body) == [{"name": "double", "description": "Double n.", "inputSchema": SCHEMA}]


async def test_a_refusal_is_the_tool_s_answer_which_a_model_can_read() -> None:
    found = json.loads((await posted(asked("tools/call", name="double"))).body)["result"]
    assert (found["isError"], found["content"]) == (True, [{"type": "text", "text": "n is missing"}])


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"[" * 100_000, 400, -32700),
        ([asked("ping")], 400, -32600),
        (asked("ping", number=[1]), 400, -32600),
        (asked("ping", number=True), 400, -32600),
        (asked("ping", number=10**40), 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 7}, 400, -32600),
        (asked("resources/list"), 200, -32601),
        (asked("server/discover"), 200, -32601),
        (asked("tools/call", name="halve", arguments={}), 200, -32602),
        (asked("tools/call", name="double", arguments=[1]), 200, -32602),
    ],
)
async def test_what_is_no_message_of_the_protocol_gets_its_error(body: Any, status: int, code: int) -> None:
    found = await posted(body)
    assert (found.status, json.loads(found.body)["error"]["code"]) == (status, code)


async def test_a_notification_gets_no_answer() -> None:
    received = await posted({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (received.status, received.body) == (202, b"")


async def test_there_is_no_stream_to_hold_open_and_no_session_to_end() -> None:
    for method in ("GET", "DELETE"):
        assert (await answer(served(), scope(method, MCP, accept="text/event-stream"))).status == 405


async def test_without_tools_nothing_is_there() -> None:
    app = front(PlainTextResponse("gradio"))
    for method, path in (("POST", MCP), ("GET", MCP), ("GET", f"{MCP}/schema"), ("GET", f"{MCP}/sse")):
        assert (await answer(app, scope(method, path))).status == 404


async def test_the_bounds_of_our_other_routes_hold() -> None:
    received = await posted(b" " * (HEADER_LIMIT + 1))
    assert received.status == 413
    foreign = scope("POST", MCP, origin="https://elsewhere.example")
    assert (await answer(served(), foreign, b"{}")).status == 403
    assert "default-src 'none'" in received.headers["content-security-policy"]


async def test_a_call_stops_when_its_program_leaves() -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    async def endless(who: Client, given: dict[str, Any]) -> dict[str, Any]:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return given

    bodies = [json.dumps(asked("tools/call", name="double", arguments={})).encode()]

    async def receive() -> Message:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        await started.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError(f"nothing is known yet, and {message} is sent")

    async with asyncio.timeout(20):
        await served(endless)(scope("POST", MCP), receive, send)
    assert stopped.is_set()


async def test_a_long_wait_shows_signs_of_life_that_json_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "BEAT", 0.01)
    beaten = asyncio.Event()

    async def slow(who: Client, given: dict[str, Any]) -> dict[str, Any]:
        await beaten.wait()
        return given

    parts = mcp._answered(1, slow(Client("192.0.2.7"), {"n": 1}))
    assert await anext(parts) == b"\n"
    beaten.set()
    rest = [part async for part in parts]
    assert json.loads(b"\n" + b"".join(rest))["result"]["structuredContent"] == {"n": 1}
