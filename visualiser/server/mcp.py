"""Tools for language models: the Model Context Protocol over plain HTTP (docs/decisions/mcp.md).

Each message is one POST with one JSON answer. There are no sessions and no open streams, so the
bounds of bodies, connections and admission hold as for every other route.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from attention_core import __version__
from visualiser.server.admission.clients import Client, client_of
from visualiser.server.http.addresses import MCP
from visualiser.server.http.answer import StreamingAnswer
from visualiser.server.live.body import HEADER_LIMIT, parse_body, read_body
from visualiser.server.live.routes import refusing
from visualiser.server.live.runs import BEAT
from visualiser.server.live.surrogates import load_json

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
"""The versions of the protocol that this server speaks, the newest first."""

INSTRUCTIONS: Final = (
    "Headlight computes attention exactly and measures it, after 'Attention Is All You Need' (section 3.2). Entropy is "
    "in nats; its ceiling for n keys is ln n. To compare two settings, call the same tool twice with the same seed and "
    "change one argument. Arguments that are left out have the defaults of the tool's schema."
)
_PARSE, _REQUEST, _METHOD, _PARAMS = -32700, -32600, -32601, -32602  # JSON-RPC 2.0
_GAP: Final = b"\n"
"""A sign of life before an answer: JSON may begin with white space."""


class ToolRefused(Exception):
    """A tool refuses a call; the message is for the program."""


@dataclass(frozen=True)
class Tool:
    """A function for language models.

    `takes` and `answers` are JSON schemas of objects. `call` may raise `ToolRefused`.
    """

    name: str
    about: str
    takes: dict[str, Any]
    answers: dict[str, Any]
    call: Callable[[Client, dict[str, Any]], Awaitable[dict[str, Any]]]

    @property
    def described(self) -> dict[str, Any]:
        """The tool as a list of tools holds it."""
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": self.takes,
            "outputSchema": self.answers,
            "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
        }


def routes(tools: Sequence[Tool]) -> list[Route]:
    """Return the routes that serve `tools`."""
    known = {tool.name: tool for tool in tools}
    listed = [tool.described for tool in tools]

    @refusing
    async def post(request: Request) -> Response:
        given = await read_body(request, HEADER_LIMIT)
        try:
            message = await parse_body(request, given, load_json, given)
        except (ValueError, RecursionError):
            return _json(_problem(None, _PARSE, "This is no JSON."), 400)
        if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            return _json(_problem(None, _REQUEST, "One message of JSON-RPC 2.0 is expected."), 400)
        if "id" not in message or "method" not in message:
            return Response(status_code=202)  # a notification, or an answer to a question that was never asked
        number, params = message["id"], message.get("params")
        if not isinstance(number, str) and not (type(number) is int and abs(number) < 2**53):
            return _json(_problem(None, _REQUEST, "An id is a text or a whole number."), 400)
        params = params if isinstance(params, dict) else {}
        match message["method"]:
            case "initialize":
                return _json(_result(number, _welcome(params.get("protocolVersion"))))
            case "ping":
                return _json(_result(number, {}))
            case "tools/list":
                return _json(_result(number, {"tools": listed}))
            case "tools/call":
                tool, arguments = known.get(str(params.get("name"))), params.get("arguments") or {}
                if tool is None or not isinstance(arguments, dict):
                    reason = "arguments is an object." if tool else f"The tools are {', '.join(known)}."
                    return _json(_problem(number, _PARAMS, reason))
                client = client_of(request.scope)
                return StreamingAnswer(
                    lambda: _answered(number, tool.call(client, arguments)), media_type="application/json"
                )
            case _:
                return _json(_problem(number, _METHOD, "The methods are initialize, ping, tools/list and tools/call."))

    async def schema(_: Request) -> Response:
        """Answer with all tools in the form that Hugging Face reads for a Space."""
        names = ("name", "description", "inputSchema")
        return _json([{name: tool[name] for name in names} for tool in listed])

    posted = [Route(path, post, methods=["POST"]) for path in (MCP, f"{MCP}/", f"{MCP}/http", f"{MCP}/http/")]
    return [*posted, Route(f"{MCP}/schema", schema, methods=["GET"])]


async def _answered(number: str | int, call: Awaitable[dict[str, Any]]) -> AsyncIterator[bytes]:
    """Yield the answer to a call, and a sign of life after each silence. Stop the call if the program leaves."""
    task = asyncio.ensure_future(call)
    try:
        while not (await asyncio.wait({task}, timeout=BEAT))[0]:
            yield _GAP
        try:
            found = task.result()
        except ToolRefused as refusal:
            content = {"content": [{"type": "text", "text": str(refusal)}], "isError": True}
        else:
            content = {"content": [{"type": "text", "text": orjson.dumps(found).decode()}], "structuredContent": found}
        yield orjson.dumps(_result(number, content))
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


def _welcome(requested: object) -> dict[str, Any]:
    return {
        "protocolVersion": requested if requested in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "headlight", "title": "Headlight", "version": __version__},
        "instructions": INSTRUCTIONS,
    }


def _result(number: str | int, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _problem(number: str | int | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _json(content: object, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(content), status, media_type="application/json", headers=headers)
