/** What the steps of Anatomy's walk show. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "../../assets/js/pages/anatomy/steps.js";

/** A walk without scaling and mask. @param {string[]} own steps between the values and the scores @param {object} [more] @returns {Loose} */
const walk = (own, more = {}) => ({
  steps: ["queries", "keys", "values", ...own, "scores", "exponentials", "weights", "heads"],
  ...{ mechanism: "of_its_own", row: 2, head: 1, tensors: {}, sizes: { d_k: 4 }, asks: true },
  ...more,
});

/** @param {Loose} walked @param {"one" | "all"} rows the signs and symbols of the keys */
const keys = (walked, rows) => pieces(walked, "keys", rows).map((/** @type {Loose} */ one) => one.sign ?? one.symbol);

test("while the page asks which key a query prefers, the query stands beside the keys if the scores follow from both at once", () => {
  assert.deepEqual(keys(walk([]), "all"), ["K", ",", "q²"]);
  assert.deepEqual(keys(walk(["hidden_q", "hidden"]), "all"), ["K"]);
  assert.deepEqual(keys(walk([]), "one"), ["k²"]);
  assert.deepEqual(keys(walk([], { asks: false }), "all"), ["K"]);
});
