"""The pure modules under assets/js, each alone in the browser that runs them."""

import math
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionConfig, compute
from tests.browser.modules import Module
from visualiser.figures.plots.heat_maps import drawing
from visualiser.locale import number
from visualiser.pages.uses import uses
from visualiser.server.live import wire
from visualiser.theme import DIVERGING, WEIGHTS


def test_a_cell_covers_half_a_step_on_either_side(module: Module) -> None:
    pixels = [0, 9.9, 10, 59.9, -0.1, 60]
    cells = module("figures/axes", "(m, given) => given.map((pixel) => m.cellAt(pixel, 60, [-0.5, 5.5], 6))", pixels)
    assert cells == [0, 0, 1, 5, None, None]


def test_a_zoomed_axis_shows_its_part_of_the_cells(module: Module) -> None:
    assert module("figures/axes", "(m) => m.span(9.5, 1.5)", None) == {"start": 2, "size": 8}
    assert module("figures/axes", "(m) => m.cellAt(0, 80, [1.5, 9.5], 32)", None) == 2


def test_labels_are_every_first_second_fifth_or_tenth_position(module: Module) -> None:
    labelled = "(m, [range, count, most]) => m.labelled(range, count, most)"
    assert module("figures/axes", labelled, [[-0.5, 9.5], 10, 12]) == list(range(10))
    assert module("figures/axes", labelled, [[31.5, -0.5], 32, 12]) == list(range(0, 32, 5))
    assert module("figures/axes", labelled, [[-0.5, 511.5], 512, 12]) == list(range(0, 512, 50))
    assert module("figures/axes", labelled, [[100.4, 103.6], 512, 12]) == [101, 102, 103]


@pytest.mark.parametrize(
    ("low", "high", "wanted", "expected"),
    [(0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-20, 20, 5, [-20, -10, 0, 10, 20]), (-4, 0, 4, [-4, -3, -2, -1, 0])],
)
def test_ticks_are_round(module: Module, low: float, high: float, wanted: int, expected: list[float]) -> None:
    assert module("figures/axes", "(m, given) => m.ticks(...given)", [low, high, wanted]) == expected


@pytest.mark.parametrize(
    "value",
    [0, 1, -1, 0.09817, 0.176999, 12.345, 511.4, 99950, -3.0e-4, 4.75e-5, 9.9996e-5, 1.234e-7, -8.7e-27, 4.56e12],
)
def test_numbers_are_written_as_python_writes_them(module: Module, value: float) -> None:
    assert module("figures/axes", "(m, value) => m.number(value)", value) == number(float(value))


def test_a_number_that_is_none_is_written_as_such(module: Module) -> None:
    written = "(m) => [m.number(NaN), m.number(Infinity), m.number(-Infinity)]"
    assert module("figures/axes", written, None) == ["–", "∞", "−∞"]


@pytest.mark.parametrize("scale", [WEIGHTS, DIVERGING])
def test_a_colour_table_has_the_scale_from_code_1_and_nothing_at_0(module: Module, scale: list[list[Any]]) -> None:
    table = module("figures/palette", "(m, scale) => Array.from(m.table(scale))", scale)
    assert table[0] == 0, "a masked cell is transparent"
    for code in (1, 100, 128, 255):
        red, green, blue = (table[code] >> shift & 255 for shift in (0, 8, 16))
        position = (code - 1) / 254
        stops = [stop for stop, _ in scale]
        for channel, value in enumerate((red, green, blue)):
            levels = [int(colour[1 + 2 * channel : 3 + 2 * channel], 16) for _, colour in scale]
            assert abs(value - np.interp(position, stops, levels)) <= 0.5 + 1e-9
        assert table[code] >> 24 == 255


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"d_model": 512, "h": 3, "d_k": 64, "tie": True}, "h"),
        ({"d_model": 8, "h": 16, "d_k": 64, "tie": True}, "d_model"),
        ({"d_model": 512, "h": 8, "d_k": 100, "tie": True}, "d_k"),
        ({"d_model": 512, "h": 8, "d_k": 64, "tie": False}, "d_k"),
        ({"d_model": 512, "h": 4, "d_k": 64, "tie": False}, "h"),
        ({"d_model": 512, "h": 4, "d_k": 64, "tie": True}, "tie"),
    ],
)
def test_the_tie_is_the_configs_own(module: Module, given: dict[str, Any], changed: str) -> None:
    moved = module("link/values", "(m, [given, changed]) => m.tied(given, changed)", [given, changed])
    values = {"d_model": given["d_model"], "h": given["h"]}
    config = AttentionConfig(**values, d_k=given["d_k"]) if changed == "d_k" else AttentionConfig(**given)
    assert (moved["tie"], moved["d_k"]) == (config.tie, config.d_k)


def test_values_become_a_query_without_what_is_not_there(module: Module) -> None:
    values = {"n": 16, "row": None, "text": "a & <b>", "tie": False}
    assert module("link/values", "(m, values) => m.query(values)", values) == "n=16&text=a+%26+%3Cb%3E&tie=false"


