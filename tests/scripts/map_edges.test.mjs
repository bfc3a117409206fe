/** The Map at its bounds: windows, tiles and marks that end just there, weights alike, colours of single codes, what is kept and what is told again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { axisLabels } from "../../assets/js/pages/map/axis.js";
import { Cells } from "../../assets/js/pages/map/cells.js";
import { Chart } from "../../assets/js/pages/map/chart.js";
import { extremes, greatest, pooled } from "../../assets/js/pages/map/extremes.js";
import { hearGestures } from "../../assets/js/pages/map/gestures.js";
import { KnownWeights } from "../../assets/js/pages/map/known_weights.js";
import { linked, subject } from "../../assets/js/pages/map/link.js";
import { Loader } from "../../assets/js/pages/map/loader.js";
import { binOf, Overview } from "../../assets/js/pages/map/overview.js";
import { PlanLines } from "../../assets/js/pages/map/plan_lines.js";
import { RowStatistics } from "../../assets/js/pages/map/row_statistics.js";
import { heaviest } from "../../assets/js/pages/map/row_panel.js";
import { ScaleBar, blockOf } from "../../assets/js/pages/map/scale_bar.js";
import { heaviestIn, Selection } from "../../assets/js/pages/map/selection.js";
import { limits, nice, shade } from "../../assets/js/pages/map/shades.js";
import { placedSinks } from "../../assets/js/pages/map/sinks.js";
import { ends } from "../../assets/js/pages/map/strips.js";
import { Thumbnails } from "../../assets/js/pages/map/thumbnails.js";
import {
  covering,
  extent,
  levelOf,
  overviewLevel,
  overviewSuffices,
  toLevel,
} from "../../assets/js/pages/map/tiles.js";
import { Tip } from "../../assets/js/pages/map/tip.js";
import { around, cellUnder, fitted, isWhole, named, pinched, written, zoomed } from "../../assets/js/pages/map/view.js";
import { drawn, standInDrawing } from "./drawing.mjs";
import { held } from "./held.mjs";
import { keyed, standIn, Time } from "./stand_in.mjs";

const { document, window } = standIn();
standInDrawing(document);
Object.assign(window, { devicePixelRatio: 1 });
Object.assign(document, { getSelection: () => null });
const time = new Time();

/** @returns {Loose} */
const stageOf = (width = 600) => Object.assign(document.createElement("div"), { clientWidth: width });
const said = (/** @type {unknown} */ one) => JSON.stringify(one).replaceAll('"', "");

test("a window keeps its bounds: four cells, the whole map, its edges; a link says all of it as nothing", (context) => {
  const shapes = [
    { rows: 200, columns: 300 },
    { rows: 3, columns: 7 },
    { rows: 50, columns: 5 },
  ];
  const lines = shapes.flatMap((shape) => [
    said(shape),
    ...[0, 1, 4, 5, 300, 999].map((across) => {
      const view = fitted({ left: 2.5, top: 1.25, across }, shape);
      const far = fitted({ left: 1e9, top: -1e9, across }, shape);
      return `${across}: ${said(view)} ${said(far)} ${isWhole(view, shape)} ${said(written(view, shape))} ${said(named({ across }, shape))}`;
    }),
    ...[0.1, 0.5, 1, 2, 99].map((factor) => {
      const view = around({ row: 2, column: 4 }, 4.5, shape);
      return `× ${factor}: ${said(zoomed(view, factor, { x: 0.25, y: 1 }, shape))}`;
    }),
    ...[-0.5, 0, 0.5, 0.999, 1, 1.5].map((at) => {
      const view = around({ row: 1, column: 3 }, 5, shape);
      return `under ${at}: ${said(cellUnder(view, { x: at, y: 1 - at }, shape))}`;
    }),
  ]);
  const at = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });
  const pairs = /** @type {Loose} */ ([
    [at(0.25, 0.5), at(0.75, 0.5)],
    [at(0.5, 0.25), at(0.5, 0.75)],
    [at(0.5, 0.5), at(0.505, 0.5)],
    [at(0.1, 0.2), at(0.3, 0.8)],
  ]);
  const view = { left: 20, top: 30, across: 60, down: 40 };
  for (const before of pairs) for (const now of pairs) lines.push(said(pinched(view, before, now, shapes[0])));
  held(context, lines);
});

