import math

import pytest
import torch

from visualiser.drawing.colour import colour_axis, colour_range, nice


@pytest.mark.parametrize(
    ("value", "rounded"), [(1.0, 1.0), (0.53, 0.7), (0.3, 0.3), (0.301, 0.5), (12.0, 15.0), (71.0, 100.0), (1e-9, 1e-9)]
)
def test_ranges_step(value: float, rounded: float):
    assert math.isclose(nice(value), rounded)


def test_weights_start_at_zero_and_scores_are_symmetric():
    assert colour_range(torch.tensor([0.1, 0.42]), "weights") == (0.0, 0.5)
    assert colour_range(torch.tensor([-4.2, 0.5]), "scaled") == (-5.0, 5.0)
    assert colour_range([torch.tensor([0.1]), torch.tensor([0.6])], "weights") == (0.0, 0.7)


def test_a_logarithmic_scale_has_four_decades():
    low, high = colour_range(torch.tensor([0.0, 0.94]), "weights", "log")
    assert (low, high) == (-4.0, 0.0)


def test_masked_cells_do_not_count():
    assert colour_range(torch.tensor([-torch.inf, -1.0, 0.2]), "masked") == (-1.0, 1.0)
    assert colour_range(torch.tensor([torch.nan, 0.2]), "difference") == (-0.2, 0.2)


@pytest.mark.parametrize("tensor", [torch.zeros(3), torch.full((3,), -torch.inf), torch.empty(0)])
def test_nothing_to_show_still_has_a_range(tensor):
    assert colour_range(tensor, "masked") == (-1.0, 1.0)
    assert colour_range(tensor, "weights") == (0.0, 1.0)


def test_the_ticks_of_a_logarithmic_bar_are_plain_numbers():
    bar = colour_axis((-4.0, 0.0), "weights", "log", "weight", {})["colorbar"]
    assert bar["labelalias"]["−3"] == "0.001"
    assert bar["labelalias"]["0"] == "1"
