"""One query of a map, as data."""

import numpy as np
import pytest

from attention_core import AttentionConfig
from visualiser.figures.open_row import TOP, Row
from visualiser.figures.plots.row import drawing, row
from visualiser.listed_statistics import ROW_FACTS
from visualiser.state.view import View

WEIGHTS = np.array([0.1, 0.4, np.nan, 0.4, 0.0, 0.1], dtype=np.float32)


def found(**more: object) -> Row:
    given = {"head": 2, "row": 1, "scores": np.log(WEIGHTS + 1e-9), "weights": WEIGHTS, "config": AttentionConfig()}
    return Row(**{**given, "statistics": {"entropy": 1.19}, **more})  # pyright: ignore[reportArgumentType]


def test_the_largest_come_first_the_earlier_key_before_its_equal_and_masked_ones_not_at_all() -> None:
    np.testing.assert_array_equal(found().top, [1, 3, 0, 5, 4])
    assert len(found(weights=np.full(31, 1 / 31, np.float32)).top) == TOP
    assert len(found(weights=np.full(3, np.nan, np.float32)).top) == 0


def test_a_line_over_all_keys_and_marks_on_the_largest() -> None:
    line, marks = drawing(found(tokens=("a", "<i>", "c", "d", "e", "f"))).data
    np.testing.assert_array_equal(line["x"], np.arange(6))
    np.testing.assert_array_equal(line["y"], WEIGHTS)
    np.testing.assert_array_equal(marks["x"], [1, 3, 0, 5, 4])
    np.testing.assert_array_equal(marks["y"], WEIGHTS[[1, 3, 0, 5, 4]])
    assert marks["customdata"] == ["&lt;i&gt;", "d", "a", "f", "e"]


@pytest.mark.parametrize(("colour", "kind"), [("linear", "linear"), ("log", "log")])
def test_the_axis_follows_the_colours(colour: str, kind: str) -> None:
    assert drawing(found(), view=View(colour=colour)).layout["yaxis"]["type"] == kind
    assert len(row(found(), "ko", View(colour=colour)).to_dict()["data"]) == 2


def test_keys_that_rounding_alone_sets_apart_share_the_largest_weight() -> None:
    weights = np.array([0.3333331, 0.3333334, 0.3333341], dtype=np.float32)
    named = {"entropy": 1.1, "ceiling": 1.1, "effective_keys": 3.0, "jacobian_norm": 0.5}
    statistics = {**{each.name: 0.0 for each in ROW_FACTS}, **named}
    given = {"scores": np.log(weights), "weights": weights, "statistics": statistics}
    (alone, *_), (alike, *_) = row.sentence(found(**given), View()), row.sentence(found(**given, apart=5e-6), View())
    assert (alone.key, alone.facts["key"]) == ("table.row.summary", "2")
    assert (alike.key, alike.facts["count"]) == ("table.row.summary_alike", 3)
