/** The arithmetic of single pages: sliders, drawn curves, the walk through the tensors, keys. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic } from "../../assets/js/pages/anatomy/arithmetic.js";
import { boxLines } from "../../assets/js/pages/anatomy/box_lines.js";
import { cellIn, cut } from "../../assets/js/pages/anatomy/matrix.js";
import { beside, pieces } from "../../assets/js/pages/anatomy/steps.js";
import { raised } from "../../assets/js/pages/anatomy/symbols.js";
import { entry, unused } from "../../assets/js/link/entry.js";
import { walk } from "../../assets/js/pages/explore/row_walk.js";
import { meaningless } from "../../assets/js/pages/map/fitting.js";
import { axis } from "../../assets/js/asking/predict_curve.js";
import { factorOf } from "../../assets/js/pages/why/page.js";
import { fitting, keyed, place, step, valueAt } from "../../assets/js/controls/stops.js";

const WIDTHS = { low: 1, high: 1024, whole: true };
const FACTORS = { low: 0.001, high: 10, whole: false };

/** As in visualiser/pages/uses.py. */
const USES = {
  mechanism: { dot_product: ["scaling", "scale"], additive: [] },
  scaling: { sqrt_d_k: [], none: [], d_k: [], custom: ["scale"] },
  mask: { none: [], causal: [], window: ["window"] },
  source: {
    gaussian: ["n", "h", "d_k", "tie", "d_model"],
    text: ["text", "split", "positions", "h", "d_k", "tie", "d_model"],
    upload: [],
  },
};

test("a logarithmic slider gives every doubling the same way", () => {
  assert.deepEqual(
    [1, 32, 1024].map((value) => place(WIDTHS, value)),
    [0, 0.5, 1],
  );
  assert.equal(valueAt(WIDTHS, 0.5), 32);
  assert.equal(valueAt(FACTORS, 0.75), 1);
});

test("values are whole or have three digits, and stay inside", () => {
  assert.equal(fitting(WIDTHS, 7.6), 8);
  assert.equal(fitting(WIDTHS, 5000), 1024);
  assert.equal(fitting(FACTORS, 0.70710678), 0.707);
  assert.equal(fitting(FACTORS, 1e-9), 0.001);
});

test("a key always moves", () => {
  assert.equal(step(WIDTHS, 1, 1), 2, "a fifth of 1 is no step");
  assert.equal(step(WIDTHS, 64, 1), 76);
  assert.equal(step(WIDTHS, 64, -1), 54);
  assert.equal(keyed(WIDTHS, 64, "PageUp"), 128);
  assert.equal(keyed(FACTORS, 0.5, "Home"), 0.001);
  assert.equal(keyed(FACTORS, 0.5, "End"), 10);
  assert.equal(keyed(FACTORS, 0.5, "x"), null);
  const keys = ["ArrowRight", "PageUp", "End", "ArrowLeft", "PageDown", "Home", "Tab"];
  assert.deepEqual(
    keys.map((key) => keyed(WIDTHS, 7, key)),
    [8, 14, 1024, 6, 4, 1, null],
  );
  assert.deepEqual([keyed(WIDTHS, 1, "ArrowDown"), keyed(WIDTHS, 1024, "PageUp")], [1, 1024], "it stops at the ends");
  const factors = { low: 0.0002, high: 16, whole: false };
  assert.deepEqual([valueAt(factors, 0.5), step(factors, 1, -1)], [0.0566, 0.841]);
});

test("the factor on the scores is the scaling's", () => {
  const values = { lang: "en", d_k: 16, scale: 0.3 };
  const factors = ["sqrt_d_k", "none", "d_k", "custom"].map((scaling) => factorOf({ ...values, scaling }));
  assert.deepEqual(factors, [0.25, 1, 0.0625, 0.3]);
  assert.throws(() => factorOf({ ...values, scaling: "third" }), /third: sqrt_d_k, none, d_k, custom/);
});

