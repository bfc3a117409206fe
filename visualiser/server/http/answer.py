"""An answer while it is sent: in pieces of 64 kB, as fast as they are read, and cancelled when the visitor leaves.

The server also listens to the connection, so it hears of a visitor who leaves while the answer is still computed.
`visualiser.server.http.connections` disconnects a visitor who stays but reads nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Final

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from attention_core import InvalidInput
from visualiser.locale import text
from visualiser.server.admission.refusal import Refusal

CHUNK: Final = 2**16
"""Bytes handed over together: the most that a slow reader makes the server hold besides the answer itself."""


class StreamingAnswer(Response):
    """A response whose parts are made while they are sent.

    `refuse` answers a refusal raised before the first part. `when_done` is called once everything was sent or the
    visitor has left.
    """

    def __init__(
        self,
        parts: Callable[[], AsyncIterator[bytes | memoryview]],
        *,
        media_type: str = "application/octet-stream",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        # No proxy may buffer a stream, and no cache may keep it.
        own = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Type": media_type}
        self.status_code, self.background = 200, None
        self._parts = parts
        self.when_done: Callable[[], None] = lambda: None
        self.refuse: Callable[[Refusal | InvalidInput], Response] | None = None
        self._headers = [
            (name.lower().encode(), value.encode("latin-1")) for name, value in {**own, **(headers or {})}.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send(scope, receive, send))
        leaving = asyncio.create_task(wait_for_disconnect(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not sending.done():
                sending.cancel()
            try:
                with suppress(asyncio.CancelledError):
                    await sending
            finally:
                self.when_done()

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False
        async with aclosing(self._parts()) as parts:  # type: ignore[type-var]
            try:
                async for part in parts:
                    if not started:
                        started = True
                        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
                    for at in range(0, len(part), CHUNK):
                        body = part[at : at + CHUNK] if len(part) > CHUNK else part
                        await send({"type": "http.response.body", "body": bytes(body), "more_body": True})
            except (Refusal, InvalidInput) as problem:
                if started or self.refuse is None:
                    raise
                await self.refuse(problem)(scope, receive, send)
                return
        if not started:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the connection is closed. Call it after the body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def refusal_response(problem: Refusal | InvalidInput, lang: str) -> JSONResponse:
    """Return a refusal in the visitor's language, in the form that the page's script reads."""
    if isinstance(problem, Refusal):
        return _refusal_json(text(lang, problem.key, **problem.fields), problem)
    return JSONResponse({"message": text(lang, f"error.{problem.code}", **problem.details)}, status_code=422)


def _refusal_json(message: str, refusal: Refusal) -> JSONResponse:
    payload: dict[str, object] = {"message": message, **refusal.beside}
    headers = {"Cache-Control": "no-store"}
    if refusal.retry is not None:
        payload["retry"] = refusal.retry
        headers["Retry-After"] = str(max(1, round(refusal.retry)))
    return JSONResponse(payload, status_code=refusal.status, headers=headers)
