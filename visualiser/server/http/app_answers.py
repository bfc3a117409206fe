"""gradio's whole answers, requested within this process with only those headers that the answer depends on."""

from collections.abc import Iterable
from dataclasses import dataclass

from anyio import sleep_forever
from starlette.types import ASGIApp, Message, Scope, Send

from visualiser.server.http.kept_answers import Headers, send_body

_ADDRESS = (b"host", b"x-forwarded-host", b"x-forwarded-proto", b"x-gradio-server")
"""The headers from which gradio builds its own address."""


@dataclass(frozen=True)
class CapturedResponse:
    """gradio's answer."""

    status: int
    headers: Headers
    body: bytes

    @property
    def media_type(self) -> str:
        """Its Content-Type; empty if there is none."""
        return next((value.decode("latin-1") for name, value in self.headers if name.lower() == b"content-type"), "")


def address_headers(scope: Scope) -> Headers:
    """Return the headers of a request that gradio's address of itself depends on."""
    return tuple((name, value) for name, value in scope["headers"] if name in _ADDRESS)


async def request_app(
    app: ASGIApp, scope: Scope, query: bytes = b"", headers: Iterable[tuple[bytes, bytes]] = ()
) -> CapturedResponse:
    """GET the path of `scope` from `app` with this query and these headers."""
    status = 500
    response_headers: Headers = ()
    chunks: list[bytes] = []
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await sleep_forever()  # on a disconnect the response would send no body
        sent = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def take(message: Message) -> None:
        nonlocal status, response_headers
        if message["type"] == "http.response.start":
            status, response_headers = message["status"], tuple(message["headers"])
        elif message["type"] == "http.response.body":
            chunks.append(message.get("body", b""))

    request = {**scope, "method": "GET", "query_string": query, "headers": list(headers), "extensions": {}}
    await app(request, receive, take)
    return CapturedResponse(status, response_headers, b"".join(chunks))


async def send_captured(scope: Scope, send: Send, answer: CapturedResponse) -> None:
    """Send `answer` unchanged; without its body to a HEAD."""
    headers = [(name, value) for name, value in answer.headers if name.lower() != b"content-length"]
    headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send_body(scope, send, answer.body)
