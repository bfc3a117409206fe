/** A page's prediction: the field that it sends, and the cases without any. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StandIn, standIn } from "./stand_in.mjs";

standIn();
/** Nothing has a size here, and nothing changes by itself. */
class Idle {
  observe() {}
}
Object.assign(globalThis, { ResizeObserver: Idle, MutationObserver: Idle });
const { Predict } = await import("../../assets/js/asking/predict.js");

test("only an answer that was asked for is sent", () => {
  const root = new StandIn("div");
  const page = { text: (/** @type {string} */ key) => key };
  const predict = new Predict(/** @type {Loose} */ (root), /** @type {Loose} */ (page), () => {});
  const choices = [
    ["a", "A"],
    ["b", "B"],
  ];
  /** @param {string} about */
  const ask = (about) => predict.ask(/** @type {Loose} */ ({ name: "sweep", about, sentence: "?", choices }));
  /** @param {string} value */
  const answer = (value) => {
    const [radio] = root.querySelectorAll("input").filter((/** @type {Loose} */ one) => one.value === value);
    /** @type {Loose} */ (radio).onchange();
  };
  const answered = { name: "sweep", answer: "b" };
  assert.equal(predict.prediction, null, "not asked");
  ask("n=3");
  assert.equal(predict.prediction, null, "not answered");
  answer("b");
  assert.deepEqual(predict.prediction, answered);
  ask("n=3");
  assert.deepEqual(predict.prediction, answered, "asked again");
  predict.fit(false);
  assert.equal(predict.prediction, null, "not wanted");
  predict.fit(true);
  ask("n=5");
  assert.equal(predict.prediction, null, "asked something else");
  answer("a");
  predict.close();
  assert.equal(predict.prediction, null, "taken away");
});
