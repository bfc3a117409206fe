"""The newest message to the class, to its teacher or to a remote, and the streams that read it.

A reader has no queue: it knows the last revision it was sent and takes the newest, so a slow one skips the rest.
"""

import asyncio
import hashlib
from typing import Any, Final

import orjson

from visualiser.server.rooms import messages
from visualiser.server.rooms.held import compact

STUDENT, TEACHER, REMOTE = "student", "teacher", "remote"
HELLO: Final = b"retry: 2000\n\n"
BEATS: Final = b": beat\n\n"
END: Final = b"event: end\ndata: {}\n\n"


class Channel:
    """The newest message to one kind of reader."""

    def __init__(self, you: str) -> None:
        self.you = you
        self.revision, self.encodings = 0, 0
        self.event = b""
        self._said = self._uncounted = b""
        self.seats: dict[str, Seat] = {}

    @property
    def body(self) -> bytes:
        """The newest message, as it is asked for."""
        return self.event[self.event.index(b"data: ") + 6 : -2] if self.event else b""

    @property
    def message(self) -> dict[str, Any]:
        """The newest message."""
        return orjson.loads(self.body)

    def has_said(self, message: dict[str, Any], *, but_count: bool = False) -> bool:
        """True if this was the last message; `but_count`: except for the count."""
        return _mark(message, but_count) == (self._uncounted if but_count else self._said)

    def say(self, revision: int, message: dict[str, Any]) -> None:
        """Encode a message once, and wake every reader."""
        self.revision = revision
        self._said, self._uncounted = _mark(message, False), _mark(message, True)
        self.event = compact(b"id: %d\ndata: %b\n\n" % (revision, messages.encoded(revision, self.you, message)))
        self.encodings += 1
        for seat in self.seats.values():
            seat.wake()


class Seat:
    """One stream: what it was sent last. `name` is the hash of its tab's token, `group` that of its address."""

    def __init__(self, channel: Channel, name: str, address: str = "", group: int = 0) -> None:
        self.channel, self.name, self.address, self.group = channel, name, address, group
        self.sent = 0
        self.beat = self.closed = self.over = False
        self._waking: asyncio.Future[None] | None = None

    async def next(self) -> bytes | None:
        """Return what is to be sent next, when there is something; None when the stream ends."""
        while True:
            if self.closed:
                return None
            if self.over:
                self.closed = True
                return END
            if self.sent != self.channel.revision:
                self.sent, self.beat = self.channel.revision, False
                return self.channel.event
            if self.beat:
                self.beat = False
                return BEATS
            self._waking = asyncio.get_running_loop().create_future()
            await self._waking

    def wake(self) -> None:
        """Look again."""
        if self._waking is not None and not self._waking.done():
            self._waking.set_result(None)

    def close(self, *, over: bool = False) -> None:
        """End the stream; `over` tells the reader not to come back."""
        self.over = over
        self.closed = self.closed or not over
        self.wake()


def _mark(message: dict[str, Any], but_count: bool) -> bytes:
    """Return what tells this message from others; keeping the message itself would take ten times as much."""
    told = orjson.dumps({**message, "count": 0} if but_count else message)
    return hashlib.blake2b(told, digest_size=16).digest()
