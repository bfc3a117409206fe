"""Measurement within bounds, on a simulated clock; no test asserts real time."""

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from attention_core import CostConfig, InvalidInput, measure_costs
from attention_core.mechanisms.operations import additive_operations, dot_product_operations
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import PASSES

TINY = CostConfig(sizes=(5, 11), d_k=3, measuring=0.0)


class Clock:
    """A clock that advances by `tick` seconds at each reading, so every call seems to take one tick."""

    def __init__(self, tick=0.01):
        self.tick, self.now = tick, 0.0

    def __call__(self):
        self.now += self.tick
        return self.now


def test_every_contender_forward_then_backward_the_smallest_size_first():
    points = list(measure_costs(TINY, clock=Clock()))
    assert [(p.size, p.contender, p.passes) for p in points] == [
        (size, name, passes) for size in (5, 11) for name in CONTENDERS for passes in PASSES
    ]
    for point in points:
        assert (point.n, point.d_k) == (point.size, 3)
        operations = additive_operations if point.contender.startswith("additive") else dot_product_operations
        assert point.operations == operations(point.n, 3, point.passes == "forward_backward")
        assert (point.seconds, point.fastest, point.calls) == (pytest.approx(0.01), pytest.approx(0.01), 3)
        assert point.bytes is not None
        assert point.bytes > 0
        assert point.skipped is None


def test_the_estimate_is_the_size_before_times_the_ratio_of_operations():
    points = list(measure_costs(TINY, clock=Clock()))
    half = len(points) // 2
    for small, large in zip(points[:half], points[half:], strict=True):
        assert large.expected_seconds == pytest.approx(0.01 * large.operations.total / small.operations.total)


def test_a_size_that_would_take_too_long_is_skipped_and_says_how_long():
    """Each call seems to take 10 ms at n = 5; the estimate at 101 is hundreds of times that."""
    points = list(measure_costs(replace(TINY, sizes=(5, 101), seconds=1.0), clock=Clock()))
    for point in points[8:]:
        assert (point.skipped, point.seconds, point.bytes, point.calls) == ("time", None, None, 0)
        assert point.expected_seconds > 1.0


def test_a_first_size_is_estimated_by_a_slow_machine_s_pace():
    points = list(measure_costs(CostConfig(sizes=(4096,), d_k=64, bytes=10**12), clock=Clock()))
    assert {point.skipped for point in points} == {"time"}


def test_a_size_that_would_not_fit_is_skipped_and_says_what_it_needs():
    points = list(measure_costs(replace(TINY, sizes=(101,), bytes=100_000), clock=Clock()))
    skipped = {(p.contender, p.passes): p for p in points if p.skipped}
    assert set(skipped) == {
        ("additive_naive", "forward"),
        ("additive_naive", "forward_backward"),
        ("additive_chunked", "forward"),
        ("additive_chunked", "forward_backward"),
        ("explicit", "forward_backward"),
    }
    assert {point.skipped for point in skipped.values()} == {"memory"}
    assert skipped["additive_naive", "forward"].expected_bytes > 4 * 101 * 101 * 3
    measured = [point for point in points if not point.skipped]
    assert all(point.bytes is not None and point.bytes <= 100_000 for point in measured)


@pytest.mark.parametrize("varied", ["n", "d_k"])
def test_what_is_held_is_close_below_what_was_expected(varied):
    points = list(
        measure_costs(CostConfig(varied=varied, sizes=(97,), n=101, d_k=31, measuring=0.0), clock=Clock(1e-6))
    )
    for point in points:
        assert (point.n, point.d_k) == ((97, 31) if varied == "n" else (101, 97))
        assert point.bytes is not None
        assert 0.5 * point.expected_bytes < point.bytes <= 1.05 * point.expected_bytes, point


def test_after_the_total_everything_is_skipped():
    points = list(measure_costs(replace(TINY, total=0.2), clock=Clock()))
    first = next(i for i, point in enumerate(points) if point.skipped)
    assert 0 < first < 8
    assert all(point.skipped == "time" for point in points[first:])


def test_the_median_is_reported_and_the_fastest():
    """The clock is read at the start, at the decision, then before and after each call: 0.5, 0.1 and 0.2 s."""
    clock = iter([0.0, 0.0, 0.0, 0.5, 0.5, 0.6, 0.6, 0.8]).__next__
    point = next(iter(measure_costs(TINY, clock=clock)))
    assert (point.seconds, point.fastest, point.calls) == (pytest.approx(0.2), pytest.approx(0.1), 3)


def test_closing_ends_the_work():
    clock = Clock()
    points = measure_costs(TINY, clock=clock)
    assert len(list(islice(points, 3))) == 3
    points.close()
    assert list(points) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"varied": "h"}, "varied must be one of n, d_k; got 'h'."),
        ({"sizes": (0,)}, "n must be at least 1; got 0."),
        ({"sizes": ()}, "sizes must be at least 1; got 0."),
        ({"seconds": float("inf")}, "seconds must be a finite number; got inf."),
    ],
)
def test_what_cannot_be_measured_is_refused(settings, message):
    with pytest.raises(InvalidInput) as caught:
        CostConfig(**settings)
    assert str(caught.value) == message


def made(**given: Any) -> CostConfig:
    return CostConfig(**given)


def test_numbers_are_whole_however_json_wrote_them():
    written = made(n=7.0, d_k=3.0, seed=2.0, bytes=1e6, sizes=(5.0, 2))
    plain = made(n=7, d_k=3, seed=2, bytes=10**6, sizes=(2, 5))
    assert repr(written) == repr(plain)
    seconds = {"seconds": 2, "total": 3, "measuring": 0}
    assert all(type(getattr(made(**seconds), name)) is float for name in seconds)


@pytest.mark.parametrize(("field", "least"), [("n", 1), ("d_k", 1), ("seed", 0), ("bytes", 1)])
def test_whole_numbers_have_a_least_value(field, least):
    assert getattr(made(**{field: least}), field) == least
    with pytest.raises(InvalidInput, match=f"^{field} must be at least {least}; got {least - 1}"):
        made(**{field: least - 1})


@pytest.mark.parametrize("field", ["seconds", "total", "measuring"])
def test_times_are_at_most_ten_minutes(field):
    assert [getattr(made(**{field: end}), field) for end in (0, 600)] == [0.0, 600.0]
    for beyond in (-0.1, 600.1):
        with pytest.raises(InvalidInput, match=f"^{field} must be between 0.0 and 600.0; got "):
            made(**{field: beyond})
