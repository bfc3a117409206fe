"""The small modules of the Map page: strips, colours, labels, a row's keys."""

import math

import numpy as np
import pytest
import torch

from tests.browser.modules import Module
from visualiser.drawing.colour import colour_range


def test_a_spike_survives_any_number_of_pixels(module: Module) -> None:
    values = np.zeros(1009)
    values[613] = 7.0
    values[100] = math.nan
    for pixels in (1, 13, 97, 500, 1009, 2000):
        expression = """(m, [v, pixels]) => {
          const { low, high } = m.extremes(v.map(Number), 0, 1009, pixels);
          return [[...low], [...high]];
        }"""
        low, high = module("pages/map/extremes", expression, [values.tolist(), pixels])
        assert max(value for value in high if not math.isnan(value)) == 7.0
        first = [pixel for pixel, value in enumerate(high) if value == 7.0]
        assert first[0] == math.floor(613 * pixels / 1009 + 1e-9)
        if pixels < 1009:
            assert low[first[0]] == 0.0, "the pixel also shows its least"


def test_a_zoomed_strip_shows_each_value_on_its_own_pixels(module: Module) -> None:
    expression = "(m, v) => Array.from(m.extremes(v, 2, 3, 9).high)"
    assert module("pages/map/extremes", expression, [5, 6, 1, 2, 3, 9]) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_a_small_picture_pools_whole_blocks(module: Module) -> None:
    values = torch.rand(7, 11, generator=torch.Generator().manual_seed(2))
    values[0, :4] = math.nan
    given = [["NaN" if math.isnan(v) else v for v in values.flatten().tolist()], 7, 11]
    expression = """(m, [[v, r, c], maximum]) => {
      const small = m.pooled(v.map(Number), r, c, 4, maximum);
      return [[...small.values].map(String), small.rows, small.columns];
    }"""
    for maximum in (True, False):
        found, rows, columns = module("pages/map/extremes", expression, [given, maximum])
        assert (rows, columns) == (4, 4)
        for i in range(4):
            for j in range(4):
                block = values[2 * i : 2 * i + 2, 3 * j : 3 * j + 3]
                allowed = block[~block.isnan()]
                expected = allowed.max() if maximum else allowed.mean()
                assert float(found[4 * i + j]) == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize("top", [0.9, 1.0, 0.31, 0.0148, 2.2e-5, 0.0])
@pytest.mark.parametrize("colour", ["linear", "log"])
def test_the_colour_scale_ends_where_the_figures_does(module: Module, top: float, colour: str) -> None:
    found = module("pages/map/shades", "(m, given) => m.limits(...given)", [top, colour])
    assert found == pytest.approx(colour_range(torch.tensor([top]), "weights", colour))


def test_weights_take_the_colour_of_their_place(module: Module) -> None:
    expression = """(m, weights) => {
      const table = Uint32Array.from({ length: 256 }, (_, i) => i + 1000);
      const of = (ends, colour) => {
        const pixels = new Uint32Array(weights.length);
        m.shade(weights.map(Number), ends, colour, table, pixels);
        return [...pixels];
      };
      return [of([0, 0.5], "linear"), of([-4, 0], "log")];
    }"""
    weights = [0, 0.002, 0.25, 0.5, 1, math.nan]
    linear, log = module("pages/map/shades", expression, [str(weight) for weight in weights])
    assert linear == [1001, 1002, 1128, 1255, 1255, 0]
    steps = [1000 + math.floor(1.5 + 254 * (math.log10(weight) + 4) / 4) for weight in weights[1:5]]
    assert log == [1001, *steps, 0]


def test_tokens_are_labels_that_cannot_reorder_what_stands_around(module: Module) -> None:
    tokens = ["the", " a\n\t", "\u202eevil\u202c", "가나다라마바사아자차카", "e\u0301" * 12, "", "<b>x</b>"]
    found = module("pages/map/token", "(m, tokens) => tokens.map((token) => m.tokenLabel(token))", tokens)
    assert found == ["the", "␣a⏎⇥", "evil", "가나다라마바사아자…", "e\u0301" * 9 + "…", "␀", "<b>x</b>"]


def test_axes_tell_positions_and_where_there_is_room_tokens(module: Module) -> None:
    labels = (
        "(m, given) => m.axisLabels(...given).map(({ position, at, text, upright }) => [position, at, text, upright])"
    )
    assert module("pages/map/axis", labels, [0, 1024, 512, 1024, None, False, 12])[:3] == [
        [0, 0.25, "0", False],
        [200, 100.25, "200", False],
        [400, 200.25, "400", False],
    ]
    presented = module("pages/map/axis", labels, [0, 1024, 512, 1024, None, False, 24])
    assert [position for position, *_ in presented] == [0, 500, 1000], "larger type, fewer numbers"
    tokens = ["a", "b", "c", "d", "e"]
    near = module("pages/map/axis", labels, [1.6, 2, 100, 5, tokens, True, 12])
    assert near == [[2, pytest.approx(45), "c 2", False], [3, pytest.approx(95), "d 3", False]]
    assert all(upright for *_, upright in module("pages/map/axis", labels, [0, 4, 100, 5, tokens, False, 12]))


def test_a_row_names_its_heaviest_keys(module: Module) -> None:
    found = module("pages/map/row_panel", "(m, weights) => m.heaviest(weights, 3)", [0.0, 0.25, 0.5, 0.0, 0.25])
    assert found == [{"position": 2, "weight": 0.5}, {"position": 1, "weight": 0.25}, {"position": 4, "weight": 0.25}]
