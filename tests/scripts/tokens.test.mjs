/** What a token is called, and what the model knows it by. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, named } from "../../assets/js/pages/model/tokens.js";
import { cut, lengthOf, named as placed } from "../../assets/js/figures/cells/labels.js";
import { aloud, directionOf, known, knownAt, place, shown, tokenLabel, visible } from "../../assets/js/words/token.js";

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
    end: "",
  },
  ...line,
});

test("white space is seen where a token is called, and is room where words follow each other", () => {
  assert.deepEqual([" Lily", "Lily", " ", "\n", "\t", ""].map(shown), ["␣Lily", "Lily", "␣", "⏎", "⇥", "␀"]);
  assert.deepEqual([" Lily", "Lily", " ", "\n", "\t", ""].map(visible), [" Lily", "Lily", "␣", "⏎", "⇥", "␀"]);
  assert.equal(named(line({ tokens: ["<s>", " Lily"] }), 1), "1 “␣Lily”");
  assert.equal(named(line({ tokens: ["0.5 s"], seconds: 0.5 }), 0), "0.5 s");
});

test("a query of a target is called by itself and what comes after it, the end of what was written as well", () => {
  const target = line({ name: "target", tokens: ["<pad>", " Haus", "."], end: "</s>" });
  assert.deepEqual(
    [0, 1, 2].map((at) => asking(target, at)),
    ["0 “<pad>” → “␣Haus”", "1 “␣Haus” → “.”", "2 “.” → “</s>”"],
  );
  assert.equal(asking({ ...target, end: "" }, 2), "2 “.”");
  assert.equal(asking({ ...target, name: "source" }, 1), "1 “␣Haus”");
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

test("a sentence that is read aloud ends with what the model knows its tokens by, each once", () => {
  const told = line({ tokens: ["the", " cat"], forms: ["the", "▁cat"], ids: [5, 7] });
  assert.equal(aloud("1 reads 0: 0.5", told, [1, 0]), "1 reads 0: 0.5, 1: ▁cat · #7, 0: the · #5");
  assert.equal(aloud("1 reads 1: 0.5", told, [1, 1]), "1 reads 1: 0.5, 1: ▁cat · #7");
  assert.equal(aloud("1 reads 0: 0.5", line({ tokens: ["a", "b"] }), [1, 0]), "1 reads 0: 0.5");
});

test("what is written from right to left has its own direction among other words", () => {
  assert.equal(shown(" القطة"), "\u2068␣القطة\u2069");
  assert.equal(tokenLabel("בנ"), "\u2068בנ\u2069");
  assert.equal(place(3, ["", "", "", "القطة"]), "3 “\u2068القطة\u2069”");
  assert.equal(placed(1, ["", " القطة"]), "1 “\u2068␣القطة\u2069”");
  assert.equal(placed(0, [" Lily"]), "0 “␣Lily”");
  assert.equal(placed(0, []), "0");
  assert.equal(place(0, ["the cat"]), "0 “the␣cat”");
  assert.equal(known(line({ tokens: ["##נ"], forms: ["##נ"], ids: [7] }), 0), "\u2068##נ\u2069 · #7");
});

test("a label that is shortened keeps its direction, which has no width", () => {
  assert.equal(cut("\u2068אבגדהוז\u2069", 4), "\u2068אבג…\u2069");
  assert.equal(cut("\u2068אבגד\u2069", 4), "\u2068אבגד\u2069");
  assert.equal(lengthOf("\u2068אבג\u2069"), 3);
});

test("each position is known once, and none of a text that no model reads", () => {
  const known = { forms: ["▁a", "b"], ids: [7, 8], stands: ["", ""] };
  assert.deepEqual(knownAt(known, [1, 1]), ["1: b · #8"]);
  assert.deepEqual(knownAt(known, [0, 1]), ["0: ▁a · #7", "1: b · #8"]);
  assert.deepEqual(knownAt({}, [0, 1]), []);
});

test("tokens follow each other as most of them are written", () => {
  assert.equal(directionOf(["[CLS]", "ש", "##ל", "##ו", ",", "[SEP]"]), "rtl");
  assert.equal(directionOf(["<s>", " the", " cat", " שלום"]), "ltr");
  assert.equal(directionOf(["1", "+"]), "ltr");
});
