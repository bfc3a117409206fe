"""Both stores of rooms, and a Redis for the second."""

from collections.abc import Iterator

import pytest

from tests.visualiser.server.rooms.classroom import MakeStore
from tests.visualiser.server.rooms.redis_server import RedisServer
from visualiser.server.rooms import codes, live_room
from visualiser.server.rooms.memory_store import MemoryStore
from visualiser.server.rooms.redis_store import RedisStore


@pytest.fixture(autouse=True)
def cheap_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive codes of rooms in microseconds: these tests open hundreds."""
    monkeypatch.setattr(codes, "SCRYPT_COST", 2)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.night)])
def make(request: pytest.FixtureRequest) -> MakeStore:
    """Return a function that makes a store; in Redis all of them are one.

    The gate asks the routes with rooms in memory, the night with rooms in Redis, too.
    """
    if request.param == "memory":
        return MemoryStore
    server: RedisServer = request.getfixturevalue("redis_server")
    server.empty()
    return lambda: RedisStore(server.url)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send messages without pauses between them."""
    monkeypatch.setattr(live_room, "APART", 0.0)
    monkeypatch.setattr(live_room, "COUNTS_APART", 0.0)
