/** A run's script alone, with an answer and a server that the test plays, in every order of events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StandIn, Time, keyed, settled, standIn } from "./stand_in.mjs";

standIn();
const time = new Time();
/** @type {string[]} */
const sent = [];
Object.assign(globalThis.navigator, { sendBeacon: (/** @type {string} */ address) => void sent.push(address) });
const { Run } = await import("../../assets/js/page/run.js");

/** Return a run that has begun, a quarter done. */
async function begun() {
  const { window } = standIn(); // which no other run hears
  const root = new StandIn("div");
  /** @type {string[]} */
  const paths = [];
  /** @type {Loose[]} */
  const asked = [];
  /** @type {unknown[]} */
  const heard = [];
  /** @type {string[]} */
  const updates = [];
  /** @type {unknown[]} */
  const ends = [];
  /** @type {ReadableStreamDefaultController<Uint8Array>[]} the newest answer's is the last */
  const answers = [];
  const server = {
    address: (/** @type {string} */ path) => path,
    ask: async () => new Response(new ReadableStream({ start: (controller) => void answers.push(controller) })),
    tell: (/** @type {string} */ path) => {
      paths.push(path);
      return new Promise((resolve, reject) => asked.push({ resolve, reject }));
    },
    alive: async () => true,
  };
  const page = {
    text: keyed,
    ...{ settings: { page: "train" }, figures: { known: new Map() }, state: { present: "" } },
    updates: { body: () => ({}), rules: { enclosed: () => null }, again: async () => void updates.push("n=5") },
    message: { fail: (/** @type {string | null} */ sentence) => heard.push(sentence) },
    server,
  };
  const run = new Run(/** @type {Loose} */ (root), /** @type {Loose} */ (page), {
    pausable: true,
    onPart: ({ header }) => void heard.push(header.part),
    onEnd: (how) => void ends.push(how),
  });
  /** @param {object[]} headers */
  const send = async (...headers) => {
    for (const header of headers) {
      const text = new TextEncoder().encode(JSON.stringify({ bytes: 0, ...header }));
      const length = new Uint8Array(new Uint32Array([text.length]).buffer);
      answers.at(-1)?.enqueue(new Uint8Array([...length, ...text]));
    }
    await settled();
  };
  const over = async () => {
    answers.at(-1)?.close();
    await settled();
  };
  /** Answer what the server was told. @param {number | null} status null: it is gone */
  const answer = async (status) => {
    const { resolve, reject } = asked.shift();
    if (status) resolve(new Response(null, { status }));
    else reject(new TypeError("gone"));
    await settled();
  };
  const now = () => [run.state, run.status.textContent, run.hold.textContent, run.hold.hidden];
  void run.start();
  await settled();
  await send({ part: "began", run: "here.one" }, { part: "progress", done: 0.25, seconds_left: 40 });
  return { run, window, paths, heard, updates, ends, answers, send, over, answer, now };
}

const RUNNING = ["running", "run.left 40", "run.pause", false];
const PAUSED = ["paused", "run.paused", "run.resume", false];

test("what comes after a pause moves only the bar", async () => {
  const { run, paths, send, answer, now } = await begun();
  assert.deepEqual(now(), RUNNING);
  run.hold.click();
  await answer(204);
  assert.deepEqual(now(), PAUSED);
  await send({ part: "progress", done: 0.5, seconds_left: 25 });
  assert.deepEqual([...now(), run.bar.value], [...PAUSED, 0.5]);
  run.hold.click();
  await answer(204);
  assert.deepEqual(now(), ["running", "", "run.pause", false]);
  await send({ part: "progress", done: 0.6, seconds_left: 20 });
  assert.deepEqual(now(), ["running", "run.left 20", "run.pause", false]);
  assert.deepEqual(paths, ["runs/here.one/pause", "runs/here.one/resume"]);
});

test("beats reach nobody", async () => {
  const { heard, send, now } = await begun();
  await send({ part: "beat" }, { part: "figures" }, { part: "beat" });
  assert.deepEqual([heard, now()], [[null, "progress", "figures"], RUNNING]);
});