test("tiles are those that a window touches, of the level at which no axis has more than 256 squares", (context) => {
  const lines = [1, 255, 256, 257, 511, 512, 513, 1024, 1025].map((size) => {
    const views = [
      { across: size, down: 1 },
      { across: 1, down: size },
    ];
    return `${size}: ${views.map(levelOf)} ${toLevel(views[0], 1)} ${toLevel(views[1], 0)}`;
  });
  for (const [left, top, across, down] of [
    [0, 0, 128, 128],
    [0, 0, 129, 128],
    [127, 127, 2, 2],
    [128, 256, 128, 128],
    [100, 0, 200, 50],
    [0, 300, 1, 200],
    [5, 5, 0, 0],
  ]) {
    const tiles = [0, 1].map((level) =>
      covering({ left, top, across, down }, level).map(({ row, column }) => `${row},${column}`),
    );
    lines.push(`${[left, top, across, down]}: ${tiles.map((all) => all.join(" ")).join("; ")}`);
  }
  const squares = (/** @type {number} */ rows, /** @type {number} */ columns) => ({ rows, columns });
  for (const [shape, bins] of [
    [squares(1024, 1024), squares(256, 256)],
    [squares(1024, 512), squares(256, 256)],
    [squares(512, 1024), squares(128, 256)],
    [squares(300, 300), squares(3, 3)],
    [squares(200, 200), squares(200, 200)],
  ]) {
    const enough = [4, 256, 257, 512, 513, 1024].map((across) => overviewSuffices({ across, down: 4 }, shape, bins));
    lines.push(`${said(shape)} in ${said(bins)}: ${overviewLevel(shape, bins)} ${enough}`);
  }
  lines.push(said(extent({ level: 2, row: 1, column: 3 }, 100, 7)));
  held(context, lines);
});

/** What is known of a map of two heads. @param {number} n @param {number} bins */
function known(n, bins) {
  const edges = Array.from({ length: bins + 1 }, (_, i) => Math.min(n, i * Math.ceil(n / bins)));
  const header = {
    id: "m",
    heads: 2,
    n_q: n,
    n_k: n,
    bins_q: bins,
    bins_k: bins,
    row_edges: edges,
    column_edges: edges,
    cut: [],
  };
  const shape = { rows: n, columns: n };
  return new KnownWeights(new Overview(header, shape), shape);
}

/** Weights of one value. @param {number} rows @param {number} columns @param {number} value @returns {Loose} */
const even = (rows, columns, value = 1) =>
  Object.assign(new Float32Array(rows * columns).fill(value), { shape: [rows, columns] });

test("a window is painted with its tiles alone once all are there, and with all coarser ones until then", () => {
  const weights = known(1000, 4);
  const view = { left: 0, top: 0, across: 256, down: 256 };
  const sizes = () => {
    const { layers, exact, finest } = weights.layers(1, view);
    const size = (/** @type {Loose} */ { extent: { left, top, across } }) => `${left},${top} ${across}`;
    return /** @type {[string[], boolean, string[]]} */ ([layers.map(size), exact, finest.map(size)]);
  };
  assert.deepEqual(sizes(), [["0,0 1000"], false, ["0,0 1000"]]);
  weights.take(1, { level: 2, row: 0, column: 0 }, { mean: even(128, 128), maximum: even(128, 128) });
  weights.take(1, { level: 1, row: 0, column: 0 }, { mean: even(128, 128), maximum: even(128, 128) });
  weights.take(2, { level: 1, row: 0, column: 0 }, { mean: even(128, 128), maximum: even(128, 128) });
  weights.take(1, { level: 0, row: 1, column: 1 }, { mean: even(128, 128), maximum: null });
  const coarse = ["0,0 1000", "0,0 512", "0,0 256"];
  assert.deepEqual(sizes(), [[...coarse, "128,128 128"], false, ["128,128 128"]], "coarse to fine");
  for (const [row, column] of [
    [0, 0],
    [0, 1],
    [1, 0],
  ]) {
    weights.take(1, { level: 0, row, column }, { mean: even(128, 128), maximum: null });
  }
  const [layers, exact, finest] = sizes();
  assert.deepEqual([layers, exact], [finest, true]);
  assert.equal(layers.length, 4);
  const enough = known(200, 200).layers(1, { left: 0, top: 0, across: 200, down: 200 });
  assert.deepEqual(
    [enough.exact, enough.layers.length, enough.finest.length],
    [true, 1, 1],
    "no tile is finer than the overview",
  );
});

test("a cell lies in the finest block that is known, whose end is the map's at its edge", () => {
  const weights = known(1000, 4);
  const whole = { left: 0, top: 0, across: 1000, down: 1000 };
  const block = (/** @type {number} */ row, /** @type {number} */ column, head = 1) => {
    const found = weights.block(head, whole, { row, column });
    return found && [...found.rows, ...found.columns, found.average, found.maximum];
  };
  assert.equal(block(0, 0), null, "nothing has come");
  weights.overview.take({ first: 0, last: 1, mean: even(2, 4, 0.25), maximum: even(2, 4, 0.5) });
  assert.deepEqual(block(249, 250), [0, 250, 250, 500, 0.25, 0.5]);
  assert.equal(block(250, 0), null);
  weights.overview.take({ first: 1, last: 4, mean: even(6, 4, 0.125), maximum: even(6, 4, 1) });
  weights.overview.take({ first: 0, last: 1, mean: even(2, 4, 0.25), maximum: even(2, 4, 0.5) });
  assert.equal(weights.overview.rowsThere, 4, "an earlier part that comes late takes nothing back");
  assert.equal(weights.overview.queriesThere, 1000);
  weights.take(1, { level: 2, row: 1, column: 1 }, { mean: even(122, 122, 0.75), maximum: even(122, 122, 0.875) });
  assert.deepEqual(block(511, 512), [500, 750, 500, 750, 0.125, 1], "above the tile");
  assert.deepEqual(block(512, 515), [512, 516, 512, 516, 0.75, 0.875]);
  assert.deepEqual(block(999, 999), [996, 1000, 996, 1000, 0.75, 0.875]);
  assert.deepEqual(block(999, 999, 2), [750, 1000, 750, 1000, 0.125, 1], "in another head");
  const wide = known(999, 4);
  wide.take(1, { level: 2, row: 1, column: 1 }, { mean: even(122, 122, 0.75), maximum: even(122, 122, 0.875) });
  const last = wide.block(1, { left: 0, top: 0, across: 999, down: 999 }, { row: 998, column: 998 });
  assert.deepEqual([last?.rows, last?.columns], [[996, 999], [996, 999]]); // prettier-ignore
});

