"""A pinned state in grey beside the present one, both with the numbers of their own results."""

from typing import Any

import numpy as np
import pytest

from visualiser.drawing.pinned_overlay import APART, FARTHEST, pinned_overlay, with_before
from visualiser.figures.plots.entropy import drawing as entropy
from visualiser.figures.plots.gradient import drawing as gradient
from visualiser.figures.plots.score_distribution import drawing as score_distribution


def boxes(drawing: Any) -> list[dict[str, Any]]:
    return [trace for trace in drawing.data if trace["type"] == "box"]


@pytest.mark.parametrize("draw", [entropy, gradient])
def test_the_boxes_of_both_stand_side_by_side(draw, result):
    a, b = draw(result(scaling="none", d_k=64)), draw(result())
    both = pinned_overlay(a, b, "en")
    own, other = boxes(both)[: len(boxes(b))], boxes(both)[len(boxes(b)) :]
    for mine, theirs, of_b, of_a in zip(own, other, boxes(b), boxes(a), strict=True):
        np.testing.assert_array_equal(mine["median"], of_b["median"])
        np.testing.assert_array_equal(theirs["median"], of_a["median"])
        assert np.allclose(np.subtract(mine["x"], theirs["x"]), 2 * APART)
        assert theirs["name"] == "A, pinned"
    assert not np.array_equal(own[0]["median"], other[0]["median"])


def test_traces_of_b_keep_their_places(result):
    b = entropy(result())
    both = pinned_overlay(entropy(result(seed=1)), b, "en")
    assert [trace["meta"] for trace in both.data[: len(b.data)]] == [trace["meta"] for trace in b.data]


def test_the_histogram_of_a_is_an_outline_and_the_axes_reach_over_both(result):
    a, b = (score_distribution(result(scaling="none", d_k=d_k)) for d_k in (64, 16))
    both = pinned_overlay(a, b, "en")
    (outline,) = [trace for trace in both.data if trace["meta"].get("kind") == "pinned"]
    np.testing.assert_array_equal(outline["y"], a.data[0]["y"])
    assert both.layout["xaxis"]["range"][0] == a.layout["xaxis"]["range"][0] < b.layout["xaxis"]["range"][0]
    assert both.layout["yaxis"]["range"][1] == b.layout["yaxis"]["range"][1] > a.layout["yaxis"]["range"][1]


def test_a_much_narrower_a_does_not_press_b_flat(result):
    a, b = score_distribution(result(n=31)), score_distribution(result(n=31, scaling="none", d_k=512))
    both = pinned_overlay(a, b, "en")
    assert a.layout["yaxis"]["range"][1] > 10 * b.layout["yaxis"]["range"][1]
    assert both.layout["yaxis"]["range"][1] == 1.5 * b.layout["yaxis"]["range"][1]
    (band,) = both.layout["shapes"]
    assert band["x0"] == both.layout["xaxis"]["range"][0]


def test_the_state_before_is_an_outline_on_an_axis_for_both(result):
    before, now = (score_distribution(result(n=31, scaling="none", d_k=d_k)) for d_k in (64, 16))
    shown, alone = with_before(now, before, "en"), with_before(now, None, "en")
    assert shown.data[-1]["showlegend"]
    np.testing.assert_array_equal(shown.data[-1]["y"], before.data[0]["y"])
    np.testing.assert_array_equal(shown.layout["xaxis"]["range"], before.layout["xaxis"]["range"])
    assert shown.layout["shapes"][0]["x0"] == before.layout["xaxis"]["range"][0]
    assert len(alone.data[-1]["x"]) == 0
    assert not alone.data[-1]["showlegend"]
    assert alone.layout is now.layout
    shown.figure()  # plotly accepts it


@pytest.mark.parametrize("pin", [False, True])
def test_a_much_wider_outline_leaves_the_present_scores_their_part_of_the_axis_and_says_so(result, pin):
    wide, now = (score_distribution(result(n=31, **one)) for one in ({"scaling": "none", "d_k": 512}, {"d_k": 4}))
    both = pinned_overlay(wide, now, "en") if pin else with_before(now, wide, "en")
    mine, theirs, shown = (np.asarray(one.layout["xaxis"]["range"]) for one in (now, wide, both))
    assert np.ptp(theirs) > 5 * np.ptp(mine)
    np.testing.assert_allclose(shown, mine + FARTHEST * np.ptp(mine) * np.array([-1, 1]))
    assert np.ptp(shown) == pytest.approx(2.5 * np.ptp(mine))
    assert both.layout["shapes"][0]["x0"] == shown[0]
    (outline,) = (trace for trace in both.data if trace["meta"].get("beyond"))
    np.testing.assert_array_equal(outline["y"], wide.data[0]["y"])  # the bars themselves lose nothing
    assert outline["name"] == ("A, pinned" if pin else "before the change") + " (goes on beside the axis)"


@pytest.mark.parametrize(("before", "after"), [(16, 64), (64, 16), (4, 512)])
def test_an_outline_within_the_axis_has_its_plain_name(result, before, after):
    old, now = (score_distribution(result(scaling="none", d_k=d_k)) for d_k in (before, after))
    shown = with_before(now, old, "en")
    low, high = shown.layout["xaxis"]["range"]
    kept = old.data[0]["x"][old.data[0]["y"] > 0]
    assert low <= kept.min() < kept.max() <= high
    assert shown.data[-1]["name"] == "before the change"


def test_the_axis_of_heads_has_room_for_the_more_heads_of_either(result):
    both = pinned_overlay(entropy(result(h=5)), entropy(result(h=2)), "en")
    assert both.layout["xaxis"]["range"] == [0.4, 5.6]
    both.figure()  # plotly accepts it
