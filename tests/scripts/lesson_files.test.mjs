/** Files of lessons: what is refused, with which step; what means the same; and that nothing accepted can throw. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import * as fc from "./properties.mjs";
import { checked } from "../../assets/js/lesson/check.js";
import { isDraft } from "../../assets/js/lesson/draft.js";
import { isShipped, spoken, wordsOf } from "../../assets/js/lesson/lesson.js";
import { plainly } from "../../assets/js/lesson/markdown.js";
import { curve, quantity, within } from "../../assets/js/lesson/quantity.js";
import { pageIn, state } from "../../assets/js/lesson/settled.js";
import { columnFaults } from "../../assets/js/lesson/columns.js";
import { figuresOf } from "../../assets/js/lesson/truth.js";

/** @typedef {import("../../assets/js/lesson/shape.js").Lesson} Lesson */
/** @typedef {import("../../assets/js/lesson/shape.js").Step} Step */
/** @typedef {Record<string, unknown>} Group */

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url).href), "utf8"));
const LESSONS = "../../assets/lessons";
const NAMES = ["first-look", "why-sqrt-d-k", "heads", "words-to-b", "additive-or-dot", "saturation", "after-sqrt-d-k"];
/** @type {Lesson[]} */
const SHIPPED = NAMES.map((name) => read(`${LESSONS}/${name}.json`));
const FORMAT = { schema: read(`${LESSONS}/lesson.schema.json`), declared: read("./declared.json") };
const ENGLISH = read("../../assets/locales/en.json");
/** @param {unknown} lesson */
const check = (lesson) => checked(JSON.stringify(lesson), FORMAT);
/** @param {unknown} lesson @returns {string[]} where and what */
const faults = (lesson) => check(lesson).problems.map(({ step, part, key }) => `${step} ${part} ${key}`);

/** A lesson of one step. @param {Group} step */
const of = (step) => ({ ...SHIPPED[0], steps: [SHIPPED[0].steps[0], { link: "n=9", text: { en: "a" }, ...step }] });
/** @param {Group} question @param {string} [link] */
const asking = (question, link = "n=9") => of({ link, question: { text: { en: "?" }, ...question } });
const TRUTH = { of: { figure: "entropy", column: 8 } };
/** @param {Group[]} ranges */
const ranged = (...ranges) => asking({ answers: ranges.map((one) => ({ text: { en: "a" }, ...one })), truth: TRUTH });
/** @param {Group[]} answers */
const marked = (...answers) => asking({ answers: answers.map((one) => ({ text: { en: "a" }, ...one })) });
/** @param {Group} more */
const drawn = (more) => asking({ curve: { figure: "entropy", x: 1, y: 2, points: [1, 2], low: 0, high: 1, ...more } });

test("every shipped lesson is right", () => {
  for (const [i, lesson] of SHIPPED.entries()) {
    assert.equal(lesson.name, NAMES[i]);
    assert.ok(isShipped(lesson.name));
    assert.deepEqual(check(lesson), { lesson, problems: [] });
    assert.ok(isDraft(lesson));
  }
});

