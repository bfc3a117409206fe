/** The map's arithmetic: window, tiles, values under a pixel, text of the colour bar. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { axisLabels } from "../../assets/js/pages/map/axis.js";
import { Cells } from "../../assets/js/pages/map/cells.js";
import { extremes, greatest, pooled } from "../../assets/js/pages/map/extremes.js";
import { wish } from "../../assets/js/pages/map/keys.js";
import { Model } from "../../assets/js/pages/map/model.js";
import { binOf } from "../../assets/js/pages/map/overview.js";
import { heaviest } from "../../assets/js/pages/map/row_panel.js";
import { blockOf } from "../../assets/js/pages/map/scale_bar.js";
import { heaviestIn } from "../../assets/js/pages/map/selection.js";
import { placedSinks } from "../../assets/js/pages/map/sinks.js";
import { ends } from "../../assets/js/pages/map/strips.js";
import { covering, extent, levelOf, overviewLevel } from "../../assets/js/pages/map/tiles.js";
import { place, tokenLabel } from "../../assets/js/words/token.js";
import { around, cellUnder, named, panned, pinched, whole, written, zoomed } from "../../assets/js/pages/map/view.js";
import { drawing } from "./properties.mjs";

const SHAPE = { rows: 600, columns: 1000 };

test("what lies under the pointer stays there", () => {
  const at = { x: 0.25, y: 0.75 };
  const near = zoomed(whole(SHAPE), 0.25, at, SHAPE);
  assert.deepEqual(near, { left: 187.5, top: 337.5, across: 250, down: 150 });
  assert.deepEqual(cellUnder(near, at, SHAPE), cellUnder(whole(SHAPE), at, SHAPE));
});

test("the window stops at the edges", () => {
  const view = around({ row: 3, column: 990 }, 100, SHAPE);
  assert.deepEqual(view, { left: 900, top: 0, across: 100, down: 60 });
  assert.deepEqual(panned(view, -0.5, 1, SHAPE), { left: 850, top: 60, across: 100, down: 60 });
});

test("two fingers keep their cells", () => {
  const view = { left: 100, top: 100, across: 200, down: 120 };
  /** @type {[import("../../assets/js/pages/map/view.js").Point, import("../../assets/js/pages/map/view.js").Point]} */
  const before = [
    { x: 0.375, y: 0.5 },
    { x: 0.625, y: 0.5 },
  ];
  const now = /** @type {typeof before} */ ([
    { x: 0.25, y: 0.5 },
    { x: 0.75, y: 0.5 },
  ]);
  assert.deepEqual(pinched(view, before, now, SHAPE), { left: 150, top: 130, across: 100, down: 60 });
});

test("a link says a window in hundredths, and everything as nothing", () => {
  const view = { left: 12.3456, top: 7, across: 100, down: 60 };
  assert.deepEqual(written(view, SHAPE), { left: 12.35, top: 7, across: 100 });
  assert.deepEqual(written(whole(SHAPE), SHAPE), { left: 0, top: 0, across: 0 });
  assert.deepEqual(named({}, SHAPE), whole(SHAPE));
  assert.deepEqual(named({ left: 12.35, top: 7, across: 100 }, SHAPE), { ...view, left: 12.35 });
});

test("tiles cover the window, the middle first", () => {
  const view = { left: 120, top: 0, across: 300, down: 100 };
  assert.equal(levelOf(view), 1);
  assert.deepEqual(covering(view, 1), [
    { level: 1, row: 0, column: 1 },
    { level: 1, row: 0, column: 0 },
  ]);
  assert.deepEqual(extent({ level: 1, row: 2, column: 3 }, 128, 40), { left: 768, top: 512, across: 80, down: 256 });
  assert.equal(overviewLevel({ rows: 600, columns: 1000 }, { rows: 75, columns: 125 }), 3);
});

test("a bin holds its first position and not the next one's", () => {
  assert.deepEqual(
    [0, 3, 4, 7, 8, 9].map((position) => binOf([0, 4, 8, 10], position)),
    [0, 0, 1, 1, 2, 2],
  );
});

