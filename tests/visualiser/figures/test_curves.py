import math

import numpy as np
import pytest

from visualiser.drawing.curves import band, decades, logarithmic, positive, present, tick_decades
from visualiser.theme import faint


def test_a_band_goes_there_and_back_as_far_as_there_are_numbers():
    trace = band([1, 2, 4], [5.0, np.nan, 7.0], [6.0, np.nan, 9.0], "#0072b2", 2, "a")
    assert trace["x"].tolist() == [1, 4, 4, 1]
    assert trace["y"].tolist() == [6, 9, 7, 5]
    assert (trace["xaxis"], trace["yaxis"], trace["fillcolor"]) == ("x3", "y3", "rgba(0, 114, 178, 0.16)")


def test_nothing_at_or_below_zero_is_on_a_logarithmic_axis():
    np.testing.assert_array_equal(positive([1e-300, 0.0, -1.0, np.nan]), [1e-300, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], (-1, 1)), ([[np.nan, 0.0]], (-1, 1)), ([[0.02, 5.0], [30.0]], (-2, 2)), ([[1.0]], (-1, 1))],
)
def test_decades_hold_all_values_with_room(values, expected):
    assert decades(values, (-1.0, 1.0)).tolist() == list(expected)


@pytest.mark.parametrize(("span", "step"), [(1, 1), (6, 1), (7, 2), (34, 6)])
def test_at_most_seven_powers_are_written(span, step):
    assert tick_decades(np.array([-float(span), 0.0])) == step


def test_sizes_are_written_out_and_thinned():
    axis = logarithmic([2**i for i in range(11)])
    assert axis["tickvals"] == [1, 4, 16, 64, 256, 1024]
    assert axis["range"][0] < 0 < math.log10(1024) < axis["range"][1]
    assert logarithmic([7])["tickvals"] == [7]


def test_the_present_value_is_data():
    line = present(64, 1)
    assert line["x0"] == line["x1"] == 64.0
    assert isinstance(line["x0"], np.float64)
    assert (line["xref"], line["yref"]) == ("x2", "y2 domain")


def test_a_faint_colour_keeps_its_hue():
    assert faint("#d55e00", 0.13) == "rgba(213, 94, 0, 0.13)"
