"""One file of the Hub as it arrives: bounded by what the Hub says of it, checked against its hash, stopped at once.

huggingface_hub's own download was measured and left (docs/decisions/hub.md): it reports and stops every 10 MB alone,
takes more than was said before it complains, and checks no hash. Its session, addresses and headers are used.
"""

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from attention_core.cancellation import checkpoint
from attention_core.models.hub_asking import Lost
from attention_core.models.hub_connection import Pace, arriving

__all__ = ["HubFile", "Wrong", "receive"]

_TRIES: Final = 3
"""Connections in a row that may bring nothing new, and those that may begin anew."""
_PAUSE: Final = 0.5  # seconds before the next
_LOOK: Final = 0.05


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


def receive(file: HubFile, url: str, path: Path, pace: Pace, arrived: Callable[[int], object]) -> None:
    """Write a file to `path`, which must not exist. `arrived` gets the bytes that are there so far.

    A connection that is lost is taken up where it ended. Raises `Lost` after a few that bring nothing or begin anew,
    and for bytes that come too slowly; `Wrong`, and `Cancelled`; what is on the disk then is the caller's to remove.
    """
    tries = furthest = 0
    with path.open("xb") as target:
        made = _Made(file, target, pace, arrived)
        while made.got < file.bytes:
            if tries:
                _wait(_PAUSE)
            lost = made.take(url)
            tries, furthest = (0, made.got) if made.got > furthest else (tries + 1, furthest)
            if made.got < file.bytes and (lost.final or tries >= _TRIES or made.restarts >= _TRIES):
                raise lost
        target.flush()
        os.fsync(target.fileno())
    if made.digest.hexdigest() != file.hash:
        raise Wrong


class _Made:
    """A file that is being written: how much of it is there, the hash of that, and how often it began anew."""

    def __init__(self, file: HubFile, target: BinaryIO, pace: Pace, arrived: Callable[[int], object]) -> None:
        self._file, self._target, self._pace, self._arrived = file, target, pace, arrived
        self.digest, self.got, self.restarts = file.digest(), 0, 0

    def take(self, url: str) -> Lost:
        """Take what one connection brings, and return how it was lost. Raises `Wrong` and `Cancelled`."""
        try:
            with closing(arriving(url, self._pace, self.got)) as pieces:
                if next(pieces) == 0 and self.got:  # the server begins anew
                    self._target.seek(0)
                    self._target.truncate()
                    self.digest, self.got, self.restarts = self._file.digest(), 0, self.restarts + 1
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


def _wait(seconds: float) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        checkpoint()
        time.sleep(_LOOK)
