"""The pure modules under assets/js/chart, each alone in the browser that runs them."""

from typing import Any

import pytest

from tests.browser.modules import Module

_TICKS = """(m, [layout, length, room]) =>
  new m.Scale(layout, 0, length).ticks(room).map(({ at, text }) => [Math.round(at), text])"""
_PANELS = """(m, [layout, size]) => m.panels(layout, [], { width: size[0], height: size[1] }, 10)
  .map(({ y, box }) => [y, ...[box.left, box.right, box.top, box.bottom].map(Math.round)])"""


def test_a_logarithmic_axis_has_pixels_for_positive_values_and_back(module: Module) -> None:
    found = module(
        "figures/chart/scale",
        """(m) => { const s = new m.Scale({ type: "log", range: [0, 3] }, 100, 400);
          const none = [0, null].map((x) => String(s.pixel(x)));
          return [s.pixel(1), s.pixel(1000), s.pixel(10), s.value(300), ...none]; }""",
        None,
    )
    assert found[:4] == pytest.approx([100, 400, 200, 100])
    assert found[4:] == ["NaN", "NaN"]


_POWERS = {"type": "log", "range": [-4, 1]}
_SECONDS = {"type": "log", "range": [-5, -2], "exponentformat": "SI", "ticksuffix": "s"}
_NAMED = {"tickmode": "array", "tickvals": [1, 2, 4, 8], "ticktext": ["a", "b", "c", "d"], "range": [0, 10]}


@pytest.mark.parametrize(
    ("layout", "length", "room", "expected"),
    [
        (_POWERS, 100, 20, {0: "10⁻⁴", 20: "10⁻³", 40: "0.01", 60: "0.1", 80: "1", 100: "10"}),
        (_POWERS, 100, 30, {0: "10⁻⁴", 40: "0.01", 80: "1"}),
        ({"type": "log", "range": [0.2, 0.9]}, 100, 20, {14: "2", 71: "5"}),
        (_SECONDS, 90, 25, {0: "10µs", 30: "100µs", 60: "1ms", 90: "10ms"}),
        ({"range": [0, 31], "tickformat": "d"}, 310, 60, {0: "0", 100: "10", 200: "20", 300: "30"}),
        (_NAMED, 100, 40, {10: "a", 40: "c"}),
    ],
)
def test_ticks_are_those_that_the_length_has_room_for(
    module: Module, layout: dict[str, Any], length: float, room: float, expected: dict[int, str]
) -> None:
    assert dict(module("figures/chart/scale", _TICKS, [layout, length, room])) == expected


def test_free_panels_take_the_grid_in_which_they_are_largest(module: Module) -> None:
    arranged = """(m, [count, size, free]) => {
      const slots = Array.from({ length: count }, (_, i) => ({ across: [0.5 * (i % 2), 0.5 * (i % 2) + 0.4],
        up: [0.5 - 0.5 * Math.floor(i / 2), 0.9 - 0.5 * Math.floor(i / 2)] }));
      const { columns, lines } = m.arranged(slots, { width: size[0], height: size[1] }, 12, free);
      return [columns, lines]; }"""
    assert module("figures/chart/grid", arranged, [6, [960, 330], True]) == [6, 1]  # as beside other figures
    assert module("figures/chart/grid", arranged, [6, [960, 600], True]) == [3, 2]
    assert module("figures/chart/grid", arranged, [6, [1800, 150], True]) == [6, 1]
    assert module("figures/chart/grid", arranged, [6, [360, 700], True]) == [2, 3]
    assert module("figures/chart/grid", arranged, [2, [240, 600], True]) == [1, 2]
    assert module("figures/chart/grid", arranged, [4, [1800, 150], False]) == [2, 2]


def test_panels_of_a_column_begin_on_one_line_whatever_their_labels(module: Module) -> None:
    titled = [{"text": "t", "xref": f"{x} domain", "yref": f"{y} domain"} for x, y in (("x", "y"), ("x2", "y2"))]
    layout = {
        "annotations": titled,
        "xaxis": {"anchor": "y", "range": [0, 1]},
        "yaxis": {"anchor": "x", "range": [0, 1]},
        "xaxis2": {"anchor": "y2", "range": [0, 1]},
        "yaxis2": {"anchor": "x2", "range": [10000, 10001]},
    }
    (_, *first), (_, *second) = module("figures/chart/frame", _PANELS, [layout, [200, 400]])
    assert first[:2] == second[:2]
    assert first[0] > 8 + 4 * 5.5, "room for the longer labels of the second"
    assert first[3] < second[2], "the second below the first"
    assert second[3] <= 400
    assert first[3] - first[2] == second[3] - second[2]


def test_an_axis_without_a_range_takes_that_of_its_traces(module: Module) -> None:
    extent = "(m, [y, axis]) => m.extent([{ y }, { y: [] }], 'y', axis)"
    assert module("figures/chart/extent", extent, [[2, 4, None], {"rangemode": "tozero"}]) == pytest.approx([0, 4.2])
    assert module("figures/chart/extent", extent, [[0.01, 0, 100], {"type": "log"}]) == pytest.approx([-2.2, 2.2])
    assert module("figures/chart/extent", extent, [[], {}]) == [0, 1]


def test_the_nearest_point_that_has_a_text_is_told(module: Module) -> None:
    found = module(
        "figures/chart/hover",
        """(m) => {
          const box = { left: 0, right: 100, top: 0, bottom: 100 };
          const panel = { box, across: { pixel: (x) => x }, up: { pixel: (y) => 100 - y } };
          const trace = { type: "scatter", x: [10, 1024, 50], y: [10, 20, 1234.5], text: ["a", "b", "c"],
            hovertemplate: "%{x} %{text} &lt;b&gt;<br>%{y:.3g}<extra></extra>" };
          const dumb = { ...trace, x: [12], y: [12], hoverinfo: "skip" };
          const at = m.nearest([{ panel, trace: dumb }, { panel, trace }], 13, 88);
          const time = { ...trace, hovertemplate: "%{y:.3s}s<extra>%{text}</extra>", y: [0.00012, 1, 1] };
          const far = m.nearest([{ panel, trace }], 90, 20);
          const points = [[trace, 1], [at.trace, at.index], [time, 0]];
          const texts = points.map(([trace, index]) => m.linesOf({ trace, index }));
          return [at.index, at.trace === trace, far, ...texts];
        }""",
        None,
    )
    assert found == [0, True, None, ["1024 b <b>", "20"], ["10 a <b>", "10"], ["120µs", "a"]]


def test_a_text_is_as_wide_as_its_letters_with_small_indices(module: Module) -> None:
    width = "(m, texts) => texts.map(m.width)"
    plain, index, korean = module("figures/chart/width", width, ["abcd", "ab<sub>cd</sub>", "가나다라"])
    assert plain == pytest.approx(2.2)
    assert index == pytest.approx(1.1 + 1.1 * 0.72)
    assert korean > 1.5 * plain
