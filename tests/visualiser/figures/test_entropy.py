import math
from typing import Any

import numpy as np

from visualiser.figures.plots.entropy import drawing, entropy
from visualiser.state.view import View


def test_boxes_are_the_quartiles_over_rows(result):
    one = result()
    figure: Any = entropy(one)
    box = figure.data[0]
    assert box.type == "box"
    assert list(box.x) == [1, 2, 3]
    expected = np.quantile(one.entropy.numpy(), [0, 0.25, 0.5, 0.75, 1], axis=-1)
    for name, values in zip(("lowerfence", "q1", "median", "q3", "upperfence"), expected, strict=True):
        np.testing.assert_allclose(box[name], values, rtol=1e-5)


def test_the_ceiling_is_ln_n_and_e_to_the_entropy_stands_on_the_right(result):
    figure: Any = entropy(result())
    ceiling = figure.data[1]
    assert ceiling.name == "ceiling ln n"
    np.testing.assert_allclose(ceiling.y, math.log(7), rtol=1e-6)
    right = figure.layout.yaxis2
    assert right.ticktext == ("1", "2", "4", "8")
    np.testing.assert_allclose(right.tickvals, np.log([1, 2, 4, 8]))
    assert right.range == figure.layout.yaxis.range
    assert figure.layout.yaxis.title.text == "entropy H (nats)"
    assert right.title.text == "effective keys eᴴ"


def test_the_axis_ends_a_little_above_ln_n_and_never_below_half_a_nat(result):
    many = result(n=31)
    highest = max(math.log(31), float(many.ceiling.max()))  # float32 may round ln 31 upwards
    assert drawing(many).layout["yaxis"]["range"] == [0.0, 1.08 * highest]
    assert drawing(result(n=1)).layout["yaxis"]["range"] == [0.0, 0.54]


def test_a_mask_lowers_the_mean_ceiling(result):
    one = result(mask="causal")
    levels = [trace for trace in drawing(one).data if trace["meta"].get("kind") == "level"]
    assert math.isclose(levels[0]["y"][0], math.log(7), rel_tol=1e-6)
    assert math.isclose(levels[1]["y"][0], np.log(np.arange(1, 8)).mean(), rel_tol=1e-6)


def test_the_locked_row_is_marked_in_every_head(result):
    one = result()
    (marks,) = [trace for trace in drawing(one, View(row=4)).data if trace["meta"].get("row_of") == "entropy"]
    np.testing.assert_array_equal(marks["y"], one.entropy[:, 4])
    (none,) = [trace for trace in drawing(one).data if trace["meta"].get("row_of") == "entropy"]
    assert len(none["y"]) == 0
    assert (marks["showlegend"], none["showlegend"]) == (True, False)
    assert none["meta"]["pointed"] == "row pointed at"
