/** Transmitted data: parts of an answer, values, tables, links. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { differing, query, tied } from "../../assets/js/link/values.js";
import { csv } from "../../assets/js/files/csv.js";
import { linked, subject } from "../../assets/js/pages/map/link.js";
import { figureIn, onlyPart } from "../../assets/js/page/only_part.js";
import { packed, refusalOf, Refusal, isFinal, sentence } from "../../assets/js/server/server.js";
import { decode, only, parts, revive } from "../../assets/js/server/wire.js";

/** Pack a part as the server does. @param {object} header @param {Uint8Array} blocks */
function written(header, blocks = new Uint8Array(0)) {
  const text = new TextEncoder().encode(JSON.stringify({ bytes: blocks.length, ...header }));
  return new Uint8Array([...new Uint8Array(new Uint32Array([text.length]).buffer), ...text, ...blocks]);
}

/** Return a stream that brings `step` bytes at a time. @param {Uint8Array} bytes @param {number} step */
function stream(bytes, step) {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += step) controller.enqueue(bytes.subarray(at, at + step));
      controller.close();
    },
  });
}

/** Return the parts of a stream. @param {ReadableStream<Uint8Array> | null} bytes */
async function allOf(bytes) {
  const found = [];
  for await (const part of parts(bytes)) found.push(part);
  return found;
}

test("parts come whole, however the bytes are cut", async () => {
  const all = new Uint8Array([
    ...written({ part: "first" }, new Uint8Array([3, 1, 4])),
    ...written({ part: "beat" }),
    ...written({ part: "second", word: "√d" }),
  ]);
  for (const step of [1, 7, all.length]) {
    const found = await allOf(stream(all, step));
    assert.deepEqual(
      found.map(({ header, blocks }) => [header.part, Reflect.get(header, "word"), ...new Uint8Array(blocks)]),
      [
        ["first", undefined, 3, 1, 4],
        ["second", "√d"],
      ],
      "a beat reaches nobody",
    );
  }
});

test("who stops early, or cannot read a part, ends the answer", async () => {
  /** @type {string[]} */
  const ended = [];
  /** @param {string} name @param {Uint8Array} bytes */
  const endless = (name, bytes) =>
    new ReadableStream({ start: (controller) => controller.enqueue(bytes), cancel: () => void ended.push(name) });
  for await (const part of parts(endless("stopped", written({ part: "first" })))) {
    assert.equal(part.header.part, "first");
    break;
  }
  await assert.rejects(allOf(endless("unreadable", new Uint8Array([1, 0, 0, 0, 63]))), /JSON/);
  assert.deepEqual(ended, ["stopped", "unreadable"]);
});

test("an answer that ends inside a part is an error", async () => {
  const all = written({ part: "first" }, new Uint8Array([3, 1, 4]));
  for (const kept of [2, 9, all.length - 1]) {
    await assert.rejects(allOf(stream(all.subarray(0, kept), 4)), /broke off/);
  }
  await assert.rejects(allOf(null), /broke off/);
});

test("a part of another kind than expected is an error", () => {
  /** @type {import("../../assets/types/wire.js").Part} */
  const part = { header: { part: "began", run: "r" }, blocks: new ArrayBuffer(0) };
  assert.equal(only(part, "began").header.run, "r");
  assert.throws(() => only(part, "figures"), /began/);
});

/** Return a page that has opened "n=7" with an enclosed file, and what it asks. @param {Uint8Array} answer */
function asking(answer) {
  /** @type {unknown[]} */
  const asked = [];
  const page = {
    state: { present: "n=7" },
    updates: {
      route: "page/map",
      body: (/** @type {string} */ query, more = {}) => ({ query, ...more }),
      rules: { enclosed: () => new Uint8Array([5]) },
    },
    server: {
      /** @param {unknown[]} all */
      ask: async (...all) => {
        asked.push(all);
        return new Response(stream(answer, 3));
      },
    },
  };
  return { page: /** @type {Parameters<typeof onlyPart>[0]} */ (/** @type {unknown} */ (page)), asked };
}

test("a question below a page's route brings the state on screen, its file, and one part", async () => {
  const { page, asked } = asking(
    new Uint8Array([...written({ part: "beat" }), ...written({ part: "verdict", right: true })]),
  );
  const { signal } = new AbortController();
  const { header } = await onlyPart(page, "reveal", { prediction: { answer: "1" } }, signal);
  assert.deepEqual([header.part, Reflect.get(header, "right")], ["verdict", true]);
  assert.deepEqual(asked, [
    ["page/map/reveal", { query: "n=7", prediction: { answer: "1" } }, new Uint8Array([5]), { signal }],
  ]);
});

test("a refused question throws the server's sentence, an empty answer that it broke off", async () => {
  const refused = asking(written({ part: "error", message: "No map.", retry: 0 }));
  const problem = await onlyPart(refused.page, "figure").catch((one) => one);
  assert.deepEqual([isFinal(problem), problem.message], [true, "No map."]);
  await assert.rejects(onlyPart(asking(new Uint8Array(0)).page, "figure"), /the answer broke off/);
});

