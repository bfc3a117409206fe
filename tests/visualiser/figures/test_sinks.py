"""A sink is one more column, apart: in the maps, beside the bars of a row, and at the end of their tables."""

import math
from typing import Any

import numpy as np
import pytest

from attention_core import STAGES
from visualiser.drawing.colour import nice
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.map_colours import compared_limits, limits
from visualiser.drawing.pinned_overlay import pinned_overlay
from visualiser.drawing.quantile_scale import SPARE
from visualiser.figures import compare, heat_maps, row_weights
from visualiser.reasons.digits import parse_number
from visualiser.server.live import wire
from visualiser.state.view import View
from visualiser.tables import Table

SINK: dict[str, Any] = {"normalisation": "sink", "sink": 1.5}
RANGES = ("quantile", "full", "per_head")


def left(one) -> np.ndarray:
    """Return h × n_q: what the keys leave of 1."""
    return 1 - one.weights.double().sum(-1).numpy()


def strips(drawing: Drawing) -> list[dict[str, Any]]:
    return [trace for trace in drawing.data if trace["meta"]["kind"] == "sink"]


def maps(drawing: Drawing) -> list[dict[str, Any]]:
    return [trace for trace in drawing.data if trace["meta"]["kind"] == "cells"]


def axis_of(drawing: Drawing, trace: dict[str, Any]) -> dict[str, Any]:
    return drawing.layout["xaxis" + trace["xaxis"][1:]]


@pytest.mark.parametrize("colour_range", RANGES)
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_each_head_has_what_its_keys_leave(colour_range, mask, result):
    one = result(**SINK, mask=mask)
    found = heat_maps.draw(one, View(colour_range=colour_range))
    assert [trace["meta"] for trace in strips(found)] == [
        {"panel": i, "kind": "sink", "head": i + 1} for i in range(len(one.weights))
    ]
    for trace, of_keys, weights in zip(strips(found), maps(found), left(one), strict=True):
        np.testing.assert_allclose(trace["z"], weights[:, None], atol=2e-7)  # no mask hides it
        assert (trace["yaxis"], trace["coloraxis"]) == (of_keys["yaxis"], of_keys["coloraxis"])


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "weights"])
def test_before_the_weights_there_is_no_sink(stage, result):
    with_sink, without = (heat_maps.draw(result(**own), View(stage=stage)) for own in (SINK, {}))
    assert not strips(with_sink)
    assert with_sink.layout.keys() == without.layout.keys()
    assert with_sink.layout["xaxis"] == without.layout["xaxis"]


@pytest.mark.parametrize("n", [2, 7, 64])
@pytest.mark.parametrize(
    "view", [View(), View(columns=1), View(columns=2), View(colour_range="per_head"), View(head=2)]
)
def test_the_column_stands_between_its_keys_and_the_next_panel(n, view, result):
    found = heat_maps.draw(result(**SINK, n=n), view)
    lines: dict[float, list[list[float]]] = {}
    for of_keys, trace in zip(maps(found), strips(found), strict=True):
        top = found.layout["yaxis" + of_keys["yaxis"][1:]]["domain"][1]
        lines.setdefault(top, []).extend(axis_of(found, one)["domain"] for one in (of_keys, trace))
    for domains in lines.values():
        ends = [end for domain in domains for end in domain]
        assert ends == sorted(set(ends))
        assert 0 <= ends[0] < ends[-1] <= 1


@pytest.mark.parametrize(("lang", "name"), [("en", "sink"), ("ko", "싱크")])
def test_the_lowest_columns_have_their_name(lang, name, result):
    found = heat_maps.draw(result(**SINK), View(lang=lang, columns=2))
    axes = [axis_of(found, trace) for trace in strips(found)]
    assert {tuple(axis["ticktext"]) for axis in axes} == {(name,)}
    assert [axis["showticklabels"] for axis in axes] == [axis_of(found, one)["showticklabels"] for one in maps(found)]