test("a drawn curve is read where it was drawn", () => {
  const [plain, log] = [axis(2, 6, false), axis(1, 100, true)];
  assert.deepEqual([plain.place(3), plain.value(0.25)], [0.25, 3]);
  assert.ok(Math.abs(log.place(10) - 0.5) < 1e-12);
  assert.ok(Math.abs(log.value(0.5) - 10) < 1e-12);
});

/** Two queries and keys, d_k 2, at the second query. */
/** @type {import("../../assets/js/pages/anatomy/arithmetic.js").Walked} */
const WALKED = {
  step: "scores",
  steps: ["scores"],
  normalisation: "softmax",
  weighing: ["exponentials", "weights"],
  masked: true,
  scaled: true,
  fits: true,
  most: 8,
  tokens: [],
  sentences: [],
  said: {},
  boxes: {},
  titles: {},
  positions: false,
  row: 1,
  head: 1,
  heads: 1,
  trained: false,
  layer: 1,
  rows: "one",
  mechanism: "dot_product",
  scaling: "d_k",
  factor: 0.5,
  sizes: { n: 2, d_model: 2, d_k: 2, d_v: 2, h: 1 },
  tensors: {
    Q: { values: [1, 2, 3, -4], rows: 2, columns: 2, block: [1, 1] },
    K: { values: [5, 6, 7, 8], rows: 2, columns: 2, block: [1, 1] },
    scores: { values: [17, 23, -9, -11], rows: 2, columns: 2, block: [1, 1] },
    masked: { values: [8.5, -Infinity, -4.5, -5.5], rows: 2, columns: 2, block: [1, 1] },
  },
};

test("every number says where it comes from", () => {
  assert.deepEqual(arithmetic(WALKED, "scores", 1, 0), { written: "3 × 5 + (−4) × 6", value: -9, terms: 2 });
  assert.deepEqual(arithmetic(WALKED, "scaled", 1, 1), { written: "(−11) / 2", value: -5.5 });
  assert.deepEqual(arithmetic(WALKED, "maximum", 1, 0), { written: "max(−4.5, −5.5)", value: -4.5 });
  assert.deepEqual(arithmetic(WALKED, "masked", 0, 1), { note: "anatomy.forbidden", value: -Infinity });
  assert.equal(arithmetic(WALKED, "sums", 1, 0), null, "the exponentials are not there");
});

test("a part of a tensor keeps the place of each number, turned or not", () => {
  const tensor = { values: [1, 2, 3, 4, 5, 6], rows: 2, columns: 3, block: /** @type {[number, number]} */ ([1, 1]) };
  const part = cut(tensor, { row: 1, columns: [1, 3], turned: true });
  assert.deepEqual(part.lines, [[{ row: 1, column: 1, value: 5 }], [{ row: 1, column: 2, value: 6 }]]);
  assert.deepEqual(part.true, { rows: 2, columns: 1 });
  assert.deepEqual(cellIn(cut(tensor, {}), 0.9, 0.1), { row: 0, column: 2, value: 3 });
  assert.equal(cellIn(cut(tensor, {}), 0.5, 1), undefined);
});

test("a step shows its tensors with the signs between them", () => {
  const shown = pieces(WALKED, "scaled", "one").map((piece) => ("sign" in piece ? piece.sign : piece.symbol));
  assert.deepEqual(shown, ["α¹", "/ 2", "=", "α¹"]);
  assert.equal(raised(120), "¹²⁰");
  const keys = (/** @type {boolean} */ asks) =>
    pieces({ ...WALKED, asks }, "keys", "all").flatMap((piece) => ("sign" in piece ? [] : [piece.symbol]));
  assert.deepEqual(keys(false), ["K"]);
  assert.deepEqual(keys(true), ["K", "q¹"], "who compares them by hand needs both");
});

test("the steps go through one row, then through all", () => {
  const steps = ["scores", "weights"];
  assert.deepEqual(beside(steps, { step: "weights", rows: "one" }, 1), { step: "scores", rows: "all" });
  assert.deepEqual(beside(steps, { step: "weights", rows: "one" }, -1), { step: "scores", rows: "one" });
  assert.equal(beside(steps, { step: "weights", rows: "all" }, 1), null);
});

