/** How a lesson's file is read: JSON with lines, its schema, links, and names that somebody may have meant. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "./properties.mjs";
import { LONGEST, checked, placeOf } from "../../assets/js/lesson/check.js";
import { NotJson, readJson } from "../../assets/js/lesson/json_lines.js";
import { likely } from "../../assets/js/lesson/likely.js";
import { declaredPage, linkFaults, queryOf } from "../../assets/js/lesson/links.js";
import { faults } from "../../assets/js/lesson/schema.js";
import { faultOf, stepFaults } from "../../assets/js/lesson/step_faults.js";

/** @param {unknown} node @param {string} path @returns {string[]} the paths of all parts, in their order */
function paths(node, path = "") {
  if (typeof node !== "object" || node === null) return [path];
  return [path, ...Object.entries(node).flatMap(([name, one]) => paths(one, `${path}/${name}`))];
}

test("what JSON writes is read, and every part has the line on which it stands", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const found = readJson(text);
      assert.deepEqual(found.value, JSON.parse(text));
      // written with spaces, each part that is not empty begins a line
      if (space === 0) {
        assert.ok([...found.lines.values()].every((line) => line === 1));
      } else {
        assert.ok(
          [...found.lines.values()].every((line, i, all) => i === 0 || line === all[i - 1] + 1 || line > all[i - 1]),
        );
      }
      const keys = paths(JSON.parse(text));
      assert.deepEqual(new Set(found.lines.keys()), new Set(keys));
    }),
    { numRuns: 300 },
  );
});

test("parts on the lines of a text", () => {
  const { value, lines } = readJson('\ufeff{\n "a": [1,\n\n  {"b": null}], "__proto__": true\n}\n');
  assert.deepEqual(Object.entries(/** @type {object} */ (value)), [
    ["a", [1, { b: null }]],
    ["__proto__", true],
  ]);
  assert.deepEqual(
    [...lines],
    [
      ["", 1],
      ["/a", 2],
      ["/a/0", 2],
      ["/a/1", 4],
      ["/a/1/b", 4],
      ["/__proto__", 4],
    ],
  );
  assert.deepEqual(readJson('"\\u00e9\\n"').value, "é\n");
  for (const number of ["0", "-0", "10.5", "1e3", "-2.5E-3"]) assert.equal(readJson(number).value, Number(number));
});

const deep = (/** @type {number} */ many) => "[".repeat(many) + "]".repeat(many);

test("what is no JSON is named with its line and the signs there", () => {
  for (const [text, fault, line, found] of /** @type {[string, string, number, string][]} */ ([
    ["", "nothing", 1, ""],
    [" \n\t", "nothing", 1, ""],
    ["[1\n2]", "unexpected", 2, "2]"],
    ['{"a" 1}', "unexpected", 1, "1}"],
    ["{a: 1}", "unexpected", 1, "a: 1}"],
    ['{"a": 1,}', "unexpected", 1, "}"],
    ["[1,]", "unexpected", 1, "]"],
    ["[01]", "unexpected", 1, "1]"],
    ["[+1]", "unexpected", 1, "+1]"],
    ["'a'", "unexpected", 1, "'a'"],
    ['"a\nb"', "unexpected", 1, '"a'],
    ["nul", "unexpected", 1, "nul"],
    ["[1, 2", "unended", 1, ""],
    ['{"a":\n', "unended", 2, ""],
    ['{"a": 1, "a": 2}', "twice", 1, ": 2}"],
    ["[]\n[]", "more", 2, "[]"],
    ["[]\n\nabcdefghijklmnop\nq", "more", 3, "abcdefghijkl"],
    [deep(26), "deep", 1, "]"],
  ])) {
    try {
      readJson(text);
      assert.fail(text);
    } catch (problem) {
      if (!(problem instanceof NotJson)) throw problem;
      const said = fault === "deep" ? "]".repeat(12) : found;
      assert.deepEqual(
        [problem.fault, problem.line, problem.found, problem.message],
        [fault, line, fault === "deep" ? problem.found : said, `${fault} ${line}`],
      );
    }
  }
  assert.deepEqual(readJson(deep(25)).lines.size, 25);
});

