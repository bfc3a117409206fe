"""The app in a notebook's kernel: started once, in threads of the kernel's process, so that it ends with it.

It listens on loopback alone, at a free port, below a secret. The kernel stays the user's: no threads of torch, signals,
handlers of the log or limits of the process are set, and nothing that lives is hidden from the garbage collector.
"""

import contextlib
import os
import secrets
import socket
import threading
from dataclasses import dataclass
from typing import Any, Final

from visualiser.notebook.app import launched
from visualiser.server.gradio import running
from visualiser.server.http.secret import Outside

LOOPBACK: Final = "127.0.0.1"
_TRIES: Final = 10


@dataclass(frozen=True)
class Served:
    """The running app.

    port     of loopback
    secret   the first part of every path
    demo     gradio's app
    outside  where a proxy shows it
    """

    port: int
    secret: str
    demo: Any
    outside: Outside

    @property
    def address(self) -> str:
        """The app's address on this machine, ending in a slash."""
        return f"http://{LOOPBACK}:{self.port}/{self.secret}/"


_lock: Final = threading.Lock()
_served: Served | None = None
_process = 0


def served() -> Served:
    """Return the running app of this process; the first call starts it, in a few seconds.

    Raises `ValueError` for an environment variable of Headlight that cannot be used.
    """
    global _served, _process
    with _lock:
        # a child that was forked has no thread of the server
        if _served is None or _process != os.getpid():
            _served, _process = _start(), os.getpid()
        return _served


def _start() -> Served:
    secret = secrets.token_urlsafe(18)
    problem: OSError | None = None
    for _ in range(_TRIES):
        port = _free_port()
        try:
            outside = Outside()
            demo = launched(LOOPBACK, port, secret, outside)
            _leave_no_child_listening(demo)
            return Served(port, secret, demo, outside)
        except OSError as taken:  # by another program, a moment ago
            problem = taken
    raise problem or OSError


def _leave_no_child_listening(demo: Any) -> None:
    """Close the app's port in children that are forked, such as a loader's workers: it would outlive its kernel."""
    listening = running.listening(demo)

    def close() -> None:
        while listening:  # once: a child of the child may have other files under these numbers
            with contextlib.suppress(OSError):
                os.close(listening.pop())

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=close)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]
