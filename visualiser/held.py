"""What this process was handed in memory, such as a notebook's tensors, by names that nobody guesses.

The last few things are held, and a newer one takes the place of the oldest: a notebook that shows a hundred results
keeps no hundred of them alive. A name is never listed; whoever has it may look.
"""

import hashlib
import re
import secrets
import threading
from collections import OrderedDict
from typing import Final, Generic, TypeVar

MOST: Final = 8
"""Things of one kind that are held at once."""

_BYTES: Final = 12  # of a name's secret part
_NAME: Final = re.compile(r"[\w.-]{1,60}@[0-9a-f]{24}")

Thing = TypeVar("Thing")


class Held(Generic[Thing]):
    """The last `most` things of one kind."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._things: OrderedDict[str, Thing] = OrderedDict()

    def put(self, name: str, thing: Thing) -> None:
        """Hold a thing under a name of `new_name`; the oldest leaves if there are too many."""
        with self._lock:
            self._things[name] = thing
            while len(self._things) > self._most:
                self._things.popitem(last=False)

    def find(self, name: str) -> Thing | None:
        """Return the thing of a name; None for one that is not held, or no longer."""
        with self._lock:
            return self._things.get(name)


def new_name(title: str) -> str:
    """Return a name that begins with a title, as far as it has letters, digits, points and dashes."""
    return f"{re.sub(r'[^A-Za-z0-9_.-]', '', title)[:60] or 'notebook'}@{secrets.token_hex(_BYTES)}"


def name_of(title: str, file: bytes) -> str:
    """Return the name of a file: the same for the same bytes, and nobody without them guesses it."""
    return f"{title}@{hashlib.sha256(file).hexdigest()[: 2 * _BYTES]}"


def is_name(name: str) -> bool:
    """Return True for a name as `new_name` makes them, whether anything is held under it or not."""
    return _NAME.fullmatch(name) is not None


def title(name: str) -> str:
    """Return the title of a name."""
    return name.rpartition("@")[0] if is_name(name) else name
