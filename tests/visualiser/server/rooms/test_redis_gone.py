"""Several processes on one Redis, and a Redis that is killed and comes back empty in the midst of a lesson."""

import asyncio

import pytest

from tests.alone import until
from tests.visualiser.server.rooms.classroom import Classroom, MakeStore, Stream, classroom, tab
from tests.visualiser.server.rooms.redis_server import RedisServer
from visualiser.server.rooms.redis_store import RedisStore

CHOICE = {"kind": "choice", "text": "?", "answers": ["a", "b"]}


@pytest.fixture
def shared(redis_server: RedisServer) -> MakeStore:
    redis_server.empty()
    return lambda: RedisStore(redis_server.url)


async def test_any_replica_serves_any_student(shared: MakeStore, at_once: None) -> None:
    async with classroom(shared, replicas=3) as taught:
        await taught.open()
        teacher = taught.follow(teacher=True, replica=2)
        students = [taught.follow(tab(number), replica=number % 3) for number in range(6)]
        await teacher.until(lambda message: message["count"] == 6)
        assert (await taught.teach("state", {"link": "n=7"}, replica=1)).status == 204
        for student in students:
            await student.until(lambda message: message["link"] == "n=7" and message["count"] == 6)
        question = (await taught.teach("ask", CHOICE, replica=2)).json["question"]
        for replica in (0, 1, 2, 0):
            for number in range(6):
                payload = {"question": question, "round": 1, "answer": (number + replica) % 2}
                assert (await taught.student("answer", tab(number), payload, replica=replica)).status == 204
        await teacher.until(lambda message: message["answered"] == [6, 0])
        assert (await taught.teach("phase", {"question": question, "phase": "reveal"}, replica=1)).status == 204
        for student in students:
            received = await student.until(lambda message: message["question"]["phase"] == "reveal")
            assert received["question"]["results"]["first"] == {"answers": 6, "counts": [3, 3]}
        again = taught.follow(tab(0), replica=1)
        await again.until(lambda message: message["count"] == 6)
        assert again.ids[-1] >= students[0].ids[-1]


async def test_one_subscription_a_process(shared: MakeStore, redis_server: RedisServer) -> None:
    async with classroom(shared) as taught:
        for _ in range(4):
            another = Classroom(taught.replicas)
            await another.open()
            stream = another.follow(tab(1))
            taught.streams.append(stream)
            await stream.until(lambda message: message["count"] == 1)
        store = taught.rooms.registry.store
        assert isinstance(store, RedisStore)
        assert await store._redis.pubsub_numsub("headlight:changed") == [(b"headlight:changed", 1)]


async def test_redis_is_killed_and_comes_back_empty(
    shared: MakeStore, redis_server: RedisServer, at_once: None
) -> None:
    async with classroom(shared, replicas=2) as taught:
        await taught.open(state={"link": "n=7"})
        first = (await taught.teach("ask", CHOICE)).json["question"]
        streams = [taught.follow(tab(number), replica=number % 2) for number in range(4)]
        for stream in streams:
            await stream.until(lambda message: message["count"] == 4 and message["question"] is not None)
        life, revision = streams[0].messages[-1]["life"], streams[0].messages[-1]["revision"]
        redis_server.kill()
        for replica in (0, 1):
            moved = await taught.teach("state", {"link": "n=8"}, replica=replica)
            assert (moved.status, moved.json["retry"]) == (503, 2.0)
            payload = {"question": first, "round": 1, "answer": 1}
            assert (await taught.student("answer", tab(1), payload, replica=replica)).status == 503
            followed = await taught.ask("GET", f"/{taught.code}", tab=tab(0), replica=replica)
            assert followed.status in (200, 503)
        assert not any(stream.ended for stream in streams), "who follows stays on the page"
        redis_server.start()
        await until(lambda: all(stream.ended for stream in streams))
        assert not any(stream.over for stream in streams), "lost from sight, not over"
        question = {**CHOICE, "id": first, "phase": "open", "round": 1}
        answer = await taught.ask("GET", f"/{taught.code}", tab=tab(0), replica=1)
        assert answer.status == 404
        while (opened := await taught.open(state={"link": "n=8"}, question=question)).status == 503:
            await asyncio.sleep(0.05)
        assert opened.status == 201
        again = [taught.follow(tab(number), replica=1 - number % 2) for number in range(4)]
        for number, stream in enumerate(again):
            received = await stream.until(lambda message: message["count"] == 4)
            assert (received["link"], received["question"]["id"]) == ("n=8", first)
            assert received["life"] != life
            assert received["revision"] > revision
            vote = {"question": first, "round": 1, "answer": 1}
            assert (await taught.student("answer", tab(number), vote, replica=number % 2)).status == 204
        assert (await taught.teach("phase", {"question": first, "phase": "reveal"}, replica=1)).status == 204
        for stream in again:
            received = await stream.until(lambda message: message["question"]["phase"] == "reveal")
            assert received["question"]["results"]["first"]["counts"] == [0, 4]
        assert max(taught.statuses) <= 503
        assert 500 not in taught.statuses


async def followed(taught: Classroom) -> Stream:
    """Open the room, and return the stream of the one student in it."""
    await taught.open(state={"link": "n=7"})
    stream = taught.follow(tab(1))
    await stream.until(lambda message: message["count"] == 1)
    return stream


async def test_a_redis_that_is_back_before_anybody_missed_it_has_lost_the_room(
    shared: MakeStore, redis_server: RedisServer, at_once: None
) -> None:
    async with classroom(shared) as taught:
        stream = await followed(taught)
        redis_server.kill()
        redis_server.start()  # this loop has not run since: the connection is lost and made again at once
        await until(lambda: stream.ended)
        assert not stream.over


async def test_a_room_that_the_store_lost_without_a_word_is_missed_at_the_next_beat(
    shared: MakeStore, redis_server: RedisServer, at_once: None
) -> None:
    async with classroom(shared) as taught:
        stream = await followed(taught)
        redis_server.empty()
        assert not stream.ended
        await taught.rooms.registry.live[taught.code].report_presence()
        await until(lambda: stream.ended)
        assert not stream.over


async def test_without_redis_a_room_says_that_it_is_away(redis_server: RedisServer) -> None:
    async with classroom(lambda: RedisStore("redis://127.0.0.1:1/0")) as taught:
        answer = await taught.open()
        assert (answer.status, answer.json["retry"]) == (503, 2.0)
        expected = "The room cannot be reached for a moment; this page asks again by itself."
        assert answer.json["message"] == expected
        assert (await taught.ask("GET", "/CCCCCC", tab=tab(1))).status == 503
