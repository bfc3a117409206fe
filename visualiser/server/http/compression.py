"""Compressed content: fast on the first request for an encoding, then as small as possible in a low-priority thread."""

import gzip
import hashlib
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from queue import Full, Queue
from typing import Final

import brotli

IDENTITY: Final = "identity"
_SMALLEST: Final = 400
"""Bytes below which compression saves less than a network packet."""
_TEXT: Final = ("text/", "application/javascript", "application/json", "application/manifest+json", "image/svg+xml")


def _br(content: bytes, thorough: bool) -> bytes:
    return brotli.compress(content, quality=11 if thorough else 5)


def _gzip(content: bytes, thorough: bool) -> bytes:
    return gzip.compress(content, compresslevel=9 if thorough else 6, mtime=0)


ENCODERS: Final[Mapping[str, Callable[[bytes, bool], bytes]]] = {"br": _br, "gzip": _gzip}
"""The encodings that browsers may accept, the smallest first. Browsers accept br only over https and on localhost."""


class Packed:
    """Content with its media type and its compressed forms for the encodings requested so far."""

    def __init__(self, plain: bytes, media_type: str) -> None:
        self.plain = plain
        self.media_type = media_type
        self._packed: dict[str, bytes] = {}

    @cached_property
    def tag(self) -> str:
        """The entity tag. It is the same for every encoding, and therefore weak."""
        return f'W/"{hashlib.blake2b(self.plain, digest_size=12).hexdigest()}"'

    def encoding(self, accepted: str) -> str:
        """Return the best encoding for a request with this Accept-Encoding."""
        if len(self.plain) < _SMALLEST or not self.media_type.startswith(_TEXT):
            return IDENTITY
        wanted = _accepted(accepted)
        return next((name for name in ENCODERS if name in wanted), IDENTITY)

    def kept(self, encoding: str) -> bytes | None:
        """Return the content under this encoding; None if it is not compressed yet."""
        return self.plain if encoding == IDENTITY else self._packed.get(encoding)

    def pack(self, encoding: str, *, thorough: bool = False) -> bytes:
        """Compress, keep and return the content; quickly, or as small as possible if `thorough`."""
        self._packed[encoding] = ENCODERS[encoding](self.plain, thorough)
        return self._packed[encoding]


def _accepted(header: str) -> set[str]:
    found = set()
    for entry in header[:1000].lower().split(","):
        name, _, weight = entry.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            found.add(name.strip())
    return found


class Packer:
    """A thread that compresses thoroughly what was compressed quickly. It skips contents that are no longer kept."""

    def __init__(self, waiting: int = 2000) -> None:
        self._waiting: Queue[tuple[weakref.ref[Packed], str]] = Queue(waiting)
        self._start = threading.Lock()
        self._thread: threading.Thread | None = None

    def later(self, packed: Packed, encoding: str) -> None:
        """Compress `packed` thoroughly later; if too many wait, leave it as it is."""
        with suppress(Full):
            self._waiting.put_nowait((weakref.ref(packed), encoding))
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="packer", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        with suppress(AttributeError, OSError):  # on Linux each thread has its own priority
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while True:
            reference, encoding = self._waiting.get()
            packed = reference()
            if packed is not None:
                packed.pack(encoding, thorough=True)
            del packed


PACKER: Final = Packer()
"""This process's packer."""
