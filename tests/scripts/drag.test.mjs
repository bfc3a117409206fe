/** Drags: what begins, follows and ends one, for every order of what a pointer does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hearDrag, holdFast } from "../../assets/js/dom/drag.js";
import { StandIn, standIn } from "./stand_in.mjs";

/** How often the selection was taken away. */
let unselected = 0;

/** Stand in for a page that nobody has touched, and return its document. */
function fresh() {
  unselected = 0;
  const { document } = standIn();
  return Object.assign(document, { getSelection: () => ({ removeAllRanges: () => (unselected += 1) }) });
}

/** @param {string} type @param {Loose} [fields] @returns {Loose} */
const event = (type, fields = {}) =>
  Object.assign(new Event(type, { cancelable: true }), { pointerId: 1, button: 0, buttons: 1, ...fields });

/** An element whose drags are heard, and what was heard of them. @param {boolean | void} [begins] */
function heard(begins) {
  fresh();
  /** @type {unknown[]} */
  const seen = [];
  const root = /** @type {Loose} */ (new StandIn("div"));
  root.setPointerCapture = (/** @type {number} */ id) => seen.push(`capture ${id}`);
  hearDrag(root, {
    begin: (one) => {
      seen.push(`begin ${one.pointerId}`);
      return begins;
    },
    move: (one) => void seen.push(`move ${one.pointerId}`),
    end: (one, done) => void seen.push(`${done ? "end" : "broken"} ${one.pointerId}`),
  });
  /** @param {string} type @param {Loose} [fields] @returns {unknown[]} what is said of it */
  const does = (type, fields) => {
    const one = event(type, fields);
    root.dispatchEvent(one);
    return seen.splice(0);
  };
  return { root, does };
}

test("a press of the main button begins a drag, is captured, and takes the selection away", () => {
  const { does } = heard();
  for (const button of [1, 2, 5, -1]) assert.deepEqual(does("pointerdown", { button }), []);
  assert.equal(unselected, 0);
  assert.deepEqual(does("pointerdown"), ["begin 1", "capture 1"]);
  assert.equal(unselected, 1);
  assert.deepEqual(does("pointermove"), ["move 1"]);
  assert.deepEqual(does("pointerup", { buttons: 0 }), ["end 1"]);
  assert.deepEqual(does("lostpointercapture", { buttons: 0 }), [], "it has ended");
  assert.deepEqual(does("pointermove"), []);
});

test("a press that is no drag is neither captured nor followed", () => {
  const { does } = heard(false);
  assert.deepEqual(does("pointerdown"), ["begin 1"]);
  assert.equal(unselected, 0);
  for (const type of ["pointermove", "pointerup", "pointercancel"]) assert.deepEqual(does(type), []);
});

test("a drag that is broken off says so, whatever broke it", () => {
  const { does } = heard(true);
  for (const [type, fields] of /** @type {[string, Loose][]} */ ([
    ["pointercancel", {}],
    ["lostpointercapture", {}],
    ["pointermove", { buttons: 0 }],
    ["pointermove", { buttons: 2 }],
    ["pointerdown", { button: 2, buttons: 3 }],
  ])) {
    does("pointerdown");
    assert.deepEqual(does(type, fields), ["broken 1"], type);
    assert.deepEqual(does("pointerup"), []);
  }
  does("pointerdown");
  assert.deepEqual(does("pointermove", { buttons: 3 }), ["move 1"], "the main button is down beside another");
  assert.deepEqual(does("pointerdown"), ["broken 1", "begin 1", "capture 1"], "its end was not heard");
});

test("each finger drags by itself", () => {
  const { does } = heard();
  const [one, other] = [{ pointerId: 3 }, { pointerId: 5 }];
  assert.deepEqual(does("pointerdown", one), ["begin 3", "capture 3"]);
  assert.deepEqual(does("pointermove", other), []);
  assert.deepEqual(does("pointerdown", other), ["begin 5", "capture 5"]);
  assert.deepEqual(does("pointermove", one), ["move 3"]);
  assert.deepEqual(does("pointerup", one), ["end 3"]);
  assert.deepEqual(does("pointermove", other), ["move 5"]);
  assert.deepEqual(does("pointercancel", other), ["broken 5"]);
});

test("where drags are heard nothing else is selected or dragged", () => {
  const { root } = heard();
  for (const type of ["selectstart", "dragstart"]) {
    const one = event(type);
    root.dispatchEvent(one);
    assert.ok(one.defaultPrevented, type);
  }
});

test("a drag whose end nobody asks for ends all the same", () => {
  fresh();
  const root = /** @type {Loose} */ (new StandIn("div"));
  root.setPointerCapture = () => {};
  let moves = 0;
  hearDrag(root, { begin: () => {}, move: () => void (moves += 1) });
  for (const type of ["pointerdown", "pointermove", "pointerup", "pointermove"]) root.dispatchEvent(event(type));
  assert.equal(moves, 1);
});

test("a selected text is not dragged in place of a slider, before anything on the page hears of the press", () => {
  /** @type {[string, (event: Loose) => void, Loose][]} */
  const listeners = [];
  Object.assign(fresh(), {
    addEventListener: (/** @type {Loose[]} */ ...all) => listeners.push(/** @type {Loose} */ (all)),
  });
  holdFast();
  assert.deepEqual(
    listeners.map(([type, , how]) => [type, how]),
    [
      ["pointerdown", { capture: true }],
      ["dragstart", { capture: true }],
    ],
  );
  /** @param {Loose} target */
  const hears = (target) => {
    const all = listeners.map(([type, then]) => {
      const one = event(type);
      Object.defineProperty(one, "target", { value: target });
      then(one);
      return one.defaultPrevented;
    });
    return [...all, unselected];
  };
  const matching = (/** @type {string} */ wanted) =>
    Object.assign(new StandIn("input"), { matches: (/** @type {string} */ selector) => selector === wanted });
  assert.deepEqual(hears(matching("input[type=text]")), [false, false, 0]);
  assert.deepEqual(hears(new EventTarget()), [false, false, 0]);
  assert.deepEqual(hears(matching("input[type=range]")), [false, true, 1]);
});
