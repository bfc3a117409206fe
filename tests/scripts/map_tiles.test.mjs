/** The tiles of a map: which are needed, their requests one at a time, and what is kept. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Loader } from "../../assets/js/pages/map/loader.js";
import { Model } from "../../assets/js/pages/map/model.js";
import { binOf } from "../../assets/js/pages/map/overview.js";
import { covering, levelOf, overviewSuffices } from "../../assets/js/pages/map/tiles.js";
import { settled, Time } from "./stand_in.mjs";

/** @typedef {import("../../assets/js/pages/map/loader.js").Wish} Wish */

const time = new Time();

test("no axis shows more cells than a tile has", () => {
  const levels = { 4: 0, 256: 0, 257: 1, 512: 1, 513: 2, 4096: 4, 16384: 6, 65536: 8 };
  for (const [cells, level] of Object.entries(levels)) {
    assert.equal(levelOf({ across: Number(cells), down: 4 }), level);
    assert.equal(levelOf({ across: 4, down: Number(cells) }), level);
  }
});

test("tiles cover the window from its centre", () => {
  const tiles = covering({ left: 900.5, top: 10, across: 500, down: 500 }, 1);
  assert.deepEqual(tiles[0], { level: 1, row: 1, column: 4 }, "the centre lies at query 260, key 1,150");
  const places = tiles.map(({ row, column }) => `${row} ${column}`).sort();
  assert.deepEqual(places, ["0 3", "0 4", "0 5", "1 3", "1 4", "1 5"]);
  const aligned = covering({ left: 256, top: 512, across: 128, down: 128 }, 0);
  assert.deepEqual(aligned, [{ level: 0, row: 4, column: 2 }]);
});

test("the overview suffices where tiles are no finer", () => {
  const square = (/** @type {number} */ size) => ({ rows: size, columns: size });
  const enough = (/** @type {number} */ across, /** @type {number} */ n, /** @type {number} */ bins) =>
    overviewSuffices({ across, down: across }, square(n), square(bins));
  assert.equal(enough(16384, 16384, 256), true);
  assert.equal(enough(8192, 16384, 256), false);
  assert.equal(enough(1000, 1000, 250), true);
  assert.equal(enough(512, 1000, 250), false);
  assert.equal(enough(4, 200, 200), true, "single cells are already there");
});

const wish = (/** @type {number} */ column) => ({ head: 1, address: { level: 0, row: 0, column } });

/** A loader whose tiles are answered by hand, one after the other. */
function loading() {
  /** @type {number[][]} */
  const asked = [];
  /** @type {number[]} */
  const aborted = [];
  /** @type {number[]} */
  const took = [];
  /** @type {{answer: () => void}} */
  const open = { answer: () => {} };
  /** @param {Wish[]} wishes @param {AbortSignal} signal */
  async function* ask(wishes, signal) {
    const columns = wishes.map(({ address }) => address.column);
    asked.push(columns);
    for (const column of columns) {
      yield await new Promise((resolve, reject) => {
        let waits = true;
        open.answer = () => {
          waits = false;
          resolve(null);
        };
        signal.addEventListener("abort", () => {
          if (waits) aborted.push(column);
          reject(new Error("aborted"));
        });
      });
    }
  }
  const loader = new Loader(
    ask,
    ({ address }) => void took.push(address.column),
    () => false,
  );
  /** @param {number[]} inSight @param {number[]} [ahead] */
  const want = (inSight, ahead = []) => loader.want(inSight.map(wish), ahead.map(wish));
  const answered = async (times = 1) => {
    for (; times; times -= 1) {
      open.answer();
      await settled();
    }
  };
  return { asked, aborted, took, want, answered, open };
}