/** @type {import("../../assets/js/lesson/links.js").Declared} */
const DECLARED = {
  first: "explore",
  brought: ["upload", "model"],
  pages: {
    explore: {
      figures: ["entropy", "maps"],
      questions: ["rises", "falls"],
      first: { h: "8", n: "32", source: "gaussian", predict: "false" },
      sized_elsewhere: ["structured"],
      unread: ["steps"],
      parameters: {
        n: { least: 2, most: 512, whole: true },
        h: { least: 1, most: 16, whole: true },
        head: { least: 0, most: 16, whole: true },
        row: { least: 0, most: 511, whole: true },
        scale: { least: -1, most: 16 },
        mask: { choices: ["none", "causal"] },
        hide: { choices: ["maps", "entropy"], several: true, empty: true },
        widths: { least: 1, most: 9, several: true },
        kinds: { choices: ["a", "b"], several: true },
        pin: { link: true, without: ["row"] },
        text: {},
        steps: {},
        page: { choices: ["explore", "train"] },
        source: { choices: ["gaussian", "text", "upload", "structured", "model"] },
        predict: { choices: ["true", "false"] },
        question: {},
      },
    },
    train: {
      figures: ["curves"],
      questions: [],
      first: { h: "8", n: "32", source: "gaussian", predict: "true" },
      sized_elsewhere: [],
      unread: ["mask"],
      parameters: { steps: { least: 1, most: 9, whole: true }, mask: { choices: ["none", "causal"] }, page: {} },
    },
  },
};
/** @param {string} link */
const amiss = (link) =>
  [...linkFaults(link, DECLARED)].map(({ key, fields }) => [key, ...Object.values(fields)].join("|"));

test("a link is right, or what is wrong is said with what would be right", () => {
  for (const [link, ...said] of [
    [""],
    ["n=2&h=16&mask=causal&text=anything&scale=-1"],
    ["n=512&scale=.5"],
    ["n=%2B2e0&scale=16."],
    ["n=1", "value_whole|n|1|2|512"],
    ["n=513", "value_whole|n|513|2|512"],
    ["n=2.5", "value_whole|n|2.5|2|512"],
    ["n=", "value_whole|n||2|512"],
    ["scale=x", "value_number|scale|x|-1|16"],
    ["scale=-1.01", "value_number|scale|-1.01|-1|16"],
    ["scale=0x1", "value_number|scale|0x1|-1|16"],
    [`scale=${"9".repeat(50)}`, `value_number|scale|${"9".repeat(40)}|-1|16`],
    ["mask=cause", "value_choice|mask|cause|none, causal"],
    ["mask=", "value_choice|mask||none, causal"],
    ["hide="],
    ["hide=maps,,entropy"],
    ["hide=maps,nothing", "value_choice|hide|maps,nothing|maps, entropy"],
    ["kinds=a,b"],
    ["kinds=", "value_choice|kinds||a, b"],
    ["widths=1,9"],
    ["widths=", "value_number|widths||1|9"],
    ["widths=1,10", "value_number|widths|1,10|1|9"],
    ["row="],
    ["row=31"],
    ["row=32", "value_whole|row|32|0|31"],
    ["row=39&n=40"],
    ["row=500&source=text"],
    ["row=500&source=structured"],
    ["row=32&source=upload", "value_whole|row|32|0|31"],
    ["head=9", "value_whole|head|9|0|8"],
    ["head=9&h=9"],
    ["head=9&source=upload"],
    ["head=17&source=upload", "value_whole|head|17|0|16"],
    ["head=9&source=model"],
    ["head=3&h=x", "value_whole|h|x|1|16"],
    ["steps=3", "unread|explore|steps|train"],
    ["stepz=3", "setting|explore|stepz|steps, text, head, …"],
    ["page=train&n=3", "setting|train|n|steps, mask, page"],
    ["page=train&mask=none", "unread|train|mask|explore"],
    ["page=none", "page|none|explore, train"],
    ["page=__proto__", "page|__proto__|explore, train"],
    ["pin=n%3D2"],
    ["pin=%3Fn%3D1%26page%3Dtrain%26row%3D999", "value_whole|n|1|2|512"],
    ["https://a.example/?n=3", "form_link|https://a.example/?n=3"],
    [`http://${"a".repeat(60)}`, `form_link|http://${"a".repeat(33)}`],
  ]) {
    assert.deepEqual(amiss(link), said, link);
  }
});