test("the tiles that were used last are kept, 384 of them", () => {
  const weights = known(1e6, 4);
  for (let column = 0; column < 385; column += 1) {
    weights.take(1, { level: 0, row: 0, column }, { mean: even(1, 1), maximum: null });
  }
  const there = [0, 1, 384].map((column) => weights.tile(1, { level: 0, row: 0, column }) !== undefined);
  assert.deepEqual(there, [false, true, true]);
});

test("cells are coloured once, and again for other ends, another scale or more rows", () => {
  const table = Uint32Array.from({ length: 256 }, (_, i) => i);
  const mean = Float32Array.of(0.5, 1);
  const cells = new Cells({ mean, maximum: Float32Array.of(1, 2) }, 1, 2, { left: 0, top: 0, across: 2, down: 1 });
  const strokes = (
    /** @type {"average" | "maximum"} */ pooling,
    /** @type {[number, number]} */ end,
    colour = "linear",
  ) => {
    cells.canvas(pooling, end, colour, table);
    return drawn().filter((line) => line.startsWith("putImageData"));
  };
  drawn();
  assert.deepEqual(strokes("average", [0, 1]), ["putImageData 2×1[128,255] 0 0"]);
  assert.deepEqual(strokes("average", [0, 1]), []);
  assert.deepEqual(strokes("maximum", [0, 2]), ["putImageData 2×1[128,255] 0 0"]);
  assert.deepEqual(strokes("average", [0, 2]), ["putImageData 2×1[65,128] 0 0"]);
  assert.deepEqual(strokes("average", [0, 2], "log"), ["putImageData 2×1[1,1] 0 0"]);
  const canvas = cells.canvas("average", [0, 2], "log", table);
  assert.deepEqual([canvas.width, canvas.height], [2, 1]);
  mean[0] = 2;
  cells.grown();
  assert.deepEqual(strokes("average", [0, 2]), ["putImageData 2×1[255,128] 0 0"]);
  assert.deepEqual(cells.at(0, 1), { average: 1, maximum: 2 });
  assert.equal(
    new Cells({ mean }, 1, 2, { left: 0, top: 0, across: 2, down: 1 }).top("maximum"),
    2,
    "single cells have no maximum",
  );
  assert.equal(
    new Cells({ mean: Float32Array.of(NaN) }, 1, 1, { left: 0, top: 0, across: 1, down: 1 }).top("average"),
    0,
  );
});

test("colours of single weights, ends of scales, and round numbers", (context) => {
  const lines = [0.01, 0.0101, 0.015, 0.0151, 0.02, 0.03, 0.031, 0.05, 0.051, 0.07, 0.071, 0.0999, 0.1, 1, 9.99].map(
    (value) => `${value}: ${nice(value)} ${limits(value, "linear")} ${limits(value, "log")}`,
  );
  lines.push(`${nice(0.03 * (1 + 5e-7))} ${nice(0.03 * (1 + 5e-6))} ${limits(0, "log")} ${limits(-1, "linear")}`);
  const table = Uint32Array.from({ length: 256 }, (_, i) => i);
  const weights = [NaN, -1, 0, 0.001, 0.00197, 0.0099, 0.5, 0.502, 0.998, 0.9985, 1, 2];
  for (const [end, colour] of /** @type {[[number, number], string][]} */ ([
    [[0, 1], "linear"],
    [[-4, 0], "log"],
    [[0.5, 1], "linear"],
  ])) {
    const pixels = new Uint32Array(weights.length);
    shade(weights, end, colour, table, pixels);
    lines.push(`${end} ${colour}: ${pixels}`);
  }
  lines.push(
    `${["nats", "keys", ""].map((unit) => [0, 0.5, 3, 30].map((most) => `${ends(unit, most, 2, "log")}|${ends(unit, most, 0, "linear")}`))}`,
  );
  held(context, lines);
});

test("pixels of many positions have their least, greatest and mean, and none is counted twice", (context) => {
  const values = [4, 1, NaN, 7, 2, Infinity, 3];
  const lines = [
    [0, 7, 7],
    [0, 7, 2],
    [0, 7, 14],
    [1.5, 3, 4],
    [5, 4, 4],
    [2, 1, 1],
    [-2, 4, 4],
  ].map(([from, length, pixels]) => {
    const { low, high, mean } = extremes(values, from, length, pixels);
    return `${from} ${length} ${pixels}: ${low} | ${high} | ${mean} | ${greatest(values, from, length)}`;
  });
  for (const most of [1, 2, 3, 4, 9]) {
    for (const maximum of [true, false]) {
      const found = pooled([1, NaN, 3, -4, 5, 6, NaN, NaN, 9, 1, 1, 1], 3, 4, most, maximum);
      lines.push(`${most} ${maximum}: ${found.rows}×${found.columns} ${found.values}`);
    }
  }
  lines.push(`${pooled(even(65, 129), 65, 129, 64, true).rows} ${pooled(even(65, 129), 65, 129, 64, true).columns}`);
  held(context, lines);
});

