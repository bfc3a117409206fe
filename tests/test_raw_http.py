"""The client of the fuzzer and the benchmarks reads any server's answers, in pieces of any size."""

import asyncio
import contextlib

import pytest

from tests.alone import alone
from tests.raw_http import Answer, Broken, Connection, request

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0a;x=1\r\n0123456789\r\n0\r\n\r\n"
COUNTED = b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\nRetry-After: 1\r\n\r\nbusy"
ENDLESS = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end"


async def answers(sent: bytes, size: int, *methods: str, then_close: bool = False) -> list[Answer]:
    """Return the client's answers if a server writes `sent` in pieces of `size` bytes after the first request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for at in range(0, len(sent), size):
            writer.write(sent[at : at + size])
            await writer.drain()
            await asyncio.sleep(0)
        with contextlib.suppress(ConnectionError):
            if not then_close:
                await reader.read()
            writer.close()
            await writer.wait_closed()
        await asyncio.sleep(0)
        ended.set()

    ended = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        connection = await Connection.open(server.sockets[0].getsockname())
        connection.write(request(methods[0], "/"))
        try:
            return [await connection.answer(method) for method in methods]
        finally:
            connection.leave()
            await ended.wait()


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_chunks_and_lengths(size: int) -> None:
    first, second = alone(answers(CHUNKED + COUNTED, size, "POST", "POST"))
    assert (first.status, first.body, first.size) == (200, b"abc0123456789", 13)
    assert (second.status, second.body, second.headers["retry-after"]) == (503, b"busy", "1")


def test_an_answer_to_head_has_no_body() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n"
    assert [each.status for each in alone(answers(head + COUNTED, 1000, "HEAD", "POST"))] == [200, 503]


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    (found,) = alone(answers(ENDLESS, 5, "GET", then_close=True))
    assert found.body == b"until the end"


@pytest.mark.parametrize("whole", [CHUNKED, COUNTED])
def test_an_answer_that_breaks_off_is_none(whole: bytes) -> None:
    with pytest.raises(Broken, match="the connection ended before the answer did"):
        alone(answers(whole[:-2], 1000, "POST", then_close=True))
