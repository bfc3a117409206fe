"""Rooms in memory and in Redis: each bound at its end and one past it, with a clock that the test turns."""

import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.alone import alone
from tests.draws import cases
from tests.visualiser.server.rooms.redis_server import RedisServer
from visualiser.server.rooms import kept_room, memory_store, redis_scripts, redis_store, room_limits
from visualiser.server.rooms.held import size
from visualiser.server.rooms.memory_store import MemoryStore
from visualiser.server.rooms.redis_store import RedisStore
from visualiser.server.rooms.room_limits import ENDED, HERE, LEFT, STALE, UNUSED
from visualiser.server.rooms.store import NoPlace, NoRoom, NotHere, NotOpen, Offer, Store

SMALL: Final = {"ROOMS": 4, "TABS": 3, "OFFERS": 2, "REVEALED": 2}
ROOMS, TABS, OFFERS, REVEALED = SMALL.values()
ROOM, LATE = "CCCCCC", 5e9
RUDE, POLITE = 7, 9
"""Two groups of addresses."""
NOW: Final = "tonumber(redis.call('GET', 'now'))"


class Clock:
    """Seconds since 1970, from a day on that no Redis of today has seen: its own clock ends nothing here."""

    def __init__(self) -> None:
        self.now = 4e9


class ClockedStore(RedisStore):
    """Redis at the test's time: scripts read it, and keys whose end has come are gone."""

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url)
        self._clock, self._seen = clock, 0

    async def _run(self, script: str, code: str, *given: object) -> Any:
        now = round(self._clock.now * 1000)
        if now != self._seen:
            await self._redis.set("now", now)
            for key in await self._redis.keys("headlight:{*"):
                if 0 <= await self._redis.pexpiretime(key) <= now:
                    await self._redis.delete(key)
            self._seen = now
        own = "time[1] * 1000 + math.floor(time[2] / 1000)"
        assert own in script
        return await super()._run(script.replace(own, NOW), code, *given)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few rooms, tabs, offers and revelations be many."""
    for module in (room_limits, kept_room, memory_store):
        for name, value in SMALL.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
    spec = importlib.util.find_spec(redis_scripts.__name__)
    assert spec is not None
    assert spec.loader is not None
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    monkeypatch.setattr(redis_store, "scripts", written)


Make = Callable[[Clock], Store]


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.night)])
def make(request: pytest.FixtureRequest, small: None) -> Make:
    """Return a function that makes an empty store with a clock."""
    return memory if request.param == "memory" else redis(request)


def memory(clock: Clock) -> Store:
    return MemoryStore(clock=lambda: clock.now)


def redis(request: pytest.FixtureRequest) -> Make:
    server: RedisServer = request.getfixturevalue("redis_server")

    def emptied(clock: Clock) -> Store:
        server.empty()
        return ClockedStore(server.url, clock)

    return emptied


@asynccontextmanager
async def room(make: Make, takes: str = "q 1", tabs: int = 0) -> AsyncIterator[tuple[Store, Clock]]:
    """Yield a store with one room and so many tabs of one group in it, which came one after the other."""
    clock = Clock()
    store = make(clock)
    try:
        assert await store.create(ROOM, b"{}", LATE, takes) is None
        for number in range(tabs):
            clock.now += 0.01
            assert await store.here(ROOM, {f"tab{number}": RUDE})
        yield store, clock
    finally:
        await store.close()


async def counted(store: Store) -> tuple[int, int, tuple[int, int], tuple[int, int]]:
    """Return how many are here, have left the class, have answered, and of those have gone."""
    found = await store.snapshot(ROOM)
    assert found is not None
    return found.count, found.away, found.answered, found.gone


async def links(store: Store) -> list[str]:
    found = await store.snapshot(ROOM)
    assert found is not None
    return [offer.link for offer in found.offers]


async def test_as_many_tabs_as_there_may_be_and_not_one_more(make: Make) -> None:
    async with room(make, tabs=TABS) as (store, _):
        assert not await store.here(ROOM, {"more": RUDE})
        assert await store.here(ROOM, {"tab0": RUDE}), "it is here already"
        assert (await counted(store))[0] == TABS
        assert await store.here(ROOM, {"polite": POLITE}), "of the larger group one gives way"
        assert (await counted(store))[0] == TABS
        await store.answer(ROOM, "q 1", "tab1", b"1")  # it was seen first, and may still answer for a while
        assert (await counted(store))[3] == (1, 0)
        assert not await store.here(ROOM, {"polite too": POLITE}), "the groups are 2 and 1, so none has two less"


async def test_a_tab_gives_way_from_the_second_on_in_which_it_is_stale(make: Make) -> None:
    async with room(make, tabs=TABS) as (store, clock):
        came = clock.now - 0.01 * (TABS - 1)
        clock.now = came + STALE - 0.001
        assert not await store.here(ROOM, {"more": RUDE})
        clock.now = came + STALE
        assert await store.here(ROOM, {"more": RUDE})
        assert (await counted(store))[0] == TABS


async def test_a_tab_is_here_until_the_second_in_which_it_is_gone(make: Make) -> None:
    async with room(make) as (store, clock):
        await store.here(ROOM, {"tab": RUDE}, away=True)
        await store.answer(ROOM, "q 1", "tab", b"1")
        clock.now += HERE - 0.001
        assert await counted(store) == (1, 1, (1, 0), (0, 0))
        await store.answer(ROOM, "q 1", "tab", b"2")
        clock.now += 0.001
        with pytest.raises(NotHere):
            await store.answer(ROOM, "q 1", "tab", b"3")
        assert await counted(store) == (0, 0, (1, 0), (1, 0))
        assert await store.answers(ROOM) == ([b"2"], [])


async def test_who_left_may_answer_as_long_as_who_is_here(make: Make) -> None:
    async with room(make) as (store, clock):
        await store.here(ROOM, {"tab": RUDE})
        clock.now += 10
        await store.left(ROOM, ["tab", "nobody"])
        clock.now += HERE - 0.001
        await store.answer(ROOM, "q 1", "tab", b"1")
        clock.now += 0.001
        with pytest.raises(NotHere):
            await store.answer(ROOM, "q 1", "tab", b"2")


@pytest.mark.parametrize("evicted", [False, True])
async def test_of_those_who_left_as_many_are_known_as_there_may_be_tabs(make: Make, evicted: bool) -> None:
    """The one that was seen first is forgotten, whether the last one left or gave way."""
    async with room(make) as (store, clock):
        for number in range(TABS):
            clock.now += 0.01
            await store.here(ROOM, {f"gone{number}": RUDE})
            await store.left(ROOM, [f"gone{number}"])
        await store.answer(ROOM, "q 1", "gone0", b"1")
        clock.now += 0.01
        if evicted:
            for number in range(TABS):
                await store.here(ROOM, {f"tab{number}": RUDE})
            assert await store.here(ROOM, {"polite": POLITE})
        else:
            await store.here(ROOM, {"one": RUDE})
            await store.left(ROOM, ["one"])
        with pytest.raises(NotHere):
            await store.answer(ROOM, "q 1", "gone0", b"1")
        await store.answer(ROOM, "q 1", "gone1", b"1")


@pytest.mark.parametrize("turn", [1, 2])
async def test_as_many_answers_in_a_round_as_there_may_be_tabs(make: Make, turn: int) -> None:
    async with room(make, f"q {turn}", tabs=TABS) as (store, _):
        for number in range(TABS):
            await store.answer(ROOM, f"q {turn}", f"tab{number}", b"1", RUDE)
        assert await store.here(ROOM, {"polite": POLITE})
        assert await store.here(ROOM, {"polite": POLITE})
        with pytest.raises(NotOpen):
            await store.answer(ROOM, f"q {3 - turn}", "polite", b"1", POLITE)
        await store.answer(ROOM, f"q {turn}", "tab1", b"2", RUDE)  # in place of its own
        await store.answer(ROOM, f"q {turn}", "polite", b"3", POLITE)
        both = await store.answers(ROOM)
        assert len(both[turn - 1]) == TABS
        assert both[turn - 1].count(b"3") == 1
        assert both[2 - turn] == []


async def test_of_answers_by_groups_of_one_none_gives_way_to_another_such_group(make: Make) -> None:
    async with room(make) as (store, _):
        await store.here(ROOM, {"of4": 4})
        await store.left(ROOM, ["of4"])
        for group in (1, 2, 3):
            await store.here(ROOM, {f"of{group}": group})
            await store.answer(ROOM, "q 1", f"of{group}", b"1", group)
        with pytest.raises(NoPlace):
            await store.answer(ROOM, "q 1", "of4", b"4", 4)
        assert await store.answers(ROOM) == ([b"1"] * 3, [])


async def test_an_answer_is_given_back_below_the_bound_and_only_once(make: Make) -> None:
    async with room(make, "q 2", tabs=TABS) as (store, _):
        await store.give_back(ROOM, "q 2", "tab0", b"1", 2)
        with pytest.raises(NotOpen):
            await store.give_back(ROOM, "q 2", "tab0", b"2", 2)
        with pytest.raises(NotOpen):
            await store.give_back(ROOM, "q 1", "tab1", b"2", 2)
        with pytest.raises(NotHere):
            await store.give_back(ROOM, "q 2", "nobody", b"2", 2)
        await store.give_back(ROOM, "q 2", "tab1", b"2", 2)
        with pytest.raises(NotOpen):
            await store.give_back(ROOM, "q 2", "tab2", b"3", 2)
        assert await store.answers(ROOM) == ([b"1", b"2"], [])
        await store.answer(ROOM, "q 2", "tab1", b"4")
        await store.answer(ROOM, "q 2", "tab2", b"5")
        assert await store.answered_both(ROOM) == [(b"2", b"4")]
        assert [await store.kept_answer(ROOM, 1, turn, "tab1") for turn in (1, 2)] == [b"2", b"4"]
        assert await store.kept_answer(ROOM, 2, 1, "tab1") is None
        assert await store.kept_answer(ROOM, 1, 1, "tab2") is None


async def test_of_offers_the_newest_are_kept_one_of_each_tab(make: Make) -> None:
    async with room(make) as (store, _):
        for number in range(OFFERS + 1):
            await store.offer(ROOM, f"tab{number}", f"n={number}")
        assert await links(store) == [f"n={number}" for number in range(1, OFFERS + 1)]
        await store.offer(ROOM, "tab1", "n=9")
        assert await links(store) == ["n=2", "n=9"]
        found = await store.snapshot(ROOM)
        assert found is not None
        await store.drop(ROOM, found.offers[0].id)
        assert await links(store) == ["n=9"]
        await store.drop(ROOM, "0")
        assert await links(store) == ["n=9"]
        await store.drop(ROOM, None)
        assert await links(store) == []


async def test_of_revelations_the_last_are_kept(make: Make) -> None:
    async with room(make) as (store, _):
        for number in range(1, REVEALED + 2):
            assert await store.change(ROOM, number, b"{}", "q 1", revealed=b"%d" % number)
            kept = [b"%d" % one for one in range(max(1, number - REVEALED + 1), number + 1)]
            assert await store.revealed(ROOM) == kept


async def test_a_change_needs_the_present_version_and_drops_answers_if_it_says_so(make: Make) -> None:
    async with room(make, tabs=1) as (store, _):
        await store.answer(ROOM, "q 1", "tab0", b"1")
        assert not await store.change(ROOM, 2, b"2", "q 1", anew=True, revealed=b"x")
        assert await store.change(ROOM, 1, b"2", "q 1")
        assert not await store.change(ROOM, 1, b"3", "q 1")
        assert await store.answers(ROOM) == ([b"1"], [])
        assert await store.change(ROOM, 2, b"4", "r 1", anew=True)
        assert await store.answers(ROOM) == ([], [])
        found = await store.snapshot(ROOM)
        assert found is not None
        assert (found.document, found.version, await store.revealed(ROOM)) == (b"4", 3, [])


async def test_a_room_that_never_had_a_student_ends_sooner(make: Make) -> None:
    for names, patience in (({}, UNUSED), ({"student": RUDE}, LEFT)):
        async with room(make) as (store, clock):
            clock.now += UNUSED - 1
            await store.here(ROOM, names)
            clock.now += patience - 0.001
            assert await store.snapshot(ROOM) is not None
            clock.now += 0.001 + (0.0 if not names else HERE)  # a look that finds somebody gone is a use
            clock.now += 0.0 if not names else LEFT
            assert await store.snapshot(ROOM) is None
            with pytest.raises(NoRoom):
                await store.here(ROOM, {})


async def test_a_room_ends_at_its_hour_whoever_uses_it(make: Make) -> None:
    clock = Clock()
    store = make(clock)
    try:
        await store.create(ROOM, b"{}", clock.now + 100, "q 1")
        clock.now += 99.999
        await store.here(ROOM, {"student": RUDE})
        assert await store.snapshot(ROOM) is not None
        clock.now += 0.001
        assert await store.snapshot(ROOM) is None
    finally:
        await store.close()


async def test_an_ended_room_says_so_for_a_while_and_begins_again_with_newer_numbers(make: Make) -> None:
    async with room(make, tabs=1) as (store, clock):
        await store.answer(ROOM, "q 1", "tab0", b"1")
        await store.offer(ROOM, "tab0", "n=3")
        before = await store.snapshot(ROOM)
        await store.end(ROOM, b"over")
        over = await store.snapshot(ROOM)
        assert before is not None
        assert over is not None
        assert over.revision > before.revision
        assert (over.version, over.document) == (before.version + 1, b"over")
        assert (over.count, over.answered, over.offers) == (0, (0, 0), ())
        for act in (store.end(ROOM, b""), store.offer(ROOM, "tab0", ""), store.left(ROOM, []), store.revealed(ROOM)):
            with pytest.raises(NoRoom):
                await act
        clock.now += ENDED - 0.001
        assert await store.snapshot(ROOM) is not None
        assert await store.create(ROOM, b"again", LATE, "q 1") is None
        again = await store.snapshot(ROOM)
        assert again is not None
        assert again.revision > over.revision
        assert (again.version, again.document) == (1, b"again")
        assert await store.create(ROOM, b"other", LATE, "q 1") == b"again"
        await store.end(ROOM, b"over")
        clock.now += ENDED
        assert await store.snapshot(ROOM) is None


async def test_as_many_rooms_as_there_may_be_and_the_least_used_gives_way(make: Make) -> None:
    async with room(make) as (store, clock):
        for number in range(1, ROOMS):
            clock.now += 1
            assert await store.create(f"CCCCC{number}", b"{}", LATE, "", RUDE) is None
            await store.here(f"CCCCC{number}", {"student": RUDE})
        await store.here("CCCCC1", {"student": RUDE, "another": RUDE})
        with pytest.raises(NoPlace):
            await store.create("DDDDDD", b"{}", LATE, "", RUDE)
        await store.here(ROOM, {"student": POLITE})
        assert await store.create("DDDDDD", b"{}", LATE, "", POLITE) is None
        assert await store.snapshot("CCCCC2") is None, "of the largest group the one in which the fewest are"
        assert None not in [await store.snapshot(code) for code in (ROOM, "CCCCC1", "CCCCC3", "DDDDDD")]


async def test_a_room_that_has_ended_gives_way_first_and_begins_again_in_its_own_place(make: Make) -> None:
    async with room(make) as (store, clock):
        for number in range(1, ROOMS):
            await store.create(f"CCCCC{number}", b"{}", LATE, "", RUDE)
            await store.here(f"CCCCC{number}", {"student": RUDE})
        await store.end("CCCCC1", b"over")
        assert await store.create("CCCCC1", b"again", LATE, "") is None
        assert await store.snapshot(ROOM) is not None
        await store.end("CCCCC2", b"over")
        clock.now += 1
        await store.end("CCCCC1", b"over")
        assert await store.create("DDDDDD", b"{}", LATE, "", RUDE) is None
        found = [await store.snapshot(code) for code in (ROOM, "CCCCC1", "CCCCC2", "CCCCC3", "DDDDDD")]
        assert [one is None for one in found] == [False, False, True, False, False], "what ended first goes first"


async def test_a_room_that_nobody_uses_gives_way_after_a_while(make: Make) -> None:
    async with room(make) as (store, clock):
        for number in range(1, ROOMS):
            await store.create(f"CCCCC{number}", b"{}", LATE, "")
            await store.here(f"CCCCC{number}", {"student": 0})
        clock.now += HERE - 0.001
        with pytest.raises(NoPlace):
            await store.create("DDDDDD", b"{}", LATE, "")
        clock.now += 0.001
        assert await store.create("DDDDDD", b"{}", LATE, "") is None
        assert await store.snapshot(ROOM) is None


async def test_everything_that_shows_raises_the_revision(make: Make) -> None:
    async with room(make, tabs=1) as (store, clock):

        async def raised(act: Awaitable[object]) -> bool:
            before = await store.snapshot(ROOM)
            await act
            after = await store.snapshot(ROOM)
            assert before is not None
            assert after is not None
            return after.revision > before.revision

        assert not await raised(store.here(ROOM, {"tab0": RUDE}))
        assert await raised(store.here(ROOM, {"tab0": RUDE}, away=True))
        assert not await raised(store.here(ROOM, {"tab0": RUDE}, away=True))
        assert await raised(store.here(ROOM, {"tab0": RUDE}, away=False))
        assert await raised(store.here(ROOM, {"tab1": RUDE}))
        assert not await raised(store.here(ROOM, {}))
        assert await raised(store.answer(ROOM, "q 1", "tab0", b"1"))
        assert not await raised(store.answer(ROOM, "q 1", "tab0", b"2"))
        assert await raised(store.offer(ROOM, "tab0", "n=3"))
        assert await raised(store.drop(ROOM, None))
        assert await raised(store.change(ROOM, 1, b"{}", "q 2"))
        assert await raised(store.give_back(ROOM, "q 2", "tab1", b"2", 9))
        assert not await raised(store.left(ROOM, ["nobody"]))
        assert await raised(store.left(ROOM, ["tab0"]))
        before = await store.snapshot(ROOM)
        clock.now += HERE
        after = await store.snapshot(ROOM)
        assert before is not None
        assert after is not None
        assert after.revision > before.revision, "a tab was not seen for long"


NAMES, CODES = st.sampled_from("abcdef"), st.sampled_from(["CCCCCC", "DDDDDD"])
GROUPS, TAKES = st.integers(1, 3), st.sampled_from(["", "q 1", "q 2"])
ACTS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0.5, STALE, HERE - 1, HERE, UNUSED, ENDED, LEFT])),
    st.tuples(st.just("create"), st.sampled_from("CDEFGH").map(lambda one: one * 6), TAKES, GROUPS),
    st.tuples(st.just("here"), CODES, st.dictionaries(NAMES, GROUPS, max_size=2), st.sampled_from([None, True, False])),
    st.tuples(st.just("left"), CODES, st.lists(NAMES, max_size=2)),
    st.tuples(st.just("answer"), CODES, TAKES, NAMES, GROUPS),
    st.tuples(st.just("give_back"), CODES, TAKES, NAMES, st.integers(1, 3), GROUPS),
    st.tuples(st.just("change"), CODES, st.integers(1, 3), TAKES, st.booleans(), st.sampled_from([b"", b"r", b"s"])),
    st.tuples(st.just("offer"), CODES, NAMES),
    st.tuples(st.just("drop"), CODES, st.booleans()),
    st.tuples(st.just("end"), CODES),
)


class Played:
    """A store that plays acts, and tells what came of each."""

    def __init__(self, make: Make) -> None:
        self.clock = Clock()
        self.store = make(self.clock)
        self.links = 0

    async def play(self, act: tuple[Any, ...]) -> object:
        """Do it, and return the answer or the refusal, then all that the room shows."""
        self.clock.now += 0.25
        name, *given = act
        try:
            answer: object = await getattr(self, f"_{name}")(*given)
        except (NoRoom, NoPlace, NotHere, NotOpen) as refused:
            answer = type(refused).__name__
        return answer, [await self._shown(code) for code in ("CCCCCC", "DDDDDD")]

    async def _shown(self, code: str) -> object:
        found = await self.store.snapshot(code)
        if found is None:
            return None
        links = [offer.link for offer in found.offers]
        shown = found.version, found.document, found.count, found.away, found.answered, links
        try:
            return *shown, await self.store.answers(code), await self.store.revealed(code)
        except NoRoom:
            return shown

    async def _wait(self, seconds: float) -> None:
        self.clock.now += seconds

    async def _create(self, code: str, takes: str, group: int) -> object:
        return await self.store.create(code, code.encode(), self.clock.now + 9000, takes, group)

    async def _here(self, code: str, names: dict[str, int], away: bool | None) -> object:
        return await self.store.here(code, names, away)

    async def _left(self, code: str, names: list[str]) -> object:
        return await self.store.left(code, names)

    async def _answer(self, code: str, takes: str, name: str, group: int) -> object:
        # all answers are alike: which one gives way is each store's own choice
        return await self.store.answer(code, takes, name, b"1", group)

    async def _give_back(self, code: str, takes: str, name: str, most: int, group: int) -> object:
        return await self.store.give_back(code, takes, name, b"1", most, group)

    async def _change(self, code: str, version: int, takes: str, anew: bool, revealed: bytes) -> object:
        return await self.store.change(code, version, b"changed", takes, anew=anew, revealed=revealed)

    async def _offer(self, code: str, name: str) -> object:
        self.links += 1
        return await self.store.offer(code, name, f"n={self.links}")

    async def _drop(self, code: str, every: bool) -> object:
        found = await self.store.snapshot(code)
        first = found.offers[0].id if found and found.offers else "0"
        return await self.store.drop(code, None if every else first)

    async def _end(self, code: str) -> object:
        return await self.store.end(code, b"over")


def is_vote(act: Sequence[Any]) -> bool:
    """Return True for what may depend on which answer has given way."""
    return act[0] in ("answer", "give_back")


def counted_anew(store: MemoryStore) -> int:
    """Return the bytes of all rooms, added up from what is in them."""
    total = 0
    for kept in store._rooms.values():
        tables = (kept.here, kept.left, *kept.answers, kept.offers)
        inner = sum(size(name) + value.size() for table in tables for name, value in table.items())
        own = (kept, kept.document, kept.takes, kept.answers, kept.revealed, *kept.revealed, *tables)
        total += inner + sum(map(size, own)) + 256
    return total


@pytest.mark.night
@settings(max_examples=cases(150), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(acts=st.lists(ACTS, min_size=5, max_size=40))
@pytest.mark.usefixtures("small")
def test_both_stores_give_the_same_answers(request: pytest.FixtureRequest, acts: list[tuple[Any, ...]]) -> None:
    async def played() -> None:
        one, other = Played(memory), Played(redis(request))
        gave_way = False
        try:
            for act in (("create", "CCCCCC", "q 1", 1), ("create", "DDDDDD", "q 2", 2), *acts):
                if gave_way and is_vote(act):
                    continue
                found, wanted = await one.play(act), await other.play(act)
                assert found == wanted, act
                assert isinstance(one.store, MemoryStore)
                assert one.store.taken == counted_anew(one.store)
                rooms = one.store._rooms.values()
                gave_way |= is_vote(act) and any(len(answers) == TABS for kept in rooms for answers in kept.answers)
        finally:
            await other.store.close()

    alone(played(), seconds=120)


def test_growth_is_never_less_than_what_a_table_grows_by() -> None:
    table = kept_room.Table[Offer]()
    before = table.size()
    for number in range(300):
        name, offer = f"tab{number % 200}", Offer(str(number), "n" * (number * 7 % 90))
        growth = table.growth(name, offer)
        former = table.get(name)
        table.put(name, offer)
        if former is not None:
            assert growth == table.size() - before
        before = table.size()
    assert table.entries == sum(size(name) + offer.size() for name, offer in table.items())
    assert sum(table.growth(f"more{number}", Offer("", "")) for number in range(500)) > 500 * 80


def test_the_limits_are_those_of_the_documents() -> None:
    """docs/room.md states them."""
    values = {name: value for name, value in vars(room_limits).items() if name.isupper()}
    assert values == {
        "ROOMS": 200,
        "TABS": 1000,
        "MEMORY": 0.04,
        "LINK": 8000,
        "OFFERED": 4000,
        "LONG_BODY": 24_000,
        "SHORT_BODY": 4000,
        "MESSAGE": 24_000,
        "OFFERS": 12,
        "REVEALED": 20,
        "HERE": 40.0,
        "STALE": 20.0,
        "ENDED": 600.0,
        "UNUSED": 180.0,
        "LEFT": 3600.0,
        "OPENINGS": 120,
        "OPENINGS_OF_TAB": 6,
    }