test("of weights alike the first is the heaviest, of a row and of a window", () => {
  const positions = heaviest([0.5, 0.25, 0.5, -1, 0.25, 0, 0.5, 0.25], 5).map(({ position }) => position);
  assert.deepEqual(positions, [0, 2, 6, 1, 4]);
  assert.deepEqual(heaviest([0, 0], 5), []);
  const tile = (/** @type {number} */ left, /** @type {number[]} */ some) =>
    new Cells({ mean: Float32Array.from(some) }, 2, 2, { left, top: 4, across: 2, down: 2 });
  const window = { left: 0, top: 4, across: 4, down: 2 };
  const best = (/** @type {Cells[]} */ ...tiles) => heaviestIn(tiles, window);
  assert.deepEqual(best(tile(0, [0.5, 1, 1, 0]), tile(2, [1, 1, 1, 1])), { row: 4, column: 1, weight: 1 });
  assert.deepEqual(
    best(tile(0, [NaN, NaN, 0, NaN])),
    { row: 5, column: 0, weight: 0 },
    "a masked one loses against nothing",
  );
  assert.deepEqual(best(tile(4, [1, 1, 1, 1])), null, "beside the window");
});

test("bins hold the positions from their edge", () => {
  const edges = [0, 3, 6, 9, 10];
  assert.deepEqual(
    Array.from({ length: 12 }, (_, at) => binOf(edges, at)),
    [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3],
  );
  assert.equal(binOf([0, 5], 3), 0);
});

test("statistics of a row come for all heads at once", () => {
  const statistics = new RowStatistics(["a", "b"], { heads: 2, n_q: 4 }, [1]);
  statistics.take(
    /** @type {Loose} */ ({ first: 1, last: 3, a: Float32Array.of(1, 2, 3, 4), b: Float32Array.of(5, 6, 7, 8) }),
  );
  assert.deepEqual(
    ["a", "b"].flatMap((name) => [1, 2].map((head) => [...statistics.of(name, head)])),
    [
      [NaN, 1, 2, NaN],
      [NaN, 3, 4, NaN],
      [NaN, 5, 6, NaN],
      [NaN, 7, 8, NaN],
    ],
  );
  assert.deepEqual(statistics.ceiling, [1]);
});

test("sinks at the map's edges, names that just fit, and those alike from the left", (context) => {
  const view = { left: 10, top: 0, across: 100, down: 100 };
  /** @type {[string, [number, number][], number][]} */
  const cases = [
    ["at both edges", [[9, 0.5], [10, 0.5], [109, 0.5], [110, 0.5]], 20], // prettier-ignore
    ["just fitting", [[10, 0.5]], 391],
    ["too wide", [[10, 0.5]], 392],
    ["just fitting at the right", [[109, 0.5]], 391],
    ["too wide at the right", [[109, 0.5]], 392],
    ["alike", [[30, 0.5], [40, 0.5], [50, 0.5]], 40], // prettier-ignore
    ["the largest first", [[30, 0.1], [40, 0.5], [50, 0.3]], 40], // prettier-ignore
    ["a mark beside", [[30, 0.5], [44, 0.25]], 40], // prettier-ignore
    ["a mark farther", [[30, 0.5], [44, 0.25]], 45], // prettier-ignore
    ["as near to a mark as may be", [[30, 0.5], [50, 0.25]], 69], // prettier-ignore
    ["too near to it", [[30, 0.5], [50, 0.25]], 70], // prettier-ignore
    ["as near to one at its left", [[30, 0.2], [50, 0.5], [53, 0.1]], 64], // prettier-ignore
    ["left of its own", [[60, 0.5], [70, 0.25]], 30], // prettier-ignore
  ];
  const lines = cases.map(([what, sinks, wide]) => {
    const marks = placedSinks(
      sinks.map(([key, share]) => ({ key, share })),
      view,
      400,
      10,
      () => wide,
    );
    return `${what}: ${marks.map(({ key, at, left, from }) => `${key}@${at}${left ? "←" : ""} ${from}`).join("; ")}`;
  });
  held(context, lines);
});

