"""What rooms hold, counted by themselves and by Python: never less, and at most twice as much."""

import gc
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from random import Random

import orjson
import pytest

from tests.alone import alone
from tests.visualiser.server.rooms.classroom import classroom, tab
from visualiser.server.rooms import codes, kept_room
from visualiser.server.rooms.memory_store import MemoryStore
from visualiser.server.rooms.rates import KEYS, Guesses, RateLimit
from visualiser.server.rooms.request_limits import Visitor
from visualiser.server.rooms.room_limits import OFFERS, REVEALED
from visualiser.server.rooms.room_registry import RoomRegistry
from visualiser.server.rooms.rooms import Rooms
from visualiser.server.rooms.store import NoPlace

SECRET = codes.hash_of("a" * 22)
LATE = 4e12
TABS = 251
"""Of the thousand that there may be, as many as show what a table takes for each."""
Fill = Callable[[MemoryStore, Random], Awaitable[None]]


def name(number: int) -> str:
    """Return the name of a tab, made as the server makes it."""
    return codes.name_of(tab(number), SECRET)


def curve(random: Random) -> bytes:
    """Return an answer as it comes: with the whole buffer of its writer."""
    return orjson.dumps([round(random.random(), 4) for _ in range(64)])


async def room(store: MemoryStore, code: str = "CCCCCC", size: int = 300) -> None:
    await store.create(code, orjson.dumps("x" * size), LATE, "q 1")


async def present(store: MemoryStore, many: int) -> None:
    await room(store)
    await store.here("CCCCCC", {name(number): number % 256 for number in range(many)})


async def choices(store: MemoryStore, random: Random) -> None:
    await present(store, TABS)
    for number in range(TABS):
        await store.answer("CCCCCC", "q 1", name(number), orjson.dumps(random.randrange(12)), number % 256)


async def curves(store: MemoryStore, random: Random) -> None:
    await present(store, TABS)
    for turn in (1, 2):
        version = (await store.snapshot("CCCCCC")).version  # pyright: ignore[reportOptionalMemberAccess]
        await store.change("CCCCCC", version, b"{}", f"q {turn}")
        for number in range(TABS):
            await store.answer("CCCCCC", f"q {turn}", name(number), curve(random))
        for number in range(0, TABS, 7):
            await store.answer("CCCCCC", f"q {turn}", name(number), b"1")


async def tabs_that_left(store: MemoryStore, random: Random) -> None:
    await present(store, TABS)
    await store.left("CCCCCC", [name(number) for number in range(TABS - 20)])


async def offers(store: MemoryStore, random: Random) -> None:
    await room(store)
    for number in range(3 * OFFERS):
        await store.offer("CCCCCC", name(number), "text=" + "a" * random.randrange(3900))


async def revelations(store: MemoryStore, random: Random) -> None:
    await room(store)
    for number in range(1, 2 * REVEALED):
        await store.change("CCCCCC", number, b"{}", "q 1", revealed=orjson.dumps("y" * random.randrange(9000)))


async def many_rooms(store: MemoryStore, random: Random) -> None:
    for number in range(150):
        await room(store, f"CCC{number:03}", random.randrange(20, 24_000))


async def ended_rooms(store: MemoryStore, random: Random) -> None:
    for number in range(150):
        await room(store, f"CCC{number:03}", 20_000)
        await store.end(f"CCC{number:03}", orjson.dumps("over"))


async def a_long_lesson(store: MemoryStore, random: Random) -> None:
    await present(store, TABS)
    for number in range(1, 12):
        await store.change("CCCCCC", number, b"x" * random.randrange(9000), "q 1", anew=True, revealed=curve(random))
        for voter in random.sample(range(TABS), 150):
            await store.answer("CCCCCC", "q 1", name(voter), curve(random))
        await store.offer("CCCCCC", name(number), "n=7")
        await store.left("CCCCCC", [name(voter) for voter in random.sample(range(TABS), 20)])
    await store.drop("CCCCCC", None)


FILLS: tuple[Fill, ...] = (
    choices,
    curves,
    tabs_that_left,
    offers,
    revelations,
    many_rooms,
    ended_rooms,
    a_long_lesson,
)


@pytest.fixture(autouse=True)
def collector_of_its_own() -> Iterator[None]:
    """Leave to the collector what these tests make alone: it goes through everything else several times."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.slow
@pytest.mark.parametrize("fill", FILLS)
def test_a_store_counts_what_it_holds(fill: Fill) -> None:
    store = MemoryStore()

    async def filled() -> int:
        gc.collect()
        tracemalloc.start()
        try:
            await fill(store, Random(1))
            gc.collect()
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    held = alone(filled())
    assert held <= store.taken <= 2 * held


@pytest.mark.parametrize("many", [1, 30, KEYS, KEYS + 600])
def test_tables_of_rates_count_what_they_hold(many: int) -> None:
    rate, guesses = RateLimit(1e-9, 5), Guesses(each=1e9)
    gc.collect()
    tracemalloc.start()
    for number in range(many):
        rate.take((f"192.0.2.{number}", tab(number)))
        assert guesses.begin("192.0.2.7", tab(number))
        guesses.end("192.0.2.7", tab(number), found=number % 2 == 0)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held <= rate.held + guesses.held <= 2 * held + 2000


def test_doors_remember_secrets_within_their_price() -> None:
    doors = Rooms(RoomRegistry(MemoryStore(), 10), hours=4).limits
    gc.collect()
    tracemalloc.start()
    for number in range(3000):
        doors.remember(Visitor("192.0.2.7"), codes.hash_of(str(number)), f"C{number:05}")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held <= doors.held <= 2 * held


async def test_rooms_that_are_followed_count_their_messages(at_once: None) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        await taught.ask("GET", f"/{taught.code}", tab=tab(1))
        before = taught.rooms.held
        await taught.teach("state", {"link": "text=" + "a" * 7900})
        stream = taught.follow(tab(1))
        await stream.until(lambda message: len(message["link"]) > 7000)
        assert taught.rooms.held - before > 2 * 7900, "the message to the class, and the one to the teacher"


def test_a_full_memory_takes_no_more_and_counts_what_is_beside_it() -> None:
    store = MemoryStore(200_000)

    async def fill() -> int:
        await present(store, 400)
        kept = 0
        for number in range(400):
            try:
                await store.answer("CCCCCC", "q 1", name(number), curve(Random(number)))
            except NoPlace:
                break
            kept += 1
        store.beside = lambda: 200_000
        with pytest.raises(NoPlace):
            await store.offer("CCCCCC", name(1), "n=7")
        return kept

    kept = alone(fill())
    assert 50 < kept < 400
    assert store.taken <= 200_000
    assert kept_room.Kept.__slots__


def test_a_full_table_of_codes_forgets_the_one_asked_for_longest_ago() -> None:
    guesses = Guesses(each=1e-9, burst=1)
    for number in range(KEYS + 1):
        guesses.remember("192.0.2.7", tab(number))
    assert guesses.begin("192.0.2.7", "a guess, and the last one")
    assert guesses.begin("192.0.2.7", tab(KEYS))
    assert not guesses.begin("192.0.2.7", tab(0))
