"""Return free memory to the system.

glibc keeps freed memory in arenas, eight per core, so after a mixed load a process holds far more than it uses. Two
arenas make nothing slower, and `trim_soon` after heavy work returns nearly all of it. docs/decisions/memory.md has the
numbers, and says why no threshold is set. Without glibc (macOS, Windows, musl) this module does nothing.
"""

import contextlib
import ctypes
import platform
import threading
from functools import cache
from typing import Final

ARENAS: Final = 2
"""One for each of the two cores that Headlight is measured on; further threads share them."""

PAUSE: Final = 3.0
"""Seconds from the end of heavy work until memory is returned, once for all work that ends meanwhile."""

_M_ARENA_MAX: Final = -8  # malloc.h


@cache
def _glibc() -> ctypes.CDLL | None:
    if platform.libc_ver()[0] != "glibc":
        return None
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        if library.mallopt and library.malloc_trim:
            return library
    return None


def setup() -> bool:
    """Bound the number of arenas, before threads begin to allocate. Return True if the allocator accepted it."""
    library = _glibc()
    return library is not None and library.mallopt(_M_ARENA_MAX, ARENAS) == 1


class _Trimming:
    """At most one thread that waits to return memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = False

    def soon(self, pause: float) -> None:
        with self._lock:
            if self._waiting:
                return
            self._waiting = True
        timer = threading.Timer(pause, self._trim)
        timer.daemon = True
        timer.start()

    def _trim(self) -> None:
        with self._lock:
            self._waiting = False
        library = _glibc()
        if library is not None:
            library.malloc_trim(0)  # ctypes releases the interpreter's lock


_trimming: Final = _Trimming()


def trim_soon(pause: float = PAUSE) -> None:
    """Return free memory after `pause` seconds, in a separate thread. Call it whenever heavy work has ended."""
    if _glibc() is not None:
        _trimming.soon(pause)
