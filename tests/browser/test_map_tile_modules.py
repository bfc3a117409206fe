"""The tiles of a map: which are needed, their requests one at a time, and what the browser keeps."""

import pytest

from tests.browser.modules import Module
from visualiser.pages.map.tiles import AT_ONCE, SIDE


@pytest.mark.parametrize(
    ("across", "level"), [(4, 0), (256, 0), (257, 1), (512, 1), (513, 2), (4096, 4), (16384, 6), (65536, 8)]
)
def test_no_axis_shows_more_cells_than_a_tile_has(module: Module, across: int, level: int) -> None:
    assert module("pages/map/tiles", "(m, across) => m.levelOf({ across, down: 4 })", across) == level
    assert module("pages/map/tiles", "(m, down) => m.levelOf({ across: 4, down })", across) == level


def test_tiles_cover_the_window_from_its_centre(module: Module) -> None:
    view = {"left": 900.5, "top": 10, "across": 500, "down": 500}
    tiles = module("pages/map/tiles", "(m, view) => m.covering(view, 1)", view)
    assert {(tile["row"], tile["column"]) for tile in tiles} == {
        (row, column) for row in (0, 1) for column in (3, 4, 5)
    }
    assert tiles[0] == {"level": 1, "row": 1, "column": 4}, "the centre lies at query 260, key 1,150"
    aligned = {"left": 256, "top": 512, "across": 128, "down": 128}
    covering = module("pages/map/tiles", "(m, view) => m.covering(view, 0)", aligned)
    assert covering == [{"level": 0, "row": 4, "column": 2}]


def test_no_window_needs_more_tiles_than_the_server_gives_at_once(module: Module) -> None:
    assert module("pages/map/tiles", "(m) => m.SIDE", None) == SIDE
    wide = {"left": 100.5, "top": 130.5, "across": 256, "down": 256}
    assert len(module("pages/map/tiles", "(m, view) => m.covering(view, m.levelOf(view))", wide)) == AT_ONCE


def test_the_overview_is_enough_where_tiles_would_be_no_finer(module: Module) -> None:
    enough = """(m, [across, n, bins]) => {
      const square = (size) => ({ rows: size, columns: size });
      return m.overviewSuffices({ across, down: across }, square(n), square(bins));
    }"""
    assert module("pages/map/tiles", enough, [16384, 16384, 256])
    assert not module("pages/map/tiles", enough, [8192, 16384, 256])
    assert module("pages/map/tiles", enough, [1000, 1000, 250])
    assert not module("pages/map/tiles", enough, [512, 1000, 250])
    assert module("pages/map/tiles", enough, [4, 200, 200]), "single cells are already there"


def test_what_was_used_last_is_kept(module: Module) -> None:
    held = module(
        "pages/map/recent",
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
        "pages/map/loader",
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
        "pages/map/loader",
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
        "pages/map/loader",
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
        "pages/map/loader",
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
        "pages/map/loader",
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
      return model.weights.ahead(view, at).map(({ level, row, column }) => [level, row, column]);
    }"""
    whole = {"left": 0, "top": 0, "across": 16384, "down": 16384}
    corner = module("pages/map/model", expression, [whole, {"x": 0, "y": 1}])
    # half the map, its lower left corner kept in place: keys 0 … 8191, queries 8192 … 16383, in tiles of 128 × 2⁵
    assert sorted(corner) == [[5, row, column] for row in (2, 3) for column in (0, 1)]
    near = {"left": 1000, "top": 2000, "across": 400, "down": 400}
    found = module("pages/map/model", expression, [near, {"x": 0.5, "y": 0.5}])
    # level 0 shows 256 tokens, here 1072 … 1327 and 2072 … 2327
    assert sorted(found) == [[0, row, column] for row in (16, 17, 18) for column in (8, 9, 10)]
    assert module("pages/map/model", expression, [{**near, "across": 200, "down": 200}, {"x": 0.5, "y": 0.5}]) == []


def test_a_tile_out_of_sight_is_given_up(module: Module) -> None:
    found = module(
        "pages/map/loader",
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
        "pages/map/loader",
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
        "pages/map/model",
        """(m) => {
          const edges = [0, 334, 668, 999];
          const sizes = { n_q: 999, n_k: 999, bins_q: 3, bins_k: 3, row_edges: edges, column_edges: edges };
          const { weights } = new m.Model({ id: "x", heads: 1, ...sizes }, { look: { strips: [] }, ceiling: [] });
          const [mean, maximum] = [1, 10].map((step) => Float32Array.from({ length: 9 }, (_, i) => step * (i + 1)));
          weights.overview.take({ first: 0, last: 3, mean, maximum });
          const view = { left: 0, top: 0, across: 999, down: 999 };
          const coarse = weights.block(1, view, { row: 668, column: 667 });
          const near = { left: 899, top: 899, across: 100, down: 100 };
          const cells = Object.assign(new Float32Array(116 * 116).fill(0.5), { shape: [116, 116] });
          weights.take(1, { level: 1, row: 3, column: 3 }, { mean: cells, maximum: null });
          const { exact } = weights.layers(1, near);
          const wide = { left: 499, across: 500, top: 499, down: 500 };
          const last = weights.block(1, wide, { row: 998, column: 770 });
          return [coarse, exact, last];
        }""",
        None,
    )
    coarse, exact, last = found
    assert coarse == {"rows": [668, 999], "columns": [334, 668], "average": 8, "maximum": 80}
    assert last == {"rows": [998, 999], "columns": [770, 772], "average": 0.5, "maximum": 0.5}
    assert not exact, "a coarser tile is no exact picture"
    bins = "(m, edges) => [332, 333, 998].map((position) => m.binOf(edges, position))"
    assert module("pages/map/overview", bins, [0, 334, 668, 999]) == [0, 0, 2]
