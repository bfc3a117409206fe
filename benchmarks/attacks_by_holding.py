"""Attacks that hold the server's resources: answers never read, bodies never ended, connections never used."""

import asyncio
import secrets

from attacks_by_computing import LARGEST
from by_hand import PREFIX, packed, request
from rude import MARK, Rude

SMALL = 4096
"""Bytes of the receive buffer of a client that does not read."""


async def unread_frames(rude: Rude) -> None:
    """37: twenty-five large frames with unread answers."""
    await rude.crowd(25, lambda number: _unread(rude, "page/explore"))


async def unread_cells(rude: Rude) -> None:
    """37: the same with tables of cells."""
    await rude.crowd(25, lambda number: _unread(rude, "take-away/explore/cells"))


async def slow_readers(rude: Rude) -> None:
    """37: the same, but reads 4 kB every second, so that the answer is never wholly unread."""
    await rude.crowd(25, lambda number: _unread(rude, "page/explore", every=1.0))


async def _unread(rude: Rude, path: str, every: float | None = None) -> None:
    connection = await rude.open(receive=SMALL)
    query = f"{LARGEST}&seed={rude.random.randrange(2**31)}&{MARK}=1"
    connection.unread()
    connection.write(request("POST", f"{PREFIX}/{path}", packed({"query": query}), rude.headers()))
    rude.counts["asked"] += 1
    for _ in range(120):
        await asyncio.sleep(every or 1.0)
        if every is not None:
            connection.transport.resume_reading()
            await asyncio.sleep(0)
            connection.transport.pause_reading()
        if connection.gone:
            break
    rude.close(connection)


async def empty_lists(rude: Rude) -> None:
    """38: six JSON headers of 16 MB, full of empty lists."""
    text = b'{"query": "", "known": [' + b"[]," * (16 * 2**20 // 3) + b"[]]}"
    body = len(text).to_bytes(4, "little") + text
    await rude.crowd(6, lambda number: rude.ask(f"{PREFIX}/page/explore", body))


async def bodies_without_end(rude: Rude) -> None:
    """38: fifty bodies of 16 MB without their last byte."""
    body = packed({"query": "", MARK: 1}, bytes(16 * 2**20))

    async def once(number: int) -> None:
        await _begun(rude, "page/explore", body[:-1], len(body), 60.0)

    await rude.crowd(50, once)


async def slow_bodies(rude: Rude) -> None:
    """38: two hundred bodies that come a byte at a time."""
    body = packed({"query": "n=8", MARK: 1})

    async def once(number: int) -> None:
        connection = await rude.open()
        head = {"Content-Length": str(len(body) + 1000)}
        connection.write(request("POST", f"{PREFIX}/page/explore", b"", rude.headers(head)))
        rude.counts["asked"] += 1
        for byte in body:
            if connection.gone:
                break
            connection.write(bytes([byte]))
            await asyncio.sleep(1.0)
        rude.close(connection)

    await rude.crowd(200, once)


async def _begun(rude: Rude, path: str, data: bytes, stated: int, patience: float) -> None:
    """Send a request whose body stops early, and hold it until the server ends it or for `patience` seconds."""
    connection = await rude.open()
    head = request("POST", f"{PREFIX}/{path}", b"", rude.headers({"Content-Length": str(stated)}))
    connection.write(head + data)
    rude.counts["asked"] += 1
    for _ in range(round(patience * 4)):
        await asyncio.sleep(0.25)
        if connection.gone:
            rude.counts["ended by the server"] += 1
            break
    rude.close(connection)


async def idle_connections(rude: Rude) -> None:
    """41: eleven hundred connections that say nothing."""
    await rude.crowd(1100, lambda number: _send_and_hold(rude, b""))


async def half_headers(rude: Rude) -> None:
    """41: three hundred requests whose headers never end."""
    await rude.crowd(300, lambda number: _send_and_hold(rude, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "))


async def _send_and_hold(rude: Rude, data: bytes) -> None:
    connection = await rude.open()
    connection.write(data)
    for _ in range(120):
        await asyncio.sleep(0.5)
        if connection.gone:
            rude.counts["ended by the server"] += 1
            break
    rude.close(connection)


async def gradio_uploads(rude: Rude) -> None:
    """41: files of 4 MB into gradio's own upload route, which the app does not use."""
    border = secrets.token_hex(8)
    lines = f'--{border}\r\nContent-Disposition: form-data; name="files"; filename="{MARK}.bin"\r\n'.encode()
    end = f"\r\n--{border}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={border}"}

    async def once(number: int) -> None:
        body = lines + b"Content-Type: application/octet-stream\r\n\r\n" + rude.random.randbytes(4 * 2**20) + end
        await rude.ask("/gradio_api/upload", body, headers=kind)

    await rude.crowd(4, once)


async def large_uploads(rude: Rude) -> None:
    """Our own upload route: CSV files of 15 MB, whose numbers take seconds to read."""
    line = b"Q," + b",".join(b"0.%06d" % number for number in range(1000)) + b"\n"
    body = line * (15 * 2**20 // len(line))
    await rude.crowd(10, lambda number: rude.ask(f"{PREFIX}/upload?name={MARK}.csv&page=map", body))