test("marks are shown until they are a pixel beyond the map", () => {
  const stage = stageOf();
  const chart = /** @type {Loose} */ (new Chart(stage));
  chart.fit(256, 256);
  const view = { left: 0, top: 0, across: 128, down: 128 };
  const marks = stage.querySelectorAll(".row-mark, .cell-mark");
  const [row, preview, cell] = marks;
  const seen = (/** @type {Loose} */ at) => {
    chart.mark(view, { row: null, preview: null, cell: null, centre: false, ...at });
    return [row, preview, cell].map((one) => !one.hidden);
  };
  assert.deepEqual(seen({}), [false, false, false]);
  assert.deepEqual(seen({ row: -1.25 }), [true, false, false], "half a pixel is less than one");
  assert.deepEqual(seen({ row: -1.5 }), [false, false, false]);
  assert.deepEqual(seen({ row: 128.25, preview: 128.5 }), [true, false, false]);
  const block = (/** @type {number} */ first, /** @type {number} */ last) => ({ rows: [5, 6], columns: [first, last] });
  assert.deepEqual(seen({ cell: block(-2, -0.25) }), [false, false, true]);
  assert.deepEqual(seen({ cell: block(-2, -0.5) }), [false, false, false]);
  assert.deepEqual(seen({ cell: block(128.25, 132) }), [false, false, true]);
  assert.deepEqual(seen({ cell: block(128.5, 132) }), [false, false, false]);
  assert.deepEqual(seen({ cell: { rows: [128.5, 132], columns: [5, 6] } }), [false, false, false]);
  assert.equal(stage.querySelector(".centre-mark").hidden, true);
});

test("the chart is no smaller than 120 pixels, and paints only the cells that are visible", (context) => {
  const stage = stageOf();
  const chart = /** @type {Loose} */ (new Chart(stage));
  const lines = [
    `${chart.fit(119, 300)} ${chart.side}`,
    `${chart.fit(120.9, 300)} ${chart.side}`,
    `${chart.fit(300, 121.9)} ${chart.side}`,
  ];
  const cells = (/** @type {Loose} */ where, rows = 4, columns = 4) => ({ extent: where, rows, columns });
  drawn();
  for (const [view, layer, there] of /** @type {[Loose, Loose, number][]} */ ([
    [{ left: 0, top: 0, across: 8, down: 8 }, cells({ left: 0, top: 0, across: 8, down: 8 }), 8],
    [{ left: 2, top: 4, across: 4, down: 4 }, cells({ left: 0, top: 0, across: 8, down: 8 }), 8],
    [{ left: 1, top: 1, across: 4, down: 4 }, cells({ left: 0, top: 0, across: 8, down: 8 }), 4],
    [{ left: 0, top: 0, across: 4, down: 4 }, cells({ left: 4, top: 0, across: 4, down: 4 }), 0],
    [{ left: 0, top: 0, across: 4, down: 4 }, cells({ left: 0, top: 4, across: 4, down: 4 }), 4],
    [{ left: 4, top: 0, across: 4, down: 4 }, cells({ left: 0, top: 0, across: 4, down: 4 }), 2],
  ])) {
    chart.paint(view, [layer], (/** @type {Loose} */ { columns }) => `a canvas of ${columns}`, there);
    lines.push(drawn().join("; "));
  }
  held(context, lines);
});

test("small pictures of heads have at most 64 cells a side", () => {
  const thumbnails = new Thumbnails(stageOf(), keyed, () => {});
  const sizes = (/** @type {number} */ bins) => {
    const weights = known(bins * 4, bins);
    weights.overview.take({ first: 0, last: bins, mean: even(2 * bins, bins), maximum: even(2 * bins, bins) });
    thumbnails.draw(/** @type {Loose} */ ({ heads: 2, weights }), 1, "average", "linear", new Uint32Array(256));
    return thumbnails.buttons.map(({ canvas }) => [canvas.width, canvas.height]);
  };
  assert.deepEqual([64, 65, 100, 129].map((bins) => sizes(bins)[1]), [[64, 64], [33, 33], [50, 50], [43, 43]]); // prettier-ignore
});

test("a tip stands left of what it tells where the right has no room for it", (context) => {
  const lines = [];
  for (const width of [300, 600]) {
    const stage = stageOf(width);
    const tip = new Tip(stage);
    for (const x of [0, 150, 151, 349, 350, 351, width]) {
      tip.show("v", "s", { x, y: 5 }, ["one"]);
      lines.push(`${width} ${x}: ${JSON.stringify(tip.root.style)} ${tip.root.textContent}`);
    }
    tip.hide();
    lines.push(stage.markup);
  }
  held(context, lines);
});