test("a pause that no server understands says so", async () => {
  const { run, paths, send, answer, now } = await begun();
  run.hold.click();
  for (let tries = 0; tries < 4; tries += 1) {
    await answer(404);
    await time.pass(150);
  }
  assert.deepEqual(now(), ["running", "run.unknown", "run.pause", false]);
  await send({ part: "progress", done: 0.5, seconds_left: 25 });
  assert.deepEqual(now(), ["running", "run.left 25 run.unknown", "run.pause", false]);
  run.hold.click();
  await answer(404);
  await time.pass(150);
  await answer(204);
  assert.deepEqual(now(), PAUSED);
  assert.equal(paths.length, 6);
});

test("a pause that no server hears changes nothing", async () => {
  const { run, answer, now } = await begun();
  run.hold.click();
  await answer(null);
  assert.deepEqual(now(), ["running", "run.unanswered", "run.pause", false]);
});

test("a pause of an ended run waits for its parts", async () => {
  const { run, paths, ends, send, over, answer, now } = await begun();
  run.hold.click();
  await answer(200);
  assert.deepEqual([now(), paths.length], [RUNNING, 1]);
  await send({ part: "ended" });
  await over();
  assert.deepEqual(ends, ["ended"]);
});

test("a pause answered after the end changes nothing", async () => {
  const { run, ends, send, over, answer, now } = await begun();
  run.hold.click();
  await send({ part: "ended" });
  await over();
  assert.deepEqual(ends, ["ended"]);
  await answer(204);
  assert.deepEqual(now(), ["ended", "run.ended", "run.pause", true]);
});

for (const [how, breakOff] of /** @type {[string, (out: Loose) => void][]} */ ([
  ["closed", (out) => out.close()],
  ["reset", (out) => out.error(new TypeError("reset"))],
])) {
  test(`an answer that is ${how} too early loses the run`, async () => {
    const { run, heard, updates, ends, answers, now } = await begun();
    breakOff(answers[0]);
    await settled();
    assert.deepEqual(ends, ["lost"]);
    assert.deepEqual(now(), ["lost", "run.lost", "run.pause", true]);
    assert.deepEqual([run.go.textContent, run.go.hidden, run.stop.hidden], ["run.again", false, true]);
    assert.deepEqual(updates, ["n=5"]);
    assert.deepEqual(heard, [null, "progress"]);
  });
}

test("a run ended with a sentence is not lost", async () => {
  const { heard, ends, send, over, now } = await begun();
  await send({ part: "error", message: "too many" });
  await over();
  assert.deepEqual(ends, ["failed"]);
  assert.deepEqual(now(), ["failed", "", "run.pause", true]);
  assert.deepEqual(heard, [null, "progress", "too many"]);
});

test("a tab that closes ends its run once", async () => {
  const { window, send, over } = await begun();
  window.dispatchEvent(new Event("pagehide"));
  assert.deepEqual(sent.splice(0), ["runs/here.one/cancel"]);
  await send({ part: "ended" });
  await over();
  window.dispatchEvent(new Event("pagehide"));
  assert.deepEqual(sent, [], "a run that has ended is nobody's to cancel");
});

test("what a replaced run still sends is not heard", async () => {
  const { run, heard, answers, send, now } = await begun();
  void run.start();
  await settled();
  const newer = answers.splice(1);
  await send({ part: "late" }).catch(() => {}); // its reader may be gone
  answers.push(...newer);
  await send({ part: "began", run: "here.two" }, { part: "progress", done: 0.5, seconds_left: 7 });
  assert.equal(heard.includes("late"), false);
  assert.deepEqual(now(), ["running", "run.left 7", "run.pause", false]);
});

test("who waits for the end hears of it last", async () => {
  const { run, send, over } = await begun();
  /** @type {unknown[]} */
  const seen = [];
  const heardOf = run.over().then(() => seen.push(run.state));
  await send({ part: "progress", done: 0.5, seconds_left: 25 });
  assert.deepEqual(seen, []);
  await send({ part: "ended" });
  await over();
  await Promise.all([heardOf, run.over()]);
  assert.deepEqual(seen, ["ended"]);
});
