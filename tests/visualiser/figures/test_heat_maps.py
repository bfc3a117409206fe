from typing import Any

import numpy as np
import pytest

from attention_core import STAGES
from visualiser.drawing.cells import TINIEST
from visualiser.drawing.matrix import margins
from visualiser.figures.plots.heat_maps import drawing, heat_maps
from visualiser.state.view import View
from visualiser.theme import DIVERGING, WEIGHTS


@pytest.mark.parametrize("stage", STAGES)
def test_one_heat_map_a_head_with_the_cells_of_the_stage(stage, result):
    one = result()
    figure: Any = heat_maps(one, View(stage=stage))
    assert [trace.type for trace in figure.data] == ["heatmap"] * 3
    for head, trace in enumerate(figure.data):
        np.testing.assert_array_equal(trace.z, one.stage(stage)[head])
        assert trace.meta == {"panel": head, "kind": "cells", "head": head + 1}


def test_cells_are_views_of_the_result_and_not_copies(result):
    one = result()
    for head, trace in enumerate(drawing(one).data):
        assert np.shares_memory(trace["z"], one.weights[head].numpy())


@pytest.mark.parametrize("stage", ["masked", "weights"])
def test_masked_cells_are_open_and_hatched(stage, result):
    one = result(mask="causal")
    figure: Any = heat_maps(one, View(stage=stage))
    allowed = one.mask.numpy()
    for head, trace in enumerate(figure.data):
        assert np.isnan(trace.z[~allowed]).all()
        np.testing.assert_array_equal(trace.z[allowed], one.stage(stage)[head].numpy()[allowed])
    assert len(figure.layout.images) == 3
    assert "▨ masked" in [annotation.text for annotation in figure.layout.annotations]


@pytest.mark.parametrize("stage", ["scores", "scaled"])
def test_before_the_mask_nothing_is_hidden(stage, result):
    figure: Any = heat_maps(result(mask="causal"), View(stage=stage))
    assert not any(np.isnan(trace.z).any() for trace in figure.data)
    assert not figure.layout.images


def test_the_mask_moves_no_colour_of_the_full_range(result):
    views = (View(stage=stage, colour_range="full") for stage in ("scaled", "masked"))
    scaled, masked = (drawing(result(mask="causal"), view).layout["coloraxis"] for view in views)
    assert (scaled["cmin"], scaled["cmax"]) == (masked["cmin"], masked["cmax"])


def test_scores_diverge_around_zero_and_weights_start_there(result):
    scores = drawing(result(), View(stage="scores")).layout["coloraxis"]
    assert scores["cmin"] == -scores["cmax"]
    assert scores["colorscale"] == DIVERGING
    weights = drawing(result()).layout["coloraxis"]
    assert weights["cmin"] == 0
    assert weights["colorscale"] == WEIGHTS


@pytest.mark.parametrize(
    ("settings", "view", "title"),
    [
        ({}, View(), "weight"),
        ({}, View(stage="scores"), "score q·k"),
        ({"mechanism": "additive"}, View(stage="scores"), "score w·tanh(W_q q + W_k k)"),
        ({}, View(lang="ko"), "가중치"),
    ],
)
def test_the_colour_bar_names_what_is_drawn(settings, view, title, result):
    figure: Any = heat_maps(result(**settings), view)
    assert figure.layout.coloraxis.colorbar.title.text == title


def test_a_logarithmic_scale_shows_the_log_of_the_weights(result):
    one = result(d_k=509, scaling="none")
    traces = drawing(one, View(colour="log")).data
    weights = one.weights.numpy()
    for head, trace in enumerate(traces):
        assert np.isfinite(trace["z"]).all()
        some = weights[head] >= TINIEST
        np.testing.assert_allclose(trace["z"][some], np.log10(weights[head][some]), rtol=1e-5, atol=1e-6)


def test_a_range_per_head_gives_each_its_own_bar(result):
    layout = drawing(result(), View(colour_range="per_head")).layout
    assert [f"coloraxis{i}" in layout for i in ("", 2, 3, 4)] == [True, True, True, False]
    figure: Any = heat_maps(result(), View(colour_range="per_head"))
    assert [trace.coloraxis for trace in figure.data] == ["coloraxis", "coloraxis2", "coloraxis3"]


def test_axes_are_integers_rows_run_down_and_zoom_is_common(result):
    figure: Any = heat_maps(result())
    layout = figure.layout
    assert layout.yaxis.range == (6.5, -0.5)
    assert layout.xaxis.range == (-0.5, 6.5)
    assert (layout.xaxis3.matches, layout.yaxis3.matches) == ("x", "y")
    assert layout.xaxis.title.text == "key"
    assert layout.yaxis.title.text == "query"
    assert not layout.yaxis2.showticklabels


def test_repeated_tokens_do_not_merge_cells(result):
    one = result(source="text", text="the cat the cat the")
    figure: Any = heat_maps(one)
    assert figure.data[0].z.shape == (5, 5)
    assert figure.data[0].x is None
    assert figure.layout.xaxis.tickvals == (0, 1, 2, 3, 4)
    assert figure.layout.xaxis.ticktext == ("the", "cat", "the", "cat", "the")


def test_markup_in_a_token_is_escaped_everywhere(result):
    one = result(source="text", text="<b> & <script>alert(1)</script>", split="characters")
    figure: Any = heat_maps(one, View(head=1))
    json = figure.layout.xaxis
    assert "<" not in "".join(json.ticktext)
    assert "<" not in "".join(json.labelalias.values())
    assert "&lt;" in json.ticktext


def test_one_head_alone_is_large(result):
    figure: Any = heat_maps(result(), View(head=2))
    assert [trace.meta["head"] for trace in figure.data] == [2]
    assert figure.layout.height > 400


@pytest.mark.parametrize(("h", "columns"), [(1, 1), (2, 2), (3, 3), (8, 4), (16, 4)])
def test_panels_fill_lines_of_at_most_four(h, columns, result):
    layout = drawing(result(h=h)).layout
    tops = {layout[key]["domain"][1] for key in layout if key.startswith("yaxis")}
    lefts = {layout[key]["domain"][0] for key in layout if key.startswith("xaxis")}
    assert len(lefts) == columns
    assert len(tops) == -(-h // columns)


def test_a_locked_row_is_framed_in_every_panel(result):
    figure: Any = heat_maps(result(), View(row=3))
    shapes = figure.layout.shapes
    assert [(shape.y0, shape.y1, shape.yref) for shape in shapes] == [(2.5, 3.5, ref) for ref in ("y", "y2", "y3")]


def test_margins_hold_the_widest_label_and_the_colour_bar() -> None:
    assert margins(None, View(), bars=50) == {"l": 56, "r": 50, "t": 30, "b": 58}
    assert margins(None, View(columns=2), bars=50) == {"l": 56, "r": 8, "t": 30, "b": 108}
    assert margins(("a", "abcdefgh"), View(), bars=50) == {"l": 94, "r": 50, "t": 30, "b": 96}  # 8 letters of 7 px
