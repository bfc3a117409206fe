import math
from typing import Any

import numpy as np
import pytest

from attention_core import softmax_accuracies
from visualiser import figures
from visualiser.figures.plots.numerics import SMALLEST, drawing
from visualiser.state.view import View


@pytest.fixture
def found(result):
    return softmax_accuracies(result(d_k=257, scaling="none").masked)


def test_a_mark_stands_in_every_row_where_something_left_the_format(found):
    events = {t["meta"]["event"]: t for t in drawing(found, view=View(head=2)).data if "event" in t["meta"]}
    for event, lift in (("overflowed", 0.3), ("not_a_number", 0.1), ("divided", -0.1), ("underflowed", -0.3)):
        expected = [
            (5 - line + lift, row)
            for line, one in enumerate(found)
            for row, count in enumerate(getattr(one, event)[1].tolist())
            if count
        ]
        assert list(zip(events[event]["y"], events[event]["x"], strict=True)) == expected
    assert len(events["overflowed"]["x"]) > 0
    assert len(events["divided"]["x"]) > 0
    assert events["overflowed"]["text"][0].startswith("float16 · plain, row")


def test_errors_are_the_core_s_and_zero_is_drawn_at_the_bottom(found):
    traces = [t for t in drawing(found, view=View(head=3)).data if "error" in t["meta"]]
    assert len(traces) == 12
    for trace, (error, one) in zip(traces, [(e, o) for e in ("total_error", "error") for o in found], strict=True):
        assert trace["meta"] == {"error": error, "dtype": one.dtype, "subtracted": one.subtracted}
        exact = getattr(one, error)[2].numpy()
        np.testing.assert_array_equal(trace["y"], np.where(exact < SMALLEST, SMALLEST, exact))
        assert trace["yaxis"] == {"total_error": "y2", "error": "y3"}[error]
    assert np.isnan(traces[0]["y"]).any(), "rows of NaN have no error"


@pytest.mark.parametrize("panel", ["yaxis2", "yaxis3"])
def test_the_axes_of_errors_hold_the_decades_from_the_smallest_drawn_to_all_of_a_row(found, panel: str) -> None:
    low, high = drawing(found).layout[panel]["range"]
    assert (math.ceil(low), math.floor(high)) == (math.log10(SMALLEST), math.log10(1.0))
    assert low < math.log10(SMALLEST), "a mark on the lowest line is whole"
    assert high > 0, "and one on the highest"


def test_locking_a_row_moves_a_number(found):
    free, locked = (drawing(found, view=View(row=row)) for row in (None, 4))
    assert [shape["x0"] for shape in locked.layout["shapes"]] == [4.0] * 3
    assert all(shape["x0"] < free.layout["xaxis"]["range"][0] for shape in free.layout["shapes"])
    assert all(isinstance(shape["x0"], np.float64) for shape in free.layout["shapes"])


def test_every_format_has_its_line(found):
    axis = drawing(found).layout["yaxis"]
    assert axis["tickvals"] == [5, 4, 3, 2, 1, 0]
    assert axis["ticktext"][:2] == ["float16 · plain", "float16 · − max"]
    assert drawing(found, "ko").layout["yaxis"]["ticktext"][5] == "float32 · − 최댓값"


@pytest.mark.parametrize("settings", [{}, {"d_k": 2}, {"n": 1, "h": 1}, {"mask": "causal"}])
def test_plotly_accepts_it(settings, result):
    figure: Any = figures.numerics(softmax_accuracies(result(**settings).masked), "ko", View(columns=2, theme="dark"))
    assert figure.layout.yaxis2.type == "log"
    assert figure.to_json()
