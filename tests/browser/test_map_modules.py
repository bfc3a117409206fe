"""The arithmetic of the Map page, each module alone in the browser that runs it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from visualiser.figures.colour import colour_range
from visualiser.pages.map.tiles import AT_ONCE, SIDE
from visualiser.state import parameters, share

Module = Callable[[str, str, Any], Any]

SHAPE = {"rows": 1024, "columns": 1024}
TALL = {"rows": 331, "columns": 1987}


def test_zooming_keeps_what_lies_under_the_pointer(module: Module) -> None:
    found = module(
        "map/view",
        """(m, shape) => {
          const near = m.zoomed(m.whole(shape), 0.25, { x: 0.25, y: 0.75 }, shape);
          return m.zoomed(near, 0.5, { x: 0.1, y: 0.2 }, shape);
        }""",
        SHAPE,
    )
    # first: 256 keys around key 256 at a quarter, query 768 at three quarters; then 128 around 217.6 and 627.2
    assert found == pytest.approx({"left": 192 + 0.1 * 128, "top": 576 + 0.2 * 128, "across": 128, "down": 128})


def test_the_window_stops_at_the_edges_and_at_four_cells(module: Module) -> None:
    deep = module("map/view", "(m, s) => m.zoomed(m.whole(s), 1e-9, { x: 1, y: 1 }, s)", SHAPE)
    assert deep == {"left": 1020, "top": 1020, "across": 4, "down": 4}
    out = module(
        "map/view", "(m, s) => m.zoomed(m.around({ row: 3, column: 9 }, 40, s), 1e9, { x: 0, y: 0 }, s)", SHAPE
    )
    assert out == {"left": 0, "top": 0, "across": 1024, "down": 1024}
    moved = module("map/view", "(m, s) => m.panned(m.around({ row: 3, column: 1000 }, 40, s), 5, -5, s)", SHAPE)
    assert moved == {"left": 984, "top": 0, "across": 40, "down": 40}


def test_one_number_zooms_both_axes(module: Module) -> None:
    view = module("map/view", "(m, s) => m.zoomed(m.whole(s), 0.5, { x: 0.5, y: 0.5 }, s)", TALL)
    assert view == pytest.approx({"left": 496.75, "top": 82.75, "across": 993.5, "down": 165.5})
    deep = module("map/view", "(m, s) => m.zoomed(m.whole(s), 1e-9, { x: 0, y: 0 }, s)", TALL)
    assert deep == {"left": 0, "top": 0, "across": 4, "down": 4}, "never a part of a row"


def test_a_pinch_keeps_both_fingers_on_their_cells(module: Module) -> None:
    found = module(
        "map/view",
        """(m, s) => {
          const view = m.around({ row: 500, column: 300 }, 200, s);
          const before = [{ x: 0.4, y: 0.4 }, { x: 0.6, y: 0.6 }], now = [{ x: 0.3, y: 0.2 }, { x: 0.7, y: 0.6 }];
          const after = m.pinched(view, before, now, s);
          const cell = (v, at) => [v.left + at.x * v.across, v.top + at.y * v.down];
          return [before.map((at) => cell(view, at)), now.map((at) => cell(after, at)), after.across];
        }""",
        SHAPE,
    )
    before, after, across = found
    assert across == pytest.approx(100)
    assert np.allclose(before, after)


@pytest.mark.parametrize("across", [1024, 700.5, 31.25, 4])
def test_a_link_brings_the_same_window_back(module: Module, across: float) -> None:
    found = module(
        "map/view",
        """(m, [s, across]) => {
          const once = m.written(m.around({ row: 401, column: 77 }, across, s), s);
          return [once, m.written(m.named(once, s), s)];
        }""",
        [SHAPE, across],
    )
    assert found[0] == found[1]
    assert found[0]["across"] == (0 if across == 1024 else across)


def test_the_cell_under_a_point(module: Module) -> None:
    under = "(m, [s, x, y]) => m.cellUnder(m.around({ row: 500, column: 300 }, 8, s), { x, y }, s)"
    assert module("map/view", under, [SHAPE, 0.5, 0.5]) == {"row": 500, "column": 300}
    assert module("map/view", under, [SHAPE, 0.999, 0]) == {"row": 496, "column": 304}
    assert module("map/view", under, [SHAPE, 1.4, -0.9]) == {"row": 489, "column": 307}


@pytest.mark.parametrize(
    ("across", "level"), [(4, 0), (256, 0), (257, 1), (512, 1), (513, 2), (4096, 4), (16384, 6), (65536, 8)]
)
def test_no_axis_shows_more_cells_than_a_tile_has(module: Module, across: int, level: int) -> None:
    assert module("map/tiles", "(m, across) => m.levelOf({ across, down: 4 })", across) == level
    assert module("map/tiles", "(m, down) => m.levelOf({ across: 4, down })", across) == level


def test_tiles_cover_the_window_from_its_centre(module: Module) -> None:
    view = {"left": 900.5, "top": 10, "across": 500, "down": 500}
    tiles = module("map/tiles", "(m, view) => m.covering(view, 1)", view)
    assert {(tile["row"], tile["column"]) for tile in tiles} == {
        (row, column) for row in (0, 1) for column in (3, 4, 5)
    }
    assert tiles[0] == {"level": 1, "row": 1, "column": 4}, "the centre lies at query 260, key 1,150"
    aligned = {"left": 256, "top": 512, "across": 128, "down": 128}
    assert module("map/tiles", "(m, view) => m.covering(view, 0)", aligned) == [{"level": 0, "row": 4, "column": 2}]


def test_no_window_needs_more_tiles_than_the_server_gives_at_once(module: Module) -> None:
    assert module("map/tiles", "(m) => m.SIDE", None) == SIDE
    wide = {"left": 100.5, "top": 130.5, "across": 256, "down": 256}
    assert len(module("map/tiles", "(m, view) => m.covering(view, m.levelOf(view))", wide)) == AT_ONCE


def test_the_overview_is_enough_where_tiles_would_be_no_finer(module: Module) -> None:
    enough = """(m, [across, n, bins]) => {
      const square = (size) => ({ rows: size, columns: size });
      return m.overviewSuffices({ across, down: across }, square(n), square(bins));
    }"""
    assert module("map/tiles", enough, [16384, 16384, 256])
    assert not module("map/tiles", enough, [8192, 16384, 256])
    assert module("map/tiles", enough, [1000, 1000, 250])
    assert not module("map/tiles", enough, [512, 1000, 250])
    assert module("map/tiles", enough, [4, 200, 200]), "single cells are already there"


def test_what_was_used_last_is_kept(module: Module) -> None:
    held = module(
        "map/recent",
        """(m) => {
          const recent = new m.Recent(3);
          for (const name of ["a", "b", "c"]) recent.set(name, name);
          recent.get("a"); recent.has("b");
          recent.set("d", "d");
          return [recent.values(), recent.get("b") === undefined];
        }""",
        None,
    )
    assert held == [["c", "a", "d"], True]


def test_a_spike_survives_any_number_of_pixels(module: Module) -> None:
    values = np.zeros(1009)
    values[613] = 7.0
    values[100] = math.nan
    for pixels in (1, 13, 97, 500, 1009, 2000):
        expression = """(m, [v, pixels]) => {
          const { low, high } = m.extremes(v.map(Number), 0, 1009, pixels);
          return [[...low], [...high]];
        }"""
        low, high = module("map/extremes", expression, [values.tolist(), pixels])
        assert max(value for value in high if not math.isnan(value)) == 7.0
        first = [pixel for pixel, value in enumerate(high) if value == 7.0]
        assert first[0] == math.floor(613 * pixels / 1009 + 1e-9)
        if pixels < 1009:
            assert low[first[0]] == 0.0, "the pixel also shows its least"


def test_a_zoomed_strip_shows_each_value_on_its_own_pixels(module: Module) -> None:
    expression = "(m, v) => Array.from(m.extremes(v, 2, 3, 9).high)"
    assert module("map/extremes", expression, [5, 6, 1, 2, 3, 9]) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_a_small_picture_pools_whole_blocks(module: Module) -> None:
    values = torch.rand(7, 11, generator=torch.Generator().manual_seed(2))
    values[0, :4] = math.nan
    given = [["NaN" if math.isnan(v) else v for v in values.flatten().tolist()], 7, 11]
    expression = """(m, [[v, r, c], maximum]) => {
      const small = m.pooled(v.map(Number), r, c, 4, maximum);
      return [[...small.values].map(String), small.rows, small.columns];
    }"""
    for maximum in (True, False):
        found, rows, columns = module("map/extremes", expression, [given, maximum])
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
    found = module("map/shades", "(m, given) => m.limits(...given)", [top, colour])
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
    linear, log = module("map/shades", expression, [str(weight) for weight in weights])
    assert linear == [1001, 1002, 1128, 1255, 1255, 0]
    steps = [1000 + math.floor(1.5 + 254 * (math.log10(weight) + 4) / 4) for weight in weights[1:5]]
    assert log == [1001, *steps, 0]


@pytest.mark.parametrize(
    ("key", "shift", "wish"),
    [
        ("ArrowLeft", False, {"pan": {"x": -0.125, "y": 0}}),
        ("ArrowDown", True, {"pan": {"x": 0, "y": 0.75}}),
        ("PageUp", False, {"pan": {"x": 0, "y": -0.75}}),
        ("Home", False, {"end": "first"}),
        ("End", False, {"end": "last"}),
        ("+", False, {"zoom": 0.5}),
        ("-", False, {"zoom": 2}),
        ("0", False, {"whole": True}),
        ("Enter", False, {"open": True}),
        ("Escape", False, {"release": True}),
        ("q", False, None),
    ],
)
def test_keys_move_the_window(module: Module, key: str, shift: bool, wish: Any) -> None:
    assert module("map/keys", "(m, given) => m.wish(...given)", [key, shift, {"across": 64, "down": 64}]) == wish


def test_an_arrow_moves_by_a_cell_where_cells_are_large(module: Module) -> None:
    wish = module("map/keys", "(m) => m.wish('ArrowRight', false, { across: 4, down: 4 })", None)
    assert wish == {"pan": {"x": 0.25, "y": 0}}


@pytest.mark.parametrize(
    ("query", "change"),
    [
        ("page=map", {"across": 31.25, "left": 100, "top": 0.5}),
        ("page=map&n=1024&seed=7&lang=ko", {"row": 0, "head": 3, "pooling": "maximum"}),
        ("page=map&n=1024&row=5&colour=linear&across=64&left=3", {"row": None, "across": 0, "left": 0}),
        ("page=map&source=text&text=a%2Bb+%C3%A9+%2A&split=words", {"colour": "linear", "row": 1}),
    ],
)
def test_the_link_of_a_moved_window_is_the_servers_own(module: Module, query: str, change: dict[str, Any]) -> None:
    """The browser's own link is the one that `share.canonical` would return."""
    before = share.read(query).state
    first = share.State(parameters.beginning("map"), parameters.first_view("map"), own=parameters.first_values("map"))
    values = share.as_values(before) | change
    given = [share.canonical(before), values, share.as_values(first)]
    written = module("map/link", "(m, given) => m.linked(...given)", given)
    named = {name: "" if value is None else str(value) for name, value in values.items() if name not in ("lang", "pin")}
    expected = share.read("&".join([query, *(f"{name}={named[name]}" for name in change)])).state
    assert written == share.canonical(expected)
    assert share.read(written).state == expected