def test_a_locked_row_is_framed_with_its_sink(result):
    shapes = heat_maps.draw(result(**SINK), View(row=3)).layout["shapes"]
    assert [shape["xref"] for shape in shapes] == [f"x{i} domain" for i in ("", 2, 3, 4, 5, 6)]
    assert len({(shape["y0"], shape["y1"]) for shape in shapes}) == 3 - 2


@pytest.mark.parametrize("sink", [-5.0, 0.0, 3.0, 12.0])
@pytest.mark.parametrize("colour", ["linear", "log"])
def test_the_full_range_reaches_up_to_the_sink_and_the_quantile_is_the_keys_alone(sink, colour, result):
    one = result(normalisation="sink", sink=sink, n=31)
    full = limits(one, View(colour_range="full", colour=colour))
    assert full.high == pytest.approx(nice(max(float(one.weights.max()), left(one).max())))
    found = limits(one, View(colour=colour))
    keys = one.weights.numpy()
    assert int((keys > found.high * (1 + 1e-6)).sum()) <= keys.size // SPARE
    above = [int((part > found.high * (1 + 1e-6)).sum()) for part in (keys, left(one))]
    assert (found.above, found.cells) == (sum(above), keys.size + left(one).size)
    if sink > 4:
        assert above[1] == left(one).size  # nothing is hidden: they are counted, and the bar is open
        axis = heat_maps.draw(one, View(colour=colour)).layout["coloraxis"]
        assert axis["colorbar"]["ticktext"][-1].startswith(">")


def test_a_range_per_head_reaches_up_to_its_own_sink(result):
    one = result(normalisation="sink", sink=4)
    found = heat_maps.draw(one, View(colour_range="per_head"))
    ends = [found.layout[trace["coloraxis"]]["cmax"] for trace in strips(found)]
    assert ends == [pytest.approx(nice(most)) for most in left(one).max(-1)]


def test_logarithmic_colours_are_those_of_the_sink_too(result):
    one = result(**SINK)
    for trace, weights in zip(strips(heat_maps.draw(one, View(colour="log"))), left(one), strict=True):
        np.testing.assert_allclose(10.0 ** trace["z"][:, 0], weights, rtol=1e-5)


@pytest.mark.parametrize(
    ("a", "b", "sides"),
    [
        (SINK, {**SINK, "sink": -2.0}, {"a", "b", "difference"}),
        ({}, SINK, {"b"}),
        (SINK, {"normalisation": "sigmoid"}, {"a"}),
        (SINK, {**SINK, "n": 5}, {"a", "b"}),
        ({}, {}, set()),
    ],
)
def test_a_side_of_a_comparison_has_its_own_and_the_difference_if_both_have(a, b, sides, result):
    before, after = result(**a), result(**b)
    for view in (View(), View(head=2, row=1), View(columns=2, colour_range="full")):
        found = compare.draw(before, after, view)
        assert {trace["meta"]["of"] for trace in strips(found)} == sides
        for trace in strips(found):
            head = trace["meta"]["head"] - 1
            true = {
                "a": lambda head=head: left(before)[head],
                "b": lambda head=head: left(after)[head],
                "difference": lambda head=head: left(after)[head] - left(before)[head],
            }[trace["meta"]["of"]]()
            np.testing.assert_allclose(trace["z"][:, 0], true, atol=4e-7)
            of_keys = maps(found)[trace["meta"]["panel"]]
            assert {**of_keys["meta"], "kind": "sink"} == trace["meta"]
            assert axis_of(found, trace)["domain"][0] > axis_of(found, of_keys)["domain"][1]


