"""Where a model lies while it is fetched: a hidden folder beside the others, which goes whatever happens.

A process that is killed leaves it behind. Whoever starts next removes it; the system's lock on a file in it, which ends
with its process, tells a leftover from the folder of another process at work.
"""

import importlib
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

__all__ = ["Staging", "remove_leftovers"]

_PREFIX: Final = ".fetch-"
_LOCK: Final = ".lock"
_OLD: Final = 3600.0
"""Seconds after which a folder without a lock is a leftover; where the system has no locks, a day's worth of them."""


class Staging:
    """A folder beside the models; it is removed at the end of the block."""

    def __init__(self, root: Path) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
        self._lock = (self.path / _LOCK).open("wb")
        _locked(self._lock)

    def __enter__(self) -> "Staging":
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def remove_leftovers(root: Path) -> None:
    """Remove what processes that are gone have left in a folder."""
    with suppress(OSError):
        for one in root.glob(f"{_PREFIX}*"):
            if _is_left(one):
                shutil.rmtree(one, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    try:
        with (folder / _LOCK).open("r+b") as lock:
            free = _locked(lock)
            age = time.time() - folder.stat().st_mtime
            return age > 24 * _OLD if free is None else free
    except FileNotFoundError:
        with suppress(OSError):
            return time.time() - folder.stat().st_mtime > _OLD
    except OSError:
        pass
    return False


def _locked(file: Any) -> bool | None:
    """Lock a file until it is closed. Return False if another process has; None where the system has no such locks."""
    try:
        fcntl: Any = importlib.import_module("fcntl")
    except ImportError:  # Windows
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