test("the bar names what a cell is, powers of ten on a logarithmic scale, and masked cells; it is made anew for something else", () => {
  const root = stageOf();
  const bar = new ScaleBar(root, keyed);
  const look = /** @type {Loose} */ ({ average: "mean", maximum: "most", coloraxis: { colorscale: [[0, "#000000"], [1, "#ffffff"]] } }); // prettier-ignore
  const cells = (/** @type {number} */ rows, /** @type {number} */ columns) => ({
    rows,
    columns,
    extent: { left: 0, top: 0, across: 8, down: 8 },
  });
  const told = (/** @type {unknown[]} */ ...given) => {
    const before = root.childNodes[0]?.querySelector(".ticks")?.childNodes[0];
    bar.draw(.../** @type {Parameters<ScaleBar["draw"]>} */ (given));
    const ticks = root
      .querySelectorAll(".ticks > span")
      .map((/** @type {Loose} */ one) => `${one.textContent}@${one.style.left}`);
    const made = before !== root.childNodes[0]?.querySelector(".ticks")?.childNodes[0];
    return [
      root.querySelector(".name").textContent,
      ticks.join(" "),
      root.querySelectorAll(".masked-legend").length,
      made,
    ];
  };
  const linear = "0@0% 0.2@20% 0.4@40% 0.6@60% 0.8@80% 1@100%";
  assert.deepEqual(told(cells(8, 8), look, "average", "linear", [0, 1], false), ["map.weight", linear, 0, true]);
  assert.deepEqual(told(cells(8, 8), look, "average", "linear", [0, 1], false), ["map.weight", linear, 0, false]);
  assert.deepEqual(told(cells(8, 8), look, "average", "linear", [0, 1], true), ["map.weight", linear, 1, true]);
  assert.deepEqual(told(cells(4, 8), look, "maximum", "linear", [0, 1], false), [
    "map.pooled most 2 1",
    linear,
    0,
    true,
  ]);
  assert.deepEqual(told(cells(8, 4), look, "average", "linear", [0, 1], false), [
    "map.pooled mean 1 2",
    linear,
    0,
    true,
  ]);
  const log = "0.01@0% 0.1@25% 1@50% 10@75% 100@100%";
  assert.deepEqual(told(cells(8, 8), look, "average", "log", [-2, 2], false), ["map.weight", log, 0, true]);
  const small = "1×10⁻⁴⁵@0% 1×10⁻⁴⁴@50% 1×10⁻⁴³@100%";
  assert.equal(told(cells(8, 8), look, "average", "log", [-45, -43], false)[1], small);
  assert.deepEqual(blockOf(cells(3, 7)), { rows: 2.7, columns: 1.1 });
});

test("labels stand inside the map, upright tokens where each has its room", (context) => {
  const tokens = Array.from({ length: 20 }, (_, i) => `t${i}`);
  const lines = [];
  for (const [from, length, pixels] of [
    [0, 20, 300],
    [0, 20, 299],
    [2.5, 4, 60],
    [2.4, 4, 60],
    [17, 4, 80],
    [0, 20, 40],
  ]) {
    for (const vertical of [true, false]) {
      for (const some of [tokens, null]) {
        const labels = axisLabels(from, length, pixels, 20, some, vertical, 12);
        lines.push(
          `${[from, length, pixels, vertical]}: ${labels.map(({ at, text, upright }) => `${text}@${at}${upright ? "↑" : ""}`).join(" ")}`,
        );
      }
    }
  }
  held(context, lines);
});

test("a link has the view in the order of its parameters, without what is as usual", () => {
  const defaults = {
    n: 1,
    head: 1,
    mask: "none",
    row: null,
    colour: "linear",
    left: 0,
    top: 0,
    across: 0,
    page: "map",
  };
  const link = (/** @type {string} */ canonical, /** @type {Loose} */ values) => linked(canonical, values, defaults);
  assert.equal(
    link("page=map&n=5&head=3", { head: 2, row: 0, colour: "log", across: 5 }),
    "n=5&head=2&row=0&colour=log&across=5&page=map",
  );
  assert.equal(link("n=5&head=3&page=map", { head: 1, row: null }), "n=5&page=map");
  assert.equal(link("", { row: null, head: 2 }), "head=2");
  assert.equal(link("n=5", { row: undefined, left: 2 }), "n=5&left=2");
  assert.equal(subject("n=5&headless=1&head=2", ["head"]), "n=5&headless=1");
});

test("a press that moves four pixels is a drag, and a wheel's step is at most a quarter or four times", () => {
  const root = Object.assign(/** @type {Loose} */ (document.createElement("div")), {
    box: { left: 0, top: 0, width: 100, height: 100 },
    setPointerCapture() {},
  });
  /** @type {unknown[][]} */
  const heard = [];
  const names = ["zoom", "pan", "pinch", "hover", "click"];
  const wishes = Object.fromEntries(
    names.map((name) => [name, (/** @type {unknown[]} */ ...given) => heard.push([name, ...given])]),
  );
  hearGestures(root, /** @type {Loose} */ ({ filled: () => false, ...wishes }));
  const hear = (/** @type {string} */ kind, /** @type {number} */ clientX, clientY = 50, more = {}) =>
    root.dispatchEvent(
      Object.assign(new Event(kind), { clientX, clientY, pointerId: 1, button: 0, buttons: 1, ...more }),
    );
  for (const [to, kinds] of /** @type {[[number, number], string[]][]} */ ([
    [[53.9, 50], ["click"]],
    [[54, 50], ["pan"]],
    [[52, 53], ["click"]],
    [[53, 53], ["pan"]],
  ])) {
    hear("pointerdown", 50);
    hear("pointermove", ...to);
    hear("pointerup", ...to);
    assert.deepEqual(heard.splice(0).map(([name]) => name), kinds, String(to)); // prettier-ignore
  }
  hear("pointerdown", 50);
  hear("pointermove", 60);
  hear("pointermove", 61);
  hear("pointermove", 50);
  hear("pointerup", 50);
  assert.deepEqual(heard.splice(0).map(([name]) => name), ["pan", "pan", "pan"], "once moved it is no click"); // prettier-ignore
  hear("pointerdown", 50);
  hear("pointercancel", 50);
  assert.deepEqual(heard.splice(0), [], "nor if it is broken off");
  hear("pointerdown", 50);
  hear("pointerdown", 70, 50, { pointerId: 2 });
  hear("pointerdown", 90, 50, { pointerId: 3 });
  hear("pointermove", 99, 50, { pointerId: 3 });
  assert.deepEqual(heard.splice(0), [], "three fingers wish nothing");
  for (const id of [1, 2, 3]) hear("pointerup", 50, 50, { pointerId: id });
  heard.length = 0;
  const factor = (/** @type {number} */ deltaY, more = {}) => {
    hear("wheel", 50, 50, { deltaY, deltaMode: 0, ...more });
    return heard.splice(0)[0]?.[1];
  };
  assert.deepEqual([200, -200, 400, 401, -999].map((delta) => factor(delta)), [2, 0.5, 4, 4, 0.25]); // prettier-ignore
  assert.deepEqual(
    [factor(50, { ctrlKey: true }), factor(12.5, { deltaMode: 1 }), factor(1, { deltaMode: 2 })],
    [2, 2, 2 ** 1.6],
  );
});