test("keys walk over the cells and stop at the edges", () => {
  const at = { row: 0, column: 4 };
  const shape = { rows: 5, columns: 5 };
  assert.deepEqual(walk("ArrowDown", at, shape), { at: { row: 1, column: 4 } });
  assert.deepEqual(walk("ArrowUp", at, shape), { at: { row: 0, column: 4 } });
  assert.deepEqual(walk("PageDown", at, shape), { at: { row: 4, column: 4 } });
  assert.deepEqual(walk("-", at, shape), { zoom: 2 });
  const inside = { row: 2, column: 2 };
  for (const [key, wanted] of /** @type {[string, object | null][]} */ ([
    ["ArrowRight", { at: { row: 2, column: 3 } }],
    ["ArrowLeft", { at: { row: 2, column: 1 } }],
    ["Home", { at: { row: 0, column: 2 } }],
    ["End", { at: { row: 4, column: 2 } }],
    ["Enter", { lock: true }],
    ["Escape", { release: true }],
    ["+", { zoom: 0.5 }],
    ["0", { zoom: 0 }],
  ])) {
    assert.deepEqual(walk(key, inside, shape), wanted, key);
  }
  assert.equal(walk("q", at, shape), null);
});

test("controls that mean nothing are named", () => {
  const values = { lang: "en", source: "gaussian", scaling: "sqrt_d_k", mechanism: "dot_product", mask: "window" };
  assert.deepEqual(unused(USES, values).sort(), ["positions", "scale", "split", "text"]);
  const now = { ...values, source: "upload", mask: "none", mechanism: "additive", scaling: "custom" };
  const own = unused(USES, now);
  assert.deepEqual(own.filter((name) => !["positions", "split", "text"].includes(name)).sort(), [
    "d_k",
    "d_model",
    "h",
    "n",
    "scale",
    "scaling",
    "tie",
    "window",
  ]);
  const mapped = { lang: "en", source: "text", mask: "window", scaling: "custom", mechanism: "dot_product" };
  assert.deepEqual(meaningless(mapped, USES), ["n"]);
  const file = meaningless({ ...mapped, source: "upload" }, USES).sort();
  assert.deepEqual(file, ["d_k", "d_model", "h", "n", "positions", "seed", "split", "text", "tie"]);
});

test("a name that a table lacks is an error", () => {
  const table = { a: 1, b: 2 };
  assert.equal(entry(table, "b"), 2);
  assert.throws(() => entry(table, "c"), /^RangeError: c: a, b$/);
  assert.throws(() => entry(table, "toString"), /^RangeError: toString: a, b$/);
  assert.throws(() => unused(USES, { source: "gaussian", mechanism: "third" }), /third: dot_product, additive/);
});

test("a box tells its weights from its output, however small it is", () => {
  const [symbols, numbers, weights, sizes] = ["n × d_model", "4 × 8", "h·d_v × d_model", "128 × 8"];
  const box = { title: "Linear W_O", sign: "→", symbols, numbers, weights, sizes };
  /** @param {number} width @param {number} height */
  const lines = (width, height) => boxLines(box, { width, height }, (text) => text.length).map(({ text }) => text);
  assert.deepEqual(lines(30, 4), ["Linear W_O", "h·d_v × d_model = 128 × 8", "→ n × d_model = 4 × 8"]);
  assert.deepEqual(lines(20, 3), ["Linear W_O", "128 × 8 → 4 × 8"]);
  assert.deepEqual(lines(11, 4), ["Linear W_O", "128×8", "→ 4×8"]);
  assert.deepEqual(lines(11, 3), ["Linear W_O", "→ 4×8"]);
  const shown = { ...box, title: "X", sign: "", weights: "", sizes: "" };
  const words = boxLines(shown, { width: 30, height: 3 }, (text) => text.length).map(({ text }) => text);
  assert.deepEqual(words, ["X", "n × d_model = 4 × 8"]);
});
