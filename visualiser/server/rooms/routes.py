"""The routes of rooms (docs/room.md)."""

from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from visualiser.server import settings
from visualiser.server.admission.clients import client_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.addresses import PREFIX
from visualiser.server.http.lasting import STREAMS, most_connections
from visualiser.server.http.room_code import read_code
from visualiser.server.live.body import parse_body, read_body
from visualiser.server.live.routes import refusing
from visualiser.server.rooms import codes
from visualiser.server.rooms.body_fields import parse_object
from visualiser.server.rooms.memory_store import MemoryStore
from visualiser.server.rooms.request_limits import Visitor
from visualiser.server.rooms.room_limits import LONG_BODY, MEMORY, SHORT_BODY
from visualiser.server.rooms.room_registry import RoomRegistry
from visualiser.server.rooms.rooms import Rooms
from visualiser.server.rooms.server_time import CLOCK_HEADER, milliseconds
from visualiser.server.rooms.store import Store
from visualiser.server.rooms.stream import Stream

_HEADERS: Final = {"Cache-Control": "no-store"}
Handler = Callable[[Rooms, Visitor, str, Request], Awaitable[Response]]
Act = Callable[[Visitor, str, dict[str, Any]], Awaitable[None]]


def process_store() -> Store:
    """Return the store that the settings name."""
    url = settings.redis_url()
    if not url:
        return MemoryStore(int(MEMORY * settings.memory()))
    # redis-py is needed by nobody else
    from visualiser.server.rooms.redis_store import RedisStore

    return RedisStore(url)


@cache
def process_rooms() -> Rooms:
    """Return this process's rooms."""
    store = process_store()
    rooms = Rooms(RoomRegistry(store, int(STREAMS * most_connections())), settings.room_hours())
    if isinstance(store, MemoryStore):
        store.beside = lambda: rooms.held
    return rooms


def visitor_of(request: Request) -> Visitor:
    """Return the sender of a request. What has not the right form is as if it had not come."""
    token = request.headers.get("x-headlight-tab") or request.query_params.get("tab", "")
    secret = request.headers.get("x-headlight-secret", "")
    return Visitor(
        client_of(request.scope).address,
        token if codes.is_token(token) else "",
        secret if codes.is_secret(secret) else "-" if secret else "",
        request.query_params.get("left") == "1",
    )


async def _payload(request: Request, most: int) -> dict[str, Any]:
    """Return the JSON object of a body of at most `most` bytes. One that is not short is read off the event loop."""
    given = await read_body(request, most)
    return await parse_body(request, given, parse_object, given)