/** Return a map of two heads, ten queries and ten keys, in three bins each way. */
function model() {
  const axis = { title: { text: "" } };
  const look = {
    xaxis: axis,
    yaxis: axis,
    coloraxis: { cmin: 0, cmax: 1, colorscale: /** @type {[number, string][]} */ ([]) },
    strips: ["entropy", "largest_weight"].map((name) => ({
      name,
      unit: "1",
      label: name,
      asked: /** @type {[string, string]} */ (["", ""]),
    })),
    average: "",
    maximum: "",
  };
  const edges = [0, 4, 8, 10];
  const sizes = { heads: 2, n_q: 10, n_k: 10, bins_q: 3, bins_k: 3, row_edges: edges, column_edges: edges };
  const header = { id: "m", ...sizes, cut: [] };
  return new Model(header, { look, ceiling: [] });
}

test("an overview comes row by row, for every head", () => {
  const { weights, shape } = model();
  // the first row of bins of each head, then the second
  const [first, second] = [Float32Array.of(0, 1, 2, 6, 7, 8), Float32Array.of(3, 4, 5, 9, 10, 11)];
  weights.overview.take({ first: 0, last: 1, mean: first, maximum: first.map((value) => 10 * value) });
  weights.overview.take({ first: 1, last: 2, mean: second, maximum: second.map((value) => 10 * value) });
  assert.equal(weights.overview.queriesThere, 8);
  const view = whole(shape);
  assert.deepEqual(weights.block(2, view, { row: 5, column: 9 }), {
    rows: [4, 8],
    columns: [8, 10],
    average: 11,
    maximum: 110,
  });
  assert.equal(weights.block(1, view, { row: 9, column: 0 }), null, "it has not come");
});

test("strips of all heads come a few queries at a time", () => {
  const { statistics } = model();
  const four = Float32Array.of(1, 2, 3, 4);
  statistics.take({ first: 3, last: 5, entropy: four, largest_weight: four });
  assert.deepEqual([...statistics.of("entropy", 2).subarray(2, 6)], [NaN, 3, 4, NaN]);
});

test("a colour bar says how many weights a cell stands for", () => {
  const cells = { rows: 75, columns: 125, extent: { left: 0, top: 0, across: 1000, down: 600 } };
  assert.deepEqual(blockOf(cells), { rows: 8, columns: 8 });
  assert.deepEqual(blockOf({ ...cells, rows: 256, columns: 300 }), { rows: 2.3, columns: 3.3 });
});

test("the heaviest cell of a window is found, whichever tile has it", () => {
  const tile = (/** @type {number} */ left, /** @type {number[]} */ weights) =>
    new Cells({ mean: Float32Array.from(weights) }, 2, 2, { left, top: 10, across: 2, down: 2 });
  const tiles = [tile(4, [NaN, 0.5, 0.125, 9]), tile(6, [0.25, 8, 0.75, 8])];
  const window = { left: 4, top: 10, across: 3, down: 2 };
  assert.deepEqual(heaviestIn(tiles, window), { row: 11, column: 5, weight: 9 });
  assert.deepEqual(heaviestIn(tiles, { ...window, down: 1 }), { row: 10, column: 5, weight: 0.5 });
  assert.deepEqual(heaviestIn([tile(4, [NaN, NaN, NaN, NaN])], { ...window, across: 1, down: 1 }), {
    row: 10,
    column: 4,
    weight: NaN,
  });
});

test("the greatest weight is known anew when more has come", () => {
  const cells = new Cells({ mean: Float32Array.of(NaN, 0.5), maximum: Float32Array.of(NaN, 0.75) }, 1, 2, {
    left: 0,
    top: 0,
    across: 2,
    down: 1,
  });
  assert.deepEqual([cells.top("average"), cells.top("maximum")], [0.5, 0.75]);
  cells.weights.average[0] = 0.875;
  cells.grown();
  assert.equal(cells.top("average"), 0.875);
});

test("a pixel keeps the least and the greatest under it", () => {
  const { low, high, mean } = extremes([1, NaN, 3, 8, 2, 2], 0, 6, 3);
  assert.deepEqual(
    [[...low], [...high], [...mean]],
    [
      [1, 3, 2],
      [1, 8, 2],
      [1, 5.5, 2],
    ],
  );
  assert.equal(greatest([1, 9, NaN, 4], 2, 2), 4);
});

