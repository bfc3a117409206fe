/** The file of prepared questions: what is written is read, and what is wrong is named. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import * as fc from "./properties.mjs";
import { LARGEST, endsOf, points } from "../../assets/js/room/ends.js";
import { read, written } from "../../assets/js/room/prepared_file.js";

const read_json = (/** @type {string} */ path) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url).href), "utf8"));
/** @type {import("../../assets/js/lesson/links.js").Declared} */
const DECLARED = read_json("./declared.json");
/** @type {Record<string, string>} */
const ENGLISH = read_json("../../assets/locales/en.json");

const lines = (/** @type {number} */ most) =>
  fc
    .string({ unit: fc.constantFrom(..."ab√d 가?"), minLength: 1, maxLength: most })
    .filter((text) => text.trim() === text);
const common = {
  text: lines(60),
  because: fc.option(
    lines(40).map((en) => ({ en })),
    { nil: undefined },
  ),
};
const shown = fc.constantFrom(
  {},
  { holds: true, figure: "entropy" },
  { holds: true, link: "d_k=512&scaling=none", figure: "entropy" },
);
/** Two ends of an axis that may stand there, or none. */
const ends = fc.option(
  fc
    .tuple(fc.double({ min: -LARGEST, max: LARGEST }), fc.double({ min: -LARGEST, max: LARGEST }))
    .map(([from, to]) => /** @type {import("../../assets/js/room/ends.js").Ends} */ ([from + 0, to + 0])) // no -0
    .filter(([from, to]) => endsOf(from, to).fault === undefined),
);
const question = fc.oneof(
  fc
    .tuple(fc.record({ ...common, answers: fc.array(lines(20), { minLength: 2, maxLength: 6 }) }), fc.nat(9), shown)
    .map(([one, right, state]) => ({
      kind: "choice",
      ...one,
      ...(right < one.answers.length ? { right } : {}),
      ...state,
    })),
  fc
    .tuple(fc.record({ ...common, x_label: lines(20), y_label: lines(20) }), shown, ends, ends)
    .map(([one, state, across, up]) => ({ kind: "curve", ...points(across, up), ...one, ...state })),
);

test("what is written is read again", () => {
  fc.assert(
    fc.property(fc.array(question, { minLength: 1, maxLength: 5 }), (questions) => {
      const all = /** @type {import("../../assets/js/room/prepared_file.js").Prepared[]} */ (
        questions.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)))
      );
      const found = read(written(all), DECLARED);
      assert.deepEqual(found.problem, null);
      assert.deepEqual(found.questions, all);
    }),
  );
});

const CHOICE = { text: "Why?", answers: [{ text: "a" }, { text: "b", right: true }] };

test("what is wrong is named, with the question counted from 1", () => {
  for (const [one, key, of = undefined] of /** @type {[unknown, string, string?][]} */ ([
    [null, "text"],
    [{ ...CHOICE, text: "" }, "text"],
    [{ ...CHOICE, text: "x".repeat(501) }, "text"],
    [{ ...CHOICE, answers: [{ text: "a" }] }, "answers"],
    [{ ...CHOICE, answers: [{ text: "a" }, { text: " " }] }, "answer"],
    [
      {
        ...CHOICE,
        answers: [
          { text: "a", right: true },
          { text: "b", right: true },
        ],
      },
      "right",
    ],
    [{ ...CHOICE, answers: [{ text: "a", right: 1 }, { text: "b" }] }, "right"],
    [{ ...CHOICE, curve: {} }, "kind"],
    [{ text: "Why?" }, "kind"],
    [{ text: "Why?", curve: { z: 1 } }, "kind"],
    [{ text: "Why?", curve: { x_label: 1 } }, "label"],
    [{ text: "Why?", curve: { x_from: 1 } }, "ends", "one"],
    [{ text: "Why?", curve: { y_to: 1 } }, "ends", "one"],
    [{ text: "Why?", curve: { x_from: "1", x_to: 2 } }, "ends", "number"],
    [{ text: "Why?", curve: { x_from: 1, x_to: null } }, "ends", "number"],
    [{ text: "Why?", curve: { y_from: 2, y_to: 2 } }, "ends", "order"],
    [{ text: "Why?", curve: { y_from: -1.1e30, y_to: 2 } }, "ends", "large"],
    [{ text: "Why?", curve: { y_from: 1, y_to: 1.000000000001 } }, "ends", "close"],
    [{ ...CHOICE, because: { fr: "parce que" } }, "because"],
    [{ ...CHOICE, because: "so" }, "because"],
    [{ ...CHOICE, hint: "no" }, "unknown"],
    [{ ...CHOICE, figure: "Entropy" }, "figure"],
    [{ ...CHOICE, link: 7 }, "link"],
    [{ ...CHOICE, link: "" }, "link"],
    [{ ...CHOICE, link: "page=nowhere" }, "at", "page"],
    [{ ...CHOICE, link: "d_k=banana" }, "at", "value_whole"],
    [{ ...CHOICE, link: "page=why", figure: "entropy" }, "shows"],
  ])) {
    const { questions, problem } = read(JSON.stringify({ format: 1, questions: [CHOICE, one] }), DECLARED);
    assert.equal(questions, null, JSON.stringify(one));
    assert.equal(problem?.key, `room.prepared.wrong.${key}`, JSON.stringify(one));
    assert.equal(problem?.fields.n, 2);
    assert.equal((problem?.link ?? problem?.ends)?.key, of, JSON.stringify(one));
    assert.ok(ENGLISH[problem?.key ?? ""]);
    if (of) assert.ok(ENGLISH[`${problem?.ends ? "room.ends" : "lesson.file"}.${of}`]);
  }
});

