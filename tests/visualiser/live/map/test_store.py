"""What is kept of a map: how much, for how long, for whom; and that it is really gone afterwards."""

import gc
import time
import weakref
from collections.abc import Callable

import pytest
import torch

from attention_core import AttentionConfig, attention_statistics, draw
from visualiser.live.map.store import Gone, Kept, Store, idle_minutes, new_name

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


def kept(n: int = 53, d_k: int = 7) -> Kept:
    Q, K = (torch.stack([draw(head, name, n, d_k) for head in range(3)]) for name in "QK")
    return Kept(AttentionConfig(n=n, h=3), Q, K, None, attention_statistics(Q, K, overview=256))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def store(clock: Callable[[], float] = time.monotonic, **bounds: float) -> Store:
    return Store(**{"idle": 600.0, **bounds}, clock=clock)  # pyright: ignore[reportArgumentType]


def test_only_its_own_name_leads_to_a_map() -> None:
    maps, names, held = store(), [new_name() for _ in range(3)], [kept() for _ in range(3)]
    for name, one in zip(names, held, strict=True):
        maps.put(name, one)
    assert [maps.get(name) for name in names] == held
    assert all(len(name) >= 22 for name in names)  # 128 bits
    for wrong in ("", names[0][:-1], names[0] + "A", names[0].swapcase(), None, 0, ["x"], {"id": names[0]}):
        with pytest.raises(Gone):
            maps.get(wrong)


def test_the_bytes_are_those_of_the_tensors_and_grow_with_n() -> None:
    short, long = kept(), kept(n=2 * 256)
    per_head = 2 * 4  # mean and variance of the scores
    # Q and K of width 7, seven float32 a row, and where the largest weight is
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
    with pytest.raises(Gone):
        maps.get("a")
    maps.put("large", kept(n=307))
    assert maps.get("large")
    with pytest.raises(Gone):
        maps.get("c")


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
    maps = store(idle=0.3)
    maps.put("a", kept())
    time.sleep(0.15)
    maps.put("b", kept())
    end = time.monotonic() + PATIENCE
    while maps.bytes and time.monotonic() < end:
        time.sleep(0.02)
    assert maps.bytes == 0


def test_a_map_that_is_forgotten_is_gone_and_forgetting_twice_is_harmless() -> None:
    maps = store()
    maps.put("a", kept())
    for name in ("a", "a", None, 7, ["a"]):
        maps.drop(name)
    assert maps.bytes == 0


@pytest.mark.parametrize(("written", "minutes"), [(None, 15.0), ("", 15.0), ("2", 2.0), ("0.05", 0.05)])
def test_the_idle_time_comes_from_the_environment(written: str | None, minutes: float) -> None:
    assert idle_minutes(written) == minutes


@pytest.mark.parametrize("written", ["0", "-1", "inf", "nan", "soon"])
def test_an_idle_time_that_is_none_is_refused_at_the_start(written: str) -> None:
    with pytest.raises(ValueError, match=r"HEADLIGHT_IDLE_MINUTES|could not convert"):
        idle_minutes(written)