test("a lost tile is asked for at growing times, which begin anew once one has come", async () => {
  /** @type {number[]} */
  const asked = [];
  const fails = [1, 2, 3, 5];
  /** @type {string[]} */
  const took = [];
  const wish = (/** @type {number} */ column) => ({ head: 1, address: { level: 0, row: 0, column } });
  const loader = new Loader(
    async function* (wishes) {
      asked.push(time.now);
      if (fails.includes(asked.length)) throw new Error("lost");
      for (const { address } of wishes) yield address.column;
    },
    (_, answer) => void took.push(String(answer)),
    () => true,
  );
  const began = time.now;
  loader.want([wish(1)]);
  await time.pass(10_000);
  assert.deepEqual(asked.map((at) => at - began), [0, 500, 1500, 3500]); // prettier-ignore
  const again = time.now;
  loader.want([wish(2)]);
  await time.pass(10_000);
  assert.deepEqual(asked.slice(4).map((at) => at - again), [0, 500]); // prettier-ignore
  assert.deepEqual(took, ["1", "2"]);
  assert.equal(loader.failures, 0);
});

/** A selection on a map of some shape, whose questions answer at once. @param {number} rows @param {number} columns */
function selecting(rows, columns) {
  /** @type {string[]} */
  const heard = [];
  const mean = Float32Array.from({ length: 64 }, (_, i) => i);
  const map = {
    sight: {
      ...{ head: 1, view: {}, model: /** @type {Loose} */ ({ shape: { rows, columns }, tokens: null }) },
    },
    computation: { isComputing: false },
    asking: { waits: false },
    link: { see: (/** @type {unknown} */ change) => heard.push(`see ${said(change)}`) },
    questions: {
      waits: false,
      singles: async (/** @type {number} */ head, /** @type {Loose[]} */ tiles) => {
        heard.push(`tiles ${head}: ${tiles.map(({ row, column }) => `${row},${column}`)}`);
        return [new Cells({ mean }, 8, 8, { left: 0, top: 0, across: 8, down: 8 })];
      },
    },
  };
  const selection = /** @type {Loose} */ (
    new Selection({ text: keyed }, /** @type {Loose} */ (map), () => void heard.push("mark"))
  );
  const state = () => [
    selection.status.textContent,
    selection.root.children[1].hidden ? "" : selection.root.children[1].textContent,
    selection.marked && said(selection.marked),
  ];
  return { selection, map, heard, state };
}

test("a chosen cell is looked for again on another map, a block as a block, and none that the map does not have", async () => {
  for (const [rows, columns, block, wanted] of /** @type {[number, number, boolean, unknown[]][]} */ ([
    [8, 8, false, ["map.chosen live.cell 1 3 5 29", "map.open_row 3", "{rows:[3,4],columns:[5,6]}"]],
    [4, 6, false, ["map.chosen live.cell 1 3 5 29", "map.open_row 3", "{rows:[3,4],columns:[5,6]}"]],
    [3, 8, false, ["map.nothing_chosen", "", null]],
    [8, 5, false, ["map.nothing_chosen", "", null]],
    [8, 8, true, ["map.chosen live.cell 1 3 7 31", "map.open_row 3", "{rows:[3,4],columns:[7,8]}"]],
    [3, 8, true, ["map.nothing_chosen", "", null]],
  ])) {
    const { selection, map, state } = selecting(8, 8);
    if (block) {
      map.sight.model.weights = { block: () => ({ rows: [2, 4], columns: [4, 8] }) };
      await selection.click({ row: 2, column: 5 });
      await selection.choosing;
      assert.deepEqual(state(), [
        "map.chosen_in_block live.cell 1 3 7 31",
        "map.open_row 3",
        "{rows:[2,4],columns:[4,8]}",
      ]);
    } else {
      await selection.chooseCell({ row: 3, column: 5 });
    }
    map.sight.model = { shape: { rows, columns }, tokens: null };
    selection.again();
    await selection.choosing;
    assert.deepEqual(state(), wanted, `${rows}×${columns} ${block}`);
  }
});