test("a small picture pools whole blocks, masked cells aside", () => {
  const values = [1, 3, 5, NaN, 5, 7, NaN, NaN];
  assert.deepEqual([...pooled(values, 2, 4, 2, true).values], [3, 5, 7, NaN]);
  assert.deepEqual([...pooled(values, 2, 4, 1, false).values], [Math.fround(21 / 5)]);
});

test("a spike survives any number of pixels", () => {
  const values = new Float64Array(1009);
  [values[613], values[100]] = [7, NaN];
  for (const pixels of [1, 13, 97, 500, 1009, 2000]) {
    const { low, high } = extremes(values, 0, 1009, pixels);
    assert.equal(Math.max(...high.filter((one) => !Number.isNaN(one))), 7);
    const first = high.indexOf(7);
    assert.equal(first, Math.floor((613 * pixels) / 1009 + 1e-9));
    if (pixels < 1009) assert.equal(low[first], 0, "the pixel also shows its least");
  }
});

test("a zoomed strip shows each value on its own pixels", () => {
  assert.deepEqual([...extremes([5, 6, 1, 2, 3, 9], 2, 3, 9).high], [1, 1, 1, 2, 2, 2, 3, 3, 3]);
});

test("blocks of any picture are pooled whole", () => {
  const draw = drawing();
  const values = Array.from({ length: 77 }, (_, i) => (i < 4 ? NaN : draw(1000) / 1000));
  for (const maximum of [true, false]) {
    const { values: found, rows, columns } = pooled(values, 7, 11, 4, maximum);
    assert.deepEqual([rows, columns], [4, 4]);
    for (let i = 0; i < 4; i += 1) {
      for (let j = 0; j < 4; j += 1) {
        const block = values.filter((one, at) => {
          const [row, column] = [Math.floor(at / 11), at % 11];
          return Math.floor(row / 2) === i && Math.floor(column / 3) === j && !Number.isNaN(one);
        });
        const wanted = maximum ? Math.max(...block) : block.reduce((sum, one) => sum + one, 0) / block.length;
        assert.ok(Math.abs(found[4 * i + j] - wanted) < 1e-6, `${i} ${j}`);
      }
    }
  }
});

test("a strip ends at its ceiling or at the next round number", () => {
  assert.deepEqual(ends("nats", 0, 5.25, "log"), [0, 5.25]);
  assert.deepEqual(ends("1", 0.31, 0, "linear"), [0, 0.5]);
  assert.deepEqual(ends("1", 0.09, 0, "log"), [-5, -1]);
  assert.deepEqual(ends("keys", 100, 0, "log"), [0, 2]);
});

test("labels stand in the middle of their cells", () => {
  assert.deepEqual(axisLabels(2, 4, 200, 100, null, true, 12), [
    { position: 2, at: 25, text: "2", upright: false },
    { position: 3, at: 75, text: "3", upright: false },
    { position: 4, at: 125, text: "4", upright: false },
    { position: 5, at: 175, text: "5", upright: false },
  ]);
  const [first] = axisLabels(0, 2, 200, 2, ["a\n", "b"], false, 12);
  assert.deepEqual(first, { position: 0, at: 50, text: "a⏎ 0", upright: true });
});

test("axes name positions, and tokens where there is room", () => {
  /** @param {Parameters<typeof axisLabels>} given */
  const labels = (...given) =>
    axisLabels(...given).map(({ position, at, text, upright }) => [position, at, text, upright]);
  assert.deepEqual(labels(0, 1024, 512, 1024, null, false, 12).slice(0, 3), [
    [0, 0.25, "0", false],
    [200, 100.25, "200", false],
    [400, 200.25, "400", false],
  ]);
  const presented = labels(0, 1024, 512, 1024, null, false, 24).map(([position]) => position);
  assert.deepEqual(presented, [0, 500, 1000], "larger type, fewer numbers");
  const tokens = ["a", "b", "c", "d", "e"];
  const near = labels(1.6, 2, 100, 5, tokens, true, 12).map(([position, at, ...rest]) => [
    position,
    Math.round(1e6 * Number(at)) / 1e6,
    ...rest,
  ]);
  assert.deepEqual(near, [
    [2, 45, "c 2", false],
    [3, 95, "d 3", false],
  ]);
  assert.ok(labels(0, 4, 100, 5, tokens, false, 12).every(([, , , upright]) => upright));
});

