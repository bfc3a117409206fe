"""A replica that answers at once or never ends an answer: tests fill a proxy with it without computing."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

ENDLESS = "endless"
"""Part of an address whose answer begins and never ends."""

_WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
_BEGUN = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests until the client closes."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(_BEGUN if ENDLESS.encode() in head.split(b"\r\n")[0] else _WHOLE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


@contextmanager
def stand_in() -> Iterator[int]:
    """Yield the port of such a replica; it serves until the block ends."""
    started: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1024)
        ended = asyncio.Event()
        started.set_result((server.sockets[0].getsockname()[1], asyncio.get_running_loop(), ended))
        async with server:
            await ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    port, loop, ended = started.result()
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
