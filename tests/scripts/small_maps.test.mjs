/** The small maps of all heads: numbers of layers and heads around many, and what their rings are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { standIn, StandIn } from "./stand_in.mjs";

standIn();
const brush = { putImageData: () => {} };
/** What the last maps told their styles, and the place whose size they watch. */
const told = /** @type {string[][]} */ ([]);
const watched = { resized: (/** @type {object[]} */ _) => {} };
Object.assign(StandIn.prototype, { getContext: () => brush });
Object.assign(globalThis, {
  requestAnimationFrame: () => 0,
  ResizeObserver: class {
    constructor(/** @type {(entries: object[]) => void} */ resized) {
      watched.resized = resized;
    }
    observe() {}
  },
  ImageData: class {
    data = new Uint8ClampedArray(4);
  },
});
const { SmallMaps } = await import("../../assets/js/pages/model/small_maps.js");

/** @param {number} layers @param {number} h @param {Partial<import("../../assets/types/wire.js").Model>} [more] */
function drawn(layers, h, more = {}) {
  const heads = Array.from({ length: layers * h }, (_, at) => [Math.floor(at / h) + 1, (at % h) + 1]);
  const root = new StandIn("div");
  const scale = /** @type {const} */ ([[0, "#000000"], [1, "#ffffff"]]); // prettier-ignore
  const place = /** @type {HTMLElement} */ (/** @type {unknown} */ (root));
  const maps = new SmallMaps(place, /** @type {never} */ (scale), () => {}, (head) => head, "ringed"); // prettier-ignore
  told.length = 0;
  Object.assign(root.children[0].style, {
    setProperty: (/** @type {string[]} */ ...given) => told.push(given),
  });
  const model = {
    heads, layers, labels: heads.map(() => ""), order: heads.map((_, at) => at), parts: [], costs: [], values: [], layer: 1,
    head: 1, masked: 255, maps: new Uint8Array(heads.length), sides: Array(layers).fill([1, 1]), lines: [], reads: [],
    ...more,
  }; // prettier-ignore
  for (let times = 0; times < 2; times += 1) maps.show(/** @type {never} */ (model));
  return root.children[0];
}

/** @param {StandIn} root @param {string} kind */
const numbers = (root, kind) => root.querySelectorAll(kind).map((one) => one.textContent);

test("the maps of many heads have the numbers of their layers and heads", () => {
  const root = drawn(24, 14);
  assert.deepEqual(
    numbers(root, ".of-layer"),
    Array.from({ length: 24 }, (_, at) => `${at + 1}`),
  );
  assert.deepEqual(numbers(root, ".of-head"), ["", ...Array.from({ length: 14 }, (_, at) => `${at + 1}`)]);
  const { children } = root;
  const second = children.findIndex((one) => one.dataset.head === "2.1");
  assert.equal(children[second - 1].textContent, "2");
  assert.equal(children[second - 1].classList.contains("of-layer"), true);
});

test("few heads, and heads in another order, are named one by one", () => {
  assert.deepEqual(numbers(drawn(2, 4), ".small-map-number"), []);
  const sorted = drawn(5, 8, {
    order: Array.from({ length: 40 }, (_, at) => 39 - at),
  });
  assert.deepEqual(numbers(sorted, ".small-map-number"), []);
  assert.equal(sorted.classList.contains("is-numbered"), false);
  assert.equal(sorted.querySelectorAll(".small-map-name")[0].textContent, "5.8");
});

test("what a ring is stands below the maps that have one", () => {
  const labels = Array.from({ length: 40 }, (_, at) => (at === 7 ? "local 0.52" : ""));
  assert.deepEqual(numbers(drawn(5, 8, { labels }), ".small-maps-ringed"), ["ringed"]);
  assert.deepEqual(numbers(drawn(5, 8), ".small-maps-ringed"), []);
});

test("styles hear of the size of the place, and of lines only when they change", () => {
  drawn(24, 14);
  watched.resized([{ contentRect: { width: 280, height: 310.5 } }]);
  assert.deepEqual(told, [
    ["--across", "14"],
    ["--lines", "24"],
    ["--wide", "280px"],
    ["--tall", "310.5px"],
  ]);
});
