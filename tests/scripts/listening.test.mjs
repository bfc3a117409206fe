/** What a page does when streams are cut, and when the room answers again. */

import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, { document: Object.assign(new EventTarget(), { hidden: false }), window: new EventTarget() });
// no pause of this test takes its time
const later = globalThis.setTimeout;
globalThis.setTimeout = /** @type {typeof setTimeout} */ (
  /** @type {unknown} */ ((/** @type {() => void} */ then, wait = 0) => later(then, wait > 5_000 ? wait : 0))
);
const { Refused } = await import("../../assets/js/room/line.js");
const { Listening } = await import("../../assets/js/room/listening.js");

const MESSAGE = JSON.stringify({ revision: 7 });
/** @typedef {{status: number, text?: () => Promise<string>, body?: ReadableStream<Uint8Array>}} Answer */

/** Return a stream that has one message and then breaks. */
const broken = () => {
  let pulled = 0;
  return new ReadableStream({
    pull(controller) {
      pulled += 1;
      if (pulled === 1) controller.enqueue(new TextEncoder().encode(`id: 7\ndata: ${MESSAGE}\n\n`));
      else controller.error(new TypeError("network error"));
    },
  });
};

/**
 * Listen until so many requests were sent.
 * @param {number} most @param {(path: string, n: number) => Promise<Answer>} answer
 */
async function listens(most, answer) {
  /** @type {string[]} */
  const asked = [];
  /** @type {string[]} */
  const heard = [];
  /** @type {(() => void)[]} */
  const after = [];
  await new Promise((resolve) => {
    const line = {
      get: (/** @type {string} */ path) => {
        asked.push(path || "question");
        if (asked.length >= most) resolve(null);
        if (asked.length > most) return new Promise(() => {});
        return answer(path, asked.length);
      },
    };
    const note = (/** @type {string} */ what) => () => void heard.push(what);
    const listening = new Listening(
      /** @type {import("../../assets/js/room/line.js").Line} */ (/** @type {unknown} */ (line)),
      { there: note("there"), told: note("told"), over: note("over"), lost: async () => (heard.push("lost"), false) },
      true,
    );
    after.push(() => listening.end());
  });
  for (const end of after) end();
  return { asked, heard };
}

test("where every stream is cut the page asks, and asks on", async () => {
  const { asked } = await listens(30, async (path) =>
    path === "stream" ? { status: 200, body: broken() } : { status: 304 },
  );
  const first = asked.indexOf("question");
  assert.ok(first > 0 && first <= 4, `asked first after ${first} streams`);
  assert.ok(
    asked.slice(first).every((one) => one === "question"),
    asked.join(" "),
  );
});

test("a page whose questions fail, too, opens a stream again", async () => {
  const { asked } = await listens(12, async (path) => {
    if (path === "stream") return { status: 200, body: broken() };
    throw new TypeError("network error");
  });
  const first = asked.indexOf("question");
  assert.equal(asked[first + 1], "stream");
});

test("the room is there again with the first word, also if it says nothing new", async () => {
  const { heard } = await listens(4, async (_, n) => {
    if (n === 2) throw new TypeError("network error");
    return { status: 200, body: broken() };
  });
  assert.deepEqual(heard.slice(0, 5), ["there", "told", "lost", "lost", "there"]);
});

test("where all places for streams are taken it asks at once, and where the room is only busy it opens a stream again", async () => {
  for (const [retry, next] of /** @type {[number, string][]} */ ([
    [6, "question"],
    [5, "stream"],
  ])) {
    const { asked, heard } = await listens(2, () => Promise.reject(new Refused(503, "Busy", retry, null)));
    assert.deepEqual(asked, ["stream", next]);
    assert.deepEqual(heard.slice(0, 1), next === "stream" ? ["lost"] : []);
  }
});
