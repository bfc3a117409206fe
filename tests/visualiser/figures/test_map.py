"""The window onto a map, as data: cells, edges, ticks, colours."""

import numpy as np
import pytest

from attention_core import AttentionConfig
from visualiser.figures.mapped import Window, look
from visualiser.figures.plots.map import axis, drawing, window_map
from visualiser.locale import text
from visualiser.state.view import View

CELLS = np.array([[0.5, 0.25, np.nan], [0.0, 1e-3, 0.125]], dtype=np.float32)
ROWS, COLUMNS = np.array([8, 12, 14]), np.array([16, 20, 24, 27])


def window(**more: object) -> Window:
    return Window(**{"cells": CELLS, "row_edges": ROWS, "column_edges": COLUMNS, "head": 3, **more})  # pyright: ignore[reportArgumentType]


def test_squares_lie_between_their_edges_with_the_first_query_on_top() -> None:
    drawn = drawing(window(), view=View(colour="linear"))
    (trace,) = drawn.data
    np.testing.assert_array_equal(trace["z"], CELLS)
    np.testing.assert_array_equal(trace["x"], [15.5, 19.5, 23.5, 26.5])
    np.testing.assert_array_equal(trace["y"], [7.5, 11.5, 13.5])
    assert drawn.layout["xaxis"]["range"] == [15.5, 26.5]
    assert drawn.layout["yaxis"]["range"] == [13.5, 7.5]
    assert (float(drawn.layout["coloraxis"]["cmin"]), float(drawn.layout["coloraxis"]["cmax"])) == (0.0, 0.5)


def test_a_logarithmic_scale_keeps_masked_squares_open_and_zeros_finite() -> None:
    drawn = drawing(window(), view=View(colour="log"))
    z = drawn.data[0]["z"]
    assert z[0, 0] == pytest.approx(np.log10(0.5))
    assert np.isnan(z[0, 2])
    assert np.isfinite(z[1, 0])
    assert z[1, 0] < -37
    cmin, cmax = (float(drawn.layout["coloraxis"][end]) for end in ("cmin", "cmax"))
    assert cmax == pytest.approx(np.log10(0.5))
    assert cmin == pytest.approx(cmax - 4)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("pooling", ["average", "maximum"])
def test_the_colour_bar_says_what_a_square_shows(lang: str, pooling: str) -> None:
    drawn = drawing(window(pooling=pooling), lang)
    assert drawn.layout["coloraxis"]["colorbar"]["title"]["text"] == text(lang, f"figure.map.{pooling}")
    assert drawn.layout["title"]["text"] == text(lang, "figure.head", head=3)
    assert look(AttentionConfig(), lang, False)[pooling] == text(lang, f"figure.map.{pooling}")


def test_only_a_masked_window_has_the_hatching_and_its_legend() -> None:
    assert "images" in drawing(window()).layout
    assert "images" not in drawing(window(cells=np.nan_to_num(CELLS))).layout


def test_tokens_name_the_positions_where_they_can_be_read() -> None:
    tokens = ("<b>", "the", "the") * 20
    few = axis(np.array([3, 5, 7]), tokens)
    assert few["tickvals"] == [3, 4, 5, 6]
    assert few["ticktext"] == ["&lt;b&gt;", "the", "the", "&lt;b&gt;"]
    many = axis(np.array([0, 32, 60]), tokens)
    assert many["tickmode"] == "auto"
    assert axis(np.array([3, 7]), None)["tickmode"] == "auto"
    assert axis(np.array([50, 52, 54]), tokens)["ticktext"] == ["the", "&lt;b&gt;", "the", "the"]  # their number counts


def test_a_notebook_gets_a_plotly_figure() -> None:
    figure = window_map(window(tokens=("a",) * 30), "ko", View(theme="dark"))
    assert [trace["type"] for trace in figure.to_dict()["data"]] == ["heatmap"]


def marks(**more: object) -> list[tuple[int, str, int]]:
    notes = drawing(window(**more)).layout.get("annotations", [])
    return [(note["x"], note["text"], -note["ay"]) for note in notes if note["showarrow"]]


def test_sinks_in_view_are_marked_above_the_map_with_their_shares() -> None:
    found = marks(sinks=((20, 0.568), (3, 0.3), (27, 0.25)))
    assert [(key, name) for key, name, _ in found] == [(20, text("en", "figure.map.sink", key=20, share=56.8))]
    assert marks() == []
    assert drawing(window(sinks=((20, 0.5),)), "ko").layout["annotations"][-1]["text"] == "키 20: 50%"


def test_names_of_sinks_beside_each_other_take_another_line_or_none() -> None:
    wide = np.array([0, 100, 400])
    found = marks(column_edges=wide, sinks=((200, 0.3), (201, 0.25), (203, 0.2), (390, 0.2)))
    assert [key for key, *_ in found] == [200, 201, 203, 390]
    heights = [height for _, name, height in found if name]
    assert len(set(heights[:2])) == 2
    assert [bool(name) for _, name, _ in found] == [True, True, False, True]


def test_marks_leave_title_and_legend_their_room() -> None:
    drawn = drawing(window(sinks=((20, 0.5),)))
    plain = drawing(window())
    assert drawn.layout["margin"]["t"] > plain.layout["margin"]["t"] + 40
    (legend,) = (note for note in drawn.layout["annotations"] if not note["showarrow"])
    (mark,) = (note for note in drawn.layout["annotations"] if note["showarrow"])
    assert legend["yshift"] > -mark["ay"] + 15