/** @type {[what: string, lesson: unknown, fault: string][]} */
const REFUSED = [
  ["a page that is none", of({ link: "page=nowhere" }), "2 link page"],
  ["no number", of({ link: "d_k=banana" }), "2 link value_whole"],
  ["a number out of range", of({ link: "d_k=100000" }), "2 link value_whole"],
  ["a part of a token", of({ link: "n=9.5" }), "2 link value_whole"],
  ["a choice that is none", of({ link: "scaling=cube" }), "2 link value_choice"],
  ["a setting that is none", of({ link: "dk=512" }), "2 link setting"],
  ["a setting of another page", of({ link: "widths=4" }), "2 link setting"],
  ["a setting that its page does not read", of({ link: "page=why&mask=causal" }), "2 link unread"],
  ["a state to compare with on such a page", of({ link: "page=train&pin=n%3D9" }), "2 link unread"],
  ["a head that is not there", of({ link: "h=2&head=3" }), "2 link value_whole"],
  ["a row that is not there", of({ link: "n=9&row=9" }), "2 link value_whole"],
  ["something else hidden", of({ link: "hide=maks" }), "2 link value_choice"],
  ["a pin that is wrong", of({ link: "pin=d_k%3D0" }), "2 link value_whole"],
  ["half an address", of({ link: "?n=9" }), "2 link form_link"],
  ["a figure that is none", of({ focus: "entropie" }), "2 focus figure"],
  ["a figure of another page", of({ focus: "sweep" }), "2 focus figure"],
  [
    "a claim about such a figure",
    of({ holds: [{ of: { figure: "sweep", column: 1 } }] }),
    "2 holds.1.of.figure figure",
  ],
  ["a question that is none", asking({ prediction: "why_rises" }, "predict=true"), "2 question.prediction prediction"],
  [
    "a question of another page",
    asking({ prediction: "why_falls" }, "predict=true"),
    "2 question.prediction prediction",
  ],
  ["a page that asks nothing", asking({ prediction: "any" }), "2 question.prediction asks_nothing"],
  ["a page that is not told to ask", asking({ prediction: "any" }, "page=why"), "2 question.prediction asks_nothing"],
  [
    "a hidden question",
    asking({ prediction: "any" }, "predict=true&hide=predict"),
    "2 question.prediction asks_nothing",
  ],
  [
    "another question in the link",
    asking({ prediction: "narrow_head" }, "predict=true&question=unscaled_entropy"),
    "2 question.prediction asks_other",
  ],
  [
    "a reveal on another page",
    asking({ prediction: "any", reveal: "page=why" }, "predict=true"),
    "2 question.reveal reveal_page",
  ],
  [
    "a reveal that is wrong",
    asking({ prediction: "any", reveal: "n=x" }, "predict=true"),
    "2 question.reveal value_whole",
  ],
  [
    "a truth of another page",
    asking({ answers: [], truth: { of: { figure: "sweep", column: 1 } } }),
    "2 question.answers few",
  ],
  ["answers without ranges", ranged({}, {}), "2 question.answers.1 range_none"],
  ["a gap", ranged({ below: 1 }, { from: 2 }), "2 question.answers.2 range_gap"],
  ["an overlap", ranged({ below: 2 }, { from: 1 }), "2 question.answers.2 range_overlap"],
  [
    "an overlap to the end",
    ranged({ below: 2 }, { from: 1, below: 2 }, { from: 1 }),
    "2 question.answers.3 range_overlap",
  ],
  ["two to the end", ranged({ below: 1 }, { from: 1 }, { from: 2 }), "2 question.answers.3 range_overlap_high"],
  [
    "an overlap between",
    ranged({ below: 2 }, { from: 1, below: 3 }, { from: 3 }),
    "2 question.answers.2 range_overlap",
  ],
  ["two from the beginning", ranged({ below: 2 }, { below: 1 }, { from: 2 }), "2 question.answers.1 range_overlap_low"],
  ["an empty range", ranged({ below: 1 }, { from: 1, below: 1 }, { from: 1 }), "2 question.answers.2 range_empty"],
  ["nothing below", ranged({ from: 0, below: 1 }, { from: 1 }), "2 question.answers.1 range_low"],
  ["nothing above", ranged({ below: 1 }, { from: 1, below: 2 }), "2 question.answers.2 range_high"],
  ["no right answer", marked({}, {}), "2 question.answers none_right"],
  ["two right answers", marked({ right: true }, { right: true }), "2 question.answers several_right"],
  ["a mark and a range", marked({ right: true }, { from: 2 }), "2 question.answers.2 right_and_range"],
  ["ranges of nothing", marked({ below: 2 }, { from: 2 }), "2 question no_truth"],
  ["no truth in a mark", marked({ right: false }, {}), "2 question.answers.1.right enum"],
  [
    "a mark and a truth",
    asking({
      answers: [
        { text: { en: "a" }, below: 1, right: true },
        { text: { en: "b" }, from: 1 },
      ],
      truth: TRUTH,
    }),
    "2 question.answers.1.right right_and_truth",
  ],
  [
    "before without a reveal",
    asking({
      answers: [
        { text: { en: "a" }, below: 1 },
        { text: { en: "b" }, from: 1 },
      ],
      truth: { ...TRUTH, before: true },
    }),
    "2 question.truth.before before_reveal",
  ],
  ["a curve of another page", drawn({ figure: "sweep" }), "2 question.curve.figure figure"],
  ["falling points", drawn({ points: [2, 1] }), "2 question.curve.points curve_order"],
  ["ends upside down", drawn({ low: 1, high: 0 }), "2 question.curve.high curve_ends"],
  ["zero on a logarithm", drawn({ points: [0, 1], log_x: true }), "2 question.curve.points curve_log"],
];

