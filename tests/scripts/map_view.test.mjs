/** The visible part of a map: zooming, moving, its link, the keyboard. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { wish } from "../../assets/js/pages/map/keys.js";
import { subject } from "../../assets/js/pages/map/link.js";
import { around, cellUnder, named, panned, pinched, whole, written, zoomed } from "../../assets/js/pages/map/view.js";

const SHAPE = { rows: 1024, columns: 1024 };
const TALL = { rows: 331, columns: 1987 };

/** @param {import("../../assets/js/pages/map/view.js").View} view */
const rounded = (view) => Object.fromEntries(Object.entries(view).map(([name, one]) => [name, Math.round(1e6 * one)]));

/** @param {import("../../assets/js/pages/map/view.js").View} found @param {import("../../assets/js/pages/map/view.js").View} wanted */
const near = (found, wanted) => assert.deepEqual(rounded(found), rounded(wanted));

test("zooming twice keeps what lies under the pointer", () => {
  const once = zoomed(whole(SHAPE), 0.25, { x: 0.25, y: 0.75 }, SHAPE);
  // first: 256 keys around key 256 at a quarter, query 768 at three quarters; then 128 around 217.6 and 627.2
  const twice = zoomed(once, 0.5, { x: 0.1, y: 0.2 }, SHAPE);
  near(twice, { left: 192 + 0.1 * 128, top: 576 + 0.2 * 128, across: 128, down: 128 });
});

test("a square window stops at edges and four cells", () => {
  const deep = zoomed(whole(SHAPE), 1e-9, { x: 1, y: 1 }, SHAPE);
  assert.deepEqual(deep, { left: 1020, top: 1020, across: 4, down: 4 });
  assert.deepEqual(zoomed(around({ row: 3, column: 9 }, 40, SHAPE), 1e9, { x: 0, y: 0 }, SHAPE), whole(SHAPE));
  const moved = panned(around({ row: 3, column: 1000 }, 40, SHAPE), 5, -5, SHAPE);
  assert.deepEqual(moved, { left: 984, top: 0, across: 40, down: 40 });
});

test("one number zooms both axes", () => {
  const half = zoomed(whole(TALL), 0.5, { x: 0.5, y: 0.5 }, TALL);
  near(half, { left: 496.75, top: 82.75, across: 993.5, down: 165.5 });
  const deep = zoomed(whole(TALL), 1e-9, { x: 0, y: 0 }, TALL);
  assert.deepEqual(deep, { left: 0, top: 0, across: 4, down: 4 }, "never a part of a row");
});

test("a pinch keeps both fingers on their cells", () => {
  const view = around({ row: 500, column: 300 }, 200, SHAPE);
  /** @typedef {import("../../assets/js/pages/map/view.js").Pair} Pair */
  const before = /** @type {Pair} */ ([
    { x: 0.4, y: 0.4 },
    { x: 0.6, y: 0.6 },
  ]);
  const now = /** @type {Pair} */ ([
    { x: 0.3, y: 0.2 },
    { x: 0.7, y: 0.6 },
  ]);
  const after = pinched(view, before, now, SHAPE);
  assert.ok(Math.abs(after.across - 100) < 1e-9);
  for (const i of [0, 1]) {
    const [from, to] = [before[i], now[i]];
    assert.ok(Math.abs(view.left + from.x * view.across - after.left - to.x * after.across) < 1e-9);
    assert.ok(Math.abs(view.top + from.y * view.down - after.top - to.y * after.down) < 1e-9);
  }
});

test("a link brings the same window back", () => {
  for (const across of [1024, 700.5, 31.25, 4]) {
    const once = written(around({ row: 401, column: 77 }, across, SHAPE), SHAPE);
    assert.deepEqual(written(named(once, SHAPE), SHAPE), once);
    assert.equal(once.across, across === 1024 ? 0 : across);
  }
});

test("the cell under a point, outside too", () => {
  const under = (/** @type {number} */ x, /** @type {number} */ y) =>
    cellUnder(around({ row: 500, column: 300 }, 8, SHAPE), { x, y }, SHAPE);
  assert.deepEqual(under(0.5, 0.5), { row: 500, column: 300 });
  assert.deepEqual(under(0.999, 0), { row: 496, column: 304 });
  assert.deepEqual(under(1.4, -0.9), { row: 489, column: 307 });
});

test("each key moves the window as it says", () => {
  const view = { across: 64, down: 64 };
  for (const [key, shift, wanted] of /** @type {[string, boolean, unknown][]} */ ([
    ["ArrowLeft", false, { pan: { x: -0.125, y: 0 } }],
    ["ArrowRight", false, { pan: { x: 0.125, y: 0 } }],
    ["ArrowUp", false, { pan: { x: 0, y: -0.125 } }],
    ["ArrowDown", true, { pan: { x: 0, y: 0.75 } }],
    ["PageUp", false, { pan: { x: 0, y: -0.75 } }],
    ["PageDown", false, { pan: { x: 0, y: 0.75 } }],
    ["Home", false, { end: "first" }],
    ["End", false, { end: "last" }],
    ["+", false, { zoom: 0.5 }],
    ["-", false, { zoom: 2 }],
    ["0", false, { whole: true }],
    ["Enter", false, { open: true }],
    ["Escape", false, { release: true }],
    ["q", false, null],
  ])) {
    assert.deepEqual(wish(key, shift, view), wanted, key);
  }
  assert.deepEqual(wish("ArrowRight", false, { across: 4, down: 4 }), { pan: { x: 0.25, y: 0 } }, "by a cell");
});

test("a computation's link is without what is looked at", () => {
  const link = "n=64&page=map&lang=ko&head=2&row=&across=12.5";
  assert.equal(subject(link, ["head", "row", "across", "lang", "page"]), "n=64");
});