test("of an address the state is taken", () => {
  for (const [address, state] of [
    ["n=3&lang=ko", "n=3&lang=ko"],
    ["https://", "https://"],
    ["ftp://a.example/?n=3", "ftp://a.example/?n=3"],
    ["https://a.example/?n=3&lang=ko&theme=dark&present=1&columns=2&room=ABC&lesson=x&step=2", "n=3"],
    ["http://a.example/lab/train/?steps=3&mask=none", "steps=3&page=train"],
    ["http://a.example/lab/?steps=3&n=4", "n=4"],
    ["http://a.example/train?page=explore&n=4", "page=explore&n=4"],
    ["http://a.example/constructor?n=4", "n=4"],
  ]) {
    assert.equal(queryOf(address, DECLARED), state, address);
  }
  assert.equal(declaredPage("", DECLARED)?.name, "explore");
  assert.deepEqual(declaredPage("page=train", DECLARED)?.figures, ["curves"]);
  assert.equal(declaredPage("page=toString", DECLARED), null);
});

test("of many names those nearest to what was written are named", () => {
  const twelve = [..."abcdefghijkl"];
  assert.equal(likely("x", [...twelve, ""]), twelve.join(", "));
  const many = ["entropy", "entropies", "gradient", "maps", "curves", "rows", ...twelve];
  assert.equal(likely("entropi", many), "entropy, entropies, rows, …");
  assert.equal(likely("row", many).split(", ")[0], "rows");
  assert.equal(likely("urves", many).split(", ")[0], "curves");
  assert.equal(likely("crves", many).split(", ")[0], "curves");
  assert.equal(likely("mbps", many).split(", ")[0], "maps");
  assert.equal(likely(`${"z".repeat(40)}maps`, many), likely("z".repeat(40), many), "forty letters are enough");
});

/** @param {unknown} value @param {import("../../assets/js/lesson/schema.js").Schema} schema */
const wrong = (value, schema) =>
  [...faults(value, schema, { $defs: { word: { type: "string", maxLength: 3 } } }, "/at")].map(
    ({ path, key, fields }) => [path, key, ...Object.values(fields)].join("|"),
  );

test("a value keeps to its schema, or its fault has a path and what is taken", () => {
  const object = {
    type: "object",
    properties: { a: { type: "integer" }, b: {} },
    required: ["a"],
    additionalProperties: /** @type {const} */ (false),
  };
  for (const [
    value,
    schema,
    ...said
  ] of /** @type {[unknown, import("../../assets/js/lesson/schema.js").Schema, ...string[]][]} */ ([
    [1, { type: "integer" }],
    [1, { type: "number" }],
    [1.5, { type: "integer" }, "/at|type_integer"],
    ["1", { type: ["integer", "string"] }],
    [null, { type: ["integer", "string"] }, "/at|type_integer"],
    [null, { type: "null" }],
    [[], { type: "object" }, "/at|type_object"],
    [{}, { type: "array" }, "/at|type_array"],
    [Infinity, { type: "number" }, "/at|type_number"],
    [true, { type: "boolean" }],
    ["c", { enum: ["a", "b"] }, "/at|enum|a, b"],
    ["a", { enum: ["a", "b"] }],
    ["abc", { $ref: "#/$defs/word" }],
    ["abcd", { $ref: "#/$defs/word" }, "/at|long|3"],
    ["😀😀😀", { $ref: "#/$defs/word" }],
    ["", { minLength: 1 }, "/at|empty"],
    ["a", { minLength: 1 }],
    ["A", { pattern: "^[a-z]+$" }, "/at|form_at|A"],
    ["a", { pattern: "^[a-z]+$" }],
    [1, { minimum: 1, maximum: 2 }],
    [2, { minimum: 1, maximum: 2 }],
    [0, { minimum: 1, maximum: 2 }, "/at|range|1|2"],
    [2.1, { minimum: 1, maximum: 2 }, "/at|range|1|2"],
    [[1], { minItems: 2 }, "/at|few|2"],
    [[1, 2], { minItems: 2, maxItems: 2 }],
    [["x", "y", "z"], { maxItems: 2, items: { type: "integer" } }, "/at|many|2"],
    [["x", 1], { items: { type: "integer" } }, "/at/0|type_integer"],
    [{ a: 1 }, object],
    [{}, object, "/at|missing|a"],
    [{ a: "1", c: 2, toString: 3 }, object, "/at/a|type_integer", "/at/c|unknown|c", "/at/toString|unknown|toString"],
    [
      { a: 1, c: 2 },
      { ...object, additionalProperties: undefined },
    ],
    [{ a: 1 }, { minProperties: 2 }, "/at|empty"],
    [{ a: 1 }, { minProperties: 1 }],
    [{ a: 1 }, { dependentRequired: { a: ["b"], c: ["d"] } }, "/at|missing|b"],
    [{ a: 1, b: 2 }, { dependentRequired: { a: ["b"] } }],
    [{ a: 1 }, { oneOf: [{ required: ["a"] }, { required: ["b", "c"] }] }],
    [{ b: 1 }, { oneOf: [{ required: ["a"] }, { required: ["b", "c"] }] }, "/at|one_of|a, b + c"],
    [{ a: 1, b: 1, c: 1 }, { oneOf: [{ required: ["a"] }, { required: ["b", "c"] }] }, "/at|one_of|a, b + c"],
  ])) {
    assert.deepEqual(wrong(value, schema), said, JSON.stringify([value, schema]));
  }
  assert.throws(() => wrong(1, { $ref: "#/$defs/none" }), /none/);
});

