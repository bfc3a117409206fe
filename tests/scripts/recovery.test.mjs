/** What pages do when a server fails, is slow or answers late, with a server that the test plays. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StandIn, Time, keyed, settled, standIn } from "./stand_in.mjs";

const { document } = standIn();
Object.assign(document, { baseURI: "http://page/" });
const { Questions } = await import("../../assets/js/pages/map/questions.js");
const { Selection } = await import("../../assets/js/pages/map/selection.js");
const { whenBack } = await import("../../assets/js/page/comeback.js");
const { uploadBox } = await import("../../assets/js/page/upload.js");
const { Pulse } = await import("../../assets/js/server/pulse.js");
const { request } = await import("../../assets/js/server/request.js");
const { Refusal, Server } = await import("../../assets/js/server/server.js");

const MODEL = { tokens: null, weights: { block: () => ({ rows: [2, 3], columns: [1, 2] }) } };
const CELL = { row: 2, column: 1 };

/** Return a selection on a map. @param {object} questions */
const selecting = (questions) => {
  const map = {
    ...{ sight: { model: MODEL, head: 1, view: {} }, computation: { isComputing: false }, asking: { waits: false } },
    questions,
  };
  const page = { text: (/** @type {string} */ key) => key };
  return new Selection(page, /** @type {Loose} */ (map), () => {});
};

test("a cell without weights can be clicked again", async () => {
  const weights = { average: new Float32Array(16).fill(0.25) };
  const tile = { extent: { left: 0, top: 0 }, rows: 4, columns: 4, weights };
  /** @type {object[] | null} */
  let answers = null;
  const selection = selecting({ singles: async () => answers });
  await selection.click(CELL);
  await selection.choosing;
  assert.deepEqual([selection.marked, selection.status.textContent], [null, "map.nothing_chosen"]);
  answers = [tile];
  await selection.click(CELL);
  await selection.choosing;
  assert.deepEqual(selection.chosen, { row: 2, column: 1, weight: 0.25, largest: true });
  assert.equal(selection.status.textContent, "map.chosen");
});

test("a cell chosen while the run goes on is promised", async () => {
  const selection = selecting({ waits: true, singles: async () => null });
  const click = selection.click(CELL);
  assert.equal(selection.status.textContent, "map.chosen_soon");
  await click;
  await selection.choosing;
  assert.equal(selection.status.textContent, "map.nothing_chosen");
});

for (const meanwhile of ["nothing", "another map", "another cell"]) {
  test(`a cell asked for after its run, meanwhile ${meanwhile}`, async () => {
    /** @type {unknown[]} */
    const taken = [];
    const weights = {
      tile: () => taken.at(-1),
      take: (/** @type {number} */ _, /** @type {unknown} */ __, /** @type {unknown} */ came) => taken.push(came),
    };
    const model = { ready: false, id: "one", weights };
    const ended = Promise.withResolvers();
    const run = { running: true, over: () => ended.promise };
    /** @type {Loose} */
    const computation = { model, run };
    const questions = new Questions(/** @type {Loose} */ ({}), computation, () => {});
    let asked = 0;
    questions.tiles = /** @type {Loose} */ (
      async function* () {
        asked += 1;
        yield "weights";
      }
    );
    const tiles = questions.singles(1, [{ level: 0, row: 0, column: 0 }], () => meanwhile !== "another cell");
    assert.equal(asked, 0, "the server still counts its run");
    if (meanwhile === "another map") computation.model = { ready: true };
    [run.running, model.ready] = [false, true];
    ended.resolve(null);
    assert.deepEqual([await tiles, asked], meanwhile === "nothing" ? [["weights"], 1] : [null, 0]);
  });
}

test("a map's questions are asked again unless refused finally", () => {
  /** @type {unknown[]} */
  const sentences = [];
  const message = { fail: (/** @type {string | null} */ sentence) => sentences.push(sentence) };
  const page = { text: keyed, message };
  const computation = { model: null, run: { running: false } };
  const questions = new Questions(/** @type {Loose} */ (page), /** @type {Loose} */ (computation), () => {});
  const problems = [new Error("502"), new Refusal("Busy.", true), new Refusal("No.")];
  assert.deepEqual(
    problems.map((one) => questions.failed(one)),
    [true, true, false],
  );
  assert.deepEqual(sentences, ["map.lost", "Busy.", "No."]);
});

test("who waits for a lost server spreads its delays", async (t) => {
  const time = new Time();
  const draws = [0, 0.999, 0.25, 0.5];
  t.mock.method(Math, "random", () => draws.shift());
  /** @type {number[]} */
  const tried = [];
  whenBack(
    /** @type {Loose} */ ({ alive: async () => (tried.push(time.now), tried.length > 4) }),
    () => void tried.push(0),
  );
  await time.pass(60_000);
  const pauses = tried.slice(1, 5).map((at, i) => Math.round(at - tried[i]));
  assert.deepEqual(pauses, [250, 1499, 1500, 4000]);
  assert.equal(tried.at(-1), 0, "it is back");
  assert.equal(tried.length, 6, "and nobody asks again");
});

