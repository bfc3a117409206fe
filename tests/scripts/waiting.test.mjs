/** Order of waiting work: the latest wish, the newest answer, the next try. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { backOff } from "../../assets/js/server/backoff.js";
import { latest } from "../../assets/js/server/latest.js";
import { Loader } from "../../assets/js/pages/map/loader.js";
import { Recent } from "../../assets/js/pages/map/recent.js";
import { SweepStream } from "../../assets/js/pages/why/sweep_stream.js";
import { only } from "../../assets/js/server/wire.js";

/** Let all ready work finish. */
const settled = () => new Promise((resolve) => setImmediate(() => resolve(null)));

test("a server that fails is asked ever more seldom, at most every six seconds", (t) => {
  const random = t.mock.method(Math, "random", () => 0);
  assert.deepEqual([0, 1, 3, 4, 9].map(backOff), [125, 250, 1000, 2000, 2000]);
  random.mock.mockImplementation(() => 1);
  assert.deepEqual([0, 1, 3, 4, 9].map(backOff), [375, 750, 3000, 6000, 6000]);
});

test("of the wishes that wait only the latest is fulfilled", async () => {
  /** @type {string[]} */
  const begun = [];
  /** @type {(() => void)[]} */
  const ends = [];
  const wish = latest((/** @type {string} */ name) => {
    begun.push(name);
    return new Promise((resolve) => ends.push(resolve));
  });
  const all = [wish("a"), wish("b"), wish("c")];
  assert.deepEqual(begun, ["a"]);
  ends[0]();
  await settled();
  assert.deepEqual(begun, ["a", "c"]);
  ends[1]();
  await Promise.all(all);
  void wish("d");
  assert.deepEqual(begun, ["a", "c", "d"]);
});

test("what was used last is kept", () => {
  const held = new Recent(3);
  for (const name of ["a", "b", "c"]) held.set(name, name);
  held.get("a");
  held.has("b"); // to ask whether it is there is no use
  held.set("d", "d");
  assert.deepEqual([held.values(), held.has("b"), held.get("b")], [["c", "a", "d"], false, undefined]);
});

/** Return one part of a sweep, with its name for a summary. @param {{name: string, done?: boolean}} told */
function part({ name, done = false }) {
  const header = { part: "figures", drawings: {}, tables: {}, summaries: { sweep: name }, insight: null, done };
  const text = new TextEncoder().encode(JSON.stringify({ bytes: 0, ...header }));
  return new Uint8Array([...new Uint8Array(new Uint32Array([text.length]).buffer), ...text]);
}

/** Return a sweep whose streams a test feeds by hand. */
function sweep() {
  /** @type {ReadableStreamDefaultController<Uint8Array>[]} */
  const sent = [];
  /** @type {string[]} */
  const told = [];
  const page = {
    figures: { known: new Map() },
    updates: { body: (/** @type {string} */ asked, more = {}) => ({ asked, ...more }) },
    server: {
      ask: async () => new Response(new ReadableStream({ start: (controller) => void sent.push(controller) })),
    },
  };
  const stream = new SweepStream(
    /** @type {ConstructorParameters<typeof SweepStream>[0]} */ (/** @type {unknown} */ (page)),
    {
      took: async (part) => void told.push(`took ${only(part, "figures").header.summaries.sweep}`),
      busy: (busy) => {
        if (!busy) told.push("at rest"); // a slow machine may first report busy
      },
      failed: (problem) => void told.push(String(problem)),
    },
  );
  return { stream, sent, told };
}

test("a newer sweep silences the older one", async () => {
  const { stream, sent, told } = sweep();
  const older = stream.want("n=1", "n=1", {});
  await settled();
  sent[0].enqueue(part({ name: "first of the old" }));
  await settled();
  const newer = stream.want("n=2", "n=2", {});
  await settled();
  sent[0].enqueue(part({ name: "second of the old" }));
  sent[0].close();
  sent[1].enqueue(part({ name: "the new", done: true }));
  sent[1].close();
  await Promise.all([older, newer]);
  assert.deepEqual(told, ["took first of the old", "took the new", "at rest"]);
  assert.equal(stream.done, true);
});

test("a sweep that is under way or there is not asked for again", async () => {
  const { stream, sent, told } = sweep();
  const one = stream.want("n=1", "n=1", {});
  await settled();
  await stream.want("n=1", "n=1", {});
  sent[0].enqueue(part({ done: true, name: "all" }));
  sent[0].close();
  await one;
  await stream.want("n=1", "n=1", {});
  assert.equal(sent.length, 1);
  assert.deepEqual(told, ["took all", "at rest"]);
});

test("a sweep that breaks off is a failure, and the same one may be wanted again", async () => {
  const { stream, sent, told } = sweep();
  const one = stream.want("n=1", "n=1", {});
  await settled();
  sent[0].enqueue(part({ name: "half" }));
  sent[0].close();
  await one;
  assert.deepEqual(told, ["took half", "Error: the answer broke off", "at rest"]);
  assert.equal(stream.key, null);
});

test("tiles that have gone out of sight are not asked for", async () => {
  /** @type {import("../../assets/js/pages/map/loader.js").Wish[][]} */
  const asked = [];
  /** @type {number[]} */
  const came = [];
  const loader = new Loader(
    async function* (wishes) {
      asked.push(wishes);
      for (const { address } of wishes) {
        await settled();
        yield address.row;
      }
    },
    (_wish, answer) => came.push(answer),
    () => false,
  );
  const wish = (/** @type {number} */ row) => ({ head: 1, address: { level: 0, row, column: 0 } });
  loader.want([wish(1), wish(2), wish(3)]);
  loader.want([wish(1), wish(5)]);
  for (let i = 0; i < 20; i += 1) await settled();
  assert.deepEqual(came, [1, 5]);
  assert.deepEqual(
    asked.map((wishes) => wishes.map(({ address }) => address.row)),
    [[1, 2, 3], [5]],
  );
});