def test_a_link_says_what_is_computed_apart_from_what_is_looked_at(module: Module) -> None:
    subject = "(m, [link, viewing]) => m.subject(link, viewing)"
    link = "n=64&page=map&lang=ko&head=2&row=&across=12.5"
    assert module("map/link", subject, [link, ["head", "row", "across", "lang", "page"]]) == "n=64"


def test_tokens_are_labels_that_cannot_reorder_what_stands_around(module: Module) -> None:
    tokens = ["the", " a\n\t", "\u202eevil\u202c", "가나다라마바사아자차카", "e\u0301" * 12, "", "<b>x</b>"]
    found = module("map/token", "(m, tokens) => tokens.map((token) => m.tokenLabel(token))", tokens)
    assert found == ["the", "␣a⏎⇥", "evil", "가나다라마바사아자…", "e\u0301" * 9 + "…", "␀", "<b>x</b>"]


def test_axes_tell_positions_and_where_there_is_room_tokens(module: Module) -> None:
    labels = (
        "(m, given) => m.axisLabels(...given).map(({ position, at, text, upright }) => [position, at, text, upright])"
    )
    assert module("map/axis", labels, [0, 1024, 512, 1024, None, False])[:3] == [
        [0, 0.25, "0", False],
        [200, 100.25, "200", False],
        [400, 200.25, "400", False],
    ]
    tokens = ["a", "b", "c", "d", "e"]
    near = module("map/axis", labels, [1.6, 2, 100, 5, tokens, True])
    assert near == [[2, pytest.approx(45), "c 2", False], [3, pytest.approx(95), "d 3", False]]
    assert all(upright for *_, upright in module("map/axis", labels, [0, 4, 100, 5, tokens, False]))


