"""uvicorn's protocol for one connection, with the bounds of `visualiser.server.http.connections`.

httptools' parser lacks some that h11 has: on the bytes of a head and of the trailers after a body, and on requests sent
before the first is answered. And all of these requests must hear of a lost connection.
"""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from visualiser.server.admission.clients import UNKNOWN, network
from visualiser.server.http.connections import Connections


class Bounded(asyncio.Protocol):
    """Reports every connection to `Connections`. It precedes one of uvicorn's protocol classes."""

    everyone: ClassVar[Connections]
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    client: tuple[str, int] | None
    cycle: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.address = UNKNOWN
        self.since, self.unsent = 0.0, 0
        self.patience: float | None = None
        # ours also checks unsent bytes: uvicorn's would wait for ever for a reader that reads nothing
        self.timeout_keep_alive = self.everyone.bounds.idle
        self.ws_protocol_class = None  # nothing here speaks WebSocket, and an upgraded connection would not be counted

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.address = network(self.client[0]) if self.client else UNKNOWN
        self.everyone.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.everyone.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        before, idle = self.cycle, self._idle()
        super().data_received(data)
        if self.cycle is not before:
            self.everyone.work(self)
        elif idle and self.patience == self.everyone.bounds.idle:
            self.everyone.wait(self, self.everyone.bounds.head)  # the first bytes of the next head

    def on_response_complete(self) -> None:
        super().on_response_complete()  # pyright: ignore[reportAttributeAccessIssue]
        if self._idle():
            # after an early answer, such as a refusal, the rest of the body is read and dropped for a while
            bounds = self.everyone.bounds
            self.everyone.wait(self, bounds.stalled if self.cycle.more_body else bounds.idle)

    def _idle(self) -> bool:
        """True if no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def drop(self) -> None:
        """Close at once. Unsent bytes would keep the descriptor for as long as nobody reads them."""
        self.everyone.leave(self)
        self.transport.abort()


class BoundedParser(Bounded):
    """Adds the bounds that httptools lacks."""

    _head: int | None = None
    """Bytes of a head, or of the parts between and after a body's chunks; None outside a request."""

    _kept = 0
    """Bytes of complete heads, kept by their requests until they are answered."""

    _counted = 0
    _body_came = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._open: list[Any] = []

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for cycle in self._open:  # uvicorn only tells the newest request, which may wait for an older one
            cycle.disconnected = not cycle.response_complete
            cycle.message_event.set()
        self._open, self._head, self._kept = [], None, 0
        self.pipeline.clear()  # pyright: ignore[reportAttributeAccessIssue]
        self._count()

    def on_message_begin(self) -> None:
        super().on_message_begin()  # pyright: ignore[reportAttributeAccessIssue]
        self._head = 0

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= self.everyone.bounds.pipelined:  # pyright: ignore[reportAttributeAccessIssue]
            raise ValueError("too many requests before an answer")  # uvicorn answers 400 and closes
        super().on_headers_complete()  # pyright: ignore[reportAttributeAccessIssue]
        self._open = [cycle for cycle in self._open if not cycle.response_complete] + [self.cycle]
        headers = self.cycle.scope["headers"]
        self._kept += len(self.cycle.scope["raw_path"]) + len(self.cycle.scope["query_string"])
        self._kept += sum(len(name) + len(value) for name, value in headers)
        self._head = 0

    def on_body(self, body: bytes) -> None:
        super().on_body(body)  # pyright: ignore[reportAttributeAccessIssue]
        self._body_came = True
        self._head = 0

    def on_message_complete(self) -> None:
        super().on_message_complete()  # pyright: ignore[reportAttributeAccessIssue]
        self._kept += self._head or 0
        self._head = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._idle():
            self._kept = 0
            self._count()

    def data_received(self, data: bytes) -> None:
        self._body_came = False
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._head is not None and not self._body_came:
            self._head += len(data)
        self._count()
        if (self._head or 0) > self.everyone.bounds.head_bytes:
            self.send_400_response("The request's head is too long.")  # pyright: ignore[reportAttributeAccessIssue]
        elif self._counted > _SHORT and self.everyone.heads > self.everyone.bounds.heads_bytes:
            self.send_400_response("Too many long heads at once.")  # pyright: ignore[reportAttributeAccessIssue]

    def _count(self) -> None:
        """Report the bytes of heads that this connection holds."""
        held = self._kept + (self._head or 0)
        self.everyone.heads += held - self._counted
        self._counted = held


_SHORT = 8192
"""Bytes of heads allowed to every connection, whatever the others hold."""


def bounded(protocol: type[asyncio.Protocol], everyone: Connections) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol class, h11's or httptools', with the bounds of `everyone`."""
    rules: type[asyncio.Protocol] = Bounded if issubclass(protocol, H11Protocol) else BoundedParser
    made: Any = type(f"Bounded{protocol.__name__}", (rules, protocol), {"everyone": everyone})
    return made
