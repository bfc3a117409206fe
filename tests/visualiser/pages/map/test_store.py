"""Kept maps: their size, lifetime and owners, and the reasons why one is gone, with its memory freed."""

import gc
import time
import weakref
from collections.abc import Callable

import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, attention_statistics, draw
from visualiser.maps.geometry import options
from visualiser.maps.kept import Kept, expected_bytes
from visualiser.pages.map.eviction import LEAST_LIFE
from visualiser.pages.map.store import MOST_BYTES, REMEMBERED, Gone, Store
from visualiser.server import settings
from visualiser.server.admission.clients import Client
from visualiser.server.instance import INSTANCE, made_elsewhere, new_name

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


def kept(n: int = 53, d_k: int = 7, normalisation: str = "softmax") -> Kept:
    Q, K = (torch.stack([draw(head, name, n, d_k) for head in range(3)]) for name in "QK")
    config = AttentionConfig(n=n, h=3, normalisation=normalisation)
    return Kept(config, Q, K, None, attention_statistics(Q, K, overview=256, **options(config)))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def store(clock: Callable[[], float] = time.monotonic, **bounds: float) -> Store:
    return Store(**{"idle": 600.0, **bounds}, clock=clock)  # pyright: ignore[reportArgumentType]


def why(maps: Store, name: object) -> str | None:
    """Return the reason why a map is gone; None if it is there."""
    try:
        maps.get(name)
    except Gone as gone:
        return gone.reason
    return None


def test_only_its_own_name_leads_to_a_map() -> None:
    maps, names, held = store(), [new_name() for _ in range(3)], [kept() for _ in range(3)]
    for name, one in zip(names, held, strict=True):
        maps.put(name, one)
    assert [maps.get(name) for name in names] == held
    assert all(len(name.removeprefix(f"{INSTANCE}.")) == 22 for name in names)  # 128 bits
    for wrong in ("", names[0][:-1], names[0] + "A", names[0].swapcase(), None, 0, ["x"], {"id": names[0]}):
        with pytest.raises(Gone):
            maps.get(wrong)


def test_the_bytes_are_those_of_the_tensors_and_grow_with_n() -> None:
    short, long = kept(), kept(n=2 * 256)
    per_head = 2 * 4  # mean and variance of the scores
    # Q and K of width 7, seven float32 a row, and the index of the largest weight
    per_token = 3 * (2 * 7 * 4 + 7 * 4 + 8)
    assert short.bytes == 53 * per_token + 3 * per_head + 2 * 3 * 53 * 53 * 4 + 2 * 54 * 8
    assert long.bytes == 512 * per_token + 3 * per_head + 2 * 3 * 256 * 256 * 4 + 2 * 257 * 8


def test_beyond_the_bounds_the_one_asked_about_longest_ago_goes() -> None:
    maps = store(entries=2)
    for name in ("a", "b"):
        maps.put(name, kept())
    maps.get("a")
    maps.put("c", kept())
    assert maps.get("a")
    assert maps.get("c")
    with pytest.raises(Gone):
        maps.get("b")


def test_bytes_are_bounded_and_the_newest_stays_even_alone() -> None:
    one = kept().bytes
    maps = store(most_bytes=2 * one + 1)
    for name in "abc":
        maps.put(name, kept())
    assert maps.bytes == 2 * one
    assert why(maps, "a") == "replaced"
    maps.put("large", kept(n=307))
    assert maps.get("large")
    assert why(maps, "c") == "replaced"


@pytest.mark.parametrize("normalisation", ["softmax", "sink", "sigmoid"])
@pytest.mark.parametrize("n", [2, 53, 256, 257, 601])
def test_the_bytes_of_a_map_are_known_before_it_is_computed(n: int, normalisation: str) -> None:
    one = kept(n, normalisation=normalisation)
    assert one.bytes == expected_bytes(one.config, 3, n, n, 7)


def test_all_maps_together_take_a_fifth_of_the_memory_setting() -> None:
    assert settings.memory() // 5 == MOST_BYTES


HOG, OTHER, THIRD = (Client(f"192.0.2.{i}", "a-tab-of-its-own") for i in range(3))


def test_whoever_makes_many_maps_evicts_only_his_own() -> None:
    clock = Clock()
    maps, tiny = store(clock, entries=64), kept(n=2)
    maps.put("polite", kept(), OTHER)
    for i in range(200):
        clock.now += 2 * LEAST_LIFE * (i % 2)  # the age makes no difference
        clock.now %= 500
        maps.put(f"{i}", tiny, HOG)
        assert why(maps, "polite") is None
    assert why(maps, "136") == "replaced"
    assert [why(maps, f"{i}") for i in range(137, 200)] == [None] * 63