for (const [what, lesson, fault] of REFUSED) {
  test(`refused: ${what}`, () => {
    assert.ok(faults(lesson).includes(fault), String(faults(lesson)));
    for (const { key } of check(lesson).problems) assert.ok(ENGLISH[`lesson.file.${key}`], key);
  });
}

test("of a setting that its page does not read the sentence names the pages that do", () => {
  const { problems } = check(of({ link: "page=why&mask=causal" }));
  assert.deepEqual(
    problems.map(({ step, fields }) => [step, fields]),
    [[2, { page: "why", name: "mask", choices: "explore, anatomy, map" }]],
  );
});

test("an infinite number is none", () => {
  const text = JSON.stringify(drawn({ high: 12345 })).replace("12345", "1e999");
  assert.deepEqual(
    checked(text, FORMAT).problems.map(({ part, key }) => [part, key]),
    [["question.curve.high", "type_number"]],
  );
});

test("a line is that of the part, or of what should hold it", () => {
  const lines = JSON.stringify(of({ focus: "entropie", link: "d_k=banana" }), null, 2).split("\n");
  const { problems } = checked(lines.join("\n"), FORMAT);
  assert.deepEqual(
    problems.map(({ line, step }) => [/"(\w+)"/.exec(lines[line - 1])?.[1], step]),
    [
      ["link", 2],
      ["focus", 2],
    ],
  );
});

test("of a full address the link is taken, without what belongs to its reader", () => {
  const address = "https://lab.example/headlight/?d_k=512&scaling=none&lang=ko&room=CDFGHJ&present=1#top";
  const { lesson } = check(of({ link: address }));
  assert.equal(lesson?.steps[1].link, "d_k=512&scaling=none");
  assert.equal(check(of({ link: "http://localhost:7860/why?n=16" })).lesson?.steps[1].link, "n=16&page=why");
  assert.equal(check(of({ link: "http://a.example/?page=cost&mask=causal" })).lesson?.steps[1].link, "page=cost");
  assert.deepEqual(faults(of({ link: "https://lab.example/?page=nowhere" })), ["2 link page"]);
});

test("a column is refused where the table on screen has not so many", () => {
  const { question = {} } = /** @type {Step} */ (ranged({ below: 1 }, { from: 1 }).steps[1]);
  assert.deepEqual([...columnFaults(question, () => 8)], []);
  assert.deepEqual([...columnFaults(question, () => null)], []);
  assert.deepEqual(
    [...columnFaults(question, () => 7)],
    [{ path: "question/truth/of/column", key: "column", fields: { figure: "entropy", column: 8, columns: 7 } }],
  );
});

/** Call all that a player computes of a lesson without a page. @param {Lesson} lesson */
function playedPurely(lesson) {
  const table = { caption: "", columns: [1, 2, 3].map((i) => ({ label: "", values: [i, 2 * i, 3 * i, 4 * i] })) };
  for (const step of lesson.steps) {
    wordsOf("own", lesson, step);
    for (const text of [lesson.title, step.text, step.note]) plainly(`${spoken(text, "en")} ${spoken(text, "ko")}`);
    assert.ok(Object.hasOwn(FORMAT.declared.pages, pageIn(step.link)), "a page that is none is loaded for ever");
    state(step.link);
    const { question } = step;
    if (!question) continue;
    figuresOf(question);
    if (question.curve) assert.equal(curve(table, question.curve).length, question.curve.points.length);
    if (!question.answers) continue;
    const { answers, truth } = question;
    const values = truth ? [-1e9, -1, 0, 0.5, 1, 2, 1e9, quantity(table, truth.of)].filter(Number.isFinite) : [0];
    for (const value of values) {
      const right = answers.filter((answer) => (truth ? within(value, answer) : answer.right));
      assert.equal(right.length, 1, "whatever is measured, one answer is right");
    }
  }
}

