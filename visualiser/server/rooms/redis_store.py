"""Rooms in Redis: every process serves every student, and a room outlives a process.

Imported only with `HEADLIGHT_REDIS_URL`. One connection of a process listens to all changes.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from visualiser.server.rooms import redis_scripts as scripts
from visualiser.server.rooms.store import Away, Changed, NoPlace, NoRoom, NotHere, NotOpen, Offer, Snapshot

_CONNECTIONS: Final = 32
_SECONDS: Final = 2.0
"""Seconds until Redis is called away."""

_AGAIN: Final = 0.5
"""Seconds between two attempts to listen again."""


class RedisStore:
    """Rooms in the Redis at `url`, as `Store` says."""

    def __init__(self, url: str) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS,
            timeout=_SECONDS,
            socket_timeout=_SECONDS,
            socket_connect_timeout=_SECONDS,
            health_check_interval=15,
            retry=Retry(NoBackoff(), 1),
        )
        self._redis: Any = Redis(connection_pool=pool)
        self._scripts: dict[str, Any] = {}

    async def create(self, code: str, document: bytes, until: float, takes: str, group: int = 0) -> bytes | None:
        """See `Store`."""
        reply, *rest = await self._run(scripts.CREATE, code, document, int(until * 1000), takes, group)
        if reply == b"full":
            raise NoPlace
        return rest[0] if rest else None

    async def snapshot(self, code: str) -> Snapshot | None:
        """See `Store`."""
        found = await self._run(scripts.SNAPSHOT, code)
        if not found:
            return None
        revision, version, document, count, away, first, second, offers, *gone = found
        each = sorted((int(number), link) for number, _, link in (offer.partition(b" ") for offer in offers))
        kept = tuple(Offer(str(number), link.decode()) for number, link in each)
        here, answered = (count, away), (first, second)
        return Snapshot(int(revision), int(version), document, *here, answered, kept, (gone[0], gone[1]))

    async def change(
        self, code: str, version: int, document: bytes, takes: str, *, anew: bool = False, revealed: bytes = b""
    ) -> bool:
        """See `Store`."""
        return await self._do(scripts.CHANGE, code, version, document, takes, int(anew), revealed) != b"late"

    async def end(self, code: str, document: bytes) -> None:
        """See `Store`."""
        await self._do(scripts.END, code, document)

    async def answer(self, code: str, takes: str, name: str, answer: bytes, group: int = 0) -> None:
        """See `Store`."""
        reply = await self._do(scripts.ANSWER, code, takes, name, answer, group)
        _taken(reply)
        if reply == b"full":
            raise NoPlace

    async def give_back(self, code: str, takes: str, name: str, answer: bytes, most: int, group: int = 0) -> None:
        """See `Store`."""
        _taken(await self._do(scripts.GIVE_BACK, code, takes, name, answer, most, group))

    async def kept_answer(self, code: str, version: int, turn: int, name: str) -> bytes | None:
        """See `Store`."""
        found = await self._do(scripts.KEPT_ANSWER, code, version, turn, name)
        return None if found is None else found[1:]

    async def answers(self, code: str) -> tuple[list[bytes], list[bytes]]:
        """See `Store`."""
        first, second = await self._do(scripts.ANSWERS, code)
        # without the byte of its group
        return sorted(one[1:] for one in first), sorted(one[1:] for one in second)

    async def answered_both(self, code: str) -> list[tuple[bytes, bytes]]:
        """See `Store`."""
        first, second = await self._do(scripts.ANSWERED_BOTH, code)
        return sorted((before[1:], after[1:]) for before, after in zip(first, second, strict=True))

    async def offer(self, code: str, name: str, link: str) -> None:
        """See `Store`."""
        await self._do(scripts.OFFER, code, name, link)

    async def drop(self, code: str, offer: str | None) -> None:
        """See `Store`."""
        await self._do(scripts.DROP, code, offer or "")

    async def here(self, code: str, names: Mapping[str, int], away: bool | None = None) -> bool:
        """See `Store`."""
        given = [each for name_and_group in names.items() for each in name_and_group]
        return await self._do(scripts.ARRIVE, code, "" if away is None else int(away), *given) != b"full"

    async def left(self, code: str, names: Iterable[str]) -> None:
        """See `Store`."""
        await self._do(scripts.LEAVE, code, *names)

    async def revealed(self, code: str) -> list[bytes]:
        """See `Store`."""
        return await self._do(scripts.REVEALED_ALL, code)

    async def watch(self, changed: Changed) -> None:
        """See `Store`."""
        while True:
            listening = self._redis.pubsub()
            try:
                await listening.subscribe(scripts.CHANNEL)
                heard = time.monotonic()
                while True:
                    message = await listening.get_message(timeout=1.0)
                    if message is not None and message["type"] == "subscribe":
                        # anything may have happened before, also if redis-py has found a Redis that was started again
                        changed(None)
                    elif message is not None and message["type"] == "message":
                        changed(message["data"].decode())
                    elif time.monotonic() - heard > _SECONDS:
                        heard = time.monotonic()
                        await listening.ping()
            except (RedisError, OSError):
                await asyncio.sleep(_AGAIN)
            finally:
                with suppress(RedisError, OSError):
                    await listening.aclose()

    async def close(self) -> None:
        """See `Store`."""
        await self._redis.aclose()
        await self._redis.connection_pool.aclose()

    async def _do(self, script: str, code: str, *given: object) -> Any:
        found = await self._run(script, code, *given)
        if found == b"none":
            raise NoRoom
        return found

    async def _run(self, script: str, code: str, *given: object) -> Any:
        if script not in self._scripts:
            self._scripts[script] = self._redis.register_script(script)
        # one slot for all keys of a room, though clusters are not supported: ROOMS_KEY is in another one
        keys = [f"headlight:{{{code}}}:{name}" for name in scripts.KEYS]
        try:
            return await self._scripts[script](keys=keys, args=[code, *given])
        except (RedisError, OSError, TimeoutError) as problem:
            raise Away from problem


def _taken(reply: bytes) -> None:
    if reply == b"closed":
        raise NotOpen
    if reply == b"absent":
        raise NotHere