def test_whoever_takes_most_of_the_bytes_loses_first() -> None:
    clock, one = Clock(), kept().bytes
    maps = store(clock, most_bytes=5 * one + 1)
    maps.put("of the other", kept(), OTHER)
    for name in "abcd":
        maps.put(name, kept(), HOG)
    clock.now += 1
    maps.put("third", kept(), THIRD)
    assert [why(maps, name) for name in ("of the other", "a", "b", "third")] == [None, "crowded", None, None]


def test_within_an_address_the_tab_with_the_most_maps_loses_first() -> None:
    student, teacher = (Client("192.0.2.9", tab) for tab in ("the-tab-of-a-student", "the-tab-of-the-teacher"))
    maps = store(entries=4)
    maps.put("teacher's", kept(), teacher)
    for name in "abc":
        maps.put(name, kept(), student)
    maps.put("another", kept(), OTHER)
    assert [why(maps, name) for name in ("teacher's", "a", "b", "another")] == [None, "crowded", None, None]


def test_a_young_map_stays_and_the_newcomer_is_told() -> None:
    clock = Clock()
    maps = store(clock, entries=2)
    maps.put("first", kept(), HOG)
    maps.put("second", kept(), OTHER)
    clock.now += LEAST_LIFE - 1
    with pytest.raises(InvalidInput) as refused:
        maps.put("third", kept(), THIRD)
    assert (refused.value.code, refused.value.details["seconds"]) == ("map_no_room", LEAST_LIFE)
    assert [why(maps, name) for name in ("first", "second", "third")] == [None, None, "unknown"]
    maps.put("again", kept(), OTHER)  # replaces the visitor's own
    assert [why(maps, name) for name in ("second", "first", "again")] == ["replaced", None, None]
    clock.now += 1
    maps.put("third", kept(), THIRD)
    assert [why(maps, name) for name in ("first", "again", "third")] == ["crowded", None, None]


def test_youth_does_not_protect_more_than_half_of_the_room() -> None:
    maps = store(entries=4)
    for name in "abcd":
        maps.put(name, kept(), HOG)
    maps.put("e", kept(), OTHER)
    maps.put("f", kept(), OTHER)
    assert [why(maps, name) for name in "abcdef"] == ["crowded", "crowded", None, None, None, None]


def test_a_map_that_is_gone_says_why() -> None:
    clock = Clock()
    maps = store(clock, idle=60.0)
    elsewhere = f"another.{new_name().partition('.')[2]}"
    assert made_elsewhere(elsewhere)
    names = [new_name() for _ in range(2)]
    for name in names:
        maps.put(name, kept())
    maps.drop(names[1])
    clock.now += 61
    assert [why(maps, name) for name in names] == ["idle", "unknown"]
    assert [why(maps, name) for name in (elsewhere, new_name(), "", ".", None, 3)] == ["elsewhere"] + ["unknown"] * 5


def test_only_the_last_reasons_are_remembered() -> None:
    maps, tiny = store(entries=1), kept(n=2)
    for i in range(REMEMBERED + 3):
        maps.put(f"{i}", tiny)
    assert [why(maps, f"{i}") for i in (0, 1, 2, REMEMBERED + 1, REMEMBERED + 2)] == [
        "unknown", "unknown", "replaced", "replaced", None
    ]  # fmt: skip


def test_idle_maps_go_and_a_question_keeps_them() -> None:
    clock = Clock()
    maps = store(clock, idle=60.0)
    maps.put("asked", kept())
    maps.put("idle", kept())
    clock.now += 59
    assert maps.get("asked")
    clock.now += 2
    assert maps.get("asked")
    with pytest.raises(Gone):
        maps.get("idle")
    clock.now += 61
    maps.sweep()
    assert maps.bytes == 0


@pytest.mark.slow
def test_memory_comes_back_without_any_request() -> None:
    maps, held = store(idle=0.5), kept()
    watched = [weakref.ref(tensor) for tensor in (held.Q, held.K, held.statistics.entropy, held.overview.mean)]
    maps.put("a", held)
    assert maps.bytes == held.bytes
    assert all(reference() is not None for reference in watched)
    del held
    end = time.monotonic() + PATIENCE
    while any(reference() is not None for reference in watched) and time.monotonic() < end:
        time.sleep(0.02)
        gc.collect()
    assert [reference() for reference in watched] == [None] * 4
    assert maps.bytes == 0


def test_the_timer_sees_to_maps_that_came_or_were_asked_about_later() -> None:
    maps, first, second = store(clock := Clock(), idle=0.3), kept(), kept()
    maps.put("a", first)
    clock.now += 0.2
    maps.put("b", second)
    for seconds, left in ((0.15, second.bytes), (0.2, 0)):
        clock.now += seconds
        end = time.monotonic() + PATIENCE
        while maps.bytes != left and time.monotonic() < end:
            time.sleep(0.02)
        assert maps.bytes == left


def test_a_map_that_is_forgotten_is_gone_and_forgetting_twice_is_harmless() -> None:
    maps = store()
    maps.put("a", kept())
    for name in ("a", "a", None, 7, ["a"]):
        maps.drop(name)
    assert maps.bytes == 0
