// What is said of a cell of the large map of the page Model.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellSaid } from "../../assets/js/pages/model/cell_said.js";

/** @param {string} key @param {Record<string, unknown>} [fields] */
const text = (key, fields = {}) => `${key} ${Object.values(fields).join(" ")}`.trim();
const line = { tokens: ["a", "b"], ids: [0, 1], grids: [], seconds: 0, forms: [], stands: [], written: 0, end: "" };
/** The parts of a model that a cell is said by. */
const parts = {
  lines: [line],
  between: [0, 0],
  shape: [2, 2],
  weights: Float32Array.of(1, NaN, 0.25, 0.75),
  shows: "weights",
  mapped: null,
  locked: false,
  row: 1,
  key: 0,
};
const model = /** @type {import("../../assets/types/wire.js").Model} */ (/** @type {unknown} */ (parts));

test("a cell that is pointed at has its weight, or what the map shows instead", () => {
  assert.equal(cellSaid(text, model, 1, 1), "cell.weights 1 “b” 1 “b” 0.75");
  const mapped = Float32Array.of(3, NaN, 0.5, 12.5);
  assert.equal(cellSaid(text, { ...model, shows: "norms", mapped }, 1, 1), "cell.norms 1 “b” 1 “b” 12.5");
  assert.equal(cellSaid(text, { ...model, shows: "norms", mapped }, 0, 1), "model.cell_forbidden 0 “a” 1 “b”");
});

test("a row of which nothing is left is said to be empty, and a mean to be what some head may read", () => {
  const mapped = Float32Array.of(NaN, NaN, 0, 1);
  assert.equal(cellSaid(text, { ...model, shows: "without_first", mapped }, 0, 0), "cell.empty 0 “a” 0 “a” –");
  assert.equal(cellSaid(text, { ...model, shows: "without_first", mapped }, 0, 1), "model.cell_forbidden 0 “a” 1 “b”");
  const mean = Float32Array.of(1, 0.5, 0, 1);
  assert.equal(cellSaid(text, { ...model, shows: "mean", mapped: mean }, 0, 1), "cell.mean 0 “a” 1 “b” 0.5");
});

test("a locked cell is said while none is pointed at", () => {
  const locked = { ...model, locked: true };
  assert.equal(cellSaid(text, locked, null), "model.locked cell.weights 1 “b” 0 “a” 0.25");
  assert.equal(cellSaid(text, locked, 1, 1), "cell.weights 1 “b” 1 “b” 0.75");
  assert.equal(cellSaid(text, { ...locked, key: -1 }, null), "model.press");
  assert.equal(cellSaid(text, model, null), "model.press");
});