/** Where a lesson may be changed: each part's path. @param {unknown} node @param {(string | number)[]} path @returns {(string | number)[][]} */
function paths(node, path = []) {
  if (typeof node !== "object" || node === null) return [path];
  const inside = Object.entries(node).flatMap(([name, one]) =>
    paths(one, [...path, Array.isArray(node) ? Number(name) : name]),
  );
  return [path, ...inside];
}

/** @param {unknown} lesson @param {(string | number)[]} path @param {unknown} value undefined takes it away @returns {unknown} */
function changed(lesson, path, value) {
  const whole = structuredClone(lesson);
  const last = path.at(-1);
  if (last === undefined) return value;
  let at = /** @type {Group} */ (whole);
  for (const name of path.slice(0, -1)) at = /** @type {Group} */ (at[name]);
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return whole;
}

const spots = SHIPPED.flatMap((lesson) => paths(lesson).map((path) => ({ lesson, path })));
const links = fc.constantFrom(
  ...[
    "page=nowhere",
    "d_k=banana",
    "page=why",
    "page=train&widths=4",
    "",
    "n=9&row=9",
    "pin=%3F",
    "hide=,",
    "https://a/",
  ],
);
const values = fc.oneof(
  fc.jsonValue(),
  links,
  fc.integer({ min: -3, max: 50 }),
  fc.constantFrom(undefined, "entropy", "sweep", "why_falls", "any", true, null, "<b>", "__proto__", "constructor"),
);

test("a change is refused with a sentence and its step, or leaves a lesson that can be played", () => {
  fc.assert(
    fc.property(fc.constantFrom(...spots), values, ({ lesson, path }, value) => {
      const whole = changed(lesson, path, value);
      const { lesson: found, problems } = check(whole === undefined ? null : whole);
      assert.equal(found === null, problems.length > 0);
      for (const { key, step } of problems) {
        assert.ok(ENGLISH[`lesson.file.${key}`], key);
        if (path[0] === "steps" && path.length > 2) assert.equal(step, Number(path[1]) + 1);
      }
      if (found) playedPurely(found);
      if (found) assert.ok(isDraft(found));
    }),
    { numRuns: 1500 },
  );
});

/** @template T @param {T} node @param {(names: string[]) => string[]} order @returns {T} */
function reordered(node, order) {
  if (typeof node !== "object" || node === null) return node;
  const inside = (/** @type {unknown} */ one) => reordered(one, order);
  if (Array.isArray(node)) return /** @type {T} */ (node.map(inside));
  const group = /** @type {Group} */ (node);
  return /** @type {T} */ (Object.fromEntries(order(Object.keys(group)).map((name) => [name, inside(group[name])])));
}

/** A lesson with its links in one form. @param {Lesson | null} lesson */
function meant(lesson) {
  const whole = structuredClone(lesson);
  for (const step of whole?.steps ?? []) {
    step.link = state(step.link);
    if (step.question?.reveal !== undefined) step.question.reveal = state(step.question.reveal);
  }
  return whole;
}

test("a lesson says the same with its names in another order, spaces between, and whole addresses", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SHIPPED), fc.boolean(), fc.nat(4), fc.boolean(), (lesson, turned, space, full) => {
      const same = structuredClone(reordered(lesson, (names) => (turned ? names.toReversed() : names)));
      for (const step of full ? same.steps : []) {
        const { question } = step;
        step.link = `https://lab.example/?${step.link}&lang=en`;
        if (question?.reveal !== undefined) question.reveal = `https://lab.example/?${question.reveal}`;
      }
      const { lesson: found, problems } = checked(JSON.stringify(same, null, space), FORMAT);
      assert.deepEqual(problems, []);
      assert.deepEqual(meant(found), meant(lesson));
    }),
    { numRuns: 60 },
  );
});

test("what a browser kept is a draft that the editor can show, or none", () => {
  fc.assert(
    fc.property(fc.constantFrom(...spots), values, ({ lesson, path }, value) => {
      const draft = changed(lesson, path, value);
      if (!isDraft(draft)) return;
      for (const { link, text, question } of /** @type {Lesson} */ (draft).steps) {
        pageIn(link);
        spoken(text, "en");
        if (question) figuresOf(question);
        for (const one of question?.answers ?? []) spoken(one.text, "en");
        question?.curve?.points.map(String);
      }
    }),
    { numRuns: 2000 },
  );
});
