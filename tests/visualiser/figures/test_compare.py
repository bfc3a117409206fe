import numpy as np
import pytest

from visualiser.figures.plots.compare import drawing
from visualiser.state.view import View
from visualiser.theme import DIVERGING


def test_columns_are_a_b_and_their_difference(result):
    a, b = result(seed=0), result(seed=1)
    one = drawing(a, b)
    assert [trace["meta"]["of"] for trace in one.data] == ["a", "b", "difference"] * 3
    for head in range(3):
        cells = [trace["z"] for trace in one.data if trace["meta"]["head"] == head + 1]
        np.testing.assert_array_equal(cells[0], a.weights[head])
        np.testing.assert_array_equal(cells[1], b.weights[head])
        np.testing.assert_array_equal(cells[2], b.weights[head] - a.weights[head])
    assert one.layout["meta"] == {"difference": True}


def test_a_and_b_share_a_scale_and_the_difference_is_centred(result):
    one = drawing(result(), result(d_k=509, scaling="none"))
    assert {trace["coloraxis"] for trace in one.data if trace["meta"]["of"] != "difference"} == {"coloraxis"}
    assert {trace["coloraxis"] for trace in one.data if trace["meta"]["of"] == "difference"} == {"coloraxis2"}
    assert one.layout["coloraxis"]["cmax"] == 1.0
    assert one.layout["coloraxis2"]["cmin"] == -one.layout["coloraxis2"]["cmax"]
    assert one.layout["coloraxis2"]["colorscale"] == DIVERGING


def test_the_difference_is_never_one_of_logarithms(result):
    a, b = result(seed=0), result(seed=1)
    difference = drawing(a, b, View(colour="log", head=2)).data[2]
    np.testing.assert_array_equal(difference["z"], b.weights[1] - a.weights[1])


def test_a_cell_that_either_masks_has_no_difference(result):
    a, b = result(), result(mask="causal")
    difference = drawing(a, b).data[2]["z"]
    np.testing.assert_array_equal(np.isnan(difference), ~b.mask.numpy())


@pytest.mark.parametrize("other", [{"n": 5}, {"h": 2}])
def test_unlike_results_stand_side_by_side_without_a_difference(other, result):
    one = drawing(result(), result(**other))
    assert one.layout["meta"] == {"difference": False}
    assert {trace["meta"]["of"] for trace in one.data} == {"a", "b"}
    assert "coloraxis2" not in one.layout


def test_of_unlike_results_all_heads_of_a_come_before_those_of_b(result):
    one = drawing(result(h=2), result(h=3))
    assert [(trace["meta"]["of"], trace["meta"]["head"]) for trace in one.data] == [
        ("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 3),
    ]  # fmt: skip