test("tiles are fetched in one request at a time", async () => {
  const { asked, took, want, answered } = loading();
  want([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await answered(10);
  assert.deepEqual(asked, [
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
    [9, 10],
  ]);
  assert.deepEqual(took, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a tile under way is waited for, others asked anew", async () => {
  const { asked, aborted, took, want, answered } = loading();
  want([0, 1, 2, 3]);
  await answered();
  want([1, 8]);
  assert.deepEqual(aborted, []);
  await answered(3);
  assert.deepEqual(asked, [[0, 1, 2, 3], [8]]);
  assert.deepEqual(took, [0, 1, 8]);
});

test("a window chosen before an answer ends is fetched", async () => {
  /** @type {number[]} */
  const asked = [];
  /** @type {number[]} */
  const took = [];
  /** @type {Loader<number>} */
  const loader = new Loader(
    async function* (wishes) {
      asked.push(wishes.length);
      for (const { address } of wishes) yield address.column;
      if (asked.length === 1) loader.want([7, 8].map(wish)); // all tiles are there, the answer has not ended
    },
    (_, answer) => void took.push(answer),
    () => false,
  );
  loader.want([wish(3)]);
  await settled();
  assert.deepEqual(
    [asked, took],
    [
      [1, 2],
      [3, 7, 8],
    ],
  );
});

test("what may come next follows what is in sight", async () => {
  const { asked, aborted, took, want, answered } = loading();
  want([0, 1], [20, 21, 22]);
  assert.deepEqual(asked, [[0, 1]]);
  await answered(3); // 20, and 21 is under way
  assert.deepEqual(asked, [
    [0, 1],
    [20, 21, 22],
  ]);
  want([5], [21, 22]);
  assert.deepEqual(aborted, [21], "what is in sight does not wait for what is not");
  await answered();
  assert.deepEqual(asked.slice(2), [[5], [21, 22]]);
  assert.deepEqual(took, [0, 1, 20, 5]);
});

test("a busy server is asked for nothing ahead", async () => {
  const { asked, want, answered } = loading();
  want([0], [20]);
  time.now += 2500;
  await answered();
  assert.deepEqual(asked, [[0]]);
  want([1], [20]);
  time.now += 100;
  await answered();
  assert.deepEqual(asked, [[0], [1], [20]]);
});

test("a tile out of sight is given up", async () => {
  const { asked, aborted, took, want, answered, open } = loading();
  want([0, 1]);
  await settled();
  const late = open.answer;
  want([5]);
  assert.deepEqual(aborted, [0]);
  late();
  await settled();
  await answered();
  assert.deepEqual(asked, [[0, 1], [5]]);
  assert.deepEqual(took, [5]);
});

test("a lost tile is asked for again", async () => {
  let failures = 0;
  /** @type {number[]} */
  const asked = [];
  /** @type {number[]} */
  const took = [];
  const loader = new Loader(
    async function* (wishes) {
      asked.push(wishes.length);
      for (const { address } of wishes) {
        if (address.column === 6 && failures < 2) throw new Error("lost");
        yield address.column;
      }
    },
    (_, answer) => void took.push(answer),
    () => ((failures += 1), true),
  );
  loader.want([5, 6, 7].map(wish));
  await time.pass(10_000);
  assert.deepEqual([failures, took, asked], [2, [5, 6, 7], [3, 2, 2]]);
});

/** Return what is known of a map of one head. @param {number} n @param {number[]} edges of its bins */
function known(n, edges) {
  const bins = edges.length - 1;
  const sizes = { n_q: n, n_k: n, bins_q: bins, bins_k: bins, row_edges: edges, column_edges: edges };
  const header = { id: "x", heads: 1, ...sizes, cut: [] };
  return new Model(header, /** @type {Loose} */ ({ look: { strips: [] }, ceiling: [] })).weights;
}

test("tiles ahead are the next level's around the pointer", () => {
  const weights = known(
    16384,
    Array.from({ length: 257 }, (_, i) => i * 64),
  );
  /** @param {import("../../assets/js/pages/map/view.js").View} view @param {number} x @param {number} y */
  const ahead = (view, x, y) =>
    weights
      .ahead(view, { x, y })
      .map(({ level, row, column }) => [level, row, column].join(" "))
      .sort();
  const whole = { left: 0, top: 0, across: 16384, down: 16384 };
  // half the map, its lower left corner kept in place: keys 0 … 8191, queries 8192 … 16383, in tiles of 128 × 2⁵
  assert.deepEqual(ahead(whole, 0, 1), ["5 2 0", "5 2 1", "5 3 0", "5 3 1"]);
  const near = { left: 1000, top: 2000, across: 400, down: 400 };
  // level 0 shows 256 tokens, here 1072 … 1327 and 2072 … 2327
  const nine = [16, 17, 18].flatMap((row) => [8, 9, 10].map((column) => `0 ${row} ${column}`));
  assert.deepEqual(ahead(near, 0.5, 0.5), nine.sort());
  assert.deepEqual(ahead({ ...near, across: 200, down: 200 }, 0.5, 0.5), [], "single cells have no finer level");
});

test("a pixel's queries and keys are those of its bin", () => {
  const edges = [0, 334, 668, 999];
  assert.deepEqual(
    [332, 333, 998].map((position) => binOf(edges, position)),
    [0, 0, 2],
    "bins of an overview are not all equally wide",
  );
  const weights = known(999, edges);
  const [mean, maximum] = [1, 10].map((step) => Float32Array.from({ length: 9 }, (_, i) => step * (i + 1)));
  weights.overview.take({ first: 0, last: 3, mean, maximum });
  const coarse = weights.block(1, { left: 0, top: 0, across: 999, down: 999 }, { row: 668, column: 667 });
  assert.deepEqual(coarse, { rows: [668, 999], columns: [334, 668], average: 8, maximum: 80 });
  const cells = Object.assign(new Float32Array(116 * 116).fill(0.5), {
    shape: /** @type {[number, number]} */ ([116, 116]),
  });
  weights.take(1, { level: 1, row: 3, column: 3 }, { mean: cells, maximum: null });
  const { exact } = weights.layers(1, { left: 899, top: 899, across: 100, down: 100 });
  assert.equal(exact, false, "a coarser tile is no exact picture");
  const wide = { left: 499, across: 500, top: 499, down: 500 };
  const last = weights.block(1, wide, { row: 998, column: 770 });
  // the last cells of a tile reach over the end
  assert.deepEqual(last, { rows: [998, 999], columns: [770, 772], average: 0.5, maximum: 0.5 });
});