def test_the_latest_wish_wins_and_only_one_is_under_way(module: Module) -> None:
    done = module(
        "server/latest",
        """async (m) => {
          const done = []; let open = 0, most = 0;
          const ask = m.latest(async (wish) => {
            most = Math.max(most, ++open);
            await Promise.resolve(); done.push(wish); open -= 1;
          });
          ask(1); ask(2); ask(3); await ask(4);
          await ask(5);
          return [done, most];
        }""",
        None,
    )
    assert done == [[1, 4, 5], 1]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("ArrowDown", {"at": {"row": 5, "column": 2}}),
        ("ArrowUp", {"at": {"row": 3, "column": 2}}),
        ("ArrowRight", {"at": {"row": 4, "column": 3}}),
        ("PageDown", {"at": {"row": 6, "column": 2}}),
        ("Home", {"at": {"row": 0, "column": 2}}),
        ("Enter", {"lock": True}),
        ("Escape", {"release": True}),
        ("+", {"zoom": 0.5}),
        ("a", None),
    ],
)
def test_keys_walk_and_stop_at_the_edges(module: Module, key: str, expected: Any) -> None:
    at, shape = {"row": 4, "column": 2}, {"rows": 7, "columns": 5}
    assert module("pages/explore/row_walk", "(m, given) => m.walk(...given)", [key, at, shape]) == expected


def test_the_browser_reads_what_python_wrote(module: Module) -> None:
    """A real drawing, sent through the wire in pieces of 7 bytes, gives back structure and numbers."""
    result = compute(AttentionConfig(n=5, h=2, d_k=3))
    shown = drawing(result)
    part = wire.Part()
    header = {
        "entry": wire.entry(part, wire.encode_drawing(shown), ()),
        "x": part.number_or_block(np.array([1.5, math.nan])),
    }
    sent = part.close(header)
    read = module(
        "server/wire",
        """async (m, bytes) => {
          const all = Uint8Array.from(bytes);
          const stream = new ReadableStream({ start(c) {
            for (let at = 0; at < all.length; at += 7) c.enqueue(all.slice(at, at + 7));
            c.close();
          } });
          const found = [];
          for await (const { header, blocks } of m.parts(stream)) {
            const drawing = m.revive(header.entry, blocks, new Map());
            const { z, type } = drawing.data[1];
            const x = Array.from(m.decode(header.x, blocks)).map(String);
            found.push({ codes: Array.from(z), shape: z.shape, type, cmax: drawing.layout.coloraxis.cmax, x });
          }
          return found;
        }""",
        [*sent, *sent],
    )
    axis = shown.layout["coloraxis"]
    codes = wire.cells(shown.data[1]["z"], float(axis["cmin"]), float(axis["cmax"]))
    expected = {
        "codes": codes.flatten().tolist(),
        "shape": [5, 5],
        "type": "heatmap",
        "cmax": float(axis["cmax"]),
        "x": ["1.5", "NaN"],
    }
    assert read == [expected, expected]


MODEL = ("model", "layer", "target")
"""Controls of a model alone."""


@pytest.mark.parametrize(
    ("values", "hidden"),
    [
        ({}, {"scale", "sink", "window", "text", "split", "positions", *MODEL}),
        (
            {"source": "model", "scaling": "none"},
            {"mechanism", "scaling", "seed", "sink", "window", "split", "positions", "n", "d_k", "h", "d_model", "tie"},
        ),
        ({"source": "text", "scaling": "custom", "normalisation": "sink"}, {"window", "n", *MODEL}),
        (
            {"mechanism": "additive", "scaling": "custom"},
            {"scale", "scaling", "log_n", "sink", "window", "text", "split", "positions", *MODEL},
        ),
        (
            {"source": "upload", "mask": "window"},
            {"scale", "sink", "text", "split", "positions", "n", "d_k", "h", "d_model", "tie", *MODEL},
        ),
    ],
)
def test_controls_that_mean_nothing_are_named(module: Module, values: dict[str, str], hidden: set[str]) -> None:
    given = {"source": "gaussian", "scaling": "sqrt_d_k", "mechanism": "dot_product", "mask": "none", **values}
    given.setdefault("normalisation", "softmax")
    assert set(module("link/entry", "(m, [given, uses]) => m.unused(uses, given)", [given, uses()])) == hidden


def test_a_name_that_a_table_does_not_have_is_an_error_and_no_other_entry(module: Module) -> None:
    tried = "(m, name) => { try { return m.entry({a: 1, b: 2}, name); } catch (error) { return error.message; } }"
    assert [module("link/entry", tried, name) for name in ("b", "c", "toString")] == [2, "c: a, b", "toString: a, b"]
    values = "{source: 'gaussian', mechanism: 'third'}"
    unknown = f"(m, uses) => {{ try {{ m.unused(uses, {values}); }} catch (error) {{ return error.message; }} }}"
    assert module("link/entry", unknown, uses()) == "third: dot_product, additive"


def test_tables_become_csv_that_no_spreadsheet_executes(module: Module) -> None:
    columns = [
        {"label": "token", "values": ['a "b", c', "=1+1", None]},
        {"label": "weight", "values": [0.25, -3, 1e-9]},
    ]
    lines = module("files/csv", "(m, given) => m.csv([{ caption: 'Rows', columns: given }])", columns).split("\r\n")
    assert lines == ["Rows", "token,weight", '"a ""b"", c",0.25', "'=1+1,-3", ",1e-9", "", ""]