/** @param {Record<string, unknown>} step */
const ofStep = (step) =>
  [...stepFaults(/** @type {Loose} */ ({ link: "", text: {}, ...step }), DECLARED)].map(({ path, key, fields }) =>
    [path, key, ...Object.values(fields)].join("|"),
  );
const OF = { figure: "maps", column: 1 };
const answers = (/** @type {[number?, number?, boolean?][]} */ ...all) =>
  all.map(([from, below, right]) => ({ text: {}, from, below, right }));

test("a step can be played, or what keeps it from that has a path", () => {
  for (const [step, ...said] of /** @type {[Record<string, unknown>, ...string[]][]} */ ([
    [{ focus: "maps" }],
    [{ focus: "curves" }, "focus|figure|explore|curves|entropy, maps"],
    [{ link: "page=none", focus: "curves" }, "link|page|none|explore, train"],
    [
      {
        holds: [
          { of: OF, over: OF },
          { of: { figure: "x" }, over: { figure: "y" } },
        ],
      },
      "holds/1/of/figure|figure|explore|x|entropy, maps",
      "holds/1/over/figure|figure|explore|y|entropy, maps",
    ],
    [{ question: { reveal: "n=3" } }],
    [{ question: { reveal: "page=train" } }, "question/reveal|reveal_page|explore|train"],
    [{ question: { reveal: "n=1" } }, "question/reveal|value_whole|n|1|2|512"],
    [{ question: { truth: { of: OF }, answers: answers([undefined, 1], [1]) } }],
    [
      { question: { truth: { of: { figure: "x" }, over: { figure: "y" } }, answers: answers([undefined, 1], [1]) } },
      "question/truth/of/figure|figure|explore|x|entropy, maps",
      "question/truth/over/figure|figure|explore|y|entropy, maps",
    ],
    [
      { question: { truth: { of: OF, over: OF, before: true }, reveal: "", answers: answers([undefined, 1], [1]) } },
      "question/truth/over|over_before",
    ],
    [
      { question: { truth: { of: OF, before: true }, answers: answers([undefined, 1], [1]) } },
      "question/truth/before|before_reveal",
    ],
    [
      { question: { truth: { of: OF }, answers: answers([undefined, 1, true], [1]) } },
      "question/answers/0/right|right_and_truth",
    ],
    [{ question: { truth: { of: OF }, answers: answers([0, 1], [1]) } }, "question/answers/0|range_low|0"],
    [{ question: { truth: { of: OF }, answers: answers([undefined, 1], [1, 2]) } }, "question/answers/1|range_high|2"],
    [{ question: { truth: { of: OF }, answers: answers([undefined, 1], [2]) } }, "question/answers/1|range_gap|1|2"],
    [
      { question: { truth: { of: OF }, answers: answers([1], [undefined, 2]) } },
      "question/answers/0|range_overlap_high|2|1|Infinity",
    ],
    [
      { question: { curve: { figure: "x", points: [1, 2], low: 0, high: 1 } } },
      "question/curve/figure|figure|explore|x|entropy, maps",
    ],
    [{ question: { curve: { figure: "maps", points: [2, 2], low: 0, high: 1 } } }, "question/curve/points|curve_order"],
  ])) {
    const found = ofStep(step);
    if (said[0]?.includes("range_overlap_high")) {
      assert.ok(found[0]?.startsWith("question/answers/0|range_overlap"), found[0]);
    } else {
      assert.deepEqual(found, said, JSON.stringify(step));
    }
  }
});

