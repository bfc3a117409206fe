/** The list of changes of the running model: reading, writing, what takes another's place, and the factor's slider. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { STEPS, factorAt, found, put, read, stepOf, without, write } from "../../assets/js/pages/model/changes.js";

const none = { open: false, low: null, high: null, first: null };
const KINDS = {
  factor: { slot: "factor", keys: false, open: false, low: 0, high: 16, first: 1 },
  sink: { slot: "weights", keys: false, open: false, low: -16, high: 16, first: 0 },
  entmax: { slot: "weights", keys: false, ...none },
  hide: { slot: "hide", keys: true, open: false, low: 0, high: 9, first: 0 },
  mute: { slot: "head", keys: false, ...none },
  replace: { slot: "head", keys: false, ...none },
};
const ALL = { layer: 0, head: 0 };

test("a list is written as it was read", () => {
  for (const text of ["", "factor:2.5", "factor:1e-7@1", "hide:4,hide:5@2,mute@1.3,replace:2.1@1.2,sink:-1@2.1"]) {
    assert.equal(write(read(KINDS, text)), text);
  }
  assert.deepEqual(read(KINDS, "loud,mute@1.3"), [{ kind: "mute", value: "", layer: 1, head: 3 }]);
});

test("a change takes the place of what did the same there", () => {
  const items = read(KINDS, "factor:2,sink:1,hide:4,mute@1.3");
  const written = (/** @type {string} */ one) => write(put(KINDS, items, read(KINDS, one)[0]));
  assert.equal(written("factor:3"), "factor:3,sink:1,hide:4,mute@1.3");
  assert.equal(written("factor:3@1"), "factor:2,sink:1,hide:4,mute@1.3,factor:3@1");
  assert.equal(written("entmax"), "factor:2,entmax,hide:4,mute@1.3");
  assert.equal(written("hide:5"), "factor:2,sink:1,hide:4,mute@1.3,hide:5");
  assert.equal(written("hide:4"), "factor:2,sink:1,hide:4,mute@1.3");
  assert.equal(written("replace:2.1@1.3"), "factor:2,sink:1,hide:4,replace:2.1@1.3");
});

test("what acts in a place is found, and leaves alone", () => {
  const items = read(KINDS, "factor:2,factor:3@1,mute@1.3");
  assert.equal(found(KINDS, items, "factor", ALL)?.value, "2");
  assert.equal(found(KINDS, items, "factor", { layer: 1, head: 0 })?.value, "3");
  assert.equal(found(KINDS, items, "weights", ALL), undefined);
  assert.equal(write(without(KINDS, items, "factor", ALL)), "factor:3@1,mute@1.3");
  assert.equal(write(without(KINDS, items, "head", { layer: 1, head: 3 })), "factor:2,factor:3@1");
});

test("the slider of the factor goes from 0 to 16, with 1 in its middle, and always further", () => {
  assert.equal(factorAt(0), 0);
  assert.equal(factorAt(STEPS), 1);
  assert.equal(factorAt(2 * STEPS), 16);
  for (let step = 0; step <= 2 * STEPS; step += 1) {
    assert.equal(stepOf(factorAt(step)), step);
    assert.ok(step === 0 || factorAt(step) > factorAt(step - 1));
  }
  assert.equal(stepOf(1e-9), 1);
  assert.equal(stepOf(99), 2 * STEPS);
});