def test_a_row_names_its_heaviest_keys(module: Module) -> None:
    found = module("map/row_panel", "(m, weights) => m.heaviest(weights, 3)", [0.0, 0.25, 0.5, 0.0, 0.25])
    assert found == [{"position": 2, "weight": 0.5}, {"position": 1, "weight": 0.25}, {"position": 4, "weight": 0.25}]


LOADER = """
  const asked = [], aborted = [], took = [];
  let answer;
  const wish = (column) => ({ head: 1, address: { level: 0, row: 0, column } });
  async function* ask(wishes, signal) {
    const columns = wishes.map(({ address }) => address.column);
    asked.push(columns);
    for (const column of columns) {
      yield await new Promise((resolve, reject) => {
        let open = true;
        answer = (value) => { open = false; resolve(value); };
        signal.addEventListener("abort", () => { if (open) aborted.push(column); reject(new Error("aborted")); });
      });
    }
  }
  const loader = new m.Loader(ask, ({ address }) => took.push(address.column), () => false);
  const rest = () => new Promise((resolve) => setTimeout(resolve));
  const answered = async () => { answer(null); await rest(); };
"""
"""A loader whose tiles are answered by hand, one after the other."""


def test_tiles_are_fetched_in_one_request_at_a_time(module: Module) -> None:
    found = module(
        "map/loader",
        "async (m) => {"
        + LOADER
        + """
          loader.want(Array.from({ length: 11 }, (_, column) => wish(column)));
          for (let i = 0; i < 10; i += 1) await answered();
          return { asked, took };
        }""",
        None,
    )
    assert found == {"asked": [list(range(9)), [9, 10]], "took": list(range(10))}


