"""The weights of one row: the bars of one head, the reach of all, the keys that the mask forbids."""

import numpy as np
import pytest

from visualiser.figures.plots.row_weights import _regions, drawing
from visualiser.state.view import View


def trace(one, kind):
    return next(trace for trace in one.data if trace["meta"].get("kind") == kind)


def test_the_bars_are_the_weights_of_the_locked_row_and_the_chosen_head(result):
    one = result(n=7)
    bars = trace(drawing(one, View(row=4, head=2)), "weights")
    np.testing.assert_array_equal(bars["y"], one.weights[1, 4])
    np.testing.assert_array_equal(bars["x"], range(7))
    assert (bars["meta"]["head"], bars["meta"]["row"]) == (2, 4)


def test_a_line_at_each_key_reaches_over_all_heads_unless_one_is_chosen(result):
    one = result(n=7)
    lines = trace(drawing(one, View(row=4)), "heads")
    np.testing.assert_array_equal(lines["x"][3:5], [1, 1])
    np.testing.assert_array_equal(lines["y"][3:5], [one.weights[:, 4, 1].min(), one.weights[:, 4, 1].max()])
    assert np.isnan(lines["y"][2::3]).all()
    chosen = trace(drawing(one, View(row=4, head=2)), "heads")
    assert len(chosen["y"]) == 0
    assert not chosen["showlegend"]


def test_masked_keys_are_shaded_and_have_no_bar(result):
    one = drawing(result(n=7, mask="causal"), View(row=2))
    shaded, bars = trace(one, "masked"), trace(one, "weights")
    np.testing.assert_array_equal(shaded["x"], [2.5, 2.5, 6.5, 6.5, np.nan])
    np.testing.assert_array_equal(shaded["y"][:4] > 0, [False, True, True, False])
    np.testing.assert_array_equal(np.isnan(bars["y"]), [False] * 3 + [True] * 4)
    assert shaded["showlegend"]
    np.testing.assert_allclose(trace(one, "level")["y"], 1 / 3)
    assert not trace(drawing(result(n=7), View(row=2)), "masked")["showlegend"]


def test_a_window_has_masked_keys_on_both_sides(result):
    shaded = trace(drawing(result(n=9, mask="window", window=1), View(row=4)), "masked")
    np.testing.assert_array_equal(shaded["x"], [-0.5, -0.5, 2.5, 2.5, np.nan, 5.5, 5.5, 8.5, 8.5, np.nan])


@pytest.mark.parametrize("n", [2, 512])
def test_the_axis_holds_every_bar_at_every_size(n, result):
    one = result(n=n, h=2, d_k=512, scaling="none")
    shown = drawing(one, View(row=1))
    assert shown.layout["xaxis"]["range"] == [-0.5, n - 0.5]
    assert shown.layout["yaxis"]["range"][1] > one.weights[:, 1].max()
    assert len(trace(shown, "weights")["y"]) == n


def test_a_token_is_named_with_its_key_and_its_markup_escaped(result):
    bars = trace(drawing(result(source="text", text="a <b> a"), View(row=0)), "weights")
    assert bars["text"].tolist()[:2] == ["0 “a”", "1 “&lt;”"]


def test_each_run_of_masked_keys_has_one_rectangle():
    found = _regions(np.array([True, True, False, True, False, False, True]), 0.5)
    lefts, rights = found["x"].reshape(-1, 5)[:, 0], found["x"].reshape(-1, 5)[:, 3]
    assert (lefts.tolist(), rights.tolist()) == ([-0.5, 2.5, 5.5], [1.5, 3.5, 6.5])
    np.testing.assert_array_equal(found["y"], [0, 0.5, 0.5, 0, np.nan] * 3)
