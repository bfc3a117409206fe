/** Words beside curves that end close to each other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, clear } from "../../assets/js/figures/chart/labels.js";

const EM = 12;

/** @param {string} text @param {number} y @param {number} [x] @returns {import("../../assets/js/figures/chart/words.js").Word} */
const word = (text, y, x = 100) => ({ text, x, y, align: "start", kind: "note" });

/** @param {import("../../assets/js/figures/chart/words.js").Word[]} words */
const places = (words) => Object.fromEntries(apart(words, EM).map(({ text, y }) => [text, Math.round(10 * y) / 10]));

test("words that do not touch stay where they are", () => {
  assert.deepEqual(places([word("a", 10), word("b", 30), word("c", 12, 300)]), { a: 10, b: 30, c: 12 });
});

test("words that would touch share the room around their middle, in their order", () => {
  assert.deepEqual(places([word("low", 54), word("high", 50)]), { high: 44.5, low: 59.5 });
  assert.deepEqual(places([word("a", 50), word("b", 50), word("c", 50)]), { a: 35, b: 50, c: 65 });
});

test("a word pushed against another moves that one as well", () => {
  const found = places([word("a", 40), word("b", 44), word("c", 58)]);
  assert.ok(found.b - found.a >= 15 - 0.1 && found.c - found.b >= 15 - 0.1, JSON.stringify(found));
});

/** @param {number} x @param {number} y @returns {import("../../assets/js/figures/chart/naming.js").Sides} */
const dot = (x, y) => ({ left: x - 3, right: x + 3, top: y - 3, bottom: y + 3 });

test("a word on no marker stays where it is", () => {
  const words = [word("n", 50), word("m", 90)];
  assert.deepEqual(clear(words, [dot(300, 50), dot(104, 70)], EM), words);
});

test("a word on a marker moves off it, and onto no other word and no other marker", () => {
  const reach = 0.55 * EM; // a letter in its line
  for (let at = 30; at <= 70; at += 1) {
    const others = [word("up", at - 20), word("low", at + 20)];
    const marks = [dot(103, at), dot(105, at + 6)];
    const [moved, ...stay] = clear([word("n", at), ...others], marks, EM);
    assert.deepEqual(stay, others);
    assert.notEqual(moved.y, at);
    for (const { top, bottom } of marks) {
      assert.ok(moved.y + reach / 2 <= top || moved.y - reach / 2 >= bottom, String(moved.y));
    }
    for (const { y } of others) assert.ok(Math.abs(moved.y - y) >= 1.25 * EM - 0.01);
  }
});