test("a page's own question is asked by its link, and by no other", () => {
  for (const [link, name, ...said] of [
    ["predict=true", "any"],
    ["predict=true", "rises"],
    ["predict=true&question=rises", "rises"],
    ["page=train", "any"],
  ]) {
    assert.deepEqual(ofStep({ link, question: { prediction: name } }), said, link);
  }
  for (const [link, name] of [
    ["predict=true", "sinks"],
    ["predict=false", "rises"],
    ["", "rises"],
    ["predict=true&question=falls", "rises"],
    ["predict=true&hide=predict", "rises"],
  ]) {
    assert.ok(
      ofStep({ link, question: { prediction: name } }).some((one) => one.startsWith("question/prediction|")),
      link + name,
    );
  }
});

test("axes hold a curve, or it is said why not", () => {
  const curve = { figure: "", x: 1, y: 2, points: [1, 2, 4], low: 0, high: 1 };
  for (const [change, said] of /** @type {[object, unknown][]} */ ([
    [{}, null],
    [{ low: 1 }, ["high", "curve_ends"]],
    [{ low: 0.99 }, null],
    [{ points: [1, 1] }, ["points", "curve_order"]],
    [{ points: [1, 3, 2] }, ["points", "curve_order"]],
    [{ points: [0, 1], log_x: true }, ["points", "curve_log"]],
    [{ points: [0, 1] }, null],
    [{ points: [0.1, 1], log_x: true }, null],
  ])) {
    assert.deepEqual(faultOf({ ...curve, ...change }), said);
  }
});

test("a place is counted from 1, and a file too long is not read", () => {
  assert.deepEqual(placeOf("/steps/0/question/answers/2/text"), { step: 1, part: "question.answers.3.text" });
  assert.deepEqual(placeOf("/steps/11"), { step: 12, part: "" });
  assert.deepEqual(placeOf("/steps"), { step: 0, part: "steps" });
  assert.deepEqual(placeOf("/title/en"), { step: 0, part: "title.en" });
  assert.deepEqual(placeOf(""), { step: 0, part: "" });
  const format = { schema: { type: "object" }, declared: DECLARED };
  const long = checked(" ".repeat(LONGEST + 1), format);
  assert.deepEqual(long, {
    lesson: null,
    problems: [{ line: 1, step: 0, part: "", key: "long", fields: { most: 200_000 } }],
  });
  const none = checked(" ".repeat(LONGEST), format);
  assert.deepEqual(none.problems, [{ line: 1, step: 0, part: "", key: "json_nothing", fields: { found: "" } }]);
  const list = checked("\n[]", format);
  assert.deepEqual(list.problems, [{ line: 1, step: 0, part: "", key: "type_object", fields: {} }]);
  assert.deepEqual(checked('\n{"steps": [{"link": "n=1"}]}', format).problems, [
    { line: 2, step: 1, part: "link", key: "value_whole", fields: { name: "n", value: "1", least: "2", most: "512" } },
  ]);
  assert.deepEqual(checked("[1", format).problems, [
    { line: 1, step: 0, part: "", key: "json_unended", fields: { found: "" } },
  ]);
});
