import math
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, compute, softmax_jacobian
from visualiser.figures.plots.gradient import drawing, gradient
from visualiser.state.view import View


def by_kind(one, kind):
    return next(trace for trace in one.data if trace["meta"].get("kind") == kind)


def test_two_panels_of_boxes_over_rows(result):
    one = result()
    shown = drawing(one)
    np.testing.assert_allclose(by_kind(shown, "jacobian_norm")["median"], one.jacobian_norm.median(-1).values)
    np.testing.assert_allclose(by_kind(shown, "jacobian_trace")["median"], one.jacobian_trace.median(-1).values)
    figure: Any = gradient(one)
    layout = figure.layout
    assert layout.yaxis.title.text == "‖J‖<sub>F</sub>"
    assert layout.yaxis2.title.text == "tr J"
    assert layout.xaxis2.title.text == "head"


def test_reference_lines_are_the_norms_of_real_rows(result):
    levels = [trace["y"][0] for trace in drawing(result()).data if trace["meta"].get("kind") == "level"]
    uniform = softmax_jacobian(torch.full((7,), 1 / 7))
    assert math.isclose(levels[0], float(softmax_jacobian(torch.tensor([0.5, 0.5])).norm()))
    assert levels[0] == 0.5
    assert math.isclose(levels[1], float(uniform.norm()), rel_tol=1e-5)
    assert math.isclose(levels[2], float(uniform.trace()), rel_tol=1e-5)


@pytest.mark.parametrize(("lang", "phrase"), [("en", "largest possible, "), ("ko", "가능한 최댓값 ")])
@pytest.mark.parametrize(("keys", "most"), [(1, "0"), (2, "0.5"), (9, "0.5")])
def test_the_largest_norm_is_named_as_it_is_drawn(keys: int, most: str, lang: str, phrase: str) -> None:
    """With a single key no score changes any weight."""
    K = torch.ones(2, keys, 3)
    one = compute(AttentionConfig(source="upload"), AttentionInputs(Q=torch.ones(2, 4, 3), K=K, V=K))
    line = by_kind(drawing(one, View(lang=lang)), "level")
    assert (line["name"], line["y"].tolist()) == (f"{phrase}{most}", [float(most)] * 2)


def test_the_locked_row_is_marked_in_both_panels(result):
    one = result()
    marks = [trace for trace in drawing(one, View(row=4)).data if "row_of" in trace["meta"]]
    assert [trace["meta"]["row_of"] for trace in marks] == ["jacobian_norm", "jacobian_trace"]
    np.testing.assert_array_equal(marks[0]["y"], one.jacobian_norm[:, 4])
    np.testing.assert_array_equal(marks[1]["y"], one.jacobian_trace[:, 4])


def test_panels_stack_on_a_narrow_screen(result):
    wide, narrow = (drawing(result(), View(columns=columns)).layout for columns in (0, 2))
    assert wide["xaxis"]["domain"] != wide["xaxis2"]["domain"]
    assert narrow["xaxis"]["domain"] == narrow["xaxis2"]["domain"]
