"""Where a model lies while it is fetched: a hidden folder beside the others, which goes whatever happens.

A process that is killed leaves it behind. Whoever starts next removes it; the system's lock on a file in it, which ends
with its process, tells a leftover from the folder of another process at work. That file says how many bytes the fetch
takes, and fetches into a folder begin and end one at a time, so that together they keep its bound.
"""

import importlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from attention_core.cancellation import checkpoint

__all__ = ["Staging", "promised", "remove_leftovers"]

_PREFIX: Final = ".fetch-"
_LOCK: Final = ".lock"
"""In a folder of a fetch: locked while it is at work, with the bytes that it takes."""
_TURN: Final = ".turn"
_LOOK: Final = 0.05
_OLD: Final = 3600.0
"""Seconds after which a folder without a lock is a leftover; where the system has no locks, a day's worth of them."""


class Staging:
    """A folder beside the models for a model of so many bytes; it is removed at the end of the block.

    The bytes are promised from the start, so that no other process gives the room away: `require` looks at what is
    there and promised, and no other fetch does meanwhile.
    """

    def __init__(self, root: Path, bytes: int, require: Callable[[], object]) -> None:
        self._root = root
        with _turn(root):
            require()
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
            self._lock = (self.path / _LOCK).open("wb")
            _locked(self._lock)
            self._lock.write(b"%d" % bytes)
            self._lock.flush()

    def __enter__(self) -> "Staging":
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def finish(self, move: Callable[[], object]) -> None:
        """Move the model out and take the promise back; no other process sees both, or neither."""
        with _turn(self._root):
            move()
            self.__exit__()


def promised(root: Path) -> tuple[int, int]:
    """Return the bytes of all fetches at work, in this process and others, and how many of them are still to come."""
    whole = to_come = 0
    for one in root.glob(f"{_PREFIX}*"):
        with suppress(OSError, ValueError):  # it has just ended
            if not _is_left(one):
                said = int((one / _LOCK).read_bytes())
                whole, to_come = whole + said, to_come + max(0, said - _size(one))
    return whole, to_come


def remove_leftovers(root: Path) -> None:
    """Remove what processes that are gone have left in a folder."""
    with suppress(OSError):
        found = [*root.glob(f"{_PREFIX}*")]
        if found:
            with _turn(root):
                for one in filter(_is_left, found):
                    shutil.rmtree(one, ignore_errors=True)


@contextmanager
def _turn(root: Path) -> Iterator[None]:
    """Keep other fetches into a folder from beginning or ending. The system ends it with the process."""
    with (root / _TURN).open("ab") as file:
        while _locked(file) is False:
            checkpoint()
            time.sleep(_LOOK)
        yield


def _size(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


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
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        return None
    return True