def _without_content(act: Callable[[Rooms], Act], most: int) -> Handler:
    """Return the handler that passes a body of at most `most` bytes to an act, and answers without content."""

    async def handler(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
        await act(rooms)(visitor, code, await _payload(request, most))
        return _nothing()

    return handler


async def _open(rooms: Rooms, visitor: Visitor, _: str, request: Request) -> Response:
    new, answer = await rooms.teaching.open(visitor, await _payload(request, LONG_BODY))
    return _json(answer, 201 if new else 200)


async def _ask(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    question_id = await rooms.voting.ask(visitor, code, await _payload(request, LONG_BODY))
    return _json({"question": question_id}, 201)


async def _advice(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    return _json(await rooms.voting.advice(visitor, code, await _payload(request, SHORT_BODY)), 200)


async def _end(rooms: Rooms, visitor: Visitor, code: str, _: Request) -> Response:
    await rooms.teaching.end(visitor, code)
    return _nothing()


async def _picture(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    svg = await rooms.teaching.picture(visitor, code, await _payload(request, SHORT_BODY))
    return Response(svg, media_type="image/svg+xml", headers=_HEADERS)


async def _reach(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    found = await rooms.teaching.reach(visitor, code, request.scope)
    return _json({"network": found.network, "origins": found.origins}, 200)


async def _ticket(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    return _json(await rooms.steering.ticket(visitor, code, await _payload(request, SHORT_BODY)), 201)


async def _command(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    number = await rooms.steering.command(visitor, code, await _payload(request, SHORT_BODY))
    return _json({"number": number}, 201)


async def _file(rooms: Rooms, visitor: Visitor, code: str, _: Request) -> Response:
    csv = await rooms.voting.file(visitor, code)
    name = {"Content-Disposition": 'attachment; filename="headlight-answers.csv"'}
    return Response(csv, media_type="text/csv", headers=_HEADERS | name)


async def _message(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    revision, message = await rooms.presence.message(visitor, code)
    tag = f'"{revision}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", CLOCK_HEADER.decode(): str(milliseconds())}
    # a proxy that compresses writes it as W/"…"
    if tag in request.headers.get("if-none-match", "")[:200]:
        return Response(status_code=304, headers=headers)
    return Response(message, media_type="application/json", headers=headers)


async def _stream(rooms: Rooms, visitor: Visitor, code: str, request: Request) -> Response:
    live, seat = await rooms.presence.open_stream(visitor, code)
    if request.headers.get("last-event-id") == str(seat.channel.revision):
        seat.sent, seat.beat = seat.channel.revision, True
    return Stream(rooms.presence, live, seat)


def _json(payload: dict[str, Any], status: int) -> Response:
    return Response(orjson.dumps(payload), status, media_type="application/json", headers=_HEADERS)


def _nothing() -> Response:
    return Response(status_code=204, headers=_HEADERS)


def routes(get: Callable[[], Rooms]) -> list[Route]:
    """Return the routes of the rooms that `get` gives."""

    def route(path: str, method: str, answer: Handler) -> Route:
        async def handler(request: Request) -> Response:
            written = request.path_params.get("code")
            code = "" if written is None else read_code(written)
            rooms, visitor = get(), visitor_of(request)
            rooms.limits.admit(visitor, code or "")
            if code is None:
                raise Refusal("error.room_none", 404)
            return await answer(rooms, visitor, code, request)

        return Route(f"{PREFIX}/room{path}", refusing(handler), methods=[method])

    post, tell = partial(route, method="POST"), partial(route, method="GET")
    return [
        post("", answer=_open),
        post("/{code}/state", answer=_without_content(lambda rooms: rooms.teaching.state, LONG_BODY)),
        post("/{code}/ask", answer=_ask),
        post("/{code}/phase", answer=_without_content(lambda rooms: rooms.voting.phase, LONG_BODY)),
        post("/{code}/clock", answer=_without_content(lambda rooms: rooms.voting.clock, SHORT_BODY)),
        post("/{code}/advice", answer=_advice),
        post("/{code}/drop", answer=_without_content(lambda rooms: rooms.teaching.drop, SHORT_BODY)),
        post("/{code}/end", answer=_end),
        post("/{code}/qr", answer=_picture),
        post("/{code}/answer", answer=_without_content(lambda rooms: rooms.voting.answer, SHORT_BODY)),
        post("/{code}/place", answer=_without_content(lambda rooms: rooms.presence.place, SHORT_BODY)),
        post("/{code}/offer", answer=_without_content(lambda rooms: rooms.teaching.offer, LONG_BODY)),
        post("/{code}/ticket", answer=_ticket),
        post("/{code}/exchange", answer=_without_content(lambda rooms: rooms.steering.exchange, SHORT_BODY)),
        post("/{code}/command", answer=_command),
        post("/{code}/shown", answer=_without_content(lambda rooms: rooms.steering.show, LONG_BODY)),
        post("/{code}/revoke", answer=_without_content(lambda rooms: rooms.steering.revoke, SHORT_BODY)),
        tell("/{code}/reach", answer=_reach),
        tell("/{code}/results", answer=_file),
        tell("/{code}/stream", answer=_stream),
        tell("/{code}", answer=_message),
    ]


ROUTES: Final = routes(process_rooms)


async def close() -> None:
    """End this process's rooms, if it has any."""
    if process_rooms.cache_info().currsize:
        await process_rooms().close()