test("a figure for a file holds plain arrays; another part is no figure", () => {
  const cells = { t: "f4", s: [2], at: 0 };
  const structure = { data: [{ z: { $: 0 } }], layout: { xaxis: { range: { $: 0 } }, height: 70 } };
  const header = { part: "figure", values: { hash: "h", values: [cells], structure } };
  const { buffer } = new Float32Array([0.5, 4]);
  const of = (/** @type {object} */ head) =>
    /** @type {import("../../assets/types/wire.js").Part} */ (
      /** @type {unknown} */ ({ header: head, blocks: buffer })
    );
  assert.deepEqual(figureIn(of(header), new Map()), {
    data: [{ z: [0.5, 4] }],
    layout: { xaxis: { range: [0.5, 4] }, height: 70 },
  });
  assert.throws(() => figureIn(of({ part: "verdict" }), new Map()), /verdict/);
});

test("values are numbers, texts and arrays with their shape", () => {
  const { buffer } = new Float32Array([7, 1, 2, 3, 4, 5, 6]);
  const array = /** @type {Float32Array & {shape: number[]}} */ (decode({ t: "f4", s: [2, 3], at: 4 }, buffer));
  assert.deepEqual([...array], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(array.shape, [2, 3]);
  assert.equal(decode("√", buffer), "√");
  assert.deepEqual(decode(["a", "b"], buffer), ["a", "b"]);
});

test("a structure travels once", () => {
  const known = new Map();
  const first = { hash: "h", structure: { x: [{ $: 1 }, "kept"], y: { $: 0 } }, values: [5, 6] };
  assert.deepEqual(revive(first, new ArrayBuffer(0), known), { x: [6, "kept"], y: 5 });
  assert.deepEqual(revive({ hash: "h", values: [1, null] }, new ArrayBuffer(0), known), { x: [null, "kept"], y: 1 });
});

test("a question is its length, its words and the file", () => {
  const body = packed({ query: "n=3" }, new Uint8Array([9, 8]));
  const length = new DataView(body.buffer).getUint32(0, true);
  assert.equal(new TextDecoder().decode(body.subarray(4, 4 + length)), '{"query":"n=3"}');
  assert.deepEqual([...body.subarray(4 + length)], [9, 8]);
});

test("a refusal for now is no final one", () => {
  const text = (/** @type {string} */ key) => `<${key}>`;
  const [busy, final] = [refusalOf({ message: "full", retry: 2 }), refusalOf({ message: "too long" })];
  assert.deepEqual([busy, final, new Error("")].map(isFinal), [false, true, false]);
  assert.equal(sentence(busy, text), "<live.busy>");
  assert.equal(sentence(final, text), "too long");
  assert.equal(sentence(new TypeError("fetch"), text), "<live.unanswered>");
  assert.equal(sentence(Object.assign(new Refusal("gone"), { shown: true }), text), null);
});

test("d_k follows d_model / h until it is moved by hand", () => {
  const values = { lang: "en", d_model: 512, h: 3, d_k: 64, tie: true };
  assert.equal(tied(values, "h").d_k, 170);
  assert.equal(tied({ ...values, d_k: 100 }, "d_k").tie, false);
  assert.equal(tied({ ...values, d_k: 170, tie: false }, "d_k").tie, true);
  assert.equal(tied({ ...values, tie: false }, "h").d_k, 64);
});

test("a link names what there is", () => {
  assert.equal(query({ n: 4, row: null, text: "a b&c", lang: undefined }), "n=4&text=a+b%26c");
});

test("two links differ in values, also in those that follow or are defaults", () => {
  const defaults = {
    lang: "en",
    n: 32,
    d_model: 512,
    h: 8,
    d_k: 64,
    tie: true,
    mask: "none",
    stage: "weights",
    pin: "",
  };
  assert.deepEqual(differing("n=4&mask=causal&lang=ko", "n=4&h=2&pin=x&stage=scores", defaults), [
    ["h", "8", "2"],
    ["d_k", "64", "256"],
    ["mask", "causal", "none"],
  ]);
  assert.deepEqual(differing("d_k=512", "d_k=512&mask=causal", defaults), [["mask", "none", "causal"]]);
  assert.deepEqual(differing("?", "lang=ko", defaults), []);
});

test("a moved window is written into the link where the server would", () => {
  const defaults = { n: 32, left: 0, top: 0, across: 0, head: 1, seed: 0, row: null };
  const values = { ...defaults, left: 2.5, head: 3 };
  assert.equal(linked("n=64&seed=7&left=1&top=9", values, defaults), "n=64&left=2.5&head=3&seed=7");
  assert.equal(subject("n=64&left=1&seed=7", ["left", "head"]), "n=64&seed=7");
});

test("tables become CSV that no spreadsheet executes", () => {
  const columns = [
    { label: "key", values: ["=1+1", 'a "b", c', "-x", null] },
    { label: "weight", values: new Float64Array([0.5, -0.25, 3, 1e-9]) },
  ];
  const lines = csv([{ caption: "Row 3, head 1", columns }]).split("\r\n");
  assert.deepEqual(lines.slice(0, 5), ['"Row 3, head 1"', "key,weight", "'=1+1,0.5", '"a ""b"", c",-0.25', "'-x,3"]);
  assert.deepEqual(lines.slice(5), [",1e-9", "", ""]);
  const wide = [{ label: "key", values: [..."＝＋－＠＃"].map((sign) => `${sign}1`) }];
  const cells = csv([{ caption: "", columns: wide }])
    .split("\r\n")
    .slice(2, 7);
  assert.deepEqual(cells, ["'＝1", "'＋1", "'－1", "'＠1", "＃1"]);
});
