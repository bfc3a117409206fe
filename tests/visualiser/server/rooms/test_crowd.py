"""Five hundred streams: one encoding for all, one slot each, and nothing left when the room has ended."""

import gc
import weakref

import pytest

from tests.alone import until
from tests.visualiser.server.rooms.classroom import Stream, classroom, tab
from visualiser.server.http import health
from visualiser.server.rooms.channel import Seat
from visualiser.server.rooms.memory_store import MemoryStore

MANY = 500


@pytest.mark.slow
async def test_one_encoding_serves_five_hundred_streams(at_once: None) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        streams = [taught.follow(tab(number)) for number in range(MANY)]
        await until(lambda: all(each.messages and each.messages[-1]["count"] == MANY for each in streams))
        before = taught.live.students.encodings
        for n in range(2, 12):
            await taught.teach("state", {"link": f"n={n}"})
            await until(lambda n=n: all(each.messages[-1]["link"] == f"n={n}" for each in streams))
        assert taught.live.students.encodings - before == 10
        assert len({each.bytes[each.bytes.index(b"n=2") :] for each in streams}) == 1


async def test_a_slow_reader_skips_to_the_newest(at_once: None) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        slow, quick = taught.follow(tab(1)), taught.follow(tab(2))
        await slow.until(lambda message: message["count"] == 2)
        slow.reads.clear()
        for n in range(2, 32):
            await taught.teach("state", {"link": f"n={n}"})
            await quick.until(lambda message, n=n: message["link"] == f"n={n}")
        slow.reads.set()
        await slow.until(lambda message: message["link"] == "n=31")
        links = [message["link"] for message in slow.messages if message["link"]]
        assert links == ["n=2", "n=31"], "the one that was on its way, and the newest"


@pytest.mark.night
async def test_a_room_that_has_ended_leaves_nothing(at_once: None) -> None:
    stores: list[MemoryStore] = []

    def make() -> MemoryStore:
        stores.append(MemoryStore())
        return stores[-1]

    async with classroom(make) as taught:
        await taught.open()
        streams = [taught.follow(tab(number)) for number in range(50)]
        await until(lambda: all(each.messages and each.messages[-1]["count"] == 50 for each in streams))
        asked = await taught.teach("ask", {"kind": "curve", "text": "?", "x": [0, 1]})
        question = asked.json["question"]
        for number in range(50):
            await taught.student("answer", tab(number), {"question": question, "round": 1, "answer": [0, 1]})
            await taught.student("offer", tab(number), {"link": f"n={number + 2}"})
        seat: weakref.ref[Seat] = weakref.ref(next(iter(taught.live.students.seats.values())))
        full = stores[0].taken
        await taught.teach("end")
        await until(lambda: all(each.ended and each.over for each in streams))
        await until(lambda: taught.rooms.registry.streams == 0)
        assert stores[0].taken < 2000 < full
        taught.streams.clear()
        streams.clear()
        stores[0]._clock = lambda: 1e12  # ten minutes later
        assert await stores[0].snapshot(taught.code) is None
        assert stores[0].taken == 0
        await until(lambda: taught.code not in taught.rooms.registry.live)
        gc.collect()
        assert seat() is None


async def test_a_process_that_is_told_to_end_lets_its_readers_go_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async with classroom(MemoryStore) as taught:
        await taught.open()
        stream = taught.follow(tab(1))
        await stream.until(lambda message: message["count"] == 1)
        monkeypatch.setattr(health, "is_draining", lambda: True)
        await until(lambda: stream.ended)
        assert not stream.over


async def test_a_tab_has_one_stream_and_the_server_a_bounded_number(at_once: None) -> None:
    async with classroom(MemoryStore, streams=3) as taught:
        await taught.open()
        students = [taught.follow(tab(number)) for number in range(3)]
        await until(lambda: all(each.messages and each.messages[-1]["count"] == 3 for each in students))
        late = taught.follow(tab(4))
        await late.task
        assert late.status == 503
        assert b"asks now and then" in late.bytes
        again: Stream = taught.follow(tab(1))
        await until(lambda: students[1].ended and bool(again.messages))
        await students[0].leave()
        await until(lambda: taught.rooms.registry.streams == 2)
        newer = taught.follow(tab(4))
        await newer.until(lambda message: message["count"] == 3)