def test_a_comparison_up_to_the_largest_reaches_up_to_both_sinks(result):
    a, b = result(normalisation="sink", sink=5), result(normalisation="sink", sink=-3)
    view = View(colour_range="full")
    assert compared_limits(a, b, view).high == pytest.approx(nice(left(a).max()))
    drawn = compare.draw(a, b, view)
    most = np.abs(left(b) - left(a)).max()
    assert drawn.layout["coloraxis2"]["cmax"] == pytest.approx(nice(most))


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("n", [2, 7, 41])
def test_the_bar_of_a_row_stands_after_a_gap_and_inside_the_axis(n, mask, result):
    one = result(**SINK, n=n, mask=mask)
    found = row_weights.draw(one, View(row=1, head=3))
    (bar,) = strips(found)
    (keys,) = (trace for trace in found.data if trace["meta"].get("kind") == "weights")
    np.testing.assert_allclose(bar["y"], [left(one)[2, 1]], atol=2e-7)
    assert bar["x"][0] - bar["width"] / 2 > keys["x"][-1] + 0.5
    low, high = found.layout["xaxis"]["range"]
    assert (low, bar["x"][0] + bar["width"] / 2 < high) == (-0.5, True)
    assert found.layout["yaxis"]["range"][1] >= bar["y"][0]
    assert bar["marker"]["color"] != keys["marker"]["color"]
    ticks = dict(zip(found.layout["xaxis"]["tickvals"], found.layout["xaxis"]["ticktext"], strict=True))
    assert ticks.pop(bar["x"][0]) == "sink"
    assert ticks
    assert all(text == str(at) and 0 <= at < n for at, text in ticks.items())


def test_a_pinned_row_has_its_sink_in_grey(result):
    a, b = (row_weights.draw(result(normalisation="sink", sink=sink), View(row=2)) for sink in (3, 0))
    (grey,) = (one for one in pinned_overlay(a, b, "en").data if one["meta"].get("kind") == "pinned_sink")
    assert max(grey["y"]) == strips(a)[0]["y"][0] != strips(b)[0]["y"][0]


def _column(table: Table, label: str) -> Any:
    return next(column for column in table.columns if column.label == label)


@pytest.mark.parametrize("softcap", [0, 4])
@pytest.mark.parametrize("text", [{}, {"source": "text", "text": "a b c b d e f"}])
@pytest.mark.parametrize("figure", [heat_maps, row_weights])
def test_the_table_of_a_row_ends_with_the_sink(figure, text, softcap, result):
    one = result(**SINK, softcap=softcap, **text, mask="causal")
    table = figure.table(one, View(row=2, head=2))
    assert {len(column.values) for column in table.columns} == {8}
    assert list(_column(table, "key").values) == [*"0123456", "sink"]
    weight, score = _column(table, "weight"), _column(table, "scaled score")
    assert weight.values[-1] == pytest.approx(left(one)[1, 2], abs=2e-7)
    assert np.nansum(weight.values) == pytest.approx(1)
    assert score.values[-1] == 1.5
    made = weight.made(7)
    assert made.key == "reason.made.sink_weight"
    assert made.facts["value"] == weight.values[-1]
    below, total = (parse_number(made.facts[name]) for name in ("below", "sum"))
    assert math.exp(below) / total == pytest.approx(weight.values[-1], rel=1e-2)
    assert score.made(7).facts == {"value": 1.5}
    assert weight.made(0).key == "reason.made.weight_sink"
    assert weight.made(5).key == "reason.made.forbidden"
    if softcap:
        capped = table.columns[-2]
        assert math.isnan(capped.values[-1])  # a softcap does not bend the sink
        assert capped.made(7) is None


def test_the_table_of_the_maps_lists_each_heads_mean(result):
    one = result(**SINK)
    found = _column(heat_maps.table(one, View()), "mean sink weight")
    np.testing.assert_allclose(found.values, left(one).mean(-1), rtol=1e-5)
    assert found.made(1).facts["value"] == found.values[1]
    assert "sink" not in " ".join(column.label for column in heat_maps.table(result(), View()).columns)


def test_columns_and_maps_that_share_a_scale_become_the_bytes_that_each_alone_would(result):
    found = heat_maps.draw(result(**SINK), View())
    axis = found.layout["coloraxis"]
    coded = wire.encode_drawing(found)["data"]
    assert [trace["meta"] for trace in coded] == [trace["meta"] for trace in found.data]
    for trace, code in zip(found.data, coded, strict=True):
        np.testing.assert_array_equal(code["z"], wire.cells(trace["z"], axis["cmin"], axis["cmax"]))
