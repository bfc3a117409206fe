/** What a token is called, and what the model knows it by. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { known, named, shown, visible } from "../../assets/js/pages/model/tokens.js";

/** @param {Partial<import("../../assets/types/wire.js").Line>} line */
const line = (line) => ({
  ...{
    name: "text",
    cut: false,
    seconds: 0,
    grids: [],
    written: 0,
    tokens: [],
    forms: [],
    ids: [],
    stands: [],
  },
  ...line,
});

test("white space is seen where a token is called, and is room where words follow each other", () => {
  assert.deepEqual([" Lily", "Lily", " ", "\n", "\t", ""].map(shown), ["␣Lily", "Lily", "␣", "⏎", "⇥", "␀"]);
  assert.deepEqual([" Lily", "Lily", " ", "\n", "\t", ""].map(visible), [" Lily", "Lily", "␣", "⏎", "⇥", "␀"]);
  assert.equal(named(line({ tokens: ["<s>", " Lily"] }), 1), "1 “␣Lily”");
  assert.equal(named(line({ tokens: ["0.5 s"], seconds: 0.5 }), 0), "0.5 s");
});

test("a token is known by its form, its number, and what the unknown one stands for", () => {
  const told = line({
    tokens: ["[UNK]", " a", "3·5"],
    forms: ["[UNK]", "▁a", "<image>"],
    ids: [100, 7, -1],
    stands: ["고양이", "", ""],
  });
  assert.equal(known(told, 0), "[UNK] · #100 · “고양이”");
  assert.equal(known(told, 1), "▁a · #7");
  assert.equal(known(told, 2), "<image>");
  assert.equal(known(line({ tokens: ["a"] }), 0), "");
});
