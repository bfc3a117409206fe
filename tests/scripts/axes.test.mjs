/** Pixels, cells and ticks of the axes that every figure shares. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { axisKey, cellAt, labelled, number, span, tickLabels, ticks } from "../../assets/js/figures/axes.js";
import { Scale } from "../../assets/js/figures/chart/scale.js";
import { colourTicks } from "../../assets/js/figures/colour_ticks.js";
import { spaced } from "../../assets/js/asking/predict_curve.js";
import { rowIn } from "../../assets/js/figures/panel.js";

/** @type {[number, string][]} which Python writes as well */
const NUMBERS = JSON.parse(readFileSync(fileURLToPath(new URL("numbers.json", import.meta.url).href), "utf8"));

test("a range shows its part of the cells, from either end", () => {
  assert.deepEqual(span(9.5, 1.5), { start: 2, size: 8 });
  assert.deepEqual(span(1.5, 9.5), { start: 2, size: 8 });
});

test("a cell reaches half a step to either side", () => {
  const cells = [6, 9.9, 10, 59.9, -0.1, 60].map((pixel) => cellAt(pixel, 60, [-0.5, 5.5], 6));
  assert.deepEqual(cells, [0, 0, 1, 5, null, null]);
  // an axis that runs downwards, like that of queries
  assert.equal(cellAt(7, 60, [5.5, -0.5], 6), 5);
  assert.equal(cellAt(45, 60, [-0.5, 5.5], 4), null, "there are four cells");
  assert.equal(cellAt(0, 80, [1.5, 9.5], 32), 2, "a zoomed axis shows a part of its cells");
});

test("labels are every first, second, fifth or tenth position", () => {
  assert.deepEqual(labelled([-0.5, 4.5], 5, 12), [0, 1, 2, 3, 4]);
  assert.deepEqual(labelled([6.5, -0.5], 7, 4), [0, 2, 4, 6]);
  assert.deepEqual(labelled([100.4, 103.6], 512, 12), [101, 102, 103]);
  assert.equal(labelled([-0.5, 511.5], 512, 12).at(-1), 500);
  assert.deepEqual(labelled([31.5, -0.5], 32, 12), [0, 5, 10, 15, 20, 25, 30]);
});

test("ticks are round and lie inside", () => {
  assert.deepEqual(ticks(-4, 0, 4), [-4, -3, -2, -1, 0]);
  assert.deepEqual(ticks(0.07, 0.93), [0.2, 0.4, 0.6, 0.8]);
  assert.deepEqual(ticks(3, 3), [3]);
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-20, 20, 5), [-20, -10, 0, 10, 20]);
});

test("numbers have three digits and a true minus, as Python's", () => {
  for (const [value, written] of NUMBERS) assert.equal(number(value), written);
  assert.deepEqual([NaN, Infinity, -Infinity].map(number), ["–", "∞", "−∞"]);
});

test("the numbers of an axis have the digits that their places need", () => {
  assert.deepEqual(tickLabels([0, 512, 1024]), ["0", "512", "1024"]);
  assert.deepEqual(tickLabels([-4, 0, 4]), ["−4", "0", "4"]);
  assert.deepEqual(tickLabels([0, 0.176776695, 0.35355339]), ["0", "0.177", "0.354"]);
  assert.deepEqual(tickLabels([1990, 1992.5, 1995]), ["1990", "1992.5", "1995"]);
  assert.deepEqual(tickLabels([1_000_000, 1_000_001]), ["1000000", "1000001"], "as many digits as tell them apart");
  assert.deepEqual(tickLabels([0, 5e6, 1e7]), ["0", "5×10⁶", "1×10⁷"]);
  assert.deepEqual(tickLabels([1994.2857142857], 1.5), ["1994.3"]);
});

test("of labels beside each other those stay that have room: the ends, and as many between as fit", () => {
  assert.deepEqual(spaced([0, 50, 100, 150], [30, 30, 30, 30], 5), [0, 1, 2, 3]);
  assert.deepEqual(spaced([0, 50, 100, 150, 200], [60, 60, 60, 60, 60], 5), [0, 2, 4]);
  assert.deepEqual(spaced([0, 50, 100, 150], [60, 60, 60, 60], 5), [0, 3], "the last goes before the one beside it");
  assert.deepEqual(spaced([0, 50], [90, 90], 5), [0, 1]);
});

test("a trace's axis has a name in the layout", () => {
  assert.deepEqual(["x", "x2", "y13"].map(axisKey), ["xaxis", "xaxis2", "yaxis13"]);
});

test("a colour bar's numbers stand where their colours are", () => {
  assert.deepEqual(colourTicks({ cmin: 0, cmax: 0.5 }, 5), [
    { text: "0", place: 0 },
    { text: "0.1", place: 0.2 },
    { text: "0.2", place: 0.4 },
    { text: "0.3", place: 0.6 },
    { text: "0.4", place: 0.8 },
    { text: "0.5", place: 1 },
  ]);
  assert.deepEqual(
    colourTicks({ cmin: -30, cmax: 10 }, 2).map(({ place }) => place),
    [0.25, 0.75],
    "−20 and 0: a scale that is not centred shows which end is which",
  );
});

test("a colour bar of powers has one number for each", () => {
  const labelalias = { "-2": "0.01", "-1": "0.1", 0: "1" };
  const shown = colourTicks({ cmin: -2, cmax: 0, colorbar: { dtick: 1, labelalias } }, 5);
  assert.deepEqual(shown, [
    { text: "0.01", place: 0 },
    { text: "0.1", place: 0.5 },
    { text: "1", place: 1 },
  ]);
});

test("a row lies below those before it, and nowhere outside the window", () => {
  /** @type {[number, number]} */
  const y = [6.5, 1.5];
  const box = { top: 20, height: 50, y };
  assert.deepEqual(rowIn(box, 2), { top: 20, height: 10 });
  assert.deepEqual(rowIn(box, 5), { top: 50, height: 10 });
  assert.equal(rowIn(box, 1), null);
  assert.equal(rowIn(box, 7), null);
});

test("an axis without fixed steps has two numbers or more, and no more than it has room for", () => {
  for (let i = 1; i <= 4000; i += 1) {
    const high = 10 ** ((i % 13) - 6) * (1 + (i % 89) / 9);
    const low = i % 3 ? 0 : -high * ((i % 7) / 7);
    const length = 30 + (i % 200);
    const found = new Scale({ range: [low, high] }, length, 0).ticks(20);
    const most = Math.max(3, Math.floor(length / 20) + 1);
    assert.ok(
      found.length >= 2 && found.length <= most,
      `${low} … ${high} in ${length}: ${found.map(({ text }) => text)}`,
    );
    assert.ok(found.every(({ value }) => value >= low - 1e-9 * high && value <= high * (1 + 1e-9)));
  }
});
