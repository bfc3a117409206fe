"""A time limit for slow readers of answers whose memory others wait for.

While nobody needs the memory, a reader may be as slow as it likes. Once others wait, it has `LONGEST` seconds for the
whole answer and is then cut off.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from visualiser.server.admission.fair_line import Ticket

LONGEST: Final = 60.0
"""Total seconds for which an answer may wait for its reader while others wait for its memory."""

_LOOK: Final = 1.0  # seconds between checks


class Reader:
    """The current task as the reader of an answer; `held` gives the ticket that holds the answer's memory."""

    def __init__(self, held: Callable[[], Ticket | None]) -> None:
        self._held, self._task = held, asyncio.current_task()
        self._stood = 0.0
        self._since: float | None = None
        self._look = asyncio.get_running_loop().call_later(_LOOK, self._cut)

    @contextmanager
    def reads(self) -> Iterator[None]:
        """Time the block in which the reader has a part and has not asked for the next."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._stood += time.monotonic() - self._since
            self._since = None

    def leave(self) -> None:
        """Stop watching the reader."""
        self._look.cancel()

    def _cut(self) -> None:
        ticket = self._held()
        standing = self._since is not None and self._stood + time.monotonic() - self._since > LONGEST
        if standing and ticket is not None and ticket.in_the_way and self._task is not None:
            self._task.cancel()
        else:
            self._look = asyncio.get_running_loop().call_later(_LOOK, self._cut)
