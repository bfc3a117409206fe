"""Fits and ratios of invented points."""

import math

import pytest

from attention_core import CostPoint, cost_ratio, power_law
from attention_core.mechanisms.operations import Operations


def point(contender, size, seconds=None, held=None, operations=10, fastest=None):
    return CostPoint(
        contender, "forward", size, size, 3, Operations(operations, 0, 0), 0.0, 0, seconds=seconds, bytes=held,
        fastest=seconds if fastest is None else fastest, skipped=None if seconds is not None else "time",
    )  # fmt: skip


def test_a_power_law_is_found_exactly():
    law = power_law((8, 1, 2, 4), [3e-6 * n**2.5 for n in (8, 1, 2, 4)])
    assert law is not None
    assert (law.slope, law.factor) == (pytest.approx(2.5), pytest.approx(3e-6))
    assert law.at(100) == pytest.approx(3e-6 * 1e5)


def test_only_the_upper_half_counts():
    law = power_law((1, 2, 4, 8, 16), (7.0, 7.0, 4.0, 8.0, 16.0))
    assert law is not None
    assert (law.slope, law.first, law.last) == (pytest.approx(1.0), 4, 16)
    assert law.error == pytest.approx(0.0, abs=1e-12)
    pair = power_law((2, 8), (1.0, 2.0))
    assert pair is not None
    assert pair.slope == pytest.approx(math.log(2) / math.log(4))
    assert math.isnan(pair.error)
    assert not pair.holds
    three = power_law((1, 2, 4), (7.0, 4.0, 8.0))
    assert three is not None
    assert three.first == 1


@pytest.mark.parametrize(("off", "holds"), [(0.2, True), (0.3, False)])
def test_the_error_is_the_standard_error_of_the_slope(off, holds):
    """Logarithms 0, 1, 2 (times ln 2) off the line by d, −2 d, d: residuals 6 d² over one freedom and 2 (ln 2)²."""
    d = off * math.log(2) / math.sqrt(3)
    law = power_law((1, 2, 4), [math.exp(d), 2.0 * math.exp(-2 * d), 4.0 * math.exp(d)])
    assert law is not None
    assert (law.slope, law.error) == (pytest.approx(1.0), pytest.approx(off))
    assert law.holds is holds


@pytest.mark.parametrize(("sizes", "costs"), [((), ()), ((4,), (1.0,)), ((4, 4), (1.0, 2.0)), ((4, 8), (0.0, 1.0))])
def test_nothing_is_fitted_to_too_little(sizes, costs):
    assert power_law(sizes, costs) is None


def test_the_ratio_is_taken_at_the_largest_size_measured_for_both():
    points = [
        point("additive_naive", 8, 3.0, 300, 20),
        point("explicit", 8, 2.0, 100),
        point("additive_naive", 16, 14.0, 1200, 40, fastest=12.0),
        point("explicit", 16, 2.0, 100, fastest=1.0),
        point("additive_naive", 32),
        point("explicit", 32, 9.0, 900),
    ]
    ratio = cost_ratio(points, "additive_naive", "explicit", "forward")
    assert ratio is not None
    assert (ratio.size, ratio.n, ratio.d_k) == (16, 16, 3)
    assert (ratio.time, ratio.operations, ratio.memory) == (7.0, 4.0, 12.0)
    assert (ratio.time_least, ratio.time_most) == (6.0, 14.0)  # 12 / 2 and 14 / 1
    assert cost_ratio(points, "additive_naive", "fused", "forward") is None
    assert cost_ratio(points, "additive_naive", "explicit", "forward_backward") is None
