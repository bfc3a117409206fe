"""The newest message to the class, to its teacher or to a remote, and the streams that read it.

A reader has no queue: it knows the last revision it was sent and takes the newest, so a slow one skips the rest.
"""

import asyncio
import hashlib
from typing import Any, Final

import orjson

from visualiser.server.rooms import room_messages
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
        self._digest = self._uncounted = b""
        self.seats: dict[str, Seat] = {}

    @property
    def body(self) -> bytes:
        """The JSON of the newest message."""
        return self.event[self.event.index(b"data: ") + 6 : -2] if self.event else b""

    @property
    def message(self) -> dict[str, Any]:
        """The newest message."""
        return orjson.loads(self.body)

    def is_repeat(self, message: dict[str, Any], *, but_count: bool = False) -> bool:
        """True if the last message was the same; `but_count`: apart from the count."""
        return _digest_of(message, but_count) == (self._uncounted if but_count else self._digest)

    def publish(self, revision: int, message: dict[str, Any]) -> None:
        """Encode a message once, and wake every reader."""
        self.revision = revision
        self._digest, self._uncounted = _digest_of(message, False), _digest_of(message, True)
        self.event = compact(b"id: %d\ndata: %b\n\n" % (revision, room_messages.encoded(revision, self.you, message)))
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
        """Return the next bytes to send, once there are some; None when the stream ends."""
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
        """Let `next` look for a message again."""
        if self._waking is not None and not self._waking.done():
            self._waking.set_result(None)

    def close(self, *, over: bool = False) -> None:
        """End the stream; `over` tells the reader not to come back."""
        self.over = over
        self.closed = self.closed or not over
        self.wake()


def _digest_of(message: dict[str, Any], but_count: bool) -> bytes:
    """Return the digest of a message; the message itself would take ten times as much memory."""
    encoded = orjson.dumps({**message, "count": 0} if but_count else message)
    return hashlib.blake2b(encoded, digest_size=16).digest()