def test_the_tile_being_computed_is_waited_for_and_the_rest_asked_for_anew(module: Module) -> None:
    found = module(
        "map/loader",
        "async (m) => {"
        + LOADER
        + """
          loader.want([0, 1, 2, 3].map(wish));
          await answered();
          loader.want([1, 8].map(wish));
          const kept = [...aborted];
          await answered();
          await answered();
          await answered();
          return { asked, kept, took };
        }""",
        None,
    )
    assert found == {"asked": [[0, 1, 2, 3], [8]], "kept": [], "took": [0, 1, 8]}


def test_a_window_chosen_between_the_last_tile_and_the_end_of_its_answer_is_fetched(module: Module) -> None:
    found = module(
        "map/loader",
        """async (m) => {
          const asked = [], took = [];
          const wish = (column) => ({ head: 1, address: { level: 0, row: 0, column } });
          async function* ask(wishes) {
            asked.push(wishes.length);
            for (const { address } of wishes) yield address.column;
            if (asked.length === 1) loader.want([7, 8].map(wish)); // all tiles are there, the answer has not ended
          }
          let loader;
          await new Promise((resolve) => {
            loader = new m.Loader(ask, (_, answer) => { took.push(answer); if (answer === 8) resolve(); }, () => false);
            loader.want([wish(3)]);
          });
          return { asked, took };
        }""",
        None,
    )
    assert found == {"asked": [1, 2], "took": [3, 7, 8]}


def test_what_may_be_wanted_next_is_fetched_when_everything_in_sight_is_there(module: Module) -> None:
    found = module(
        "map/loader",
        "async (m) => {"
        + LOADER
        + """
          loader.want([0, 1].map(wish), [20, 21, 22].map(wish));
          const first = structuredClone(asked);
          await answered();
          await answered();
          await answered(); // 20, and 21 is under way
          const second = structuredClone(asked);
          loader.want([5].map(wish), [21, 22].map(wish));
          const given = [...aborted];
          await answered();
          return { first, second, given, asked, took };
        }""",
        None,
    )
    assert found["first"] == [[0, 1]]
    assert found["second"] == [[0, 1], [20, 21, 22]]
    assert found["given"] == [21], "what is in sight does not wait for what is not"
    assert found["asked"][2:] == [[5], [21, 22]]
    assert found["took"] == [0, 1, 20, 5]


def test_a_busy_server_is_asked_for_nothing_that_may_not_be_needed(module: Module) -> None:
    found = module(
        "map/loader",
        "async (m) => {"
        + LOADER
        + """
          let now = 0;
          performance.now = () => now;
          loader.want([wish(0)], [wish(20)]);
          now = 2500;
          await answered();
          const slow = structuredClone(asked);
          loader.want([wish(1)], [wish(20)]);
          now = 2600;
          await answered();
          return { slow, asked };
        }""",
        None,
    )
    assert found == {"slow": [[0]], "asked": [[0], [1], [20]]}


