/** A chart's parts: its axes, its grid of panels, the point under the pointer, widths of words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { extent } from "../../assets/js/figures/chart/extent.js";
import { panels } from "../../assets/js/figures/chart/frame.js";
import { arranged } from "../../assets/js/figures/chart/grid.js";
import { linesOf, nearest } from "../../assets/js/figures/chart/hover.js";
import { Scale } from "../../assets/js/figures/chart/scale.js";
import { width } from "../../assets/js/figures/chart/width.js";

/** @typedef {import("../../assets/types/plotly.js").AxisLayout} AxisLayout */

/** @param {ArrayLike<number>} found @param {number[]} wanted */
const near = (found, wanted) => {
  assert.equal(found.length, wanted.length);
  wanted.forEach((one, i) => assert.ok(Math.abs(found[i] - one) < 1e-6, `${found[i]} for ${one}`));
};

test("a logarithmic axis has pixels for positive values and back", () => {
  const scale = new Scale({ type: "log", range: [0, 3] }, 100, 400);
  near([scale.pixel(1), scale.pixel(1000), scale.pixel(10), scale.value(300)], [100, 400, 200, 100]);
  assert.deepEqual([scale.pixel(0), scale.pixel(null)], [NaN, NaN]);
});

/** @type {AxisLayout} */
const POWERS = { type: "log", range: [-4, 1] };
/** @type {AxisLayout} */
const SECONDS = { type: "log", range: [-5, -2], exponentformat: "SI", ticksuffix: "s" };
/** @type {AxisLayout} */
const NAMED = { tickmode: "array", tickvals: [1, 2, 4, 8], ticktext: ["a", "b", "c", "d"], range: [0, 10] };

for (const [what, layout, length, room, expected] of /** @type {[string, AxisLayout, number, number, object][]} */ ([
  ["every power", POWERS, 100, 20, { 0: "10⁻⁴", 20: "10⁻³", 40: "0.01", 60: "0.1", 80: "1", 100: "10" }],
  ["every second power", POWERS, 100, 30, { 0: "10⁻⁴", 40: "0.01", 80: "1" }],
  ["numbers between two powers", { type: "log", range: [0.2, 0.9] }, 100, 20, { 14: "2", 71: "5" }],
  ["seconds with their prefixes", SECONDS, 90, 25, { 0: "10µs", 30: "100µs", 60: "1ms", 90: "10ms" }],
  ["whole numbers", { range: [0, 31], tickformat: "d" }, 310, 60, { 0: "0", 100: "10", 200: "20", 300: "30" }],
  ["every second name", NAMED, 100, 40, { 10: "a", 40: "c" }],
])) {
  test(`ticks that the length has room for: ${what}`, () => {
    const ticks = new Scale(layout, 0, length).ticks(room).map(({ at, text }) => [Math.round(at), text]);
    assert.deepEqual(Object.fromEntries(ticks), expected);
  });
}

test("free panels take the grid in which they are largest", () => {
  /** @param {number} count @param {[number, number]} size @param {boolean} free */
  const grid = (count, [width, height], free) => {
    const slots = Array.from({ length: count }, (_, i) => {
      const [left, low] = [0.5 * (i % 2), 0.5 - 0.5 * Math.floor(i / 2)];
      return { across: [left, left + 0.4], up: [low, low + 0.4] };
    });
    const { columns, lines } = arranged(slots, { width, height }, 12, free);
    return [columns, lines];
  };
  assert.deepEqual(grid(6, [960, 330], true), [6, 1], "as beside other figures");
  assert.deepEqual(grid(6, [960, 600], true), [3, 2]);
  assert.deepEqual(grid(6, [1800, 150], true), [6, 1]);
  assert.deepEqual(grid(6, [360, 700], true), [2, 3]);
  assert.deepEqual(grid(2, [240, 600], true), [1, 2]);
  assert.deepEqual(grid(4, [1800, 150], false), [2, 2]);
});

test("panels of a column begin on one line", () => {
  const titled = [
    ["x", "y"],
    ["x2", "y2"],
  ].map(([x, y]) => ({ text: "t", xref: `${x} domain`, yref: `${y} domain` }));
  const layout = /** @type {Loose} */ ({
    annotations: titled,
    xaxis: { anchor: "y", range: [0, 1] },
    yaxis: { anchor: "x", range: [0, 1] },
    xaxis2: { anchor: "y2", range: [0, 1] },
    yaxis2: { anchor: "x2", range: [10000, 10001] },
  });
  const [first, second] = panels(layout, [], { width: 200, height: 400 }, 10).map(({ box }) => box);
  assert.deepEqual([first.left, first.right], [second.left, second.right]);
  assert.ok(first.left > 8 + 4 * 5.5, "room for the longer labels of the second");
  assert.ok(first.bottom < second.top, "the second below the first");
  assert.ok(second.bottom <= 400);
  near([first.bottom - first.top], [second.bottom - second.top]);
});

test("an axis without a range takes its traces'", () => {
  /** @param {(number | null)[]} y @param {AxisLayout} axis */
  const of = (y, axis) => extent(/** @type {Loose} */ ([{ y }, { y: [] }]), "y", axis);
  near(of([2, 4, null], { rangemode: "tozero" }), [0, 4.2]);
  near(of([0.01, 0, 100], { type: "log" }), [-2.2, 2.2]);
  assert.deepEqual(of([], {}), [0, 1]);
});

test("the nearest point that has a text is told", () => {
  const box = { left: 0, right: 100, top: 0, bottom: 100 };
  const panel = { box, across: { pixel: (/** @type {number} */ x) => x }, up: new Scale({ range: [0, 100] }, 100, 0) };
  const trace = {
    ...{ type: "scatter", x: [10, 1024, 50], y: [10, 20, 1234.5], text: ["a", "b", "c"] },
    hovertemplate: "%{x} %{text} &lt;b&gt;<br>%{y:.3g}<extra></extra>",
  };
  const dumb = { ...trace, x: [12], y: [12], hoverinfo: "skip" };
  /** @param {object[]} traces @param {number} x @param {number} y */
  const pointed = (traces, x, y) => nearest(/** @type {Loose} */ (traces.map((one) => ({ panel, trace: one }))), x, y);
  const at = pointed([dumb, trace], 13, 88);
  assert.deepEqual([at?.index, /** @type {unknown} */ (at?.trace) === trace], [0, true]);
  assert.equal(pointed([trace], 90, 20), null, "none is near");
  /** @param {object} of @param {number} index */
  const lines = (of, index) => linesOf({ trace: /** @type {Loose} */ (of), index });
  assert.deepEqual(lines(trace, 1), ["1024 b <b>", "20"]);
  assert.deepEqual(lines(trace, 0), ["10 a <b>", "10"]);
  const time = { ...trace, hovertemplate: "%{y:.3s}s<extra>%{text}</extra>", y: [0.00012, 1, 1] };
  assert.deepEqual(lines(time, 0), ["120µs", "a"]);
});

test("a text's width is its letters', small indices included", () => {
  const [plain, index, korean] = ["abcd", "ab<sub>cd</sub>", "가나다라"].map(width);
  near([plain, index], [2.2, 1.1 + 1.1 * 0.72]);
  assert.ok(korean > 1.5 * plain);
});