test("of two uploads the newest file is used", async () => {
  const answers = new Map();
  /** @type {string[]} */
  const used = [];
  const root = new StandIn("div");
  const page = {
    text: (/** @type {string} */ key) => key,
    ...{ settings: { uploadLimit: 99, page: "explore" }, state: { values: { lang: "en" } } },
    ...{ message: { fail: () => {} }, updates: { rules: {} } },
    server: {
      send: (/** @type {string} */ _, /** @type {File} */ { name }) =>
        new Promise((resolve) => void answers.set(name, resolve)),
    },
  };
  uploadBox(/** @type {Loose} */ (root), /** @type {Loose} */ (page), (file) =>
    used.push(new TextDecoder().decode(file)),
  );
  const input = /** @type {Loose} */ (root.querySelector("input"));
  /** @param {string} name */
  const give = (name) => {
    input.files = [new File(["?"], name)];
    input.dispatchEvent(new Event("change"));
  };
  /** @param {string} name */
  const answered = async (name) => {
    const file = { hash: name, structure: { file: { $: 0 } }, values: [{ t: "u1", s: [1], at: 0 }] };
    const text = new TextEncoder().encode(JSON.stringify({ part: "upload", message: name, file, bytes: 1 }));
    answers.get(name)(new Response(new Blob([new Uint32Array([text.length]), text, name])));
    for (let turn = 0; turn < 10; turn += 1) await settled(); // a Blob is read by another thread
  };
  give("a");
  give("b");
  await answered("b");
  await answered("a");
  assert.deepEqual(used, ["b"]);
  assert.equal(root.querySelector("#upload-said").textContent, "b");
});

test("a large body has a slow line's time", async (t) => {
  /** @type {number[]} */
  const silences = [];
  t.mock.method(globalThis, "setTimeout", (_, delay) => void silences.push(Number(delay)));
  t.mock.method(globalThis, "fetch", async () => new Response(null, { status: 204 }));
  // 16 MB at 1 Mbit/s take more than two minutes; a server counts as lost after 45 s of silence
  for (const body of [undefined, new Uint8Array(16e6), new Blob([new Uint8Array(16e6)])]) {
    await request(new URL("http://page"), { body }, { patience: 45_000 });
  }
  assert.deepEqual(silences, [45_000, 45_000, 1_045_000, 45_000, 1_045_000, 45_000]);
});

test("a run's pulse begins once its question is sent", (t) => {
  /** @type {number[]} */
  const waits = [];
  t.mock.method(globalThis, "setTimeout", (_, delay) => void waits.push(Number(delay)));
  const pulse = new Pulse(
    async () => true,
    () => {},
    90_000,
  );
  pulse.heard();
  pulse.begin();
  assert.deepEqual(waits, [120_000, 30_000, 120_000]);
});

for (const [
  what,
  payload,
  upload,
  fails,
  answers,
  left,
] of /** @type {[string, object, boolean, boolean, number[], boolean[]][]} */ ([
  ["the same question", { query: "n=4" }, false, false, [1, 2], [false, false]],
  ["another question", { query: "n=5" }, false, false, [2, 3], [true, false, false]],
  ["one more field", { query: "n=4", theme: "dark" }, false, false, [2, 3], [true, false, false]],
  ["a file", { query: "n=4" }, true, false, [2, 3], [true, false, false]],
  ["an early answer that failed", { query: "n=4" }, false, true, [2, 3], [false, false, false]],
])) {
  test(`an early answer is taken once: ${what}`, async (t) => {
    /** @type {AbortSignal[]} */
    const sent = [];
    const fetched = async (/** @type {unknown} */ _, /** @type {Loose} */ { signal }) => {
      sent.push(signal);
      if (fails && sent.length === 1) throw new TypeError("lost");
      return new Response(`${sent.length}`);
    };
    t.mock.method(globalThis, "fetch", /** @type {Loose} */ (fetched));
    const server = new Server("prefix");
    server.ahead("explore", { query: "n=4" });
    const found = [];
    for (let i = 0; i < 2; i += 1) {
      const answer = await server.ask("explore", payload, upload ? new Uint8Array(3) : null);
      found.push(Number(await answer.text()));
    }
    assert.deepEqual([found, sent.map(({ aborted }) => aborted)], [answers, left]);
  });
}

test("leaving the question leaves the request", async (t) => {
  const unanswered = (/** @type {unknown} */ _, /** @type {Loose} */ { signal }) =>
    new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  t.mock.method(globalThis, "fetch", /** @type {Loose} */ (unanswered));
  const server = new Server("prefix");
  server.ahead("explore", {});
  const controller = new AbortController();
  const asking = server.ask("explore", {}, null, { signal: controller.signal });
  controller.abort(new DOMException("", "AbortError"));
  const ended = await asking.then(
    () => "answered",
    ({ name }) => name,
  );
  assert.equal(ended, "AbortError");
});