test("tokens cannot reorder what stands around them", () => {
  assert.equal(tokenLabel("a\u202eb c"), "ab␣c");
  const tokens = ["the", " a\n\t", "\u202eevil\u202c", "가나다라마바사아자차카", "e\u0301".repeat(12), "", "<b>x</b>"];
  const labels = ["the", "␣a⏎⇥", "evil", "가나다라마바사아자…", `${"e\u0301".repeat(9)}…`, "␀", "<b>x</b>"];
  assert.deepEqual(
    tokens.map((token) => tokenLabel(token)),
    labels,
  );
  assert.equal(tokenLabel("abcdefghijklm"), "abcdefghi…");
  assert.equal(place(1, ["x", " "]), "1 “␣”");
  assert.equal(place(7, ["x"]), "7");
});

test("arrows move by an eighth, by a cell where cells are large, with Shift by most of the window", () => {
  const view = { across: 100, down: 4 };
  assert.deepEqual(wish("ArrowLeft", false, view), { pan: { x: -0.125, y: 0 } });
  assert.deepEqual(wish("ArrowDown", false, view), { pan: { x: 0, y: 0.25 } });
  assert.deepEqual(wish("ArrowDown", true, view), { pan: { x: 0, y: 0.75 } });
  assert.deepEqual(wish("+", false, view), { zoom: 0.5 });
  assert.equal(wish("q", false, view), null);
});

test("a row names its heaviest keys, ties in their order", () => {
  assert.deepEqual(heaviest([0.25, 0.5, 0, 0.25], 3), [
    { position: 1, weight: 0.5 },
    { position: 0, weight: 0.25 },
    { position: 3, weight: 0.25 },
  ]);
});

test("a head has its own sinks", () => {
  const map = model();
  map.sinks = [
    { key: 3, shares: [[1, 0.5]] },
    {
      key: 0,
      shares: [
        [1, 0.25],
        [2, 0.75],
      ],
    },
  ];
  assert.deepEqual(map.sinksOf(1), [
    { key: 3, share: 0.5 },
    { key: 0, share: 0.25 },
  ]);
  assert.deepEqual(map.sinksOf(2), [{ key: 0, share: 0.75 }]);
});

test("sinks are marked at their keys, and no name touches another one, another mark or the map's edge", () => {
  const view = { left: 0, top: 0, across: 100, down: 100 };
  const placed = (/** @type {[number, number][]} */ sinks, wide = 60, seen = view) =>
    placedSinks(
      sinks.map(([key, share]) => ({ key, share })),
      seen,
      400,
      10,
      () => wide,
    );
  assert.deepEqual(
    placed([[0, 0.5]]),
    [{ key: 0, share: 0.5, at: 2, left: false, from: 9 }],
    "beside the mark, to its right",
  );
  assert.deepEqual(placed([[99, 0.5]]), [{ key: 99, share: 0.5, at: 398, left: true, from: 331 }], "or left of it");
  assert.deepEqual(placed([[70, 0.5]], 60, { ...view, left: 80, across: 20 }), [], "out of sight");
  const draw = drawing();
  for (let turn = 0; turn < 300; turn += 1) {
    const keys = [...new Set(Array.from({ length: 1 + draw(5) }, () => draw(100)))];
    const wide = 20 + draw(120);
    const marks = placed(
      keys.map((key) => [key, 0.2 + draw(80) / 100]),
      wide,
    );
    assert.deepEqual(
      marks.map(({ key }) => key),
      [...keys].sort((a, b) => a - b),
    );
    const largest = [...marks].sort((a, b) => b.share - a.share || a.at - b.at)[0];
    if (marks.length === 1) assert.notEqual(largest.from, null, "there is room for one");
    for (const { from, key } of marks) {
      if (from === null) continue;
      assert.ok(from >= 0 && from + wide <= 400);
      for (const other of marks) {
        if (other.key === key) continue;
        const [left, right] = other.left ? [other.at - 5, other.at] : [other.at, other.at + 5];
        assert.ok(left >= 0 && right <= 400 && (right <= from || left >= from + wide), "another mark");
        if (other.from !== null) assert.ok(other.from + wide <= from || other.from >= from + wide, "another name");
      }
    }
  }
});
