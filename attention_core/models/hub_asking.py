"""What the Hub is asked about a model before its first byte: the commit, and the files with their sizes and hashes.

Everything of an answer is a stranger's: only names of a list are fetched, into one folder without subfolders.
"""

import importlib
import re
from typing import Any, Final

__all__ = ["Lost", "hub", "is_id", "status_problem", "went_wrong"]

_ID: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


class Lost(Exception):
    """No answer, or no more of it.

    code      that of the error for a visitor
    final     if asking again is no use
    answered  if a server said so itself
    """

    def __init__(self, code: str, *, final: bool = False, answered: bool = False) -> None:
        super().__init__(code)
        self.code, self.final, self.answered = code, final, answered


def hub(part: str = "") -> Any:
    """Return huggingface_hub or a part of it; its import takes a moment."""
    return importlib.import_module(f"huggingface_hub{part}")


def is_id(written: str) -> bool:
    """Return True for `organisation/name` as the Hub allows it."""
    return _ID.fullmatch(written) is not None and "--" not in written and ".." not in written


def went_wrong(problem: Exception) -> Lost:
    """Return what to say of whatever a question to the Hub raised."""
    if isinstance(problem, Lost):
        return problem
    if isinstance(problem, hub(".errors").OfflineModeIsEnabled):
        return Lost("hub_offline", final=True)
    return Lost("hub_offline" if _is_unreachable(problem) else "hub_cut")


def status_problem(status: int, code: str) -> Lost:
    """Return what to say of an answer that is none, by its status and by the code that the Hub adds to it."""
    codes = {401: "hub_gated", 403: "hub_gated", 404: "hub_missing"}
    of_hub = {"RepoNotFound": "hub_missing", "RevisionNotFound": "hub_missing", "GatedRepo": "hub_gated"}
    found = of_hub.get(code) or codes.get(status)
    return Lost(found or "hub_busy", final=found is not None, answered=True)


def _is_unreachable(problem: Exception) -> bool:
    """Return True if there was no connection at all."""
    return any(kind.__name__ in ("ConnectError", "ConnectTimeout", "ProxyError") for kind in type(problem).__mro__)
