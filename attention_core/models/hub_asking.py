"""What the Hub is asked about a model before its first byte: the commit, and the files with their sizes and hashes.

Everything of an answer is a stranger's: only names of a list are fetched, into one folder without subfolders.
"""

import importlib
import queue
import re
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from attention_core.cancellation import checkpoint

__all__ = ["SILENCE", "Lost", "asked", "hub", "is_id", "status_problem", "went_wrong"]

SILENCE: Final = 10.0
"""Seconds of silence after which a connection is lost."""
_LOOK: Final = 0.05
_ID: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)

Answer = TypeVar("Answer")


class Lost(Exception):
    """No answer, or no more of it. `code` is that of the error for a visitor; `final` if asking again is no use."""

    def __init__(self, code: str, *, final: bool = False) -> None:
        super().__init__(code)
        self.code, self.final = code, final


def hub(part: str = "") -> Any:
    """Return huggingface_hub or a part of it; its import takes a moment."""
    return importlib.import_module(f"huggingface_hub{part}")


def is_id(written: str) -> bool:
    """Return True for `organisation/name` as the Hub allows it."""
    return _ID.fullmatch(written) is not None and "--" not in written and ".." not in written


def asked(ask: Callable[[], Answer]) -> Answer:
    """Return what `ask` does, in another thread, so that a wish to stop is heard meanwhile.

    Raises `Lost` for what it raises, and `Cancelled`.
    """
    made: queue.Queue[tuple[Answer | None, Exception | None]] = queue.Queue(1)

    def work() -> None:
        try:
            made.put((ask(), None))
        except Exception as problem:
            made.put((None, problem))

    threading.Thread(target=work, daemon=True).start()
    while True:
        checkpoint()
        try:
            found, problem = made.get(timeout=_LOOK)
        except queue.Empty:
            continue
        if problem is not None:
            raise went_wrong(problem)
        return found  # pyright: ignore[reportReturnType]


def went_wrong(problem: Exception) -> Lost:
    """Return what to say of whatever a question to the Hub raised."""
    if isinstance(problem, Lost):
        return problem
    errors = hub(".errors")
    if isinstance(problem, errors.GatedRepoError):
        return Lost("hub_gated", final=True)
    if isinstance(problem, (errors.RepositoryNotFoundError, errors.RevisionNotFoundError)):
        return Lost("hub_missing", final=True)
    if isinstance(problem, errors.OfflineModeIsEnabled):
        return Lost("hub_offline", final=True)
    answer = getattr(problem, "response", None)
    if answer is not None:
        return status_problem(answer.status_code)
    return Lost("hub_offline" if _is_unreachable(problem) else "hub_cut")


def status_problem(status: int) -> Lost:
    """Return what to say of an answer that is none."""
    codes = {401: "hub_gated", 403: "hub_gated", 404: "hub_missing"}
    return Lost(codes.get(status, "hub_busy"), final=status in codes)


def _is_unreachable(problem: Exception) -> bool:
    """Return True if there was no connection at all."""
    return any(kind.__name__ in ("ConnectError", "ConnectTimeout", "ProxyError") for kind in type(problem).__mro__)