test("what is no file of questions is named", () => {
  for (const [text, key] of [
    ["{", "json"],
    ["[]", "format"],
    [JSON.stringify({ format: 2, questions: [CHOICE] }), "format"],
    [JSON.stringify({ format: 1, questions: [] }), "many"],
    [JSON.stringify({ format: 1, questions: Array(101).fill(CHOICE) }), "many"],
    [" ".repeat(200_001), "long"],
  ]) {
    assert.equal(read(text, DECLARED).problem?.key, `room.prepared.wrong.${key}`);
  }
});

test("a whole address is as good as its link", () => {
  const link = "https://example.org/space/explore?d_k=512&room=ABCDEF&lang=ko";
  const { questions } = read(JSON.stringify({ format: 1, questions: [{ ...CHOICE, link }] }), DECLARED);
  assert.equal(questions?.[0].link, "d_k=512&page=explore");
});

test("each text of a file may be as long as a room takes it, and no longer", () => {
  const long = (/** @type {number} */ many) => "a".repeat(many);
  const key = (/** @type {Record<string, unknown>} */ change) =>
    read(JSON.stringify({ format: 1, questions: [{ ...CHOICE, ...change }] }), DECLARED).problem?.key;
  const labelled = (/** @type {number} */ many) => ({ answers: undefined, curve: { x_label: long(many) } });
  for (const [most, of, name] of /** @type {[number, (many: number) => Record<string, unknown>, string][]} */ ([
    [500, (many) => ({ text: long(many) }), "text"],
    [120, (many) => ({ answers: [{ text: long(many) }, { text: "b" }] }), "answer"],
    [60, labelled, "label"],
    [600, (many) => ({ because: { ko: long(many) } }), "because"],
    [60, (many) => ({ figure: long(many) }), "figure"],
    [4000, (many) => ({ link: `text=${long(many - 5)}` }), "link"],
  ])) {
    assert.equal(key(of(most)), undefined, name);
    assert.equal(key(of(most + 1)), `room.prepared.wrong.${name}`);
  }
  const answers = (/** @type {number} */ many) => ({ answers: Array.from({ length: many }, () => ({ text: "a" })) });
  assert.deepEqual(
    [1, 2, 6, 7].map((many) => key(answers(many))),
    ["room.prepared.wrong.answers", undefined, undefined, "room.prepared.wrong.answers"],
  );
  const many = (/** @type {number} */ count) =>
    read(JSON.stringify({ format: 1, questions: Array(count).fill(CHOICE) }), DECLARED).problem?.fields;
  assert.deepEqual([0, 100, 101].map(many), [{ most: 100 }, undefined, { most: 100 }]);
  assert.equal(read(" ".repeat(200_001), DECLARED).problem?.key, "room.prepared.wrong.long");
  assert.equal(read(" ".repeat(200_000), DECLARED).problem?.key, "room.prepared.wrong.json");
});
