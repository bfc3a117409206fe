"""One question to the Hub and the bytes of its answer, bounded in bytes and in time, and broken off at once.

A Hub, or a mirror in its place (`HF_ENDPOINT`), may send anything as slowly as it likes. So nothing is read that is not
asked for (bodies of redirects and of errors), nothing is unpacked, and bytes have to keep coming: a timeout of a socket
alone, which each byte sets anew, would let one byte a second hold a connection for ever.
"""

import queue
import socket
import struct
import threading
import time
from collections.abc import Generator
from contextlib import closing, suppress
from typing import Any, Final

from attention_core.cancellation import checkpoint
from attention_core.models.hub_asking import Lost, hub, status_problem, went_wrong

__all__ = ["MOST_BYTES", "Pace", "answer", "arriving", "greets"]

MOST_BYTES: Final = 2**22
"""Bytes of the longest description of a model that is read. One file takes about 300 of them."""
GREETING: Final = 4.0
"""Seconds in which the Hub must say that it is there."""
_SILENCE: Final = 10.0
"""Seconds of silence after which a connection is lost."""
_WINDOW: Final = 60.0
_SLOWEST: Final = 2**15
"""Bytes a second that have to come over each window of seconds, a 256 kbit line."""
_REDIRECTS: Final = 5
_AHEAD: Final = 16  # pieces that may wait for the disk
_LOOK: Final = 0.05  # seconds between two looks whether somebody still wants it


class Pace:
    """The bytes that come in a window of seconds, over as many connections and files as there are."""

    def __init__(self, window: float | None = None) -> None:
        self._window = _WINDOW if window is None else window
        self._since, self._bytes = time.monotonic(), 0

    def add(self, came: int) -> None:
        self._bytes += came

    def require(self) -> None:
        """Raise `Lost` at the end of a window in which too little came."""
        passed = time.monotonic() - self._since
        if passed < self._window:
            return
        if self._bytes < _SLOWEST * passed:
            raise Lost("hub_slow", final=True)
        self._since, self._bytes = time.monotonic(), 0


def arriving(url: str, pace: Pace, start: int = 0, method: str = "GET") -> Generator[int | bytes]:
    """Yield where the answer begins, `start` or 0, then its bytes. Raises `Lost` and `Cancelled`.

    Another thread reads, so a wish to stop is heard while the network is silent. It ends with its connection, which is
    broken off when the caller closes this.
    """
    made: queue.Queue[int | bytes | Lost | None] = queue.Queue(_AHEAD)
    connection = _Connection()
    threading.Thread(target=_read, args=(method, url, start, made, connection), daemon=True).start()
    try:
        while True:
            checkpoint()
            pace.require()
            try:
                found = made.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if found is None:
                return
            if isinstance(found, Lost):
                raise found
            if isinstance(found, bytes):
                pace.add(len(found))
            yield found
    finally:
        connection.break_off()


def answer(url: str) -> bytes:
    """Return the bytes of an answer that is read whole. Raises `Lost`, also for more than `MOST_BYTES`; `Cancelled`."""
    found = bytearray()
    with closing(arriving(url, Pace())) as pieces:
        for piece in pieces:
            found += piece if isinstance(piece, bytes) else b""
            if len(found) > MOST_BYTES:
                raise Lost("hub_answer", final=True)
    return bytes(found)


def greets(url: str) -> bool:
    """Return True if a server answers at all, whatever it says, within a few seconds."""
    try:
        with closing(arriving(url, Pace(GREETING), method="HEAD")) as pieces:
            next(pieces)
    except Lost as problem:
        return problem.answered
    return True


class _Connection:
    """The socket that a thread reads, which another thread may shut: then the read ends at once."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._socket: Any = None
        self.over = False

    def heard(self, event: str, about: dict[str, Any]) -> None:
        """Learn the socket as soon as there is one; httpcore tells of each step."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            with self._turn:
                self._socket = about["return_value"].get_extra_info("socket")
                if self.over:
                    self._shut()

    def break_off(self) -> None:
        with self._turn:
            self.over = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # closed already
                # Closed with a reset: a window that was full when this ends is never opened again, and the other side
                # would wait a minute for it.
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # that of TLS would wait for the other side


def _read(
    method: str, url: str, start: int, made: "queue.Queue[int | bytes | Lost | None]", connection: _Connection
) -> None:
    def give(found: int | bytes | Lost | None) -> bool:
        while not connection.over:
            try:
                made.put(found, timeout=_LOOK)
                return True
            except queue.Full:
                continue
        return False

    try:
        with closing(_opened(method, url, start, connection)) as answer:
            if answer.status_code not in (200, 206):
                give(status_problem(answer.status_code, answer.headers.get("X-Error-Code", "")))
                return
            if not give(start if answer.status_code == 206 else 0):
                return
            for piece in answer.iter_raw():  # as they come: packed bytes would have any length unpacked
                if not give(piece):
                    return
        give(None)
    except Exception as problem:
        give(went_wrong(problem))


def _opened(method: str, url: str, start: int, connection: _Connection) -> Any:
    """Return the answer at the end of a few redirects, whose bodies are left unread."""
    session = hub(".utils").get_session()
    headers = {
        **hub(".utils").build_hf_headers(),
        "Accept-Encoding": "identity",  # packed bytes have another length
        "Connection": "close",  # a connection of one's own, to be broken off
    }
    if start:
        headers["Range"] = f"bytes={start}-"
    asked = session.build_request(method, url, headers=headers, timeout=_SILENCE)
    asked.extensions["trace"] = connection.heard
    for _ in range(_REDIRECTS + 1):
        answer = session.send(asked, stream=True, follow_redirects=False)
        if answer.next_request is None:
            return answer
        answer.close()
        asked = answer.next_request
    raise Lost("hub_busy", final=True)