def test_the_tiles_ahead_are_those_of_the_next_level_around_the_pointer(module: Module) -> None:
    expression = """(m, [view, at]) => {
      const edges = Array.from({ length: 257 }, (_, i) => i * 64);
      const sizes = { n_q: 16384, n_k: 16384, bins_q: 256, bins_k: 256, row_edges: edges, column_edges: edges };
      const model = new m.Model({ id: "x", heads: 1, ...sizes }, { look: { strips: [] }, ceiling: [] });
      return model.ahead(view, at).map(({ level, row, column }) => [level, row, column]);
    }"""
    whole = {"left": 0, "top": 0, "across": 16384, "down": 16384}
    corner = module("map/model", expression, [whole, {"x": 0, "y": 1}])
    # half the map, its lower left corner kept in place: keys 0 … 8191, queries 8192 … 16383, in tiles of 128 × 2⁵
    assert sorted(corner) == [[5, row, column] for row in (2, 3) for column in (0, 1)]
    near = {"left": 1000, "top": 2000, "across": 400, "down": 400}
    found = module("map/model", expression, [near, {"x": 0.5, "y": 0.5}])
    # level 0 shows 256 tokens, here 1072 … 1327 and 2072 … 2327
    assert sorted(found) == [[0, row, column] for row in (16, 17, 18) for column in (8, 9, 10)]
    assert module("map/model", expression, [{**near, "across": 200, "down": 200}, {"x": 0.5, "y": 0.5}]) == []


def test_a_tile_out_of_sight_is_given_up(module: Module) -> None:
    found = module(
        "map/loader",
        "async (m) => {"
        + LOADER
        + """
          loader.want([0, 1].map(wish));
          await rest();
          const late = answer;
          loader.want([5].map(wish));
          const given = [...aborted];
          late(null);
          await rest();
          await answered();
          return { asked, given, took };
        }""",
        None,
    )
    assert found == {"asked": [[0, 1], [5]], "given": [0], "took": [5]}


def test_a_lost_tile_is_asked_for_again(module: Module) -> None:
    found = module(
        "map/loader",
        """async (m) => {
          let failures = 0;
          const took = [], asked = [];
          const wish = (column) => ({ head: 1, address: { level: 0, row: 0, column } });
          async function* ask(wishes) {
            asked.push(wishes.length);
            for (const { address } of wishes) {
              if (address.column === 6 && failures < 2) throw new Error("lost");
              yield address.column;
            }
          }
          await new Promise((resolve) => {
            const take = (_, answer) => { took.push(answer); if (took.length === 3) resolve(); };
            const loader = new m.Loader(ask, take, () => { failures += 1; return true; });
            loader.want([5, 6, 7].map(wish));
          });
          return [failures, took, asked];
        }""",
        None,
    )
    assert found == [2, [5, 6, 7], [3, 2, 2]]


def test_a_pixel_says_which_queries_and_keys_it_stands_for(module: Module) -> None:
    """Bins of an overview are not all equally wide, and the last cells of a tile reach over the end."""
    found = module(
        "map/model",
        """(m) => {
          const edges = [0, 334, 668, 999];
          const sizes = { n_q: 999, n_k: 999, bins_q: 3, bins_k: 3, row_edges: edges, column_edges: edges };
          const model = new m.Model({ id: "x", heads: 1, ...sizes }, { look: { strips: [] }, ceiling: [] });
          const [mean, maximum] = [1, 10].map((step) => Float32Array.from({ length: 9 }, (_, i) => step * (i + 1)));
          model.takeOverview({ first: 0, last: 3, mean, maximum });
          const view = { left: 0, top: 0, across: 999, down: 999 };
          const coarse = model.block(1, view, { row: 668, column: 667 });
          model.ready = true;
          const near = { left: 899, top: 899, across: 100, down: 100 };
          const cells = Object.assign(new Float32Array(116 * 116).fill(0.5), { shape: [116, 116] });
          model.takeTile(1, { level: 1, row: 3, column: 3 }, { mean: cells, maximum: null });
          const { exact } = model.layers(1, near);
          const wide = { left: 499, across: 500, top: 499, down: 500 };
          const last = model.block(1, wide, { row: 998, column: 770 });
          return [coarse, exact, last, m.binOf(edges, 332), m.binOf(edges, 333), m.binOf(edges, 998)];
        }""",
        None,
    )
    coarse, exact, last, *bins = found
    assert coarse == {"rows": [668, 999], "columns": [334, 668], "average": 8, "maximum": 80}
    assert last == {"rows": [998, 999], "columns": [770, 772], "average": 0.5, "maximum": 0.5}
    assert not exact, "a coarser tile is no exact picture"
    assert bins == [0, 0, 2]
