"""One file of the Hub as it arrives: bounded by what the Hub says of it, checked against its hash, stopped at once.

huggingface_hub's own download was measured and left (docs/decisions/hub.md): it reports and stops every 10 MB alone,
takes more than was said before it complains, and checks no hash. Its session, addresses and headers are used.
"""

import hashlib
import os
import queue
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from attention_core.cancellation import checkpoint
from attention_core.models.hub_asking import SILENCE, Lost, hub, status_problem, went_wrong

__all__ = ["HubFile", "Wrong", "receive"]

_AHEAD: Final = 16  # pieces that may wait for the disk
_LOOK: Final = 0.05  # seconds between two looks whether somebody still wants it
_TRIES: Final = 3
"""Connections in a row that may bring nothing new."""
_PAUSE: Final = 0.5  # seconds before the next


class Wrong(Exception):
    """A file that is not what the Hub says of it: too long, or other bytes."""


@dataclass(frozen=True)
class HubFile:
    """A file as the Hub describes it. A large one has a SHA-256, a small one git's hash of a blob."""

    name: str
    bytes: int
    sha256: str | None
    blob: str | None

    def digest(self) -> Any:
        """Return a hash that is still to be fed."""
        if self.sha256 is not None:
            return hashlib.sha256()
        return hashlib.sha1(b"blob %d\0" % self.bytes, usedforsecurity=False)

    @property
    def hash(self) -> str | None:
        return self.sha256 if self.sha256 is not None else self.blob


def receive(file: HubFile, url: str, path: Path, arrived: Callable[[int], object]) -> None:
    """Write a file to `path`, which must not exist. `arrived` gets the bytes that are there so far.

    A connection that is lost is taken up where it ended. Raises `Lost` after a few that bring nothing, `Wrong`, and
    `Cancelled`; what is on the disk then is the caller's to remove.
    """
    tries = furthest = 0
    with path.open("xb") as target:
        made = _Made(file, target, arrived)
        while made.got < file.bytes:
            if tries:
                _wait(_PAUSE)
            lost = made.take(url)
            tries, furthest = (0, made.got) if made.got > furthest else (tries + 1, furthest)
            if made.got < file.bytes and (lost.final or tries >= _TRIES):
                raise lost
        target.flush()
        os.fsync(target.fileno())
    if made.digest.hexdigest() != file.hash:
        raise Wrong


class _Made:
    """A file that is being written: how much of it is there, and the hash of that."""

    def __init__(self, file: HubFile, target: BinaryIO, arrived: Callable[[int], object]) -> None:
        self._file, self._target, self._arrived = file, target, arrived
        self.digest, self.got = file.digest(), 0

    def take(self, url: str) -> Lost:
        """Take what one connection brings, and return how it was lost. Raises `Wrong` and `Cancelled`."""
        try:
            with closing(_arriving(url, self.got)) as pieces:
                if next(pieces) == 0 and self.got:  # the server begins anew
                    self._target.seek(0)
                    self._target.truncate()
                    self.digest, self.got = self._file.digest(), 0
                for piece in pieces:
                    self._add(piece)
        except Lost as problem:
            return problem
        return Lost("hub_cut")

    def _add(self, piece: int | bytes) -> None:
        assert isinstance(piece, bytes)
        self.got += len(piece)
        if self.got > self._file.bytes:
            raise Wrong
        self.digest.update(piece)
        self._target.write(piece)
        self._arrived(self.got)


def _arriving(url: str, start: int) -> Generator[int | bytes]:
    """Yield where the answer begins, `start` or 0, then its bytes. Raises `Lost` and `Cancelled`.

    Another thread reads, so a wish to stop is heard while the network is silent. It ends with its connection.
    """
    made: queue.Queue[int | bytes | Lost | None] = queue.Queue(_AHEAD)
    left = threading.Event()
    threading.Thread(target=_read, args=(url, start, made, left), daemon=True).start()
    try:
        while True:
            checkpoint()
            try:
                found = made.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if found is None:
                return
            if isinstance(found, Lost):
                raise found
            yield found
    finally:
        left.set()


def _read(url: str, start: int, made: "queue.Queue[int | bytes | Lost | None]", left: threading.Event) -> None:
    def give(found: int | bytes | Lost | None) -> bool:
        while not left.is_set():
            try:
                made.put(found, timeout=_LOOK)
                return True
            except queue.Full:
                continue
        return False

    headers = {**hub(".utils").build_hf_headers(), "Accept-Encoding": "identity"}  # packed bytes have another length
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        with hub(".utils").get_session().stream("GET", url, headers=headers, timeout=SILENCE) as answer:
            if answer.status_code not in (200, 206):
                give(status_problem(answer.status_code))
                return
            if not give(start if answer.status_code == 206 else 0):
                return
            for piece in answer.iter_bytes():  # as they come: what waits for a fixed size is lost with its connection
                if not give(piece):
                    return
        give(None)
    except Exception as problem:
        give(went_wrong(problem))


def _wait(seconds: float) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        checkpoint()
        time.sleep(_LOOK)