test("a block that is still searched stays one in another head, unless the new map is too small for it", async () => {
  for (const [rows, columns, marked] of /** @type {[number, number, string][]} */ ([
    [8, 8, "{rows:[2,4],columns:[4,8]}"],
    [4, 8, "{rows:[2,4],columns:[4,8]}"],
    [3, 8, "{rows:[2,3],columns:[5,6]}"],
    [8, 7, "{rows:[2,3],columns:[5,6]}"],
  ])) {
    const { selection, map, state } = selecting(8, 8);
    map.sight.model.weights = { block: () => ({ rows: [2, 4], columns: [4, 8] }) };
    void selection.click({ row: 2, column: 5 });
    map.sight.model = { shape: { rows, columns }, tokens: null };
    selection.again();
    await selection.choosing;
    assert.equal(state()[2], marked, `${rows}×${columns}`);
  }
});

test("a second click opens the row of what was found, once it is; a block of more than nine tiles is told by the cell under the pointer", async () => {
  const { selection, map, heard, state } = selecting(4000, 4000);
  let block = { rows: [2, 4], columns: [4, 8] };
  map.sight.model.weights = { block: () => block };
  const click = (/** @type {number} */ row, /** @type {number} */ column) => selection.click({ row, column });
  heard.length = 0;
  void click(2, 5);
  await click(3, 7);
  assert.deepEqual(heard.splice(0), ["mark", "tiles 1: 0,0", "see {row:3}"], "the same block");
  block = { rows: [2, 4], columns: [4, 7] };
  await click(3, 6);
  await selection.choosing;
  assert.deepEqual(heard.splice(0), ["mark", "tiles 1: 0,0"], "other keys are another block");
  block = { rows: [2, 5], columns: [4, 7] };
  await click(3, 6);
  await selection.choosing;
  assert.deepEqual(heard.splice(0), ["mark", "tiles 1: 0,0"], "and so are other queries");
  block = { rows: [0, 384], columns: [0, 384] };
  await click(3, 6);
  await selection.choosing;
  assert.equal(heard.splice(0)[1].split(" ").length, 3, "nine tiles in one text");
  assert.equal(state()[0], "map.chosen_in_block live.cell 1 7 7 63");
  block = { rows: [0, 385], columns: [0, 384] };
  await click(3, 6);
  await selection.choosing;
  assert.deepEqual(heard.splice(0), ["mark", "tiles 1: 0,0"], "twelve tiles are too many");
  assert.equal(state()[0], "map.chosen live.cell 1 3 6 30");
  selection.root.children[1].click();
  assert.deepEqual(heard.splice(0), ["see {row:3}"]);
  map.asking.waits = true;
  selection.refresh();
  assert.equal(state()[0], "map.chosen live.cell 1 3 6 ?");
  selection.giveUp();
  assert.equal(state()[0], "map.chosen live.cell 1 3 6 ?", "it waits for nothing");
  selection.clear();
  heard.length = 0;
  selection.refresh();
  selection.root.children[1].click();
  assert.deepEqual([heard, state()], [[], ["map.nothing_chosen", "", null]]);
  map.sight.model.weights = { block: () => null };
  await click(1, 1);
  await selection.openAt({ row: 1, column: 1 });
  assert.deepEqual(heard, [], "where nothing has come");
});

test("a choice that no server can answer waits for the map that comes, and is given up if none does", async () => {
  const { selection, map, state } = selecting(8, 8);
  map.questions.singles = /** @type {Loose} */ (async () => null);
  map.computation.isComputing = true;
  await selection.chooseCell({ row: 1, column: 1 });
  assert.deepEqual(state(), ["map.chosen_soon", "", "{rows:[1,2],columns:[1,2]}"]);
  selection.giveUp();
  assert.deepEqual(state(), ["map.nothing_chosen", "", null]);
  map.computation.isComputing = false;
  await selection.chooseCell({ row: 1, column: 1 });
  assert.deepEqual(state(), ["map.nothing_chosen", "", null], "another click may succeed");
  map.questions.singles = /** @type {Loose} */ (async () => []);
  await selection.chooseCell({ row: 1, column: 1 });
  assert.deepEqual(state(), ["map.nothing_chosen", "", null], "no tile has it");
});

test("the lines of a plan: its cost, without the time while a run tells what is left, and what is drawn or not", () => {
  const lines = new PlanLines(keyed);
  const plan = { sentences: ["Time.", [["a", "b", "c", "d"], " more."]], cut: ["Cut."] };
  const model = { cut: [] };
  const write = (/** @type {Loose} */ one) => {
    lines.write(/** @type {Loose} */ ({ plan, model: null, run: { running: false }, isComputing: false, ...one }));
    return [lines.cost.textContent, lines.cost.title, lines.over.hidden ? null : lines.over.textContent];
  };
  assert.deepEqual(write({ plan: null }), ["", undefined, null], "no plan yet");
  assert.deepEqual(write({}), ["Time. a more.", "Time. a more.", "Cut. map.waits map.start"]);
  assert.deepEqual(write({ run: { running: true }, isComputing: true }), ["a more.", "a more.", "Cut."]);
  assert.deepEqual(write({ model }), ["Time. a more.", "Time. a more.", null]);
  assert.deepEqual(write({ isComputing: true }), ["Time. a more.", "Time. a more.", "Cut."]);
});
