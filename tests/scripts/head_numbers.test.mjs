/** What is counted of one head over texts, as the page of a head tells it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { standIn, StandIn } from "./stand_in.mjs";

standIn();
const { HeadNumbers } = await import("../../assets/js/head/numbers.js");

/** @param {string} key @param {Record<string, unknown>} [fields] */
const text = (key, fields = {}) => [key, ...Object.values(fields)].join(" ");

const found = {
  measures: [], by: "sink", layer: 1, head: 1, h: 1, keys: [], queries: [], pairs: [], counted: 0,
  distances: { begins: [0, 1, 2, 4], share: Float32Array.of(0.25, 0.5, 0.25), even: Float32Array.of(0.75, 0.125, 0.125) },
}; // prettier-ignore

/** @param {unknown} one @returns {string[]} what a figure says, from its first part to its last */
function said(one) {
  if (typeof one === "string") return [one];
  if (!(one instanceof StandIn)) return [];
  return one.children.length ? one.children.flatMap(said) : [one.textContent].filter(Boolean);
}

test("the highest bar is that of the head, also below a head that reads all keys alike", () => {
  const drawn = new HeadNumbers(text, () => {}).all(/** @type {never} */ (found));
  const all = drawn.flatMap(said).join(" | ");
  assert.match(all, /distances_meaning 50 %/);
  assert.match(all, /bin 0 25 % 75 %/);
  assert.match(all, /bin_to 2 25 % 13 % 3/);
});

test("the distances below the bars leave room for the last one", () => {
  const even = new Float32Array(35).fill(1 / 35);
  const begins = [...Array(32).keys(), 32, 64, 128, 256];
  const many = { ...found, distances: { begins, share: even, even } };
  const drawn = new HeadNumbers(text, () => {}).all(/** @type {never} */ (many));
  const named = drawn.flatMap(said).filter((one) => /^[0-9]+(–[0-9]+)?$/.test(one));
  assert.deepEqual(named, ["0", "4", "8", "12", "16", "20", "24", "28", "128–255"]);
});
